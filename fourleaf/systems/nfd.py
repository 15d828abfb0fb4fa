"""node-feature-discovery: finds what hardware a node has, and sets the labels that other systems ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import convert

from fourleaf.ir import Ask, Component, Gpu, Object, Part, Plan, Pool, Value
from fourleaf.kube import Toleration, tolerations_for
from fourleaf.systems import parts
from fourleaf.systems.record import record
from fourleaf.systems.system import System


def lower(plan: Plan, component: Component, asks: Sequence[Ask]) -> Iterator[Part]:
    """Write the chart, and one rule with the labels of every pool whose nodes it can tell; the others are a person's."""
    pools = plan.pools_of(component)
    values: dict[str, Value] = {}
    tolerations = _tolerations(plan, component, asks)
    if tolerations:
        values["worker"] = {"tolerations": [toleration.manifest() for toleration in tolerations]}
    yield parts.chart(SYSTEM.record, component, values)
    labels: dict[str, dict[str, str]] = {}
    for ask in asks:
        if ask.topic == "node-label" and isinstance(ask.value, Mapping):
            labels.setdefault(ask.pool, {}).update({key: str(value) for key, value in ask.value.items()})
    rules: list[Value] = []
    for pool in pools:
        if pool.name not in labels:
            continue
        features = _features(pool, plan.pools)
        if features:
            rules.append({"name": pool.name, "labels": dict(sorted(labels[pool.name].items())), "matchFeatures": features})
        else:
            yield from (ask.otherwise for ask in asks if ask.pool == pool.name and ask.otherwise)
    if rules:
        yield Object(
            api_version="nfd.k8s-sigs.io/v1alpha1",
            kind="NodeFeatureRule",
            name="fourleaf",
            body={"spec": {"rules": rules}},
            origin=parts.origin(component, "labels that other systems need on the nodes"),
        )


def _tolerations(plan: Plan, component: Component, asks: Sequence[Ask]) -> tuple[Toleration, ...]:
    """Return what the worker must tolerate: a node that it cannot reach keeps no label, and nothing else finds it."""
    known: Mapping[str, Sequence[str]] = _facts()["tolerates"]
    vendors = {vendor for pool in plan.pools_of(component) for vendor in pool.vendors}
    usual = [Toleration(key, "NoSchedule") for vendor in vendors for key in known.get(vendor, ())]
    asked = [convert(ask.value, Toleration) for ask in asks if ask.topic == "discovery-toleration"]
    return tolerations_for(plan.taints_of(component), [*usual, *asked])


def _features(pool: Pool, pools: Sequence[Pool]) -> Sequence[Value]:
    """Return what tells the nodes of a pool from all others, as `matchFeatures`; empty where nothing does.

    A rule sees names and hardware of a node, not its labels.
    """
    if pool.nodes:
        return [{"feature": "system.name", "matchExpressions": {"nodename": {"op": "In", "value": sorted(pool.nodes)}}}]
    vendors: Mapping[str, str] = _facts()["pci"]
    if not all(gpu.card.pci and gpu.card.vendor in vendors for gpu in pool.gpus):
        return []
    if any(other is not pool and _looks_like(other, pool) for other in pools):
        return []
    return [_device(vendors[gpu.card.vendor], gpu) for gpu in pool.gpus]


def _device(vendor: str, gpu: Gpu) -> Value:
    ids: Value = {"vendor": {"op": "In", "value": [vendor]}, "device": {"op": "In", "value": sorted(gpu.card.pci)}}
    return {"feature": "pci.device", "matchExpressions": ids}


def _looks_like(other: Pool, pool: Pool) -> bool:
    """Tell whether a rule for the cards of `pool` would match nodes of `other` too."""
    return all(any(gpu.card.vendor == have.card.vendor and {*gpu.card.pci} & {*have.card.pci} for have in other.gpus) for gpu in pool.gpus)


def _facts() -> Mapping[str, Any]:
    return record("node-feature-discovery").facts


SYSTEM = System(
    name="node-feature-discovery",
    answers=("ground", "node-feature-discovery"),
    takes=frozenset({"node-label", "discovery-toleration"}),
    lower=lower,
)
