"""Simulated nodes, bare pods and stand-ins, as they follow from a plan and its files."""

from __future__ import annotations

from typing import Any

import pytest
from clusters import lowered, planned, pool, workload
from specs import compiled, spec, work
from specs import pool as cards
from support import STACKS

from fourleaf.emit import EMITTERS
from fourleaf.ir import PodShape
from fourleaf.kube import Version
from fourleaf.pipeline import Compilation, run
from fourleaf.rehearse import nodes, objects, pods
from fourleaf.rehearse.nodes import Node
from fourleaf.rehearse.tree import read


def _example(name: str) -> Compilation:
    path = next(path for path in STACKS if path.stem == name)
    return run(path.read_bytes(), path.name)


def _nodes(made: Compilation) -> dict[str, Node]:
    assert made.plan
    assert made.bundle
    return {node.name: node for node in nodes.nodes(made.plan, made.bundle)}


def test_a_node_has_what_its_pool_will_advertise_and_the_labels_that_are_asked_for() -> None:
    (node,) = _nodes(_example("dgx")).values()

    assert (node.capacity["nvidia.com/gpu"], node.capacity["nvidia.com/mig-1g.10gb"]) == ("4", "28")
    assert node.labels["nvidia.com/mig.config"] == "dgx"
    assert node.labels["nvidia.com/gpu.product"] == "NVIDIA-H100-80GB-HBM3"
    assert node.labels["kubernetes.io/hostname"] == "dgx-1"


def test_taints_are_those_of_the_spec() -> None:
    found = _nodes(_example("homelab"))

    assert found["gpu-1"].taints == ({"key": "nvidia.com/gpu", "effect": "NoSchedule", "value": "present"},)
    assert found["mini-2"].taints == ()


def test_devices_are_published_as_the_driver_does() -> None:
    node = _nodes(_example("homelab"))["mini-1"]
    (made,) = nodes.slices(node, "resource.k8s.io/v1")
    (device,) = made["spec"]["devices"]

    assert (made["spec"]["driver"], made["spec"]["pool"]["name"], made["spec"]["nodeName"]) == ("gpu.intel.com", "mini-1", "mini-1")
    assert device["attributes"]["pciId"] == {"string": "0x7d55"}
    assert device["attributes"]["sriov"] == {"bool": False}
    assert device["capacity"]["memory"] == {"value": "0Mi"}


def test_nodes_by_count_never_take_the_name_of_another() -> None:
    plan = planned(pool("gpu", ("arc-b580", 1), nodes=2), pool("named", ("arc-a750", 1), nodes=["gpu-1"]))

    assert [node.name for node in nodes.nodes(plan, lowered(plan))] == ["gpu-2", "gpu-3", "gpu-1"]


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "Job", "CronJob", "Pod"])
def test_pods_are_made_of_the_patch_of_every_kind(kind: str) -> None:
    text = (next(path for path in STACKS if path.stem == "laptop")).read_text().replace("kind: StatefulSet", f"kind: {kind}")
    made = run(text)
    assert made.plan
    assert made.bundle
    (work,) = pods.works(made.plan, made.bundle, read(made.files).bindings)
    (pod,) = work.pods

    assert pod["metadata"]["namespace"] == "lab"
    assert pod["spec"]["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": 1}
    assert pod["spec"]["tolerations"][0]["key"] == "nvidia.com/gpu"


def test_pods_of_a_daemonset_keep_off_each_others_nodes() -> None:
    made = compiled(spec(cards("a", "rtx-4090", 2, 3), workloads=[work("probe", kind="DaemonSet")]))
    assert made.plan
    assert made.bundle

    (found,) = pods.works(made.plan, made.bundle, read(made.files).bindings)

    assert len(found.pods) == 3
    for pod in found.pods:
        (apart,) = pod["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        assert apart["topologyKey"] == "kubernetes.io/hostname"
        assert apart["labelSelector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()


def test_pods_of_another_scheduler_keep_its_name() -> None:
    made = _example("campus")
    assert made.plan
    assert made.bundle
    found = {work.shape.name: work for work in pods.works(made.plan, made.bundle, read(made.files).bindings)}

    assert found["pretrain"].scheduler == "volcano"
    assert len(found["pretrain"].pods) == 16


def test_a_workload_that_nothing_serves_has_no_pods() -> None:
    plan = planned(pool("a", ("arc-a750", 1)), workloads=[workload("w", vendor="amd")])
    (work,) = pods.works(plan, lowered(plan), ())

    assert isinstance(work.shape, PodShape)
    assert work.pods == ()


@pytest.mark.parametrize("target", [*EMITTERS])
def test_what_charts_and_people_bring_is_stood_in_for(target: str) -> None:
    path = next(path for path in STACKS if path.stem == "homelab")
    made = run(path.read_bytes(), path.name, target=target)
    assert made.bundle
    found = objects.stand_ins(made.bundle, read(made.files), ["ollama"], Version(1, 36))
    names = {(one.manifest["kind"], one.manifest["metadata"]["name"]): one for one in found}

    assert names["DeviceClass", "gpu.intel.com"].manifest["spec"]["selectors"] == [
        {"cel": {"expression": 'device.driver == "gpu.intel.com"'}}
    ]
    assert names["DeviceClass", "gpu.intel.com"].bringer == "chart intel-gpu-resource-driver-chart"
    assert names["Namespace", "ollama"].bringer == "you"
    assert ("Namespace", "gpu-operator") not in names, "the set has it"
    assert (("Namespace", "argocd") in names) == (target == "argocd")


def test_kinds_of_stand_ins_are_defined_too() -> None:
    daemon = work("w", {"card": "rtx-4090"}, kind="DaemonSet")
    made = compiled(spec(cards("p", "rtx-4090"), workloads=[daemon], policy={"scheduler": "volcano"}))
    assert made.bundle
    tree = read(made.files)
    stood_in = objects.stand_ins(made.bundle, tree, ["apps"], Version(1, 36))

    assert "Queue" in {one.manifest["kind"] for one in stood_in}
    assert "Queue" not in {item.manifest["kind"] for item in tree.objects}
    assert "Queue" in {one["spec"]["names"]["kind"] for one in objects.definitions_of(tree, stood_in)}


def test_an_older_set_gets_the_versions_that_its_cluster_would_serve() -> None:
    item: dict[str, Any] = {"apiVersion": "resource.k8s.io/v1beta1", "kind": "ResourceClaimTemplate", "metadata": {"name": "x"}}
    tree = read({"a.yaml": str(item).replace("'", '"')})

    assert objects.flags(tree, Version(1, 33), Version(1, 36)) == ("--runtime-config=resource.k8s.io/v1beta1=true",)
    assert objects.flags(tree, Version(1, 31), Version(1, 36)) == ()
