"""Time-slicing and MPS: each card of a pool, or each slice, becomes several shares, by configurations of NVIDIA's device plugin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from msgspec.structs import replace

from fourleaf.diag import Diagnostic, Label, Rule, Severity
from fourleaf.ir import Ask, Component, Document, Part, Partition, Plan, PodShape, Pool, Resource, Supply, Value
from fourleaf.kube.quantity import round_memory, show_memory
from fourleaf.systems import parts
from fourleaf.systems.system import System

VENDOR = "nvidia"
SHARED = ".shared"
"""What the plugin adds to a name with `renameByDefault`: so a pod that asks for a card, or a slice, never gets a part of one."""
LABEL = "nvidia.com/device-plugin.config"
Form = Literal["timeSlicing", "mps"]

CLIENTS = Rule("FL260", "shares-above-mps-clients", Severity.ERROR, "more MPS clients than a card takes", allowable=False)
ONE_EACH = Rule("FL261", "several-shares-for-one-pod", Severity.ERROR, "a pod asks for more than one share", allowable=False)
UNDIVIDED = Rule("FL262", "shared-memory-not-divided", Severity.WARNING, "shares that nothing keeps from taking each other's memory")
BESIDE_CUTS = Rule("FL263", "mps-beside-mig", Severity.ERROR, "MPS in a cluster whose other cards are cut by MIG", allowable=False)
TOO_MANY = Rule("FL265", "shares-above-pods-of-node", Severity.WARNING, "more shares on a node than it runs pods")


def _supplies(pool: Pool, below: tuple[Supply, ...]) -> tuple[Supply, ...]:
    """Turn whole cards into shares, or slices where cards are cut: the rest of those stay whole.

    Under time-slicing each share sees the whole memory of its card or slice, under MPS its part.
    """
    if not pool.partition:
        return below
    replicas = max(1, pool.partition.replicas)
    divided = replicas if "mps" in pool.partition.forms else 1
    parted = "slice" if pool.partition.cuts else "card"
    return tuple(
        replace(
            whole,
            resource=Resource(f"{whole.resource.name}{SHARED}", whole.resource.by),
            per_node=whole.per_node * replicas,
            unit="share",
            memory_bytes=whole.memory_bytes // divided,
            portion=whole.portion / replicas,
        )
        if whole.unit == parted
        else whole
        for whole in below
    )


def _lower(form: Form) -> Callable[[Plan, Component, Sequence[Ask]], Iterator[Part]]:
    def lower(plan: Plan, component: Component, asks: Sequence[Ask]) -> Iterator[Part]:
        """Ask for one configuration a pool, and for the label that chooses it. Nodes without the label share nothing."""
        for pool in plan.pools_of(component):
            if pool.partition:
                reason = parts.origin(component, f"{_noun(pool)}s of pool {pool.name} are shared")
                shares = [supply.resource.name for supply in plan.supplies if supply.pool == pool.name and supply.unit == "share"]
                config = _config(form, [name.removesuffix(SHARED) for name in shares], pool.partition.replicas)
                yield Ask(topic="device-plugin-config", pool=pool.name, value={pool.name: config}, origin=reason)
                yield parts.node_label(pool, LABEL, pool.name, "chooses the device plugin's configuration")

    return lower


def _config(form: Form, names: Iterable[str], replicas: int) -> Document:
    # failRequestsGreaterThanOne: two shares may be one card, and give no more of it; NVIDIA/k8s-device-plugin#929
    resources: Value = [{"name": name, "replicas": replicas} for name in sorted({*names})]
    sharing: Value = {"renameByDefault": True, "failRequestsGreaterThanOne": True, "resources": resources}
    return Document({"version": "v1", "sharing": {form: sharing}})


def _noun(pool: Pool) -> str:
    """Return what is shared."""
    return "slice" if pool.partition and pool.partition.cuts else "card"


def _check(plan: Plan, component: Component) -> Iterator[Diagnostic]:
    for pool in plan.pools_of(component):
        if pool.partition:
            clients = [*_clients(pool, pool.partition.replicas, pool.partition.forms[-1])]
            yield from clients or _pods(plan, pool, pool.partition)
            yield from _beside_cuts(plan, pool, pool.partition.replicas, pool.partition.forms[-1])
    mine = set(component.pools)
    for pod in plan.pods:
        if pod.supplies and pod.supplies[0].unit == "share" and any(supply.pool in mine for supply in pod.supplies):
            yield from _pod(plan, pod, next(supply for supply in pod.supplies if supply.pool in mine))


def _clients(pool: Pool, replicas: int, form: str) -> Iterator[Diagnostic]:
    if form != "mps":
        return
    for index, gpu in enumerate(pool.gpus):
        limit = int(gpu.card.traits.get("mpsClients", "0"))
        if limit and replicas > limit:
            yield CLIENTS.at(
                pool.at("partition", form, "replicas"),
                f"pool {pool.name} shares each {gpu.card.name} {replicas} times, MPS takes {limit} clients on it",
                help=f"write {limit} or less",
                labels=(Label(pool.at("gpus", index, "card"), f"{gpu.card.name}: {limit} clients"),),
            )
            return


def _pods(plan: Plan, pool: Pool, partition: Partition) -> Iterator[Diagnostic]:
    shares = sum(supply.per_node for supply in plan.supplies if supply.pool == pool.name and supply.unit == "share")
    if shares > pool.max_pods:
        fit = pool.max_pods * partition.replicas // shares
        fewer = f"write {fit} or less" if fit > 1 else "take `timeSlicing` out" if partition.cuts else "write `partition: none`"
        yield TOO_MANY.at(
            pool.at("partition", *partition.forms, "replicas"),
            f"each node of pool {pool.name} offers {shares} shares and runs {pool.max_pods} pods",
            help=f"{fewer}, or write `maxPods` for pool {pool.part_of or pool.name} if its kubelets run more",
        )


def _beside_cuts(plan: Plan, pool: Pool, replicas: int, form: str) -> Iterator[Diagnostic]:
    if form != "mps" or any(supply.pool == pool.name and supply.resource.by == "dra" for supply in plan.supplies):
        return  # sharing of claimed cards is a rule of its own
    cut = next((other for other in plan.pools if VENDOR in other.vendors and other.partition and other.partition.slices), None)
    if cut and cut.partition:
        yield BESIDE_CUTS.at(
            pool.at("partition", form),
            f"pool {pool.name} shares its cards by MPS, which the device plugin refuses beside the MIG of pool {cut.part_of or cut.name}",
            help=f"write `timeSlicing: {{replicas: {replicas}}}`",
            labels=(Label(cut.partition.origin.place, f"pool {cut.part_of or cut.name} is cut"),),
            note="using --mig-strategy=mixed is not supported with MPS, and the strategy is one value for the nodes of all pools",
            on_key=True,
        )


def _pod(plan: Plan, pod: PodShape, supply: Supply) -> Iterator[Diagnostic]:
    pool = plan.pool(supply.pool)
    noun = _noun(pool)
    label = Label(pool.at("partition"), f"pool {pool.name} shares its {noun}s")
    if pod.want.count > 1:
        yield ONE_EACH.at(
            (*pod.at("gpu"), "count"),
            f"maximum request size for shared resources is 1; found {pod.want.count} in workload {pod.name}",
            help=f"write `count: 1`, or give the workload a pool with whole {noun}s",
            labels=(label,),
            note=f"two shares may lie on one {noun}, and two give no more of it than one",
        )
    replicas = pool.partition.replicas if pool.partition else 1
    need = pod.want.memory_bytes * replicas
    if pool.partition and "timeSlicing" in pool.partition.forms and supply.memory_bytes and need > supply.memory_bytes:
        has = round_memory(supply.memory_bytes)
        other = "take `timeSlicing` out" if supply.profile else "`partition: {mps: ...}`, which divides the memory"
        yield UNDIVIDED.at(
            pod.want.place,
            f"{pod.name} wants {show_memory(pod.want.memory_bytes)} of a {noun} with {has} that {replicas} may share",
            help=f"write {round_memory(supply.memory_bytes // replicas)} or less, or {other}",
            labels=(label,),
        )


TIME_SLICING = System(
    name="time-slicing",
    answers=("partition", "timeSlicing"),
    vendor=VENDOR,
    rules=(ONE_EACH, UNDIVIDED, TOO_MANY),
    supplies=_supplies,
    check=_check,
    lower=_lower("timeSlicing"),
)

MPS = System(
    name="mps",
    answers=("partition", "mps"),
    vendor=VENDOR,
    rules=(CLIENTS, ONE_EACH, BESIDE_CUTS, TOO_MANY),
    supplies=_supplies,
    check=_check,
    lower=_lower("mps"),
)
