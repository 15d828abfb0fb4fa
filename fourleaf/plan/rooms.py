"""The room left in a cluster that workloads fill one after the other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from fourleaf.ir import UNBOUNDED, PodShape, Resource, Supply


class Rooms:
    """The room of every pool, by resource."""

    def __init__(self, supplies: Sequence[Supply], pods: Sequence[PodShape]) -> None:
        """Begin with empty nodes.

        Args:
            pods: those that will come: each goes first where fewest others must go.
        """
        held: defaultdict[tuple[str, Resource | None], list[Supply]] = defaultdict(list)
        full = crowded(supplies)
        for supply in supplies:  # pods of all resources count together where a node may have too many
            held[supply.pool, None if supply.pool in full else supply.resource].append(supply)
        rooms = [_Room(mine, mine[0].pool in full) for mine in held.values()]
        self._rooms = {supply: room for room in rooms for supply in room.supplies}
        self._pressure: defaultdict[Supply, float] = defaultdict(float)
        for offered, wanted in _wants(pods).items():
            for supply in offered:
                self._pressure[supply] += wanted / len(offered)
        self._orders: dict[tuple[Supply, ...], list[tuple[_Room, list[int]]]] = {}

    def holds(self, pod: PodShape) -> int:
        """Return how many pods of a workload fit now."""
        return sum(room.holds(pod, which) for room, which in self._order(pod.supplies))

    def units_hold(self, pod: PodShape) -> int:
        """Return how many there would be if nodes ran any number of pods."""
        return sum(room.holds(pod, which, bounded=False) for room, which in self._order(pod.supplies))

    def fill(self, pod: PodShape, pods: int) -> dict[str, int]:
        """Place pods of a workload, and return how many in each pool, in the order of filling. There must be room."""
        placed: dict[str, int] = {}
        for room, which in self._order(pod.supplies):
            here = min(pods, room.holds(pod, which))
            if here:
                room.fill(pod, which, here)
                placed[room.pool] = here
                pods -= here
        return placed

    def _order(self, supplies: tuple[Supply, ...]) -> list[tuple[_Room, list[int]]]:
        """Return the rooms that some supplies are in, with the supplies' numbers there, the least wanted first."""
        if supplies not in self._orders:
            rising = sorted(supplies, key=lambda supply: self._pressure[supply] / supply.nodes if supply.nodes else 0)
            rooms: dict[str, tuple[_Room, list[int]]] = {}
            for supply in rising:
                room = self._rooms[supply]
                rooms.setdefault(supply.pool, (room, []))[1].append(room.supplies.index(supply))
            self._orders[supplies] = list(rooms.values())
        return self._orders[supplies]


def _wants(pods: Sequence[PodShape]) -> Counter[tuple[Supply, ...]]:
    """Return how many units are wanted of each set of supplies; workloads are many and alike."""
    wants: Counter[tuple[Supply, ...]] = Counter()
    for pod in pods:
        if pod.supplies:
            wants[pod.supplies] += pod.replicas * pod.want.count
    return wants


def crowded(supplies: Sequence[Supply]) -> frozenset[str]:
    """Return the pools whose nodes have more units than they run pods, so that pods can be too many before units are too few."""
    units: Counter[str] = Counter()
    for supply in supplies:
        units[supply.pool] += supply.per_node
    return frozenset(supply.pool for supply in supplies if units[supply.pool] > supply.max_pods)


class _Room:
    """The room left in a pool: free units of each of some supplies, and pods, to the number of nodes that have just so many.

    A pool has several supplies of one resource where an allocator tells its models apart, each with units of its own; a pod that
    takes any of them may get some of each.
    """

    def __init__(self, supplies: Sequence[Supply], crowded: bool) -> None:
        self.supplies = list(supplies)
        self.pool = supplies[0].pool
        self._takes = int(crowded)
        """Pods that a pod counts as: none where units run out first."""
        self._nodes = Counter({(*(supply.per_node for supply in supplies), supplies[0].max_pods): supplies[0].nodes})

    def holds(self, pod: PodShape, which: Sequence[int], *, bounded: bool = True) -> int:
        """Return how many pods of a workload fit that ask for units of some supplies, by their numbers."""
        return sum(
            nodes * pod.on_node(sum(free[number] for number in which), free[-1] if bounded else UNBOUNDED)
            for free, nodes in self._nodes.items()
        )

    def fill(self, pod: PodShape, which: Sequence[int], pods: int) -> None:
        """Place pods of a workload, on the fullest nodes that still have room first."""
        count = pod.want.count

        def left(free: tuple[int, ...]) -> int:
            return sum(free[number] for number in which)

        for free in sorted(self._nodes, key=lambda free: (left(free), free)):
            each = pod.on_node(left(free), free[-1])
            if not each or not pods:
                continue
            whole, rest = divmod(min(pods, each * self._nodes[free]), each)
            self._move(free, self._less(free, which, count, each), whole)
            self._move(free, self._less(free, which, count, rest), 1 if rest else 0)
            pods -= whole * each + rest

    def _less(self, free: tuple[int, ...], which: Sequence[int], count: int, pods: int) -> tuple[int, ...]:
        """Take pods with so many units each from some supplies, the first first."""
        left = list(free)
        left[-1] -= self._takes * pods
        units = count * pods
        for number in which:
            taken = min(units, left[number])
            left[number] -= taken
            units -= taken
        return tuple(left)

    def _move(self, free: tuple[int, ...], then: tuple[int, ...], nodes: int) -> None:
        if nodes:
            self._nodes[free] -= nodes
            self._nodes[then] += nodes
