"""The plan: who stands on which pool, what each pool advertises, who fits where. No vendor or scheduler is known here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

from fourleaf.diag import Path
from fourleaf.hardware import Card, Distribution, Host
from fourleaf.ir.layouts import Cut, Layouts
from fourleaf.ir.values import Origin, Value
from fourleaf.kube import Taint, Version

Traits: TypeAlias = frozenset[tuple[str, str]]
"""What is true of each unit of a supply, or wanted of it: ("vendor", "nvidia"), ("card", "h100-80gb"), ("profile", "1g.10gb")."""

Unit: TypeAlias = Literal["card", "slice", "share"]
"""A whole card, a part of one with memory of its own, or a place on one beside others."""

UNBOUNDED = 2**31 - 1
"""Pods of a node where nothing is known of it: the most that a kubelet can be told (an int32)."""


class Gpu(Struct, frozen=True):
    """Cards of one model in each node of a pool."""

    card: Card
    count: int


class Auto(Struct, frozen=True, kw_only=True):
    """Wishes for layouts that are computed from the workloads."""

    headroom: int = 0
    """Percent of each kind of slice to have beyond what is asked for."""
    cost: int = 1
    """Of one card, beside those of other pools."""
    present: tuple[tuple[str, tuple[Cut, ...]], ...] = ()
    """(node, its cuts now), by node; the node is empty where all nodes of a pool without names are meant."""


class Partition(Struct, frozen=True, kw_only=True):
    forms: tuple[str, ...]
    """Keys of the spec's unions ("mig", "timeSlicing"), which the registry turns into systems, each within the one before it."""
    cuts: tuple[Cut, ...] = ()
    replicas: int = 1
    """Pods that share each card, or each slice where cards are cut."""
    auto: Auto | None = None
    """The cuts are computed: plan fills them in, and splits a pool whose nodes get different ones."""
    origin: Origin

    @property
    def slices(self) -> bool:
        """Tell whether any card is cut: a layout may leave all of them whole."""
        return any(cut.parts for cut in self.cuts)

    @property
    def shared_at(self) -> Path:
        """Return the place of the form by which cards or slices are shared."""
        return (*self.origin.place, *self.forms[1:])


class Driver(Struct, frozen=True, kw_only=True):
    """Who brings the kernel driver to a pool's nodes."""

    owner: Literal["auto", "host", "operator"] = "auto"
    version: str = ""
    kernel_modules: str = ""
    origin: Origin


class Pool(Struct, frozen=True, kw_only=True):
    """Nodes that are alike."""

    name: str
    count: int
    nodes: tuple[str, ...] = ()
    """Their names; empty for a pool that is given by its count."""
    host: Host
    gpus: tuple[Gpu, ...]
    labels: Mapping[str, str] = {}
    """Labels that the nodes carry already."""
    taints: tuple[Taint, ...] = ()
    partition: Partition | None = None
    driver: Driver
    memory_bytes: int = 0
    """Of one node; 0 where the spec does not say."""
    max_pods: int = UNBOUNDED
    """Pods that a node runs at most; those of the cluster itself are among them, so that for workloads it is a bound."""
    systems: tuple[str, ...] = ()
    """What stands on it, from the ground up; filled by plan."""
    like: tuple[str, ...] = ()
    """Pools whose nodes carry all its labels too, so that these do not tell its own from those; filled by plan where it has no `nodes`."""
    part_of: str = ""
    """The pool of the spec of which these are the nodes that are cut alike; empty where they are all."""
    origin: Origin

    def at(self, *path: str | int) -> Path:
        """Return the place of a value of this pool in the spec."""
        return (*self.origin.place, *path)

    def cards(self, vendor: str) -> int:
        """Return how many devices of a vendor each node has."""
        return sum(gpu.count * gpu.card.devices for gpu in self.gpus if gpu.card.vendor == vendor)

    def models(self, vendor: str) -> list[Card]:
        """Return the card of a vendor behind each index of a node."""
        return [gpu.card for gpu in self.gpus if gpu.card.vendor == vendor for _ in range(gpu.count)]

    @property
    def vendors(self) -> tuple[str, ...]:
        return tuple(sorted({gpu.card.vendor for gpu in self.gpus}))

    @property
    def cut_at(self) -> Path:
        """Return the place of how its cards are cut or shared; its own where they are not."""
        return self.partition.origin.place if self.partition else self.origin.place

    @property
    def telling(self) -> Mapping[str, str]:
        """Return its labels where those alone tell its nodes; empty where names do, or other pools' nodes carry them too."""
        return {} if self.nodes or self.like else self.labels


class Resource(Struct, frozen=True, order=True):
    """What a pod asks for and a queue counts: a node's extended resource, or a DeviceClass."""

    name: str
    by: Literal["device-plugin", "dra"]


class Supply(Struct, frozen=True, kw_only=True):
    """How much of a resource each node of one pool advertises, and through whom."""

    pool: str
    nodes: int
    resource: Resource
    per_node: int
    """Units that a scheduler can give away on each node."""
    advertised: int = -1
    """Units that each node shows; -1: the same."""
    max_pods: int = UNBOUNDED
    """Pods of workloads that each node runs at most, whatever they ask for: the node's, less those of the set's own DaemonSets."""
    unit: Unit
    memory_bytes: int = 0
    """Of one unit, its own or shared; 0 where unknown or the host's."""
    portion: float = 1.0
    """Part of a card that one unit is."""
    vendor: str
    allocator: str
    """The system that advertises it."""
    traits: Traits

    @property
    def kind(self) -> tuple[Resource, str]:
        """Return what a pod asks for: the resource and, where one DeviceClass holds slices of several profiles, the profile."""
        return self.resource, self.profile

    @property
    def profile(self) -> str:
        """Return the profile of a slice, or of the slice that a share is of; empty for what is of whole cards."""
        return next((value for key, value in self.traits if key == "profile"), "")


class Want(Struct, frozen=True, kw_only=True):
    """What one pod of a workload asks for."""

    count: int
    units: tuple[Unit, ...]
    """Kinds of units that will do, best first."""
    traits: Traits = frozenset()
    memory_bytes: int = 0
    portion: float = 0.0
    place: Path = ()

    def fits(self, supply: Supply) -> bool:
        """Tell whether units of a supply will do, whatever their number. A share of a slice is for who would take a slice."""
        return (
            supply.unit in self.units
            and ("slice" in self.units or not supply.profile)
            and self.traits <= supply.traits
            and (not self.memory_bytes or supply.memory_bytes >= self.memory_bytes)
            and (not self.portion or supply.portion >= self.portion)
        )

    def show(self) -> str:
        """Return it in words: `2 of vendor nvidia`."""
        said = [f"{key} {value}" for key, value in sorted(self.traits)]
        said += [f"{self.memory_bytes / 2**30:.10g}Gi of memory"] if self.memory_bytes else []
        said += [f"{self.portion:g} of a card"] if self.portion else []
        return f"{self.count} GPU{'s' if self.count > 1 else ''}" + (f" with {', '.join(said)}" if said else "")


ONE_A_NODE = "DaemonSet"
"""The kind of workload that has a pod on each node it may go to, whatever its replicas."""


class Offer(NamedTuple):
    """What the nodes of a pool have for a workload."""

    nodes: int
    units: int
    """On each node."""
    max_pods: int


class PodShape(Struct, frozen=True, kw_only=True):
    """The pods of one workload, as a scheduler sees them."""

    name: str
    namespace: str
    kind: str
    replicas: int
    """Pods wanted now: 0 for a member of an exclusive group that is not active."""
    declared: int
    """Replicas as the spec has them; of a DaemonSet the nodes that it is held to."""
    want: Want
    gang: int = 1
    queue: str = ""
    group: str = ""
    """The exclusive group that it belongs to."""
    pools: tuple[str, ...] = ()
    """Pools that it is confined to; empty: any."""
    supplies: tuple[Supply, ...] = ()
    """Those that fit it, all of one resource, by pool. Empty: no pool can ever serve it."""
    memory_limit_bytes: int = 0
    origin: Origin

    def at(self, *path: str | int) -> Path:
        return (*self.origin.place, *path)

    def offers(self) -> Mapping[str, Offer]:
        """Return, by pool, its nodes and the units on each that will do, of whatever model."""
        found: dict[str, Offer] = {}
        for supply in self.supplies:
            before = found[supply.pool].units if supply.pool in found else 0
            found[supply.pool] = Offer(supply.nodes, before + supply.per_node, supply.max_pods)
        return found

    def empty(self) -> int:
        """Return how many of its pods the empty cluster holds."""
        return sum(offer.nodes * self.on_node(offer.units, offer.max_pods) for offer in self.offers().values())

    def on_node(self, units: int, pods: int) -> int:
        """Return how many of its pods a node holds that has so many units free and runs so many pods more: of a DaemonSet one at most."""
        return min(units // self.want.count, pods, 1 if self.kind == ONE_A_NODE else units)


class Queue(Struct, frozen=True, kw_only=True):
    """A tenant as a queueing scheduler counts it. Amounts are in units of each resource."""

    name: str
    parent: str = ""
    """Empty: a child of the cluster."""
    leaf: bool = True
    namespaces: tuple[str, ...] = ()
    guaranteed: Mapping[Resource, int] = {}
    deserved: Mapping[Resource, int] = {}
    limit: Mapping[Resource, int] = {}
    weight: int = 1
    guard: bool = False
    """Made by a scheduler's system, not by a tenant: it holds what belongs to nobody."""
    origin: Origin


class Component(Struct, frozen=True, kw_only=True):
    """A system at a version, for some pools."""

    system: str
    version: str
    namespace: str
    pools: tuple[str, ...]
    pinned: Path = ()
    """Where the spec names the version, where it does."""
    values: Mapping[str, Value] = {}
    """Raw chart values of the spec, merged last."""
    values_place: Path = ()
    origin: Origin


class Prediction(Struct, frozen=True, kw_only=True):
    """What the default expectation of a scheduler is for one workload."""

    namespace: str
    workload: str
    wanted: int
    placed: tuple[tuple[str, int], ...]
    """(pool, pods), in the order of filling."""
    resource: str = ""
    short_of: str = ""
    """What is missing: a resource, "quota of <queue>", or "pods" where nodes have units to spare and run no more pods."""
    short_by: int = 0
    """Units of it that are missing; of "pods", pods."""
    at_least: int = 0
    """Pods that find room wherever a scheduler puts those that come before."""
    at_most: int = 0
    """Pods that find room where it puts those as well as can be."""
    never: bool = False
    """Not even one pod, or one gang, alone in the empty cluster."""
    best: int = 0
    """Pods that the empty cluster could hold at once, by room and by quota."""
    limited_by: str = ""
    """The queue whose limit bounds `best`, where one does."""
    held_back: int = 0
    """Units of that limit that are held back for others."""
    origin: Origin

    @property
    def pods(self) -> int:
        return sum(pods for _, pods in self.placed)

    def show(self) -> str:
        """Return how many of the wanted pods find room: "3 of 5", or "between 3 and 4 of 5" where that hangs on the scheduler's choices."""
        found = str(self.pods) if self.at_least == self.at_most else f"between {self.at_least} and {self.at_most}"
        return f"{found} of {self.wanted}"


class Plan(Struct, frozen=True, kw_only=True):
    """Everything that follows from the spec, before any manifest. Sorted by name throughout."""

    name: str
    kubernetes: Version
    distribution: Distribution
    feature_gates: Mapping[str, bool] = {}
    """As the spec declares them; what it does not name is as the release has it."""
    pools: tuple[Pool, ...]
    supplies: tuple[Supply, ...]
    pods: tuple[PodShape, ...]
    queues: tuple[Queue, ...]
    """Parents before children."""
    components: tuple[Component, ...]
    """From the ground up."""
    predictions: tuple[Prediction, ...]
    layouts: tuple[Layouts, ...] = ()
    """Computed ones, by pool of the spec."""
    create_namespaces: bool = False

    def pool(self, name: str) -> Pool:
        return next(pool for pool in self.pools if pool.name == name)

    def pools_of(self, component: Component) -> tuple[Pool, ...]:
        return tuple(pool for pool in self.pools if pool.name in component.pools)

    def pods_of(self, component: Component) -> tuple[PodShape, ...]:
        """Return the workloads that this component's system allocates for."""
        return tuple(pod for pod in self.pods if pod.supplies and pod.supplies[0].allocator == component.system)

    def taints_of(self, component: Component) -> tuple[Taint, ...]:
        return tuple(sorted({taint for pool in self.pools_of(component) for taint in pool.taints}))

    def stands(self, system: str) -> bool:
        return any(component.system == system for component in self.components)

    def resources(self) -> tuple[Resource, ...]:
        return tuple(sorted({supply.resource for supply in self.supplies}))

    def capacity(self) -> Mapping[Resource, int]:
        """Return how many units of each resource the cluster can give away."""
        total: dict[Resource, int] = {}
        for supply in self.supplies:
            total[supply.resource] = total.get(supply.resource, 0) + supply.nodes * supply.per_node
        return total
