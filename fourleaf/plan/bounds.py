"""Between which numbers the pods of a workload that find room lie, whatever nodes a scheduler chose for those before."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from fourleaf.ir import ONE_A_NODE, PodShape, Supply
from fourleaf.plan.rooms import crowded


class _Kind(Struct):
    """Pods of one size that go to one set of supplies, as many as came so far."""

    count: int
    supplies: frozenset[Supply]
    crowded: frozenset[str]
    """Their pools where pods may be too many before units are too few."""
    least: int = 0
    most: int = 0


class Bounds:
    """The pods that came so far, by what they can stand in the way of. Workloads are many, kinds of them few."""

    def __init__(self, supplies: Sequence[Supply]) -> None:
        self._crowded = crowded(supplies)
        self._kinds: dict[tuple[int, tuple[Supply, ...]], _Kind] = {}

    def of(self, pod: PodShape, wanted: int) -> tuple[int, int]:
        """Return how many of some pods of a workload find room at least, and at most.

        A pod of x units takes from a node that holds f of c at most ceil(x / c) of its places for c, and at least floor(x / c).
        It may take them where it can go here, and must where it can go nowhere else. Where a node may have too many pods, each takes at
        least one place where x >= c, and at most one where it takes none of the units.
        """
        count, mine = pod.want.count, frozenset(pod.supplies)
        slots = pod.empty()
        one_each = pod.kind == ONE_A_NODE
        units = sum(offer.nodes * offer.units for offer in pod.offers().values())
        full = self._crowded & {supply.pool for supply in mine}
        lost = sure = used = 0
        for kind in self._kinds.values():
            shared = kind.supplies & mine
            beside = kind.crowded & full
            if not shared and not beside:
                continue
            lost += kind.most * -(-kind.count // count) if beside else min(kind.most * -(-kind.count // count), _units(shared))
            if kind.supplies <= mine and not one_each:  # others may all be on one node, and take one place of it
                each = kind.count // count
                sure += kind.least * (min(each, 1) if kind.crowded else each)
                used += kind.least * kind.count
        most = min(wanted, slots - sure, (units - used) // count)
        return max(0, min(wanted, slots - lost)), max(0, most)

    def take(self, pod: PodShape, least: int, most: int) -> None:
        """Count pods of a workload as placed, at least and at most so many."""
        key = (pod.want.count, pod.supplies)
        if key not in self._kinds:
            offers = pod.offers()  # where one of its pods can be at all
            able = frozenset(supply for supply in pod.supplies if offers[supply.pool].units >= pod.want.count)
            self._kinds[key] = _Kind(pod.want.count, able, self._crowded & {supply.pool for supply in able})
        kind = self._kinds[key]
        kind.least += least
        kind.most += most


def _units(supplies: frozenset[Supply]) -> int:
    return sum(supply.nodes * supply.per_node for supply in supplies)
