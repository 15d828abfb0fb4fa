"""NVIDIA's DRA driver: cards and MIG slices of a node are devices, which pods claim by class, profile and model.

Driver, container runtime and MIG layouts stay the GPU Operator's, which stands below with its device plugin off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from fourleaf.diag import Diagnostic, Rule, Severity
from fourleaf.hardware import Card
from fourleaf.ir import Ask, Binding, Component, Origin, Part, Plan, PodShape, Pool, Prerequisite, Ref, Resource, Value
from fourleaf.kube import tolerations_for
from fourleaf.partition import table
from fourleaf.systems import claims, nvidia_host, nvidia_settings, parts
from fourleaf.systems.nvidia_host import TOLERATION, VENDOR
from fourleaf.systems.record import record, release
from fourleaf.systems.system import Device, Supplies, System

NAME = "dra-driver-nvidia-gpu"
OPERATOR = "gpu-operator"
CARDS = "cards of NVIDIA"
DRIVER = "gpu.nvidia.com"
"""What the driver calls itself: of cards and slices alike, it is the domain of their attributes."""
CARD = Resource(DRIVER, "dra")
"""The DeviceClass of whole cards."""

SHARED = Rule(
    "FL360",
    "sharing-of-claimed-cards",
    Severity.ERROR,
    "cards that are claimed are to be shared by a device plugin's means",
    allowable=False,
)
TWINS = Rule("FL361", "models-of-one-product-name", Severity.WARNING, "two models in a node have one name, by which claims would tell them")
OLD_DRIVER = Rule("FL362", "driver-too-old-for-claims", Severity.ERROR, "a driver of NVIDIA under which cards cannot be claimed")
NO_CDI = Rule("FL363", "claims-without-cdi", Severity.ERROR, "cards are claimed on hosts where nothing injects them")


def supplies(pool: Pool, below: Supplies) -> Supplies:
    """Return one supply a model, in place of what the device plugin would advertise: a claim can tell them by their names."""
    return parts.cards_by_model(NAME, VENDOR, CARD, pool)


def bind(plan: Plan, pod: PodShape, below: Binding) -> Binding:
    """Ask by a claim."""
    return replace(below, claims={**below.claims, claims.CLAIM: claims.template_of(pod)})


# ---- what is installed


def lower(plan: Plan, component: Component, asks: Sequence[Ask]) -> Iterator[Part]:
    """Write the chart, what it needs of the operator and of hosts, and the templates of the claims."""
    pools = plan.pools_of(component)
    # Its definitions are for ComputeDomain, which is off, and the operator has other schemas of them: two owners would fight.
    yield replace(parts.chart(SYSTEM.record, component, _values(plan, component)), definitions=False)
    yield from nvidia_host.quota(plan, component)
    for pool in pools:
        yield Ask(topic="device-plugin", pool=pool.name, value="off", origin=parts.origin(component, "cards are claimed"))
        yield Ask(topic="cdi", pool=pool.name, value=True, origin=parts.origin(component, "cards are injected by CDI"))
        yield from _host(plan, pool)
    for pod in plan.pods_of(component):
        device_class = Ref("DeviceClass.resource.k8s.io", pod.supplies[0].resource.name)
        yield claims.template(plan, pod, device_class, _selector(plan, pod), "each of its pods claims GPUs of NVIDIA")


def _values(plan: Plan, component: Component) -> Mapping[str, Value]:
    plugin: dict[str, Value] = {"nodeSelector": {_client(plan): "true"}}
    tolerations = tolerations_for(plan.taints_of(component), [TOLERATION])
    if len(tolerations) > 1:
        plugin["tolerations"] = [toleration.manifest() for toleration in tolerations]
    if root := plan.distribution.traits.get("kubeletRoot"):
        plugin |= {"kubeletRegistrarDirectoryPath": f"{root}/plugins_registry", "kubeletPluginsDirectoryPath": f"{root}/plugins"}
    return {
        "gpuResourcesEnabledOverride": True,  # without it the chart refuses to give out cards
        "kubeletPlugin": plugin,
        "nvidiaDriverRoot": _root(plan, plan.pools_of(component)[0]),
        # Said, since `helm template` and those that call it ask no cluster which version it serves.
        "resourceApiVersion": f"resource.k8s.io/{claims.dialect(plan.kubernetes)[0]}",
        "resources": {"computeDomains": {"enabled": False}, "gpus": {"enabled": True}},
    }


def _client(plan: Plan) -> str:
    """Return the label that a node loses while the operator changes its driver or its MIG layout.

    The driver's plugin looks at the cards once, when it starts: it must leave the node meanwhile and come back.
    """
    facts = _facts()["client"]
    below = next(component.version for component in plan.components if component.system == OPERATOR)
    label: str = facts["label" if release(below) >= release(facts["since"]) else "before"]
    return label


def _root(plan: Plan, pool: Pool) -> str:
    """Return where the hosts have the driver. All pools agree: the operator has one chart, and a rule about that."""
    if nvidia_host.driver_by_operator(plan, pool):
        brought: str = _facts()["operator_root"]
        return brought
    return nvidia_host.ways(plan, pool).root or "/"


def _host(plan: Plan, pool: Pool) -> Iterator[Prerequisite]:
    """Yield what a person sees to where host and runtime are not the operator's; Talos has both of its extensions."""
    if pool.host.family == "talos":
        return
    reason = Origin(pool.origin.place, "cards are claimed")
    if not nvidia_host.driver_by_operator(plan, pool):
        least, show = _facts()["driver"], "nvidia-smi --query-gpu=driver_version --format=csv"
        yield Prerequisite(what=f"driver {least} or newer on the nodes of pool {pool.name}: see on each", command=show, origin=reason)
    if nvidia_host.ways(plan, pool).toolkit != "operator":
        yield Prerequisite(
            what=f"CDI in the container runtime on the nodes of pool {pool.name}",
            text="The container runtime must read CDI specifications from /var/run/cdi: containerd 2 does so unless told otherwise, "
            "containerd 1.7 with enable_cdi = true.",
            origin=reason,
        )


# ---- which device a claim is for


def _selector(plan: Plan, pod: PodShape) -> str:
    """Return a CEL expression for the profile and the models that fit a want; empty where any card will do.

    An ask by memory goes by profile or model too: what the driver publishes as memory is what NVML reads, less than the model's
    (81559Mi of 80Gi), so a comparison would leave out what fits.
    """
    said = []
    profile = pod.supplies[0].kind[1]
    if profile:
        said.append(claims.reads(DRIVER, "profile", [profile]))
    if _by_model(pod):
        fitting = _fitting(pod)
        names = {name for card in nvidia_host.cards(plan.pools) if card.name in fitting for name in _products(card)}
        said += [claims.reads(DRIVER, "productName", sorted(names))] if names else []
    return " && ".join(said)


def _by_model(pod: PodShape) -> bool:
    """Tell whether a want leaves out models that the class has."""
    return any(key == "card" for key, _ in pod.want.traits) or bool(pod.want.memory_bytes and not pod.supplies[0].kind[1])


def _fitting(pod: PodShape) -> set[str]:
    return {value for supply in pod.supplies for key, value in supply.traits if key == "card"}


def _products(card: Card) -> tuple[str, ...]:
    """Return a model's names as NVML has them; its aliases in lower case are those of the spec."""
    return (card.product, *(alias for alias in card.aliases if alias != alias.lower()))


def devices(pool: Pool) -> tuple[Device, ...]:
    """Return what the driver publishes of a node (cmd/gpu-kubelet-plugin/{deviceinfo,mig}.go at v0.4.1); ids are made up."""
    cuts = pool.partition.cuts if pool.partition else ()
    layouts = {index: cut.parts for cut in cuts for index in cut.cards if cut.parts}
    return tuple(device for index, card in enumerate(pool.models(VENDOR)) for device in _devices(index, card, layouts.get(index, ())))


def _devices(index: int, card: Card, layout: Sequence[tuple[str, int]]) -> Iterator[Device]:
    name, uuid = f"gpu-{index}", f"GPU-00000000-0000-0000-0000-{index:012x}"
    known = {"productName": card.product, "architecture": card.architecture.title()}
    if not layout:
        capacity = {"memory": f"{round((card.memory_gib or 0) * 1024)}Mi"}
        yield Device(driver=DRIVER, name=name, attributes={**known, "type": "gpu", "uuid": uuid}, capacity=capacity)
        return
    slices = [profile for profile, count in layout for _ in range(count)]
    for number, profile in enumerate(slices):
        found = table(card.mig).find(profile)
        yield Device(
            driver=DRIVER,
            name=f"{name}-mig-{number}",
            attributes={**known, "type": "mig", "profile": profile, "parentUUID": uuid, "uuid": f"MIG-{uuid[4:]}-{number}"},
            capacity={"memory": f"{found.memory_gib if found else 0}Gi"},
        )


# ---- rules


def check(plan: Plan, component: Component) -> Iterator[Diagnostic]:
    """Yield what is amiss with cluster, hosts and claims; the operator's own rules see to the rest."""
    # One of these: an API that is too old cannot be switched on.
    yield from [*claims.too_old(plan, CARDS)] or claims.switched_off(plan, CARDS)
    yield from claims.faults(plan)
    for pool in plan.pools_of(component):
        yield from _shared(pool)
        yield from _without_cdi(pool)
        yield from _old_driver(plan, pool)
    for pod in plan.pods_of(component):
        yield from claims.too_large(pod)
        yield from _twins(plan, pod)


def _shared(pool: Pool) -> Iterator[Diagnostic]:
    if pool.partition and pool.partition.replicas > 1:
        form, cut = pool.partition.forms[-1], pool.partition.cuts
        yield SHARED.at(
            pool.partition.shared_at,
            f"pool {pool.name} shares each {'slice' if cut else 'card'} by {form}, which the device plugin does, and its cards are claimed",
            help=f"write `allocation: device-plugin` under policy, or {f'take `{form}` out' if cut else '`partition: none`'} here",
            note="the driver's own sharing (TimeSlicingSettings, MPSSupport) is alpha and off, and shares a claim, not a card",
            on_key=True,
        )


def _without_cdi(pool: Pool) -> Iterator[Diagnostic]:
    if nvidia_settings.before_talos(pool):
        yield NO_CDI.at(
            pool.at("os"),
            f"cards of pool {pool.name} are claimed, and CDI, which hands them to pods, is off on {pool.host.name}",
            help=f"upgrade the nodes to talos-{nvidia_settings.first_talos()}, or write `allocation: device-plugin` under policy",
            note="https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu/issues/426",
        )


def _old_driver(plan: Plan, pool: Pool) -> Iterator[Diagnostic]:
    least = _facts()["driver"]
    version = pool.driver.version if nvidia_host.driver_by_operator(plan, pool) else ""
    if version and release(version) < release(least):
        yield OLD_DRIVER.at(
            pool.at("driver", "version"),
            f"cards of pool {pool.name} are claimed, which takes driver {least} or newer, this is {version}",
            help=f"write a version of {least} or newer, or take it out",
        )


def _twins(plan: Plan, pod: PodShape) -> Iterator[Diagnostic]:
    found = claims.twin(plan, pod, lambda pool: nvidia_host.cards([pool]), _fitting(pod), _products) if _by_model(pod) else None
    if found:
        yield TWINS.at(
            pod.want.place,
            f"{pod.name} wants {found.wanted} and may get {found.other}: both call themselves {found.known_by} in pool {found.pool}",
            help="put the two models into nodes, and pools, of their own",
        )


def _facts() -> Mapping[str, Any]:
    return record(NAME).facts


SYSTEM = System(
    name=NAME,
    answers=("allocator", "dra"),
    vendor=VENDOR,
    needs=("node-feature-discovery", OPERATOR),
    rules=(SHARED, TWINS, OLD_DRIVER, NO_CDI, *claims.RULES),
    supplies=supplies,
    bind=bind,
    check=check,
    lower=lower,
    devices=devices,
)
