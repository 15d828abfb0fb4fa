"""Whether each workload can run at all, and whether it can run now."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import floor

from msgspec.structs import replace

from fourleaf.checks.given import Check, Given
from fourleaf.checks.lacking import without_cards
from fourleaf.diag import Diagnostic, Label, Rule, Severity
from fourleaf.ir import ONE_A_NODE, Plan, PodShape, Prediction, Supply, Want
from fourleaf.kube.quantity import round_memory
from fourleaf.plan.pods import Kind
from fourleaf.systems.claims import too_large

UNSERVED = Rule("FL401", "workload-without-pool", Severity.ERROR, "no pool offers what a workload asks for")
CUT = Rule("FL216", "whole-cards-all-cut", Severity.ERROR, "a workload asks for whole cards, and all that would do are cut")
TOO_BIG = Rule("FL402", "pod-larger-than-node", Severity.ERROR, "one pod asks for more units than any node has")
GANG = Rule("FL403", "gang-larger-than-cluster", Severity.ERROR, "a gang could not be placed even in the empty cluster")
SHORT = Rule("FL404", "workload-short-now", Severity.WARNING, "some pods of a workload will stay Pending beside the others")
QUOTA = Rule("FL405", "workload-above-quota", Severity.ERROR, "the quota of its queue keeps a workload from ever running")
PER_NODE = Rule("FL407", "replicas-of-daemonset", Severity.WARNING, "replicas of a DaemonSet, which has one pod on each node that it fits")
REPLICAS = Rule("FL406", "gang-larger-than-workload", Severity.ERROR, "a gang counts more pods than the workload has replicas")


def _placement(given: Given) -> Iterator[Diagnostic]:
    plan = given.plan
    takers, turns = _takers(plan), _Turns(plan)
    of_layouts = {(pod.namespace, pod.name) for _, pod, _ in without_cards(plan)}
    for pod, prediction in zip(plan.pods, plan.predictions, strict=True):
        if pod.gang > pod.declared:
            yield _gang_of_more(pod)
        elif prediction.short_of == "pods" and not (prediction.never and pod.empty()):
            yield _crowded(plan, pod, prediction)
        elif (pod.namespace, pod.name) in of_layouts:
            continue  # what it lacks is said of the layouts
        elif not pod.supplies:
            yield _cut(plan, pod) or _unserved(plan, pod)
        elif not pod.empty():
            yield from _too_big(pod)
        elif prediction.never:
            yield _never(plan, pod, prediction)
        elif prediction.pods < prediction.wanted:
            yield _short(pod, prediction, takers[pod.supplies[0].kind], turns.mend(pod))


def _gang_of_more(pod: PodShape) -> Diagnostic:
    has, mend = _count(pod.declared, "replica"), f"write `replicas: {pod.gang}`, or "
    if pod.kind == ONE_A_NODE:
        has, mend = f"{_count(pod.declared, 'pod')}, one a node", "write "
    return REPLICAS.at(
        pod.at("gang", "size"),
        f"workload {pod.name} is a gang of {pod.gang} and has {has}",
        help=f"{mend}`gang: {{size: {pod.declared}}}`",
    )


def _cut(plan: Plan, pod: PodShape) -> Diagnostic | None:
    """Return what is wrong where a workload asks for whole cards that are there and are all cut."""
    if "card" not in pod.want.units or not pod.want.traits:
        return None
    cut = [
        pool
        for pool in plan.pools
        if (not pod.pools or pool.name in pod.pools)
        and pool.partition
        and any(pod.want.traits <= {("vendor", gpu.card.vendor), ("card", gpu.card.name)} for gpu in pool.gpus)
    ]
    slices = [supply for pool in cut for supply in plan.supplies if supply.pool == pool.name and (supply.unit == "slice" or supply.profile)]
    if not slices:
        return None
    names = sorted({supply.resource.name for supply in slices})
    asks = sorted({_asked_by(supply) for supply in slices})
    return CUT.at(
        pod.want.place,
        f"workload {pod.name} asks for {pod.want.show()}, and all of those are cut: they offer {', '.join(names)}",
        help=f"write `gpu: {{{asks[0]}}}`, or leave cards whole",
        labels=tuple(Label(pool.at("partition"), f"pool {pool.part_of or pool.name} is cut") for pool in cut if pool.partition)[:3],
        note="a part of a card never has the name of a whole one, on no node (docs/guide/partitions.md)",
    )


def _unserved(plan: Plan, pod: PodShape) -> Diagnostic:
    offers: dict[str, set[str]] = {}
    for supply in _largest(pod.want, [supply for supply in plan.supplies if not pod.pools or supply.pool in pod.pools]):
        fewer = f", count: {supply.per_node}" if supply.per_node < pod.want.count else ""
        offers.setdefault(_ask_of(pod.want, supply) + fewer, set()).add(supply.pool)
    shown = [f"`{ask}` ({', '.join(sorted(pools)[:3])})" for ask, pools in sorted(offers.items())]
    where = f"and pool {pod.pools[0]} has none such" if pod.pools else "and no pool has such"
    most = ", the most that there is" if pod.want.memory_bytes or pod.want.portion else ""
    return UNSERVED.at(
        pod.want.place,
        f"workload {pod.name} asks for {pod.want.show()}, {where}",
        help=f"write {' or '.join(shown[:4])}{', ...' if len(shown) > 4 else most}" if shown else "add a pool that has it",
    )


def _largest(want: Want, supplies: Sequence[Supply]) -> Sequence[Supply]:
    """Return the supplies to offer in place of what is not there: where a size is asked for, those that come nearest to it."""
    if want.memory_bytes:
        most = max((supply.memory_bytes for supply in supplies), default=0)
        return [supply for supply in supplies if most and supply.memory_bytes == most]
    if want.portion:
        best = max((supply.portion for supply in supplies), default=0)
        return [supply for supply in supplies if supply.portion == best]
    return supplies


def _ask_of(want: Want, supply: Supply) -> str:
    """Return the ask for units of a supply that is most like what a workload wants, in words of the spec."""
    if want.memory_bytes:
        return f"memory: {round_memory(supply.memory_bytes)}"
    if want.portion:
        return f"fraction: {floor(supply.portion * 1000) / 1000:g}"
    return _asked_by(supply)


def _asked_by(supply: Supply) -> str:
    """Return the narrowest ask for units of a supply, in words of the spec."""
    known = dict(supply.traits)
    for trait, key in (("profile", "mig"), ("modes", "modes"), ("card", "card"), ("vendor", "vendor")):
        if trait in known:
            return f"{key}: {known[trait]}"
    return f"vendor: {supply.vendor}"


def _too_big(pod: PodShape) -> Iterator[Diagnostic]:
    """Yield a pod that no node is large enough for, unless it could have so much on none: systems say that of shares and of claims."""
    if pod.supplies[0].unit == "share" or any(too_large(pod)):
        return
    pool, largest = max(((pool, offer.units) for pool, offer in pod.offers().items()), key=lambda offer: offer[1])
    yield TOO_BIG.at(
        pod.at("gpu", "count"),
        f"one pod of {pod.name} asks for {pod.want.count} {pod.supplies[0].resource.name}, the largest node has {largest} (pool {pool})",
        help=f"ask for at most {largest} a pod, and spread the work over more replicas",
    )


def _never(plan: Plan, pod: PodShape, prediction: Prediction) -> Diagnostic:
    count, resource = pod.want.count, prediction.resource
    empty = pod.empty()
    if empty >= max(1, pod.gang):
        needed = max(1, pod.gang) * count
        holder = next(queue for queue in plan.queues if queue.name == prediction.limited_by)
        limit = holder.limit[pod.supplies[0].resource]
        held = f", and {prediction.held_back} of them are held back for others" if prediction.held_back else ""
        return QUOTA.at(
            pod.at("gang", "size") if pod.gang > 1 else pod.at("gpu", "count"),
            f"workload {pod.name} needs {needed} {resource} at once, tenant {holder.name} is limited to {limit}{held}",
            help=f"write `limit: {{gpu: {needed + prediction.held_back}}}` or more for {holder.name}, or ask for less",
            labels=(Label((*holder.origin.place, "quota", "limit", "gpu"), f"{holder.name}: {limit}"),),
            note="what a tenant is guaranteed is held back for it, whether it uses it or not" if held else "",
        )
    total = sum(supply.nodes * supply.per_node for supply in pod.supplies)
    offer = next(iter(pod.offers().values()))
    each = pod.on_node(offer.units, offer.max_pods)
    runs = f"runs {_count(each, 'pod')}" if each == offer.max_pods else f"of {offer.units} holds {each}"
    packed = f", though there are {total}: a node {runs}" if total >= pod.gang * count else ""
    return GANG.at(
        pod.at("gang", "size"),
        f"a gang of {pod.gang} pods with {count} {resource} each needs {pod.gang * count}, "
        f"only {empty} of its pods fit the empty cluster ({total} {resource}){packed}",
        help=f"write `gang: {{size: {empty}}}` at most, or add nodes" if empty else "add nodes that have it",
    )


def _takers(plan: Plan) -> Mapping[Kind, list[tuple[PodShape, int]]]:
    """Return who takes units of each kind: a few are enough to name."""
    takers: defaultdict[Kind, list[tuple[PodShape, int]]] = defaultdict(list)
    for pod, prediction in zip(plan.pods, plan.predictions, strict=True):
        if prediction.pods and len(takers[pod.supplies[0].kind]) < 4:
            takers[pod.supplies[0].kind].append((pod, prediction.pods))
    return takers


def _short(pod: PodShape, prediction: Prediction, takers: Sequence[tuple[PodShape, int]], turns: str) -> Diagnostic:
    holder = prediction.short_of.removeprefix("quota of ") if prediction.short_of.startswith("quota of ") else ""
    beside = f": the quota of {holder} leaves no more" if holder else ""
    one_each = pod.kind == ONE_A_NODE
    more = f"raise the limit of {holder}" if holder else "write `kind: Deployment`" if one_each else "add nodes"
    labels = tuple(
        Label(other.want.place, f"{other.name} takes {pods * other.want.count} {prediction.resource}")
        for other, pods in takers
        if other is not pod
    )[:3]
    fewer = f"write `replicas: {prediction.pods}`" if prediction.pods >= max(1, pod.gang) and not one_each else ""
    shared = f"{'' if fewer else 'write '}{turns}" if turns and not holder and not one_each else ""
    open_ = prediction.at_least < prediction.at_most
    lack = f"up to {(prediction.wanted - prediction.at_least) * pod.want.count}" if open_ else str(prediction.short_by)
    return SHORT.at(
        pod.at("kind" if one_each else "replicas"),
        f"{_fit(pod, prediction)} fit now, the others lack {lack} {prediction.resource}{beside}",
        help=", or ".join(mend for mend in (fewer or "free what the others take", shared, more) if mend),
        labels=labels,
        note="how many hangs on which nodes the scheduler chooses for the pods before" if open_ else "",
    )


class _Turns:
    """The mend of sharing the slices that workloads find too few of. Many lack the same, so it is worked out once for each."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._asking: defaultdict[Kind, list[PodShape]] = defaultdict(list)
        self._slices: defaultdict[str, list[Supply]] = defaultdict(list)
        self._pools: defaultdict[Kind, set[str]] = defaultdict(set)
        self._known: dict[tuple[Supply, ...], str] = {}
        for pod in plan.pods:
            if (
                pod.supplies
                and pod.supplies[0].unit == "slice"
                and pod.supplies[0].profile
                and pod.supplies[0].resource.by == "device-plugin"
            ):
                self._asking[pod.supplies[0].kind].append(pod)
        for supply in plan.supplies:
            if supply.unit == "slice":
                self._slices[supply.pool].append(supply)
                self._pools[supply.kind].add(supply.pool)

    def mend(self, pod: PodShape) -> str:
        """Return what to write, empty where not all who ask for slices of these pools could do with a share of one."""
        if pod.supplies not in self._known:
            self._known[pod.supplies] = self._mend(pod.supplies)
        return self._known[pod.supplies]

    def _mend(self, supplies: Sequence[Supply]) -> str:
        pools = [self._plan.pool(name) for name in sorted({supply.pool for supply in supplies})]
        slices = [supply for pool in pools for supply in self._slices[pool.name]]
        units: Counter[Kind] = Counter()
        for supply in slices:
            units[supply.kind] += supply.nodes * supply.per_node
        if any(not self._pools[kind] <= {pool.name for pool in pools} for kind in units):
            return ""
        wanted = ((sum(pod.replicas * pod.want.count for pod in self._asking[kind]), there) for kind, there in units.items())
        turns = max((-(-asked // there) for asked, there in wanted), default=0)
        by_hand = all(pool.partition and not pool.partition.auto for pool in pools)
        crowded = any(turns * sum(supply.per_node for supply in self._slices[pool.name]) > pool.max_pods for pool in pools)
        asking = [pod for kind in units for pod in self._asking[kind]]
        if turns < 2 or crowded or not by_hand or not all(_takes_turns(pod, turns) for pod in asking):
            return ""
        return f"`timeSlicing: {{replicas: {turns}}}` under `mig` of pool {' and of pool '.join(pool.name for pool in pools)}"


def _takes_turns(pod: PodShape, turns: int) -> bool:
    """Tell whether a share will do in place of each slice, as if its memory was divided too: nothing else keeps pods apart."""
    shares = (replace(one, unit="share", memory_bytes=one.memory_bytes // turns, portion=one.portion / turns) for one in pod.supplies)
    return pod.want.count == 1 and all(pod.want.fits(share) for share in shares)


def _crowded(plan: Plan, pod: PodShape, prediction: Prediction) -> Diagnostic:
    """Return what is wrong where nodes have units to spare and run no more pods."""
    tight = max(pod.supplies, key=lambda supply: supply.per_node - supply.max_pods)
    pool = plan.pool(tight.pool)
    own = f", {pool.max_pods - tight.max_pods} of them for the set's own DaemonSets" if tight.max_pods < pool.max_pods else ""
    named = pool.part_of or pool.name
    one_each = pod.kind == ONE_A_NODE
    fewer = f"write `replicas: {prediction.pods}`, " if prediction.pods >= max(1, pod.gang) and not one_each else ""
    return SHORT.at(
        pod.at("kind" if one_each else "replicas"),
        f"{_fit(pod, prediction)} fit now, a node of pool {named} runs {_count(pool.max_pods, 'pod')}{own}",
        help=f"{fewer}add nodes, or write `maxPods` for pool {named} if its kubelets run more",
        labels=(Label(pool.at("partition") if pool.partition else pool.at("name"), f"{pool.name}: more units than pods on a node"),),
        note="pods of the cluster itself count too, so that for workloads it is less",
    )


def _fit(pod: PodShape, prediction: Prediction) -> str:
    return f"{prediction.show()} pod{'' if prediction.wanted == 1 else 's'} of {pod.name}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _per_node(given: Given) -> Iterator[Diagnostic]:
    for workload in given.inventory.workloads:
        if workload.kind == ONE_A_NODE and workload.replicas > 1:
            yield PER_NODE.at(
                workload.at("replicas"),
                f"workload {workload.name} is a DaemonSet: it has one pod on each node that it fits, whatever `replicas` says",
                help="take `replicas` out, or write `kind: Deployment`",
            )


CHECK = Check(_placement, (UNSERVED, CUT, TOO_BIG, GANG, SHORT, QUOTA, REPLICAS))
CHECKS = (CHECK, Check(_per_node, (PER_NODE,)))
