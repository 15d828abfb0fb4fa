"""What systems that allocate by claims write, and the rules of Kubernetes' API for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fourleaf.diag import Diagnostic, Path, Rule, Severity
from fourleaf.hardware import Card
from fourleaf.ir import Object, Origin, Plan, PodShape, Pool, Ref, Value
from fourleaf.kube import Version
from fourleaf.systems.record import record

CLAIM = "gpu"
"""The claim's name in a pod, and its request's."""
GATE = "DynamicResourceAllocation"
KUBERNETES: Path = ("spec", "kubernetes", "version")

NOT_SERVED = Rule("FL350", "dra-not-served", Severity.ERROR, "Kubernetes is older than the API by which devices are claimed")
OFF = Rule("FL352", "dra-switched-off", Severity.ERROR, "devices are claimed, and DynamicResourceAllocation is off")
DROPPING = Rule("FL353", "kubelet-drops-dra-driver", Severity.WARNING, "the kubelet of this patch loses idle DRA drivers")
TOO_MANY = Rule("FL354", "claim-too-large", Severity.ERROR, "a pod claims more devices than one claim can hold", allowable=False)
RULES = (NOT_SERVED, OFF, DROPPING, TOO_MANY)


def template_of(pod: PodShape) -> Ref:
    """Return the template that the claims of a workload's pods are made from."""
    return Ref("ResourceClaimTemplate.resource.k8s.io", f"{pod.name}-{CLAIM}", pod.namespace)


def template(plan: Plan, pod: PodShape, device_class: Ref, selector: str, why: str) -> Object:
    """Return that template. Its name carries a hash, since its spec cannot be changed.

    Args:
        selector: a CEL expression that each device must meet; empty: any of the class.
    """
    version, nested = dialect(plan.kubernetes)
    request: dict[str, Value] = {"deviceClassName": device_class, "allocationMode": "ExactCount", "count": pod.want.count}
    if selector:
        request["selectors"] = [{"cel": {"expression": selector}}]
    body: Mapping[str, Value] = {"name": CLAIM, "exactly": request} if nested else {"name": CLAIM, **request}
    ref = template_of(pod)
    return Object(
        api_version=f"resource.k8s.io/{version}",
        kind=ref.kind.partition(".")[0],
        name=ref.name,
        namespace=ref.namespace,
        body={"spec": {"spec": {"devices": {"requests": [body]}}}},
        hashed=True,
        origin=Origin(pod.origin.place, why),
    )


def dialect(kubernetes: Version) -> tuple[str, bool]:
    """Return the version of resource.k8s.io to write, and whether a request's fields stand below `exactly` in it."""
    if kubernetes.release >= (1, 34):
        return "v1", True
    return ("v1beta2", True) if kubernetes.release == (1, 33) else ("v1beta1", False)


def reads(domain: str, attribute: str, values: Sequence[str]) -> str:
    """Return a CEL expression for devices one of whose attributes has one of some values.

    Reading an attribute that a device lacks is an error that ends the whole allocation, hence the guard.
    """
    attributes = f'device.attributes["{domain}"]'
    listed = ", ".join(f'"{value}"' for value in values)
    return f'"{attribute}" in {attributes} && {attributes}.{attribute} in [{listed}]'


def too_old(plan: Plan, cards: str) -> Iterator[Diagnostic]:
    """Yield a Kubernetes before claims as they are now.

    Args:
        cards: whose devices are claimed: "cards of Intel".
    """
    if plan.kubernetes.release < (1, 32):
        yield NOT_SERVED.at(
            KUBERNETES,
            f"{cards} are claimed through resource.k8s.io/v1beta1 or later, and Kubernetes {plan.kubernetes} serves none of them",
            help=f'write `version: "{_facts()["mended"]}"` or later',
        )


def switched_off(plan: Plan, cards: str) -> Iterator[Diagnostic]:
    """Yield a Kubernetes that could serve claims, and does not."""
    place = (*KUBERNETES[:-1], "featureGates")
    since = Version.parse(_facts()["on_from"].get(plan.distribution.name, "1.34")).release
    if plan.feature_gates.get(GATE, plan.kubernetes.release >= since):
        return
    if GATE in plan.feature_gates:
        yield OFF.at((*place, GATE), f"{GATE} is off, and {cards} are claimed through it", help="take the line out, once the gate is on")
        return
    yield OFF.at(
        place,
        f"{cards} are claimed through {GATE}, which is off in Kubernetes {plan.kubernetes} unless someone switches it on",
        help=f"switch it on in the cluster and write `featureGates: {{{GATE}: true}}`, or use Kubernetes {_facts()['mended']}",
        note=f"--feature-gates={GATE}=true for kube-apiserver, kube-controller-manager, kube-scheduler and kubelet, and "
        "--runtime-config=resource.k8s.io/v1beta1=true,resource.k8s.io/v1beta2=true for kube-apiserver",
    )


def faults(plan: Plan) -> Iterator[Diagnostic]:
    """Yield what is wrong with the very patch of Kubernetes."""
    if str(plan.kubernetes) in _facts()["dropping"]:
        yield DROPPING.at(
            KUBERNETES,
            f"the kubelet of {plan.kubernetes} drops a DRA driver after half an hour without a call, and new pods then fail to start",
            help=f'write `version: "{_facts()["mended"]}"` or later',
            note="https://github.com/kubernetes/kubernetes/issues/133920",
        )


def too_large(pod: PodShape) -> Iterator[Diagnostic]:
    """Yield a want that one claim cannot hold. That the nodes have even less is said with it."""
    limit: int = _facts()["devices_in_claim"]
    if pod.supplies and pod.supplies[0].resource.by == "dra" and pod.want.count > limit:
        most = min(limit, max(offer.units for offer in pod.offers().values()))
        yield TOO_MANY.at(
            pod.at("gpu", "count"),
            f"one pod of {pod.name} claims {pod.want.count} devices, a claim holds {limit}",
            help=f"ask for at most {most} a pod, and spread the work over more replicas",
            note=f"the largest node has {most}" if most < limit else "",
        )


def _facts() -> Mapping[str, Any]:
    return record("claims").facts


class Twin(NamedTuple):
    """A card that a claim may get instead of the one that it wants."""

    pool: str
    wanted: str
    other: str
    known_by: str
    """What the selector knows both by."""


def twin(
    plan: Plan, pod: PodShape, cards: Callable[[Pool], Sequence[Card]], fitting: Collection[str], words: Callable[[Card], Iterable[str]]
) -> Twin | None:
    """Return the first card that a selector takes for one that a workload wants; None where it tells all apart.

    Args:
        cards: the driver's cards in each node of a pool.
        fitting: names of the cards that the workload wants.
        words: what the selector knows a card by.
    """
    for pool in (plan.pool(supply.pool) for supply in pod.supplies):
        known = {card.name: card for card in cards(pool)}
        wanted = {word: name for name in sorted({*fitting} & {*known}) for word in words(known[name])}
        for name in sorted({*known} - {*fitting}):
            for word in sorted({*words(known[name])} & {*wanted}):
                return Twin(pool.name, wanted[word], name, word)
    return None
