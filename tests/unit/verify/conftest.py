"""A plan and a bundle, built by hand, with which nothing is wrong."""

from __future__ import annotations

import pytest

from fourleaf.hardware import Card, Distribution, Host
from fourleaf.ir import (
    Ask,
    Binding,
    Bundle,
    Chart,
    Component,
    Document,
    Driver,
    Gpu,
    Object,
    Origin,
    Plan,
    PodShape,
    Pool,
    Prerequisite,
    Provided,
    Queue,
    Ref,
    Resource,
    Supply,
    Want,
)
from fourleaf.kube import Taint, Toleration, Version

GPU = Resource("example.com/gpu", "device-plugin")
TAINT = Taint("example.com/gpu", "present", "NoSchedule")
TOLERATES = Toleration("example.com/gpu", "NoSchedule")
QUEUE = "Queue.scheduling.volcano.sh"
RULE = "NodeFeatureRule.nfd.k8s-sigs.io"
CLAIM = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}}


def origin(*path: str | int, rule: str = "because") -> Origin:
    return Origin(("spec", *path), rule)


def pool(
    name: str, index: int, *nodes: str, taints: tuple[Taint, ...] = (), systems: tuple[str, ...] = ("found", "plugin", "queues")
) -> Pool:
    card = Card(name="card-1", vendor="acme", product="Card 1")
    host = Host(name="linux-1", family="linux", version="1", immutable=False, systemd=True)
    return Pool(
        name=name,
        count=len(nodes) or 2,
        nodes=nodes,
        host=host,
        gpus=(Gpu(card, 4),),
        taints=taints,
        driver=Driver(origin=origin("pools", index, "driver")),
        systems=systems,
        origin=origin("pools", index),
    )


def supply(name: str) -> Supply:
    return Supply(pool=name, nodes=2, resource=GPU, per_node=4, unit="card", vendor="acme", allocator="plugin", traits=frozenset())


def shape(name: str, index: int, *pools: str) -> PodShape:
    return PodShape(
        name=name,
        namespace="vision",
        kind="Deployment",
        replicas=1,
        declared=1,
        want=Want(count=1, units=("card",)),
        queue="vision",
        supplies=tuple(map(supply, pools)),
        origin=origin("workloads", index),
    )


@pytest.fixture
def plan() -> Plan:
    """Return pools `plain` (by count) and `fenced` (two named nodes with a taint), three systems, three workloads."""
    pools = (pool("fenced", 0, "n1", "n2", taints=(TAINT,)), pool("plain", 1))
    both = ("fenced", "plain")
    return Plan(
        name="clean",
        kubernetes=Version(1, 35),
        distribution=Distribution(name="kubeadm"),
        pools=pools,
        supplies=(supply("fenced"), supply("plain")),
        pods=(shape("classify", 0, "plain"), shape("detect", 1, "fenced", "plain"), shape("train", 2, "fenced")),
        queues=(Queue(name="vision", namespaces=("vision",), origin=origin("tenants", 0)),),
        components=(
            Component(system="found", version="1", namespace="found", pools=both, origin=origin("pools", 0)),
            Component(system="plugin", version="1", namespace="plugin", pools=both, origin=origin("pools", 0)),
            Component(system="queues", version="1", namespace="queues", pools=both, origin=origin("pools", 0)),
        ),
        predictions=(),
    )


def made(
    api_version: str,
    kind: str,
    name: str,
    namespace: str = "",
    by: str = "",
    body: dict[str, object] | None = None,
    labels: dict[str, str] | None = None,
) -> Object:
    return Object(
        api_version=api_version,
        kind=kind,
        name=name,
        namespace=namespace,
        labels=labels or {},
        body=body or {},  # type: ignore[arg-type]
        origin=origin("made", name),
        by=by,
    )


def chart(name: str, *provides: Provided) -> Chart:
    return Chart(
        name=name,
        release=name,
        repository="https://charts.example.com",
        version="1.0.0",
        namespace=name,
        values={"config": "layouts"},
        provides=provides,
        origin=origin("stack", name),
        by=name,
    )


def binding(name: str, index: int, **more: object) -> Binding:
    return Binding(
        name=name,
        namespace="vision",
        kind="Deployment",
        replicas=1,
        requests={"example.com/gpu": 1},
        scheduler="volcano",
        tolerations=(TOLERATES,),
        pod_labels={"team": "vision"},
        pod_annotations={"scheduling.volcano.sh/queue-name": "vision"},
        origin=origin("workloads", index),
        **more,  # type: ignore[arg-type]
    )


DAEMON = {
    "selector": {"matchLabels": {"app": "plugin"}},
    "template": {
        "metadata": {"labels": {"app": "plugin"}},
        "spec": {
            "serviceAccountName": "plugin",
            "priorityClassName": "system-node-critical",
            "runtimeClassName": "acme",
            "tolerations": [{"key": "example.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
            "affinity": {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [
                            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]},
                            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]},
                        ]
                    }
                }
            },
            "containers": [
                {
                    "name": "plugin",
                    "image": "registry.example.com/plugin:1",
                    "envFrom": [{"configMapRef": {"name": "maybe", "optional": True}}],
                    "resources": {"limits": {"memory": "64Mi"}},
                }
            ],
            "volumes": [
                {"name": "config", "configMap": {"name": "layouts"}},
                {"name": "ca", "projected": {"sources": [{"configMap": {"name": "kube-root-ca.crt"}}]}},
            ],
        },
    },
}
CONTROLLER = {
    "selector": {"matchLabels": {"app": "controller"}},
    "template": {
        "metadata": {"labels": {"app": "controller"}},
        "spec": {"nodeSelector": {"fourleaf.dev/pool": "plain"}, "containers": [{"name": "c", "image": "registry.example.com/c:1"}]},
    },
}
BOUND = {
    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "plugin"},
    "subjects": [{"kind": "ServiceAccount", "name": "plugin", "namespace": "plugin"}],
}
RULES = [
    {
        "name": "plain",
        "labels": {"fourleaf.dev/pool": "plain"},
        "matchFeatures": [{"feature": "pci.device", "matchExpressions": {"vendor": {"op": "In", "value": ["10de"]}}}],
    }
]


def objects() -> tuple[Object, ...]:
    return (
        *(made("v1", "Namespace", name) for name in ("found", "plugin", "queues", "vision")),
        made("nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule", "fourleaf", by="found", body={"spec": {"rules": RULES}}),
        made("v1", "ServiceAccount", "plugin", "plugin", "plugin"),
        made(
            "rbac.authorization.k8s.io/v1",
            "ClusterRole",
            "plugin",
            "",
            "plugin",
            {"rules": [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get"]}]},
        ),
        made("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "plugin", "", "plugin", BOUND),
        made("v1", "ConfigMap", "layouts", "plugin", "plugin", {"data": {"config.yaml": Document({"version": "v1"})}}),
        made("node.k8s.io/v1", "RuntimeClass", "acme", "", "plugin", {"handler": "acme"}),
        made("apps/v1", "DaemonSet", "plugin", "plugin", "plugin", {"spec": DAEMON}),
        made("apps/v1", "Deployment", "controller", "plugin", "plugin", {"spec": CONTROLLER}),
        made("resource.k8s.io/v1", "DeviceClass", "gpu.example.com", "", "plugin", {"spec": {}}),
        made("resource.k8s.io/v1", "ResourceClaimTemplate", "train", "vision", "plugin", {"spec": {"spec": CLAIM}}),
        made(
            "scheduling.volcano.sh/v1beta1",
            "Queue",
            "vision",
            "",
            "queues",
            {"spec": {"parent": "root"}},
            {"fourleaf.dev/tenant": "vision"},
        ),
        made("scheduling.volcano.sh/v1beta1", "PodGroup", "train", "vision", "queues", {"spec": {"queue": "vision", "minMember": 1}}),
    )


@pytest.fixture
def bundle() -> Bundle:
    """Return a bundle of that plan in which every rule of verify has something to look at."""
    label = Prerequisite(what="label the nodes of pool fenced", command="kubectl label ...", origin=origin("pools", 0))
    return Bundle(
        objects=objects(),
        charts=(
            chart("found", Provided(ref=Ref("Definition", RULE), api_version="nfd.k8s-sigs.io/v1alpha1")),
            chart(
                "queues",
                Provided(ref=Ref("Definition", QUEUE), api_version="scheduling.volcano.sh/v1beta1"),
                Provided(ref=Ref("Definition", "PodGroup.scheduling.volcano.sh"), api_version="scheduling.volcano.sh/v1beta1"),
                Provided(ref=Ref(QUEUE, "root")),
                Provided(ref=Ref("ServiceAccount", "scheduler")),
            ),
        ),
        asks=(
            Ask(topic="node-label", pool="plain", value={"fourleaf.dev/pool": "plain"}, origin=origin("pools", 1), by="plugin", to="found"),
            Ask(
                topic="node-label",
                pool="fenced",
                value={"fourleaf.dev/pool": "fenced"},
                otherwise=label,
                origin=origin("pools", 0),
                by="plugin",
            ),
        ),
        bindings=(
            binding("classify", 0),
            binding("detect", 1, runtime_class="acme"),
            binding("train", 2, claims={"gpu": "train"}),
        ),
        prerequisites=(label, Prerequisite(what="namespace outside", brings=Ref("Namespace", "outside"), origin=origin("workloads", 0))),
        edges=(
            (Ref("Chart", "queues", "queues"), Ref("Chart", "found", "found")),
            (Ref("Deployment.workload", "train", "vision"), Ref(QUEUE, "vision")),
            (Ref("Deployment.workload", "classify", "vision"), Ref("Namespace", "outside")),
            (Ref("PodGroup.scheduling.volcano.sh", "train", "vision"), Ref("PriorityClass.scheduling.k8s.io", "system-cluster-critical")),
            (Ref("DaemonSet", "plugin", "plugin"), Ref("RuntimeClass", "acme")),
        ),
    )
