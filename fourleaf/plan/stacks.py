"""Which systems stand on which pool, at which version, and what each pool advertises through them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from fourleaf.decide import Decision
from fourleaf.ir import Component, Origin, Pool, Supply
from fourleaf.resolve.inventory import Inventory, Pin
from fourleaf.systems import SYSTEMS, Question, System, answering


def standing(inventory: Inventory, decision: Decision) -> tuple[Pool, ...]:
    """Return the pools with their systems, from the ground up.

    What one pool needs stands on all that have GPUs; of a vendor's, on those that have its GPUs.
    """
    chosen = {pool.name: _chosen(pool, decision) for pool in inventory.pools if pool.gpus}
    needed = {below for names in chosen.values() for name in names for below in SYSTEMS[name].needs}
    like = _like(inventory.pools)
    return tuple(
        replace(
            pool,
            systems=tuple(name for name in SYSTEMS if name in chosen[pool.name] | _at(pool, needed)),
            like=like.get(pool.name, ()),
        )
        if pool.gpus
        else pool
        for pool in inventory.pools
    )


def _like(pools: Sequence[Pool]) -> Mapping[str, tuple[str, ...]]:
    """Return, by pool without names of nodes, the others whose nodes carry all its labels: of those with its rarest."""
    having: dict[tuple[str, str], list[Pool]] = {}
    for pool in pools:
        for item in pool.labels.items():
            having.setdefault(item, []).append(pool)
    found: dict[str, tuple[str, ...]] = {}
    for pool in pools:
        if pool.labels and not pool.nodes:
            rarest = min((having[item] for item in pool.labels.items()), key=len)
            found[pool.name] = tuple(other.name for other in rarest if other is not pool and pool.labels.items() <= other.labels.items())
    return found


def _at(pool: Pool, needed: set[str]) -> set[str]:
    return {name for name in needed if SYSTEMS[name].vendor in ("", *pool.vendors)}


def _chosen(pool: Pool, decision: Decision) -> set[str]:
    names = {system.name for system in SYSTEMS.values() if system.applies and system.applies(pool)}
    names |= {_answer("allocator", decision.allocation[vendor], vendor).name for vendor in pool.vendors}
    names.add(_answer("scheduler", decision.scheduler).name)
    if pool.partition:
        names |= {_answer("partition", form).name for form in pool.partition.forms}
    return names


def _answer(question: Question, word: str, vendor: str = "") -> System:
    system = answering(question, word, vendor)
    if system is None:
        raise AssertionError(f"decide let {question} {word} {vendor} through")
    return system


def supplies(pool: Pool) -> tuple[Supply, ...]:
    """Fold `supplies` over the systems of a pool; a system with a vendor sees that vendor's alone."""
    found: tuple[Supply, ...] = ()
    for system in map(SYSTEMS.__getitem__, pool.systems):
        mine = tuple(supply for supply in found if system.vendor in ("", supply.vendor))
        others = tuple(supply for supply in found if system.vendor not in ("", supply.vendor))
        found = (*others, *system.supplies(pool, mine))
    agents = sum(SYSTEMS[name].agents(pool) for name in pool.systems)
    return tuple(replace(supply, max_pods=max(0, pool.max_pods - agents)) for supply in found)


def components(inventory: Inventory, pools: Sequence[Pool]) -> Iterator[Component]:
    """Yield each system that stands anywhere, from the ground up."""
    pins = {pin.component: pin for pin in inventory.stack}
    for system in SYSTEMS.values():
        mine = tuple(pool for pool in pools if system.name in pool.systems)
        if mine:
            yield _component(system, mine, pins.get(system.name))


def _component(system: System, pools: Sequence[Pool], pin: Pin | None) -> Component:
    return Component(
        system=system.name,
        version=pin.version if pin and pin.version else usual_version(system.name, pools),
        namespace=system.record.namespace or _lodging(system, pools),
        pools=tuple(pool.name for pool in pools),
        pinned=(*pin.place, "version") if pin and pin.version else (),
        values=pin.values if pin else {},
        values_place=(*pin.place, "values") if pin and pin.values else (),
        origin=Origin(pools[0].origin.place, f"{system.answers[0]}: {system.answers[1]}"),
    )


def usual_version(system: str, pools: Iterable[Pool]) -> str:
    """Return the version of a system that is installed on some pools where the spec pins none."""
    record = SYSTEMS[system].record
    return next((record.pins[pool.host.name] for pool in pools if pool.host.name in record.pins), record.version)


def _lodging(system: System, pools: Sequence[Pool]) -> str:
    """Return the namespace of the allocator below, for a system that has none of its own."""
    below = (SYSTEMS[name] for pool in pools for name in pool.systems)
    mine = (other for other in below if other.answers[0] == "allocator" and other.vendor == system.vendor)
    return next((other.record.namespace for other in mine), "")
