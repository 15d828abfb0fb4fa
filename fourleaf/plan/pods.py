"""Workloads become pod shapes: which supplies fit them, and which resource they will ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from fourleaf.ir import ONE_A_NODE, PodShape, Resource, Supply, Want
from fourleaf.resolve.inventory import Inventory, Turns, Workload

Kind: TypeAlias = tuple[Resource, str]
"""What a pod asks for, as `Supply.kind`."""


def pods(
    inventory: Inventory, supplies: Sequence[Supply], queues: Mapping[str, str], kinds: Mapping[tuple[str, str], Kind] | None = None
) -> tuple[PodShape, ...]:
    """Return one shape a workload.

    Args:
        queues: tenant to the queue that its workloads enter.
        kinds: (namespace, workload) to what its pods must ask for, where computed layouts count on it.
    """
    turns = {member: group for group in inventory.turns for member in group.members}
    parts: dict[str, tuple[str, ...]] = {}
    for pool in inventory.pools:
        parts[pool.part_of or pool.name] = (*parts.get(pool.part_of or pool.name, ()), pool.name)
    known = _Kinds(supplies)
    made = []
    for workload in inventory.workloads:
        group = turns.get(workload.name)
        pools = parts.get(group.pool, (group.pool,)) if group else ()
        fitting = known.fitting(workload.want, pools, (kinds or {}).get((workload.namespace, workload.name)))
        made.append(_pod(workload, group, pools, fitting, queues))
    return tuple(made)


class _Kinds:
    """Supplies by what a want can ask of them. Workloads are many and alike, so each distinct want is looked up once."""

    def __init__(self, supplies: Sequence[Supply]) -> None:
        self._supplies = supplies
        self._known: dict[tuple[object, ...], tuple[Supply, ...]] = {}

    def fitting(self, want: Want, pools: tuple[str, ...], kind: Kind | None) -> tuple[Supply, ...]:
        key = (want.count, want.units, want.traits, want.memory_bytes, want.portion, pools, kind)
        if key not in self._known:
            self._known[key] = choose(
                want,
                [supply for supply in self._supplies if (not pools or supply.pool in pools) and kind in (None, supply.kind)],
            )
        return self._known[key]


def choose(want: Want, supplies: Sequence[Supply]) -> tuple[Supply, ...]:
    """Return the supplies of the one resource that a want asks for, and of one profile.

    Of several that fit, the first of: one with enough units on a node; for an ask by memory or portion the smallest
    unit that will do, else the kind of unit that stands first in the want; then by name. Never by the order of pools.
    """
    fitting = [supply for supply in supplies if want.fits(supply)]
    if not fitting:
        return ()
    by_size = bool(want.memory_bytes or want.portion)

    def rank(supply: Supply) -> tuple[bool, float, float, int, tuple[Resource, str]]:
        unit = want.units.index(supply.unit)
        size = (supply.portion, float(supply.memory_bytes)) if want.portion else (float(supply.memory_bytes), supply.portion)
        return supply.per_node < want.count, *(size if by_size else (0.0, 0.0)), unit, supply.kind

    best = min(fitting, key=rank).kind
    return tuple(sorted((supply for supply in fitting if supply.kind == best), key=lambda supply: supply.pool))


def _pod(
    workload: Workload, turns: Turns | None, pools: tuple[str, ...], supplies: tuple[Supply, ...], queues: Mapping[str, str]
) -> PodShape:
    replicas = workload.replicas
    if workload.kind == ONE_A_NODE:  # one on each node that has what it asks for
        replicas = sum({supply.pool: supply.nodes for supply in supplies}.values()) or 1
    return PodShape(
        name=workload.name,
        namespace=workload.namespace,
        kind=workload.kind,
        replicas=0 if turns and turns.active != workload.name else replicas,
        declared=replicas,
        want=workload.want,
        gang=workload.gang,
        queue=queues.get(workload.tenant, ""),
        group=turns.name if turns else "",
        pools=pools,
        supplies=supplies,
        memory_limit_bytes=workload.memory_limit_bytes,
        origin=workload.origin,
    )
