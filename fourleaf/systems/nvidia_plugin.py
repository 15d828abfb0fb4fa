"""NVIDIA's device plugin alone: whole cards, on nodes that bring driver and container runtime themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from fourleaf.diag import Diagnostic, Rule, Severity
from fourleaf.ir import Ask, Binding, Component, Object, Origin, Part, Plan, PodShape, Pool, Prerequisite, Ref, Resource, Supply, Value
from fourleaf.kube import tolerations_for
from fourleaf.systems import nvidia_host, parts
from fourleaf.systems.nvidia_host import TOLERATION, VENDOR
from fourleaf.systems.record import record
from fourleaf.systems.system import System

UNSURE = Rule("FL160", "gpu-in-docker-desktop", Severity.WARNING, "a Kubernetes that is not known to hand GPUs to pods")

CLASS = Ref("RuntimeClass.node.k8s.io", "nvidia")
SOCKETS = "/var/lib/kubelet/device-plugins"


def supplies(pool: Pool, below: tuple[Supply, ...]) -> tuple[Supply, ...]:
    return (*below, *parts.whole_cards("nvidia-device-plugin", VENDOR, Resource(nvidia_host.RESOURCE, "device-plugin"), pool))


def bind(plan: Plan, pod: PodShape, below: Binding) -> Binding:
    return replace(below, tolerations=(*below.tolerations, TOLERATION), runtime_class=_runtime_class(plan))


def check(plan: Plan, component: Component) -> Iterator[Diagnostic]:
    issues = _facts()["unsure"].get(plan.distribution.name)
    if issues:
        yield UNSURE.at(
            ("spec", "kubernetes", "distribution"),
            f"Kubernetes of {plan.distribution.name} is not known to hand GPUs to pods",
            help="try one pod first; k3s in WSL 2 is another way",
            note=", ".join(issues),
        )
    for pool in plan.pools_of(component):
        yield from nvidia_host.check(plan, pool)


def lower(plan: Plan, component: Component, asks: Sequence[Ask]) -> Iterator[Part]:
    pools = plan.pools_of(component)
    if isinstance(_runtime_class(plan), Ref):
        yield Object(
            api_version="node.k8s.io/v1",
            kind="RuntimeClass",
            name=CLASS.name,
            body={"handler": "nvidia"},
            origin=parts.origin(component, "pods with a card start through NVIDIA's runtime"),
        )
    elif _runtime_class(plan):
        yield Prerequisite(
            what=f"RuntimeClass nvidia, which {plan.distribution.name} makes by itself",
            command="kubectl get runtimeclass nvidia",
            brings=CLASS,
            origin=parts.origin(component, "pods with a card start through NVIDIA's runtime"),
        )
    affinity, labels = parts.held_to(pools, "the device plugin runs on its nodes")
    yield from labels
    yield _plugin(plan, component, affinity)
    for pool in pools:
        yield from _host(plan, pool)


def _plugin(plan: Plan, component: Component, affinity: Mapping[str, Value]) -> Object:
    labels = {"app.kubernetes.io/name": "nvidia-device-plugin"}
    container: Value = {
        "name": "nvidia-device-plugin",
        "image": f"{_facts()['image']}:{component.version}",
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [{"name": "sockets", "mountPath": SOCKETS}],
    }
    runtime = _runtime_class(plan)
    pod: dict[str, Value] = {
        "priorityClassName": "system-node-critical",
        **({"runtimeClassName": runtime} if runtime else {}),
        "affinity": affinity,
        "tolerations": [toleration.manifest() for toleration in tolerations_for(plan.taints_of(component), [TOLERATION])],
        "containers": [container],
        "volumes": [{"name": "sockets", "hostPath": {"path": SOCKETS, "type": "Directory"}}],
    }
    return Object(
        api_version="apps/v1",
        kind="DaemonSet",
        name="nvidia-device-plugin",
        namespace=component.namespace,
        labels=labels,
        body={"spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}},
        origin=component.origin,
    )


def _runtime_class(plan: Plan) -> Value:
    """Return the RuntimeClass of pods with a card: a reference where it is ours, a name where the distribution makes it."""
    match _distribution(plan).get("class", "ours"):
        case "ours":
            return CLASS
        case "distribution":
            return CLASS.name
    return ""


def _host(plan: Plan, pool: Pool) -> Iterator[Part]:
    """Yield what the hosts of a pool must bring: driver, container toolkit, and a runtime that knows it."""
    if pool.host.family == "talos":
        yield nvidia_host.talos_setup(pool, {"runtimes": ["nvidia"]})
        return
    known = _distribution(plan)
    yield nvidia_host.driver_by_person(plan, pool)
    if nvidia_host.ways(plan, pool).toolkit == "operator" and known.get("class") != "none":
        yield Prerequisite(
            what=f"NVIDIA's container toolkit on the nodes of pool {pool.name}, known to their container runtime",
            command=known.get("configure", _facts()["configure"]),
            text=f"Install it first: {nvidia_host.toolkit_guide()}",
            origin=Origin(pool.origin.place, "no operator brings it"),
        )


def _distribution(plan: Plan) -> Mapping[str, Any]:
    known: Mapping[str, Any] = _facts()["distributions"].get(plan.distribution.name) or {}
    return known


def _facts() -> Mapping[str, Any]:
    return record("nvidia-device-plugin").facts


SYSTEM = System(
    name="nvidia-device-plugin",
    answers=("allocator", "plugin"),
    vendor=VENDOR,
    rules=(UNSURE, *nvidia_host.RULES),
    supplies=supplies,
    bind=bind,
    check=check,
    lower=lower,
    agents=lambda _: 1,
)
