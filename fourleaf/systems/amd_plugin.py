"""AMD's device plugin alone: a DaemonSet of ours. Upstream's chart takes neither arguments nor a selection of nodes that fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from fourleaf.diag import Diagnostic, Rule, Severity
from fourleaf.ir import Ask, Binding, Component, Object, Origin, Part, Plan, PodShape, Pool, Prerequisite, Ref, Resource, Value
from fourleaf.kube import Toleration, tolerations_for
from fourleaf.systems import parts
from fourleaf.systems.record import record
from fourleaf.systems.system import Supplies, System

NAME = "amd-device-plugin"
VENDOR = "amd"
RESOURCE = Resource("amd.com/gpu", "device-plugin")
KUBELET = "/var/lib/kubelet"
WAIT = "until test -d /sys/class/kfd -a -d /sys/module/amdgpu/drivers; do sleep 5; done"

TOLERATION = Toleration("amd.com/gpu", "NoSchedule")
"""The taint that GPU nodes of AMD usually carry: tolerated also where no pool declares it."""
USUAL = (TOLERATION, Toleration("CriticalAddonsOnly"))

NOBODY = Rule("FL182", "amd-driver-nobody-installs", Severity.ERROR, "a driver for AMD's cards is asked for, and nothing installs it")
MIXED = Rule("FL183", "integrated-gpu-counted", Severity.WARNING, "an integrated GPU counts as one more of the cards beside it")


def supplies(pool: Pool, below: Supplies) -> Supplies:
    """Return one supply: the plugin counts every device alike, whatever its model."""
    return (*below, *parts.whole_cards(NAME, VENDOR, RESOURCE, pool))


def bind(plan: Plan, pod: PodShape, below: Binding) -> Binding:
    note = "a container that does not run as root needs the groups of /dev/kfd and /dev/dri/renderD* on the node in supplementalGroups"
    return replace(below, tolerations=(*below.tolerations, TOLERATION), notes=(*below.notes, note))


def lower(plan: Plan, component: Component, asks: Sequence[Ask]) -> Iterator[Part]:
    """Write the DaemonSet, and what it needs of nodes and hosts."""
    pools = plan.pools_of(component)
    affinity, labels = parts.held_to(pools, "AMD's device plugin runs on them")
    tolerations = tolerations_for(plan.taints_of(component), USUAL)
    yield from labels
    for pool in pools:
        yield _host(pool)
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
    root = plan.distribution.traits.get("kubeletRoot", KUBELET)
    own: dict[str, Value] = {"image": f"{_facts()['image']}:{component.version}", "securityContext": {"privileged": True}}
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
            {"name": "device-plugins", "hostPath": {"path": f"{root}/device-plugins"}},
            {"name": "sys", "hostPath": {"path": "/sys"}},
        ],
    }


def _host(pool: Pool) -> Ask:
    reason = Origin(pool.origin.place, "AMD's device plugin needs it of the host")
    todo = Prerequisite(
        what=f"kernel driver amdgpu on the nodes of pool {pool.name}",
        text="amdgpu must be loaded, of the kernel or of ROCm's amdgpu-dkms, with its firmware: /sys/class/kfd is there then. "
        "Until it is, the device plugin waits in its init container.",
        origin=reason,
    )
    return Ask(topic="host-setup", pool=pool.name, value={"extensions": _facts()["talos_extensions"]}, otherwise=todo, origin=reason)


def check(plan: Plan, component: Component) -> Iterator[Diagnostic]:
    """Yield what is amiss with the hosts."""
    for pool in plan.pools_of(component):
        yield from _nobody(pool)
        yield from _mixed(pool)


def _nobody(pool: Pool) -> Iterator[Diagnostic]:
    if what := parts.driver_in_vain(pool, VENDOR):
        yield NOBODY.at(
            pool.driver.origin.place,
            f"pool {pool.name} has its {what} installed by an operator, and AMD's is not built yet",
            help="write `driver: host`, and install amdgpu on the nodes",
        )


def _mixed(pool: Pool) -> Iterator[Diagnostic]:
    cards = [gpu.card for gpu in pool.gpus if gpu.card.vendor == VENDOR]
    integrated = next((card for card in cards if card.integrated), None)
    discrete = next((card for card in cards if not card.integrated), None)
    if integrated and discrete:
        yield MIXED.at(
            pool.at("gpus"),
            f"{integrated.name} counts as {RESOURCE.name} beside {discrete.name} in pool {pool.name}, and a pod may get either",
            help=f"switch {integrated.name} off in the firmware of the nodes, and take it out here",
            note="the device plugin offers every GPU that amdgpu drives (ROCm/k8s-device-plugin v1.31.0.10, GetAMDGPUs)",
        )


def _facts() -> Mapping[str, Any]:
    return record(NAME).facts


SYSTEM = System(
    name=NAME,
    answers=("allocator", "plugin"),
    vendor=VENDOR,
    rules=(NOBODY, MIXED),
    supplies=supplies,
    bind=bind,
    check=check,
    lower=lower,
)
