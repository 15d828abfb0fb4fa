"""What a workload's own manifest must carry, and what no system owns: its nodes, tolerations, namespaces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from fourleaf.ir import ONE_A_NODE, Ask, Binding, Object, Origin, Part, Plan, PodShape, Pool, Prerequisite, Queue, Ref, Resource, Value
from fourleaf.kube import tolerations_for
from fourleaf.systems import SYSTEMS
from fourleaf.systems.parts import POOL, node_label, on_nodes_of

TENANT = "fourleaf.dev/tenant"
CREATE = "kubectl create namespace {} --dry-run=client -o yaml | kubectl apply --server-side -f -"
"""`kubectl create` alone fails where the namespace is there already."""
BUILT_IN_NAMESPACES = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})


def bindings(plan: Plan) -> tuple[Binding, ...]:
    """Return one binding for each workload that some pool serves."""
    spare = _spare(plan)
    return tuple(_bind(plan, pod, spare) for pod in plan.pods if pod.supplies)


def _spare(plan: Plan) -> Mapping[tuple[Resource, str], int]:
    """Return the units of each kind that nothing takes."""
    spare: Counter[tuple[Resource, str]] = Counter()
    for supply in plan.supplies:
        spare[supply.kind] += supply.nodes * supply.per_node
    for pod, prediction in zip(plan.pods, plan.predictions, strict=True):
        if pod.supplies:
            spare[pod.supplies[0].kind] -= prediction.pods * pod.want.count
    return spare


def _bind(plan: Plan, pod: PodShape, spare: Mapping[tuple[Resource, str], int]) -> Binding:
    """Write what core owns, then fold `bind` over the systems that stand under the pod."""
    supply = pod.supplies[0]
    pools = [plan.pool(fitting.pool) for fitting in pod.supplies]
    held = held_to(plan, pod)
    labels, affinity = _nodes(pools) if held else ({}, {})
    binding = Binding(
        name=pod.name,
        namespace=pod.namespace,
        kind=pod.kind,
        replicas=pod.replicas,
        node_selector=labels,
        affinity=affinity,
        requests={supply.resource.name: pod.want.count} if supply.resource.by == "device-plugin" else {},
        tolerations=tolerations_for(taint for pool in pools for taint in pool.taints),
        recreate=pod.kind == "Deployment" and bool(pod.group or spare.get(supply.kind, 0) < pod.want.count),
        origin=pod.origin,
    )
    for name in pools[0].systems:
        if SYSTEMS[name].vendor in ("", supply.vendor):
            binding = SYSTEMS[name].bind(plan, pod, binding)
    return replace(binding, tolerations=tuple(sorted(set(binding.tolerations))))


def held_to(plan: Plan, pod: PodShape) -> tuple[str, ...]:
    """Return the pools that a workload must be held to; empty where its requests alone find them.

    They do when every pool that offers the resource fits. A claim finds its device by itself wherever it may go. A DaemonSet
    finds nothing: it has a pod on each node that it is not kept from, and those on nodes without the resource stay Pending.
    """
    supply = pod.supplies[0]
    fitting = {fit.pool for fit in pod.supplies}
    offering = {other.pool for other in plan.supplies if other.resource == supply.resource}
    return tuple(sorted(fitting)) if offering - fitting or pod.kind == ONE_A_NODE else ()


def _labelled(pool: Pool) -> bool:
    """Tell whether something standing on a pool sets labels on its nodes."""
    return any("node-label" in SYSTEMS[name].takes for name in pool.systems)


def _nodes(pools: Sequence[Pool]) -> tuple[Mapping[str, str], Mapping[str, Value]]:
    """Return node selector and affinity for some pools: by the pool's label where it is set, else by what tells the nodes."""
    if not all(map(_labelled, pools)):
        affinity = on_nodes_of(pools)
        if affinity:
            return {}, affinity
    if len(pools) == 1:
        return {POOL: pools[0].name}, {}
    term = {"matchExpressions": [{"key": POOL, "operator": "In", "values": sorted(pool.name for pool in pools)}]}
    return {}, {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}


def core(plan: Plan) -> Iterator[Part]:
    """Yield what no system owns: the tenants' namespaces, those of others, the pools' own labels."""
    owners: dict[str, Queue] = {namespace: queue for queue in plan.queues for namespace in queue.namespaces}
    for name, queue in sorted(owners.items()):
        yield Object(api_version="v1", kind="Namespace", name=name, labels={TENANT: queue.name}, keep=True, origin=queue.origin)
    there = BUILT_IN_NAMESPACES | owners.keys() | {SYSTEMS[component.system].record.namespace for component in plan.components}
    for name, pod in sorted({pod.namespace: pod for pod in reversed(plan.pods) if pod.namespace not in there}.items()):
        origin = Origin((*pod.origin.place, "namespace"), "a workload lives in it")
        if plan.create_namespaces:
            yield Object(api_version="v1", kind="Namespace", name=name, keep=True, origin=origin)
        else:
            ref = Ref("Namespace", name)
            yield Prerequisite(what=f"namespace {name}", command=CREATE.format(name), brings=ref, origin=origin)
    held = {name for pod in plan.pods if pod.supplies for name in held_to(plan, pod)}
    for pool in plan.pools:
        if pool.name in held:
            yield from _pool_label(pool)


def _pool_label(pool: Pool) -> Iterator[Ask]:
    if _labelled(pool) or not on_nodes_of([pool]):
        yield node_label(pool, POOL, pool.name, "a workload is held to this pool")
