"""A bundle by hand, with everything in it that an emitter must carry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from fourleaf.emit import Destination
from fourleaf.ir import Binding, Bundle, Chart, Document, Object, Origin, Prerequisite, Provided, Ref
from fourleaf.kube import Toleration, Version
from fourleaf.resolve.inventory import Delivery

WHY = Origin(("spec", "pools", 0), "a reason")
QUEUE = "Queue.scheduling.volcano.sh"
RULE = "NodeFeatureRule.nfd.k8s-sigs.io"
Made = Callable[..., Object]


def an_object(kind: str, name: str, namespace: str = "", api_version: str = "v1", **fields: Any) -> Object:
    return Object(api_version=api_version, kind=kind, name=name, namespace=namespace, origin=WHY, **fields)


def a_chart(name: str, repository: str = "https://charts.example.org/stable", **fields: Any) -> Chart:
    given = {"release": name, "version": "v1.2.3", "namespace": name, "values": {}, "origin": WHY, **fields}
    return Chart(name=name, repository=repository, **given)


def a_bundle(**fields: Any) -> Bundle:
    empty: dict[str, Any] = dict.fromkeys(("objects", "charts", "asks", "bindings", "prerequisites", "edges"), ())
    return Bundle(**{**empty, **fields})


def campus() -> Bundle:
    """Two namespaces, a configuration that a chart needs, three charts in a row, queues two levels deep, a daemon by hand."""
    queue = {"api_version": "scheduling.volcano.sh/v1beta1", "keep": True}
    config = an_object("ConfigMap", "mig-1a2b3c4d", "gpu-operator", body={"data": {"config.yaml": Document({"version": "v1", "y": "1e3"})}})
    daemon = an_object("DaemonSet", "markers", "gpu-operator", "apps/v1", labels={"app": "markers"}, body={"spec": {"minReadySeconds": 5}})
    parent = an_object("Queue", "science", body={"spec": {"parent": "root", "weight": 1}}, **queue)
    child = an_object("Queue", "vision", body={"spec": {"parent": "science", "weight": 2}}, **queue)
    rule = an_object("NodeFeatureRule", "pools", api_version="nfd.k8s-sigs.io/v1alpha1", body={"spec": {"rules": []}})
    spaces = [
        an_object("Namespace", name, keep=True, labels={"pod-security.kubernetes.io/enforce": "privileged"})
        for name in ("vision", "gpu-operator")
    ]
    nfd = a_chart(
        "node-feature-discovery",
        "oci://registry.example.org/nfd/charts",
        version="0.19.0",
        namespace="gpu-operator",
        provides=(Provided(ref=Ref("Definition", RULE), api_version="nfd.k8s-sigs.io/v1alpha1"),),
        waits=("kubectl -n gpu-operator rollout status deployment/nfd-master",),
    )
    operator = a_chart(
        "gpu-operator",
        values={"nfd": {"enabled": False}, "migManager": {"config": {"name": "mig-1a2b3c4d"}}, "note": Document({"on": True})},
        provides=(Provided(ref=Ref("RuntimeClass", "nvidia")),),
    )
    volcano = a_chart("volcano", release="batch", namespace="gpu-operator", provides=(Provided(ref=Ref("Definition", QUEUE)),))
    bindings = (
        Binding(
            name="ollama",
            namespace="vision",
            kind="Deployment",
            replicas=1,
            requests={"nvidia.com/gpu": 1},
            scheduler="volcano",
            tolerations=(Toleration("nvidia.com/gpu", "NoSchedule"),),
            pod_annotations={"scheduling.volcano.sh/queue-name": "vision"},
            recreate=True,
            origin=WHY,
        ),
        Binding(name="train", namespace="vision", kind="Job", replicas=4, claims={"gpu": "train-gpu"}, origin=WHY),
    )
    charts = {chart.name: chart for chart in (operator, nfd, volcano)}
    edges = (
        *((made.ref, Ref("Namespace", made.namespace)) for made in (config, daemon, *charts.values())),
        (operator.ref, config.ref),
        (operator.ref, nfd.ref),
        (rule.ref, Ref("Definition", RULE)),
        (parent.ref, Ref("Definition", QUEUE)),
        (child.ref, Ref("Definition", QUEUE)),
        (child.ref, parent.ref),
        (Ref("Namespace", "vision"), child.ref),
        (bindings[0].ref, child.ref),
    )
    todo = (
        Prerequisite(what="label the nodes", command="kubectl label node gpu-1 a=b", origin=WHY),
        Prerequisite(what="patch the host", text="machine:\n  kernel: {}\n", origin=Origin(())),
    )
    return a_bundle(
        objects=(child, parent, rule, daemon, config, *spaces),
        charts=tuple(charts.values()),
        bindings=bindings,
        edges=edges,
        prerequisites=todo,
    )


@pytest.fixture
def bundle() -> Bundle:
    return campus()


@pytest.fixture
def made() -> Made:
    return an_object


@pytest.fixture
def chart() -> Callable[..., Chart]:
    return a_chart


@pytest.fixture
def bundle_of() -> Callable[..., Bundle]:
    return a_bundle


@pytest.fixture
def destination() -> Destination:
    delivery = Delivery(target="argocd", repo_url="https://git.example.org/infra.git", path="clusters/homelab/", project="gpu")
    return Destination(name="homelab", kubernetes=Version(1, 35), title="L4 queued: volcano", delivery=delivery)


@pytest.fixture
def laid(tmp_path: Path) -> Callable[[dict[str, str]], Path]:
    """Lay files into a folder."""

    def lay(files: dict[str, str]) -> Path:
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        return tmp_path

    return lay


@pytest.fixture
def documents() -> Callable[[dict[str, str]], Iterator[tuple[str, dict[str, Any]]]]:
    """Read every YAML document of a tree."""

    def read(files: dict[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
        for path, text in files.items():
            if path.endswith(".yaml"):
                for tree in yaml.safe_load_all(text):
                    yield path, tree

    return read
