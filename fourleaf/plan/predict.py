"""What a scheduler will do with the workloads: how many pods of each find room, where, and what the others lack.

The work depends on pools and workloads, never on the number of nodes: nodes of a pool that have the same room left are
counted, not listed.

Where a scheduler puts a pod that fits several nodes is its own affair, and kube-scheduler even draws lots among nodes that
score alike. So a prediction also has bounds (see `bounds`): with pods of one size in one set of pools they are one number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from fourleaf.ir import PodShape, Prediction, Queue, Resource, Supply
from fourleaf.plan.bounds import Bounds
from fourleaf.plan.rooms import Rooms


def predict(pods: Sequence[PodShape], supplies: Sequence[Supply], queues: Sequence[Queue], *, gangs: bool = True) -> tuple[Prediction, ...]:
    """Fill the empty cluster with the workloads in their order (by namespace, then name).

    Args:
        queues: those that the scheduler holds workloads to.
        gangs: the scheduler starts a gang whole or not at all; others place what they can of it.
    """
    rooms = Rooms(supplies, pods)
    quota = _Quota(queues)
    bounds = Bounds(supplies)
    return tuple(_predict(pod, rooms, quota, bounds, gangs) for pod in pods)


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


def _predict(pod: PodShape, rooms: Rooms, quota: _Quota, bounds: Bounds, gangs: bool) -> Prediction:
    wanted = pod.replicas
    if not pod.supplies:
        return Prediction(
            namespace=pod.namespace, workload=pod.name, wanted=wanted, placed=(), short_of="any pool that serves it",
            short_by=wanted * pod.want.count, never=True, origin=pod.origin,
        )  # fmt: skip
    resource = pod.supplies[0].resource
    count = pod.want.count
    alone = quota.alone(pod.queue, resource)
    best = pod.empty() if alone is None else min(pod.empty(), alone.units // count)
    room = rooms.holds(pod)
    by_units = rooms.units_hold(pod)
    left = quota.now(pod.queue, resource)
    allowed = min(wanted, left[1] // count) if left else wanted
    gang = max(1, pod.gang)
    least = gang if gangs else 1

    def whole(pods: int) -> int:
        """All of a gang or nothing; above its size each pod counts by itself."""
        return 0 if pods < least else pods

    fits = whole(min(allowed, room))
    at_least, at_most = bounds.of(pod, allowed)
    placed = rooms.fill(pod, fits)
    quota.take(pod.queue, resource, fits * count)
    bounds.take(pod, whole(at_least), whole(at_most))
    by_quota = left is not None and left[1] // count < room
    lack = (
        "" if fits == wanted else f"quota of {left[0]}" if by_quota and left else "pods" if room < min(allowed, by_units) else resource.name
    )
    return Prediction(
        namespace=pod.namespace,
        workload=pod.name,
        wanted=wanted,
        placed=tuple(placed.items()),
        resource=resource.name,
        short_of=lack,
        short_by=(wanted - fits) * (1 if lack == "pods" else count),
        at_least=min(fits, whole(at_least)),
        at_most=max(fits, whole(at_most)),
        never=best < gang,
        best=best,
        limited_by=alone.holder if alone else "",
        held_back=alone.held if alone else 0,
        origin=pod.origin,
    )
