"""Intel's DRA driver: each GPU of a node is a device, which a pod claims by class and, where it matters, by model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from fourleaf.diag import Diagnostic, Label, Rule, Severity
from fourleaf.hardware import Card
from fourleaf.ir import Ask, Binding, Component, Origin, Part, Plan, PodShape, Pool, Prerequisite, Ref, Resource, Value
from fourleaf.kube import Toleration, tolerations_for
from fourleaf.systems import claims, parts
from fourleaf.systems.record import record, release
from fourleaf.systems.system import Device, Supplies, System

NAME = "intel-gpu-resource-driver"
VENDOR = "intel"
CARDS = "cards of Intel"
RESOURCE = Resource("gpu.intel.com", "dra")
"""The DeviceClass, which the driver calls as it calls itself."""
CLASS = Ref("DeviceClass.resource.k8s.io", RESOURCE.name)
KUBELET = "/var/lib/kubelet"

TOLERATION = Toleration("node.kubernetes.io/gpu", "NoSchedule")
"""The taint of GPU nodes that the chart has in mind: tolerated also where no pool declares it."""
# The chart's own, which a list of ours replaces: charts/intel-gpu-resource-driver/values.yaml, kubeletPlugin.tolerations.
USUAL = (
    TOLERATION,
    Toleration("node-role.kubernetes.io/control-plane", "NoSchedule"),
    Toleration("node-role.kubernetes.io/master", "NoSchedule"),
)

NO_XE = Rule("FL180", "kernel-driver-not-on-host", Severity.ERROR, "the host has no image with the kernel driver that a card needs")
NOBODY = Rule("FL181", "intel-driver-nobody-installs", Severity.ERROR, "a driver for Intel's cards is asked for, and nothing installs it")
CHART = Rule("FL351", "device-class-not-served", Severity.ERROR, "the driver's chart brings a DeviceClass that Kubernetes does not serve")
TWINS = Rule("FL355", "models-of-one-pci-id", Severity.WARNING, "two models in a node have one PCI id, by which a claim would tell them")


def supplies(pool: Pool, below: Supplies) -> Supplies:
    """Return one supply a model: a claim can tell them by their PCI id."""
    return (*below, *parts.cards_by_model(NAME, VENDOR, RESOURCE, pool))


def bind(plan: Plan, pod: PodShape, below: Binding) -> Binding:
    """Ask by a claim."""
    return replace(
        below,
        claims={**below.claims, claims.CLAIM: claims.template_of(pod)},
        tolerations=(*below.tolerations, TOLERATION),
    )


def lower(plan: Plan, component: Component, asks: Sequence[Ask]) -> Iterator[Part]:
    """Write the chart, what it needs of nodes and hosts, and the templates of the claims."""
    pools = plan.pools_of(component)
    facts = _facts()
    paths: Mapping[str, str] = facts["talos_cdi"] if any(pool.host.family == "talos" for pool in pools) else {}
    affinity, labels = parts.held_to(pools, "Intel's driver runs on them")
    plugin: dict[str, Value] = {
        "affinity": affinity,
        "tolerations": [toleration.manifest() for toleration in tolerations_for(plan.taints_of(component), USUAL)],
    }
    # The chart's own set, health monitoring without xpumd, waits five minutes for a socket and exits; this one reads the cards itself
    # (doc/gpu/USAGE.md at gpu-v0.11.0). Older lines have neither switch.
    if release(component.version) >= (0, 10):
        plugin |= {"privileged": True, "healthMonitoring": {"enabled": False}}
    # The chart's NodeFeatureRules stay off: they choose every node with an Intel GPU, also those that no pool declares, and they
    # would need node-feature-discovery before this chart.
    values: dict[str, Value] = {"kubeletPlugin": plugin, "nfd": {"enabled": False}, **({"cdi": paths} if paths else {})}
    if release(component.version) >= (0, 11):
        values["xpumdEnabled"] = False
    if version := _openshift(plan):
        values["openshift"] = {"enabled": True, **({"version": version} if release(component.version) >= (0, 10) else {})}
    yield parts.chart(SYSTEM.record, component, values)
    yield from labels
    if "kubeletRoot" in plan.distribution.traits:
        yield _kubelet(plan.distribution.traits["kubeletRoot"], component)
    for pool in pools:
        yield _host(pool, tuple(paths.values()) or tuple(facts["cdi"]))
    for pod in plan.pods_of(component):
        yield claims.template(plan, pod, CLASS, _selector(plan, pod), "each of its pods claims GPUs of Intel")


def _openshift(plan: Plan) -> str:
    """Return the version of OpenShift; empty elsewhere. Its hosts carry the same number."""
    return plan.pools[0].host.version if plan.distribution.name == "openshift" else ""


def _host(pool: Pool, cdi: Sequence[str]) -> Ask:
    cards = _cards(pool)
    drivers = sorted({card.traits["kernelDriver"] for card in cards})
    extensions = [f"siderolabs/{driver}" for driver in drivers]
    if any(not card.integrated for card in cards):
        extensions.append("siderolabs/mei")  # a card of its own loads part of its firmware through the management engine
    reason = Origin(pool.origin.place, "Intel's driver needs it of the host")
    names = " and ".join(drivers)
    todo = Prerequisite(
        what=f"kernel driver {names}, and CDI in the container runtime, on the nodes of pool {pool.name}",
        text=f"{names} must be loaded, with the firmware of linux-firmware: /dev/dri then has a renderD device for each card. "
        f"The container runtime must read CDI specifications from {' and '.join(cdi)}: containerd 2 does so unless told otherwise, "
        "containerd 1.7 with enable_cdi = true.",
        origin=reason,
    )
    return Ask(topic="host-setup", pool=pool.name, value={"extensions": extensions, "cdi": list(cdi)}, otherwise=todo, origin=reason)


def _kubelet(root: str, component: Component) -> Prerequisite:
    return Prerequisite(
        what=f"{KUBELET} leads to {root} on the nodes of {' and '.join(component.pools)}, before the driver comes",
        command=f"ln -sfn {root} {KUBELET}",
        origin=parts.origin(component, "the chart takes no other kubelet directory"),
    )


def _cards(pool: Pool) -> list[Card]:
    return [gpu.card for gpu in pool.gpus if gpu.card.vendor == VENDOR]


def _selector(plan: Plan, pod: PodShape) -> str:
    """Return a CEL expression for the models that fit a want; empty where any card of Intel's will do.

    An ask by memory goes by model too. What the driver publishes as a card's memory is what it can address, less than the model's
    (24480Mi of 24Gi, doc/gpu/USAGE.md at gpu-v0.11.0), and 0 on an integrated GPU: a comparison would never match.
    """
    if not (pod.want.memory_bytes or any(key == "card" for key, _ in pod.want.traits)):
        return ""
    fitting = _fitting(pod)
    ids = {f"0x{identity}" for pool in plan.pools for card in _cards(pool) if card.name in fitting for identity in card.pci}
    return claims.reads(RESOURCE.name, "pciId", sorted(ids)) if ids else ""


def _fitting(pod: PodShape) -> set[str]:
    return {value for supply in pod.supplies for key, value in supply.traits if key == "card"}


def devices(pool: Pool) -> tuple[Device, ...]:
    """Return what the driver publishes of a node (pkg/gpu/device/device.go at gpu-v0.11.0); bus addresses are made up."""
    cards = [gpu.card for gpu in pool.gpus if gpu.card.vendor == VENDOR for _ in range(gpu.count * gpu.card.devices)]
    return tuple(_device(slot, card) for slot, card in enumerate(cards))


def _device(slot: int, card: Card) -> Device:
    # The first GPU of a processor is at 00:02.0; cards have buses of their own.
    bus = f"0000:{slot:02x}:02.0" if card.integrated else f"0000:{slot + 3:02x}:00.0"
    identity = f"0x{card.pci[0]}"
    known = {"family": card.traits["family"], "model": card.traits["model"], "driver": card.traits["kernelDriver"]}
    return Device(
        driver=RESOURCE.name,
        name=f"{bus}-{identity}".replace(":", "-").replace(".", "-"),
        attributes={**known, "type": "gpu", "sriov": False, "health": "Unknown", "pciId": identity, "resource.kubernetes.io/pciBusID": bus},
        # An integrated GPU has no memory of its own; of a card's, what the driver can address, which the catalogue does not know.
        capacity={"memory": f"{0 if card.integrated else round((card.memory_gib or 0) * 1024)}Mi", "millicores": "1k"},
    )


def check(plan: Plan, component: Component) -> Iterator[Diagnostic]:
    """Yield what is amiss with cluster, hosts and claims."""
    # At most one of these: an API that is too old cannot be switched on, one that the chart does not speak need not be.
    yield from [*claims.too_old(plan, CARDS)] or [*_chart(plan, component)] or claims.switched_off(plan, CARDS)
    yield from claims.faults(plan)
    for pool in plan.pools_of(component):
        yield from _kernel_driver(pool)
        yield from _nobody(pool)
    for pod in plan.pods_of(component):
        yield from claims.too_large(pod)
        yield from _twins(plan, pod)


def _chart(plan: Plan, component: Component) -> Iterator[Diagnostic]:
    lines: Mapping[str, str] = _facts()["device_class"]
    brings = lines.get(".".join(map(str, release(component.version)[:2])), "v1")
    older = _openshift(plan)
    if older and release(component.version) >= (0, 9) and release(older) < release(_facts()["openshift_v1"]):
        brings = "v1beta1"
    mend = f"write `version: {SYSTEM.record.version}`, or take it out"
    if release(component.version) < min(map(release, lines)):
        first, where = min(lines, key=release), SYSTEM.record.repository
        yield CHART.at(component.pinned, f"{NAME} {component.version} is not in {where}, which begins with {first}", help=mend)
    elif brings != ("v1" if plan.kubernetes.release >= (1, 34) else "v1beta1"):
        chart = f"{NAME} {component.version}"
        yield CHART.at(
            claims.KUBERNETES if brings == "v1" else component.pinned,
            f"{chart} brings a DeviceClass of resource.k8s.io/{brings}, which Kubernetes {plan.kubernetes} does not serve by default",
            help='write `version: "1.34.2"` or later' if brings == "v1" else mend,
            labels=(Label(component.pinned, "pinned here"),) if component.pinned and brings == "v1" else (),
        )


def _kernel_driver(pool: Pool) -> Iterator[Diagnostic]:
    first = _facts()["talos_xe"]
    if pool.host.family != "talos" or release(pool.host.version) >= release(first):
        return
    for number, gpu in enumerate(pool.gpus):
        if gpu.card.vendor == VENDOR and gpu.card.traits["kernelDriver"] == "xe":
            yield NO_XE.at(
                pool.at("gpus", number, "card"),
                f"{gpu.card.name} of pool {pool.name} needs kernel driver xe, which Talos has from {first} on",
                help=f"write `os: talos-{first}` or later",
                labels=(Label(pool.at("os"), pool.host.name),),
            )
            return


def _nobody(pool: Pool) -> Iterator[Diagnostic]:
    if what := parts.driver_in_vain(pool, VENDOR):
        yield NOBODY.at(
            pool.driver.origin.place,
            f"pool {pool.name} has its {what} installed by an operator, and there is none for cards of Intel",
            help="write `driver: host`: i915 and xe come with the kernel",
        )


def _twins(plan: Plan, pod: PodShape) -> Iterator[Diagnostic]:
    found = claims.twin(plan, pod, _cards, _fitting(pod), lambda card: card.pci) if _selector(plan, pod) else None
    if found:
        yield TWINS.at(
            pod.want.place,
            f"{pod.name} wants {found.wanted} and may get {found.other}: both are {found.known_by} on the PCI bus of pool {found.pool}",
            help="put the two models into nodes, and pools, of their own",
        )


def _facts() -> Mapping[str, Any]:
    return record(NAME).facts


SYSTEM = System(
    name=NAME,
    answers=("allocator", "dra"),
    vendor=VENDOR,
    rules=(NO_XE, NOBODY, CHART, TWINS, *claims.RULES),
    supplies=supplies,
    bind=bind,
    check=check,
    lower=lower,
    devices=devices,
)
