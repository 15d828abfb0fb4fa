"""The scheduler gives out what NVIDIA's DRA driver would publish, to the claims that the compiler writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml
from engine.cluster import Cluster, eventually

from fourleaf.ir import Plan, Pool
from fourleaf.pipeline import Compilation, run
from fourleaf.systems import SYSTEMS
from fourleaf.systems.nvidia_dra import DRIVER, NAME

pytestmark = pytest.mark.engine

SPEC = """
apiVersion: fourleaf.dev/v1
kind: Cluster
metadata: {name: claimed}
spec:
  kubernetes: {version: "1.36", distribution: kubeadm}
  pools:
    - name: hopper
      nodes: [dgx-1, dgx-2]
      os: ubuntu-24.04
      gpus: [{card: h100-80gb, count: 4}]
      partition:
        mig: {layouts: [{gpus: [0, 1], layout: {1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1}}, {gpus: [2, 3], layout: none}]}
    - name: mixed
      nodes: [mix-1]
      os: ubuntu-24.04
      gpus: [{card: l4, count: 1}, {card: t4, count: 2}]
  workloads:
    - {name: train, namespace: claimed, kind: Job, replicas: 3, gpu: {card: h100-80gb, count: 2}}
    - {name: chat, namespace: claimed, replicas: 5, gpu: {mig: 3g.40gb}}
    - {name: embed, namespace: claimed, replicas: 9, gpu: {memory: 9Gi}}
    - {name: infer, namespace: claimed, replicas: 3, gpu: {card: t4}}
  policy: {allocation: dra}
"""


@pytest.fixture(scope="module")
def made() -> Compilation:
    made = run(SPEC, target="plain")
    assert made.plan
    assert {found.rule.code for found in made.diagnostics} == {"FL404"}  # each workload wants one pod more than fits
    return made


def slices(plan: Plan) -> Iterator[Mapping[str, Any]]:
    for pool in plan.pools:
        for node in pool.nodes:
            yield published(pool, node)


def published(pool: Pool, node: str) -> Mapping[str, Any]:
    """Return what the driver's plugin on a node publishes."""
    devices = [
        {
            "name": device.name,
            "attributes": {name: {"string": value} for name, value in device.attributes.items()},
            "capacity": {name: {"value": quantity} for name, quantity in device.capacity.items()},
        }
        for device in SYSTEMS[NAME].devices(pool)
    ]
    spec = {"driver": DRIVER, "nodeName": node, "pool": {"name": node, "generation": 1, "resourceSliceCount": 1}, "devices": devices}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": f"{node}-{DRIVER}"}, "spec": spec}


def classes() -> Iterator[Mapping[str, Any]]:
    for item in SYSTEMS[NAME].record.provides:
        if item.body:
            yield {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": item.name}, **item.body}


def pods(made: Compilation) -> Iterator[Mapping[str, Any]]:
    for path, text in made.files.items():
        if not path.startswith("bindings/"):
            continue
        bound = yaml.safe_load(text)
        template, name = bound["spec"]["template"]["spec"], bound["metadata"]["name"]
        spec = {**template, "containers": [{**template["containers"][0], "image": "registry.example/none"}]}
        for number in range(bound["spec"].get("replicas") or bound["spec"]["parallelism"]):
            metadata = {"name": f"{name}-{number}", "namespace": "claimed", "labels": {"app": name}}
            yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"restartPolicy": "Never", **spec}}


def test_every_pod_that_the_plan_places_gets_devices_of_its_kind_and_no_other(cluster: Cluster, made: Compilation) -> None:
    assert made.plan
    templates = [yaml.safe_load(text) for path, text in made.files.items() if "resourceclaimtemplate" in path]
    cluster.namespace("claimed")
    for pool in made.plan.pools:
        for node in pool.nodes:
            cluster.node(node)
            cluster.kubectl("label", "node", node, f"fourleaf.dev/pool={pool.name}")
    cluster.apply(*classes(), *slices(made.plan), *templates)
    cluster.apply(*pods(made))

    def settled() -> list[Any] | None:
        found = cluster.get("pods", "--namespace=claimed")["items"]
        return found if all(one["status"].get("conditions") for one in found) else None

    def allocated() -> Mapping[str, list[tuple[str, str]]] | None:
        claims = cluster.get("resourceclaims", "--namespace=claimed")["items"]
        given: dict[str, list[tuple[str, str]]] = {}
        for claim in claims:
            for result in claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", ()):
                given.setdefault(claim["metadata"]["ownerReferences"][0]["name"].rpartition("-")[0], []).append(
                    (result["pool"], result["device"])
                )
        return given if sum(map(len, given.values())) == 4 + 4 + 8 + 2 else None

    assert eventually(settled)
    given = eventually(allocated, 30)
    placed = Counter(
        one["metadata"]["labels"]["app"] for one in cluster.get("pods", "--namespace=claimed")["items"] if one["spec"].get("nodeName")
    )
    assert placed == {told.workload: told.pods for told in made.plan.predictions} == {"train": 2, "chat": 4, "embed": 8, "infer": 2}
    nodes = [(pool, node) for pool in made.plan.pools for node in pool.nodes]
    known = {(node, one.name): dict(one.attributes) for pool, node in nodes for one in SYSTEMS[NAME].devices(pool)}
    kinds = {name: {(known[at]["productName"], known[at].get("profile")) for at in devices} for name, devices in given.items()}
    assert kinds == {
        "train": {("NVIDIA H100 80GB HBM3", None)},
        "chat": {("NVIDIA H100 80GB HBM3", "3g.40gb")},
        "embed": {("NVIDIA H100 80GB HBM3", "1g.10gb")},
        "infer": {("Tesla T4", None)},
    }
