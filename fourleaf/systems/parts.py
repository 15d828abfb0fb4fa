"""What several systems write: charts, supplies of whole cards, labels on nodes, which nodes a pool is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from fourleaf.ir import Ask, Chart, Component, Object, Origin, Pool, Prerequisite, Provided, Ref, Resource, Supply, Value
from fourleaf.systems.record import Record, release

GIB = 2**30
POOL = "fourleaf.dev/pool"
"""The label that names the pool of a node, where neither the nodes' names nor labels of their own tell."""


def origin(component: Component, rule: str) -> Origin:
    """Return the component's place, with another reason."""
    return Origin(component.origin.place, rule)


def chart(record: Record, component: Component, values: Mapping[str, Value]) -> Chart:
    """Return the chart of a component, as its record describes it; raw values of the spec are merged by `lower`."""
    return Chart(
        name=record.chart,
        release=record.release or record.chart,
        repository=record.repository,
        version=component.version,
        namespace=component.namespace,
        values=values,
        relies=record.relies,
        provides=tuple(
            Provided(ref=Ref(item.kind, item.name), api_version=item.api_version, body=item.body)
            for item in record.provides
            if release(item.since) <= release(component.version)
        ),
        waits=record.waits,
        origin=component.origin,
    )


def config_map(component: Component, name: str, data: Mapping[str, Value], why: str) -> Object:
    """Return a ConfigMap of a component whose name follows from what it holds: what reads it is rolled by a new name."""
    return Object(
        api_version="v1",
        kind="ConfigMap",
        name=name,
        namespace=component.namespace,
        hashed=True,
        body={"data": data},
        origin=origin(component, why),
    )


def whole_cards(system: str, vendor: str, resource: Resource, pool: Pool) -> tuple[Supply, ...]:
    """Return the supply of whole cards that an allocator advertises in a pool: one, since it names no models.

    A trait or an amount of memory is promised only where all cards of a node agree on it.
    """
    gpus = [gpu for gpu in pool.gpus if gpu.card.vendor == vendor]
    if not gpus:
        return ()
    models = {gpu.card.name for gpu in gpus}
    traits = {("vendor", vendor), *(("card", model) for model in models if len(models) == 1)}
    smallest = min(gpu.card.memory_gib or 0 for gpu in gpus)
    return (
        Supply(
            pool=pool.name,
            nodes=pool.count,
            resource=resource,
            per_node=pool.cards(vendor),
            unit="card",
            memory_bytes=int(smallest * GIB),
            vendor=vendor,
            allocator=system,
            traits=frozenset(traits),
        ),
    )


def cards_by_model(system: str, vendor: str, resource: Resource, pool: Pool) -> tuple[Supply, ...]:
    """Return one supply a model, for an allocator that tells them apart."""
    models = sorted({gpu.card.name for gpu in pool.gpus if gpu.card.vendor == vendor})
    alike = (replace(pool, gpus=tuple(gpu for gpu in pool.gpus if gpu.card.name == model)) for model in models)
    return tuple(supply for part in alike for supply in whole_cards(system, vendor, resource, part))


def agreed(asks: Sequence[Ask], topic: str) -> Value:
    """Return the one value of all asks of a topic, or None. Two values are a bug of the systems that asked."""
    values = [ask.value for ask in asks if ask.topic == topic]
    if any(value != values[0] for value in values):
        raise AssertionError(f"{topic}: {values}")
    return values[0] if values else None


def nodes_of(pool: Pool) -> str:
    """Return the nodes of a pool as an argument of kubectl: names, a selector, or what a person puts in its place."""
    if pool.nodes:
        return " ".join(pool.nodes)
    if pool.telling:
        return "-l " + ",".join(f"{name}={text}" for name, text in sorted(pool.telling.items()))
    return f"<each node of pool {pool.name}>"


def node_label(pool: Pool, key: str, value: str, why: str) -> Ask:
    """Ask that every node of a pool carries a label; without node-feature-discovery it is a person's to set."""
    reason = Origin(pool.origin.place, why)
    todo = Prerequisite(
        what=f"label {key}={value} on the nodes of pool {pool.name}",
        command=f"kubectl label node {nodes_of(pool)} {key}={value} --overwrite",
        origin=reason,
    )
    return Ask(topic="node-label", pool=pool.name, value={key: value}, otherwise=todo, origin=reason)


def on_nodes_of(pools: Sequence[Pool]) -> Mapping[str, Value]:
    """Return the node affinity that holds pods to the nodes of some pools, by name or by the labels that they carry.

    Empty where a pool can be told from those that are not among them by neither.
    """
    terms: list[Value] = []
    names = {pool.name for pool in pools}
    for pool in pools:
        if pool.nodes:
            # A matchFields requirement takes one value, so each node is a term of its own.
            terms += [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]} for node in pool.nodes]
        elif pool.labels and names.issuperset(pool.like):
            wanted = [{"key": key, "operator": "In", "values": [text]} for key, text in sorted(pool.labels.items())]
            terms.append({"matchExpressions": wanted})
        else:
            return {}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def held_to(pools: Sequence[Pool], why: str) -> tuple[Mapping[str, Value], tuple[Ask, ...]]:
    """Return the node affinity that holds pods to some pools, and asks for the labels that it counts on."""
    affinity = on_nodes_of(pools)
    if affinity:
        return affinity, ()
    term: Value = {"matchExpressions": [{"key": POOL, "operator": "In", "values": sorted(pool.name for pool in pools)}]}
    labels = tuple(node_label(pool, POOL, pool.name, why) for pool in pools)
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}, labels


def driver_in_vain(pool: Pool, vendor: str) -> str:
    """Return what a pool of one vendor asks of an operator that its vendor has none of: "driver 580.1 open". Empty: nothing.

    Beside another vendor's card it may be meant for that. Into an immutable host nobody installs anything, which is a rule of its own.
    """
    driver = pool.driver
    asked = driver.owner == "operator" or driver.version or driver.kernel_modules
    if pool.vendors != (vendor,) or pool.host.immutable or not asked:
        return ""
    return " ".join(word for word in ("driver", driver.version, driver.kernel_modules) if word)
