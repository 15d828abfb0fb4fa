"""What a scheduler will do with the workloads: how many pods of each find room, where, and what the others lack.

The work depends on pools and workloads, never on the number of nodes: nodes of a pool that have the same room left are
counted, not listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fourleaf.ir import PodShape, Prediction, Queue, Resource, Supply


def predict(pods: Sequence[PodShape], supplies: Sequence[Supply], queues: Sequence[Queue]) -> tuple[Prediction, ...]:
    """Fill the empty cluster with the workloads in their order (by namespace, then name)."""
    rooms = {supply: _Room(supply) for supply in supplies}
    quota = _Quota(queues)
    return tuple(_predict(pod, rooms, quota) for pod in pods)


class _Room:
    """The room left in one supply: free units to the number of nodes that have just so many.

    A pool has several supplies of one resource where an allocator tells its models apart, each with units of its own.
    """

    def __init__(self, supply: Supply) -> None:
        self._nodes = Counter({supply.per_node: supply.nodes})

    def holds(self, count: int) -> int:
        """Return how many pods of `count` units fit."""
        return sum(nodes * (free // count) for free, nodes in self._nodes.items())

    def fill(self, count: int, pods: int) -> None:
        """Place pods, on the fullest nodes that still have room first. There must be room."""
        for free in sorted(self._nodes):
            each = free // count
            if not each or not pods:
                continue
            whole, rest = divmod(min(pods, each * self._nodes[free]), each)
            self._move(free, each * count, whole)
            self._move(free, rest * count, 1 if rest else 0)
            pods -= whole * each + rest

    def _move(self, free: int, used: int, nodes: int) -> None:
        if nodes and used:
            self._nodes[free] -= nodes
            self._nodes[free - used] += nodes


class _Cap(NamedTuple):
    """What a queue may use at most: the limit of a queue on its way up, less what is held back there for others."""

    units: int
    holder: str
    """The queue with the limit."""
    held: int


class _Quota:
    """What each queue may still use: the limits over it, less what is guaranteed to its siblings and theirs."""

    def __init__(self, queues: Sequence[Queue]) -> None:
        self._queues = {queue.name: queue for queue in queues}
        self._caps: dict[str, dict[Resource, _Cap]] = {}
        self._used: Counter[tuple[str, Resource]] = Counter()
        held: Counter[tuple[str, Resource]] = Counter()
        for queue in queues:
            for resource, count in queue.guaranteed.items():
                held[queue.parent, resource] += count
        for queue in queues:  # parents first
            caps = {resource: _Cap(limit, queue.name, 0) for resource, limit in queue.limit.items()}
            for resource, above in self._caps.get(queue.parent, {}).items():
                others = held[queue.parent, resource] - queue.guaranteed.get(resource, 0)
                cap = _Cap(max(0, above.units - others), above.holder, above.held + others)
                caps[resource] = min(caps.get(resource, cap), cap, key=lambda cap: cap.units)
            self._caps[queue.name] = caps

    def alone(self, name: str, resource: Resource) -> _Cap | None:
        """Return what a queue may use where nobody uses anything; None where nothing limits it."""
        return self._caps.get(name, {}).get(resource)

    def now(self, name: str, resource: Resource) -> tuple[str, int] | None:
        """Return the queue on the way up that leaves least now, and how many units it leaves; None where nothing limits."""
        left: list[tuple[int, str]] = []
        queue = self._queues.get(name)
        while queue:
            cap = self._caps[queue.name].get(resource)
            if cap:
                left.append((cap.units - self._used[queue.name, resource], queue.name))
            queue = self._queues.get(queue.parent)
        if not left:
            return None
        units, holder = min(left)
        return holder, max(0, units)

    def take(self, name: str, resource: Resource, units: int) -> None:
        queue = self._queues.get(name)
        while queue:
            self._used[queue.name, resource] += units
            queue = self._queues.get(queue.parent)


def _predict(pod: PodShape, rooms: Mapping[Supply, _Room], quota: _Quota) -> Prediction:
    wanted = pod.replicas
    if not pod.supplies:
        return Prediction(
            namespace=pod.namespace, workload=pod.name, wanted=wanted, placed=(), short_of="any pool that serves it",
            short_by=wanted * pod.want.count, never=True, origin=pod.origin,
        )  # fmt: skip
    resource = pod.supplies[0].resource
    count = pod.want.count
    empty = sum(supply.nodes * (supply.per_node // count) for supply in pod.supplies)
    alone = quota.alone(pod.queue, resource)
    best = empty if alone is None else min(empty, alone.units // count)
    room = sum(rooms[supply].holds(count) for supply in pod.supplies)
    left = quota.now(pod.queue, resource)
    fits = min(wanted, room, *([left[1] // count] if left else []))
    gang = max(1, pod.gang)
    if fits < gang:  # all or nothing; above the gang's size each pod counts by itself
        fits = 0
    placed: Counter[str] = Counter()  # pools in the order of filling
    todo = fits
    for supply in pod.supplies:
        here = min(todo, rooms[supply].holds(count))
        if here:
            rooms[supply].fill(count, here)
            placed[supply.pool] += here
            todo -= here
    quota.take(pod.queue, resource, fits * count)
    by_quota = left is not None and left[1] // count < room
    return Prediction(
        namespace=pod.namespace,
        workload=pod.name,
        wanted=wanted,
        placed=tuple(placed.items()),
        resource=resource.name,
        short_of="" if fits == wanted else f"quota of {left[0]}" if by_quota and left else resource.name,
        short_by=(wanted - fits) * count,
        never=best < gang,
        best=best,
        limited_by=alone.holder if alone else "",
        held_back=alone.held if alone else 0,
        origin=pod.origin,
    )
