"""The protocol: what a system may offer. A hook that does not apply is left at its default."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from fourleaf.diag import Diagnostic, Rule
from fourleaf.ir import Ask, Binding, Component, Part, Plan, PodShape, Pool, Queue, Resource, Supply
from fourleaf.systems.record import Record, record

Supplies: TypeAlias = tuple[Supply, ...]
Question: TypeAlias = Literal["ground", "allocator", "partition", "scheduler"]


class Device(Struct, frozen=True, kw_only=True):
    """A device of a node, as a DRA driver publishes it in a ResourceSlice."""

    driver: str
    name: str
    attributes: Mapping[str, str | bool | int] = {}
    """By name; one without a domain is in the driver's own."""
    capacity: Mapping[str, str] = {}
    """Name to quantity."""


def _no_devices(pool: Pool) -> tuple[Device, ...]:
    return ()


def _no_labels(pool: Pool) -> Mapping[str, str]:
    return {}


def _no_pods(pool: Pool) -> int:
    return 0


def _same_supplies(pool: Pool, below: Supplies) -> Supplies:
    return below


def _same_binding(plan: Plan, pod: PodShape, below: Binding) -> Binding:
    return below


def _by_name(resource: Resource, count: int) -> tuple[str, int]:
    return resource.name, count


def _no_queues(pods: Sequence[PodShape], queues: Sequence[Queue], resources: Sequence[Resource]) -> tuple[Queue, ...]:
    return ()


def _no_rules(plan: Plan, component: Component) -> Iterator[Diagnostic]:
    return iter(())


def _nothing(plan: Plan, component: Component, asks: Sequence[Ask]) -> Iterator[Part]:
    return iter(())


class System(Struct, frozen=True, kw_only=True):
    """One vendor's mechanism or one scheduler.

    Systems stand on each other as SYSTEMS lists them, from the ground up. `supplies` and `bind` rise: each gets what
    the systems below made of a pool or a pod and returns what it becomes. Asks sink: `lower` runs from the top down,
    and each system gets what those above ask of it.
    """

    name: str
    answers: tuple[Question, str]
    """Which question of the decision it answers, with which word.

    Allocators answer "plugin" (a device plugin alone), "operator" (an operator that brings one) or "dra". Grounds answer
    with their own name.
    """
    vendor: str = ""
    """Whose cards it deals with; a system with a vendor sees that vendor's supplies and pods alone."""
    on: tuple[str, ...] = ()
    """Of a system that partitions: the words of the allocators on which it stands; empty: on any."""
    needs: tuple[str, ...] = ()
    """Systems that must stand below it, on every pool."""
    takes: frozenset[str] = frozenset()
    """Topics of the asks that it takes."""
    rules: tuple[Rule, ...] = ()
    """Kinds of diagnostics that its `check` yields."""
    applies: Callable[[Pool], bool] | None = None
    """A ground stands on the pools of which this is true, without being asked for."""
    supplies: Callable[[Pool, Supplies], Supplies] = _same_supplies
    bind: Callable[[Plan, PodShape, Binding], Binding] = _same_binding
    amount: Callable[[Resource, int], tuple[str, int]] = _by_name
    """The key and number by which this scheduler counts so many of a resource."""
    guards: Callable[[Sequence[PodShape], Sequence[Queue], Sequence[Resource]], tuple[Queue, ...]] = _no_queues
    """Queues of its own that hold what belongs to no tenant; part of the plan, since they starve pods."""
    queueing: bool = False
    """As a scheduler, it holds workloads to the amounts of queues, and starts gangs whole or not at all."""
    check: Callable[[Plan, Component], Iterator[Diagnostic]] = _no_rules
    """The rules that hold because of this system."""
    lower: Callable[[Plan, Component, Sequence[Ask]], Iterator[Part]] = _nothing
    agents: Callable[[Pool], int] = _no_pods
    """Pods that its own DaemonSets run on each node of a pool: those that `lower` writes, not those of its chart, which are not known."""
    devices: Callable[[Pool], tuple[Device, ...]] = _no_devices
    """What its DRA driver publishes of each node of a pool; for rehearsals, which simulate the nodes."""
    discovers: Callable[[Pool], Mapping[str, str]] = _no_labels
    """Labels that it sets on the nodes of a pool by itself, once it has seen their hardware; for rehearsals."""

    @property
    def record(self) -> Record:
        return record(self.name)

    def amounts(self, counts: Mapping[Resource, int]) -> dict[str, int]:
        """Sum in the scheduler's own units: two resources may count under one key."""
        total: Counter[str] = Counter()
        for resource, count in counts.items():
            key, number = self.amount(resource, count)
            total[key] += number
        return dict(total)
