"""AMD's device plugin alone: a DaemonSet of ours. Upstream's chart takes neither arguments nor a selection of nodes that fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fourleaf.ir import Ask, Component, Object, Part, Plan, Pool, Ref, Value
from fourleaf.kube import Toleration, tolerations_for
from fourleaf.systems import amd_host, parts
from fourleaf.systems.amd_host import KUBELET, TOLERATION, VENDOR
from fourleaf.systems.system import Supplies, System

NAME = "amd-device-plugin"
WAIT = "until test -d /sys/class/kfd -a -d /sys/module/amdgpu/drivers; do sleep 5; done"
USUAL = (TOLERATION, Toleration("CriticalAddonsOnly"))


def supplies(pool: Pool, below: Supplies) -> Supplies:
    """Return one supply: the plugin counts every device alike, whatever its model."""
    return (*below, *parts.whole_cards(NAME, VENDOR, amd_host.RESOURCE, pool))


def lower(plan: Plan, component: Component, asks: Sequence[Ask]) -> Iterator[Part]:
    """Write the DaemonSet, and what it needs of nodes and hosts."""
    pools = plan.pools_of(component)
    affinity, labels = parts.held_to(pools, "AMD's device plugin runs on them")
    tolerations = tolerations_for(plan.taints_of(component), USUAL)
    yield from labels
    for pool in pools:
        yield amd_host.setup(pool)
    yield Object(
        api_version="apps/v1",
        kind="DaemonSet",
        name=NAME,
        namespace=component.namespace,
        labels=_labels(),
        body={
            "spec": {
                "selector": {"matchLabels": _labels()},
                "template": {"metadata": {"labels": _labels()}, "spec": _pod(plan, component, affinity, tolerations)},
            }
        },
        origin=component.origin,
    )


def _labels() -> Mapping[str, Value]:
    return {"app.kubernetes.io/name": NAME}


def _pod(plan: Plan, component: Component, affinity: Mapping[str, Value], tolerations: Sequence[Toleration]) -> Mapping[str, Value]:
    """Return the plugin's pod, as k8s-ds-amdgpu-dp.yaml at v1.31.0.10 has it, but for its image's tag, where it may go, and the wait.

    Without arguments it is silent about health (-pulse=0), and calls every device amd.com/gpu (-resource_naming_strategy=single).
    """
    own: dict[str, Value] = {"image": amd_host.image(component.version), "securityContext": {"privileged": True}}
    sys: Value = {"name": "sys", "mountPath": "/sys"}
    return {
        "affinity": affinity,
        "automountServiceAccountToken": False,
        "containers": [
            {
                "name": NAME,
                **own,
                "volumeMounts": [{"name": "device-plugins", "mountPath": f"{KUBELET}/device-plugins"}, sys],
            }
        ],
        # The plugin looks for its driver once, at its start (k8s-ds-amdgpu-dp-with-init-container.yaml waits for it too).
        "initContainers": [{"name": "driver", **own, "command": ["sh", "-c", WAIT], "volumeMounts": [sys]}],
        "nodeSelector": {"kubernetes.io/arch": "amd64"},
        "priorityClassName": Ref("PriorityClass.scheduling.k8s.io", "system-node-critical"),
        "tolerations": [toleration.manifest() for toleration in tolerations],
        "volumes": [
            {"name": "device-plugins", "hostPath": {"path": amd_host.plugins(plan)}},
            {"name": "sys", "hostPath": {"path": "/sys"}},
        ],
    }


SYSTEM = System(
    name=NAME,
    answers=("allocator", "plugin"),
    vendor=VENDOR,
    rules=amd_host.RULES,
    supplies=supplies,
    bind=amd_host.bind,
    check=amd_host.check,
    lower=lower,
    agents=lambda _: 1,
)
