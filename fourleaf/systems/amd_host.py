"""What AMD's allocators have in common: who brings the kernel driver to a host, and what their pods tolerate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from fourleaf.diag import Diagnostic, Rule, Severity
from fourleaf.ir import Ask, Binding, Component, Origin, Plan, PodShape, Pool, Prerequisite, Resource
from fourleaf.kube import Toleration
from fourleaf.systems import parts
from fourleaf.systems.record import record

VENDOR = "amd"
RESOURCE = Resource("amd.com/gpu", "device-plugin")
KUBELET = "/var/lib/kubelet"

TOLERATION = Toleration("amd.com/gpu", "NoSchedule")
"""The taint that GPU nodes of AMD usually carry: tolerated also where no pool declares it."""
GROUPS = "a container that does not run as root needs the groups of /dev/kfd and /dev/dri/renderD* on the node in supplementalGroups"

NOBODY = Rule("FL182", "amd-driver-nobody-installs", Severity.ERROR, "a driver for AMD's cards is asked for, and nothing installs it")
MIXED = Rule("FL183", "integrated-gpu-counted", Severity.WARNING, "an integrated GPU counts as one more of the cards beside it")
RULES = (NOBODY, MIXED)


def image(version: str) -> str:
    """Return the device plugin's image."""
    return f"{_facts()['image']}:{version}"


def plugins(plan: Plan) -> str:
    """Return the folder in which the kubelet of a distribution looks for device plugins."""
    return f"{plan.distribution.traits.get('kubeletRoot', KUBELET)}/device-plugins"


def setup(pool: Pool) -> Ask:
    """Ask the host of a pool for the kernel driver; a person brings it where nothing takes the ask."""
    reason = Origin(pool.origin.place, "AMD's device plugin needs it of the host")
    todo = Prerequisite(
        what=f"kernel driver amdgpu on the nodes of pool {pool.name}",
        text="amdgpu must be loaded, of the kernel or of ROCm's amdgpu-dkms, with its firmware: /sys/class/kfd is there then. "
        "Until it is, the device plugin waits in its init container.",
        origin=reason,
    )
    return Ask(topic="host-setup", pool=pool.name, value={"extensions": _facts()["talos_extensions"]}, otherwise=todo, origin=reason)


def bind(plan: Plan, pod: PodShape, below: Binding) -> Binding:
    """Let a pod with one of the cards go to their nodes."""
    return replace(below, tolerations=(*below.tolerations, TOLERATION), notes=(*below.notes, GROUPS))


def check(plan: Plan, component: Component) -> Iterator[Diagnostic]:
    """Yield what is amiss with the hosts and the cards of an allocator's pools."""
    for pool in plan.pools_of(component):
        yield from _pool(pool)


def _pool(pool: Pool) -> Iterator[Diagnostic]:
    if what := parts.driver_in_vain(pool, VENDOR):
        yield NOBODY.at(
            pool.driver.origin.place,
            f"pool {pool.name} has its {what} installed by an operator, and that is not built yet for AMD",
            help="write `driver: host`, and install amdgpu on the nodes",
            note="AMD's operator builds the driver's image itself, into a registry that it must be given",
        )
    cards = [gpu.card for gpu in pool.gpus if gpu.card.vendor == VENDOR]
    if pool.partition:  # no resource by that name is on such nodes
        return
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
    return record("amd-device-plugin").facts
