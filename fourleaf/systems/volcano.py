"""Volcano: the tenant tree as hierarchical queues, gangs, and the scheduler configuration that honours them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from fourleaf.diag import Diagnostic, Label, Rule, Severity
from fourleaf.ir import Ask, Binding, Component, Document, Object, Origin, Part, Plan, PodShape, Provided, Queue, Ref, Resource, Value
from fourleaf.systems import parts
from fourleaf.systems.record import record, release
from fourleaf.systems.system import System

NAME = "volcano"
GROUP = "scheduling.volcano.sh"
QUEUE = f"Queue.{GROUP}"
ROOT, DEFAULT = "root", "default"
"""Queues that the scheduler makes: the top of the tree, and the one for pods that name none."""
OWNERS = ("DaemonSet", "Deployment", "Job", "StatefulSet")
"""Kinds from which Volcano reads a gang's size (pkg/controllers/podgroup/pg_controller_handler.go at v1.15.0)."""

TOO_DEEP = Rule("FL550", "queue-too-deep", Severity.ERROR, "a tenant is further below the root than Volcano takes")
RESERVED = Rule(
    "FL551", "reserved-queue-name", Severity.ERROR, "a tenant has the name of a queue that Volcano makes itself", allowable=False
)
OVER_LIMIT = Rule("FL553", "children-above-limit", Severity.ERROR, "children deserve more than the limit of the tenant over them")
WEIGHT = Rule("FL554", "weight-without-effect", Severity.WARNING, "a weight that Volcano does not read where queues have amounts")
NEWER = Rule("FL555", "kubernetes-newer-than-volcano", Severity.WARNING, "Volcano is not declared for so new a Kubernetes")
CLAIMS = Rule("FL556", "claims-under-volcano", Severity.WARNING, "workloads that claim devices are scheduled by Volcano, with known faults")
UNCOUNTED = Rule("FL557", "claims-not-counted", Severity.ERROR, "this Volcano does not count claimed devices in its queues")
UNRECLAIMED = Rule("FL558", "claims-not-given-back", Severity.WARNING, "Volcano keeps no promise of claimed devices, only a limit")
ZERO = Rule("FL559", "zero-limit-of-claims", Severity.ERROR, "Volcano takes a limit of no claimed devices for no limit")
UNREAD = Rule("FL560", "gang-of-unread-kind", Severity.WARNING, "a gang of a kind from which Volcano does not read its size")


def bind(plan: Plan, pod: PodShape, below: Binding) -> Binding:
    """Put queue and gang where Volcano reads them: the queue on the pods, the gang's size on their owner."""
    on_pods: dict[str, Value] = {f"{GROUP}/queue-name": Ref(QUEUE, pod.queue)} if pod.queue else {}
    on_owner: dict[str, Value] = {}
    notes: list[str] = []
    if pod.gang > 1 and pod.kind in OWNERS:
        on_owner[f"{GROUP}/group-min-member"] = str(pod.gang)
    elif pod.gang > 1 and pod.kind == "Pod":
        on_pods["scheduling.k8s.io/group-name"] = _group(pod).ref
    elif pod.gang > 1:
        notes.append(f"this patch does not make the gang of {pod.gang}: {_by_hand(pod)}")
    if pod.gang > 1 and pod.kind == "StatefulSet":
        notes.append("spec.podManagementPolicy must be Parallel: the gang starts when all its pods are there, none may wait for another")
    return replace(
        below,
        scheduler=NAME,
        annotations={**below.annotations, **on_owner},
        pod_annotations={**below.pod_annotations, **on_pods},
        # A rollout makes a group of its own, which needs the room of a second gang beside the first.
        recreate=below.recreate or (pod.kind == "Deployment" and pod.gang > 1),
        notes=(*below.notes, *notes),
    )


def _by_hand(pod: PodShape) -> str:
    """Return what the author of a CronJob does: its annotations stay on itself, those of its template go to the Jobs."""
    return f'annotate spec.jobTemplate.metadata of its manifest with {GROUP}/group-min-member: "{pod.gang}"'


def amount(resource: Resource, count: int) -> tuple[str, int]:
    """Return the key under which a queue counts a resource (docs/user-guide/how_to_use_dra_quota.md at v1.15.0)."""
    return (f"deviceclass/{resource.name}" if resource.by == "dra" else resource.name), count


def guards(pods: Sequence[PodShape], queues: Sequence[Queue], resources: Sequence[Resource]) -> tuple[Queue, ...]:
    """Return a `default` queue without GPUs where every workload has a queue, so that no pod walks around the quota.

    Claimed devices cannot be kept from it: Volcano takes 0 of them for no limit (pkg/scheduler/plugins/capacity/capacity.go at v1.15.0,
    checkDRAAllocatable).
    """
    kept = {resource: 0 for resource in resources if resource.by == "device-plugin"}
    if not queues or not kept or any(not pod.queue for pod in pods):
        return ()
    origin = Origin(queues[0].origin.place[:-1], "tenants share by quota, and pods without a queue must not escape it")
    return (Queue(name=DEFAULT, limit=kept, guard=True, origin=origin),)


def lower(plan: Plan, component: Component, asks: Sequence[Ask]) -> Iterator[Part]:
    """Write the chart with its scheduler's configuration, the queues, and groups of bare pods."""
    chart = parts.chart(SYSTEM.record, component, {"custom": {"scheduler_config_override": Document(_configuration(plan))}})
    # The scheduler makes the queue `default` unless it is there.
    guarded = any(queue.guard for queue in plan.queues)
    yield chart if guarded else replace(chart, provides=(*chart.provides, Provided(ref=Ref(QUEUE, DEFAULT))))
    for queue in plan.queues:
        yield _queue(queue)
    for pod in plan.pods:
        if pod.supplies and pod.gang > 1 and pod.kind == "Pod":
            yield _group(pod)


def _configuration(plan: Plan) -> Value:
    """Return the scheduler's configuration.

    The chart's own has `proportion` instead of `capacity`, and no `reclaim`: parents, guarantees and what is deserved would do nothing.
    A plugin or action that the scheduler does not know is skipped in silence, so these names are those of
    pkg/scheduler/{plugins,actions}/factory.go at v1.15.0.
    """
    packed = [resource.name for resource in plan.resources() if resource.by == "device-plugin"]
    binpack: dict[str, Value] = {"name": "binpack"}
    if packed:  # GPUs are what fragments; without names it packs CPU and memory alone
        weights = {f"binpack.resources.{name}": 10 for name in packed}
        binpack["arguments"] = {"binpack.weight": 10, "binpack.resources": ", ".join(packed), **weights}
    first: Value = [{"name": "priority"}, {"name": "gang", "enablePreemptable": False}, {"name": "conformance"}]
    second: Value = [
        {"name": "drf", "enablePreemptable": False},
        {"name": "predicates"},
        {"name": "capacity", "enableHierarchy": True},
        {"name": "nodeorder"},
        binpack,
    ]
    return {"actions": "enqueue, allocate, backfill, reclaim, preempt", "tiers": [{"plugins": first}, {"plugins": second}]}


def _queue(queue: Queue) -> Object:
    # The controller writes the parent of a queue that has none, and owns the field from then on.
    spec: dict[str, Value] = {"parent": Ref(QUEUE, queue.parent or ROOT), "reclaimable": True}
    if queue.guaranteed:
        spec["guarantee"] = {"resource": _amounts(queue.guaranteed)}
    if queue.deserved:
        spec["deserved"] = _amounts(queue.deserved)
    if queue.limit:
        spec["capability"] = _amounts(queue.limit)
    why = queue.origin if queue.guard else Origin(queue.origin.place, "a tenant's queue")
    return Object(api_version=f"{GROUP}/v1beta1", kind="Queue", name=queue.name, body={"spec": spec}, keep=True, origin=why)


def _amounts(counts: Mapping[Resource, int]) -> Mapping[str, Value]:
    return {key: str(number) for key, number in SYSTEM.amounts(counts).items()}


def _group(pod: PodShape) -> Object:
    return Object(
        api_version=f"{GROUP}/v1beta1",
        kind="PodGroup",
        name=pod.name,
        namespace=pod.namespace,
        body={"spec": {"minMember": pod.gang, "queue": Ref(QUEUE, pod.queue or DEFAULT)}},
        origin=Origin(pod.at("gang"), "its pods have no owner that could say the size of the gang"),
    )


def check(plan: Plan, component: Component) -> Iterator[Diagnostic]:
    """Yield what Volcano would refuse, ignore, or stop at."""
    tenants = [queue for queue in plan.queues if not queue.guard]
    yield from _tree(tenants)
    yield from _amounts_kept(tenants)
    yield from _kubernetes(plan, component)
    yield from _claims(plan, component, tenants)
    for pod in plan.pods:
        if pod.gang > 1 and pod.kind not in (*OWNERS, "Pod"):
            yield UNREAD.at(
                pod.at("gang"),
                f"the gang of {pod.gang} is not made for {pod.name}: Volcano reads no size from a {pod.kind}",
                help=_by_hand(pod),
            )


def _tree(tenants: Sequence[Queue]) -> Iterator[Diagnostic]:
    limit: int = _facts()["depth"]
    depth: dict[str, int] = {}
    for queue in tenants:
        depth[queue.name] = depth.get(queue.parent, 0) + 1
        if queue.name in (ROOT, DEFAULT):
            yield RESERVED.at(
                (*queue.origin.place, "name"),
                f"tenant {queue.name} has the name of a queue that Volcano makes itself",
                help="give it another name",
            )
        if depth[queue.name] == limit + 1:  # those below it are too deep for the same cause
            yield TOO_DEEP.at(
                (*queue.origin.place, "parent"),
                f"tenant {queue.name} is {depth[queue.name]} levels below the root, Volcano takes {limit}",
                help="take out a level over it",
            )


def _amounts_kept(tenants: Sequence[Queue]) -> Iterator[Diagnostic]:
    deserved: dict[tuple[str, Resource], int] = {}
    for queue in tenants:
        for resource, count in queue.deserved.items():
            deserved[queue.parent, resource] = deserved.get((queue.parent, resource), 0) + count
    for queue in tenants:
        for resource, limit in queue.limit.items():
            together = deserved.get((queue.name, resource), 0)
            if together > limit:
                yield OVER_LIMIT.at(
                    (*queue.origin.place, "quota", "limit"),
                    f"the children of tenant {queue.name} deserve {together} {resource.name} together, {queue.name} is limited to {limit}",
                    help=f"write {together} or more, or lower a child by {together - limit}",
                    note="a parent deserves at least what its children do, and Volcano refuses a queue that deserves more than its limit",
                )
        if queue.weight != 1:
            yield WEIGHT.at(
                (*queue.origin.place, "weight"),
                f"weight {queue.weight} of tenant {queue.name} does nothing: Volcano shares by amounts here",
                help="say the share in `quota: {deserved: ...}`, and take the weight out",
            )


def _kubernetes(plan: Plan, component: Component) -> Iterator[Diagnostic]:
    newest: Mapping[str, str] = _facts()["kubernetes"]
    line = ".".join(map(str, release(component.version)[:2]))
    if line in newest and plan.kubernetes.release > release(newest[line]):
        yield NEWER.at(
            component.pinned or ("spec", "kubernetes", "version"),
            f"Volcano {component.version} is declared for Kubernetes up to {newest[line]}, this is {plan.kubernetes}",
            help=f'write `version: "{newest[line]}"`, or try it out first',
            note="https://github.com/volcano-sh/volcano, README.md at v1.15.0, Kubernetes compatibility",
        )


def _claims(plan: Plan, component: Component, tenants: Sequence[Queue]) -> Iterator[Diagnostic]:
    claiming = [pod for pod in plan.pods if pod.supplies and pod.supplies[0].resource.by == "dra"]
    if claiming:
        more = f" and {len(claiming) - 1} more" if len(claiming) > 1 else ""
        yield CLAIMS.at(
            claiming[0].want.place,
            f"workload {claiming[0].name}{more} claims devices, which Volcano schedules with known faults",
            help="try it out first, or write `policy: {scheduler: default}` where nobody needs queues or gangs",
            note="https://github.com/volcano-sh/volcano/issues/5119, https://github.com/volcano-sh/volcano/pull/5884",
        )
    counted = release(component.version) >= release(_facts()["counts_claims"])
    for queue in tenants:
        if counted and any(resource.by == "dra" and not count for resource, count in queue.limit.items()):
            yield ZERO.at(
                (*queue.origin.place, "quota", "limit"),
                f"a limit of 0 claimed devices is none to Volcano: tenant {queue.name} could take all of them",
                help="write 1 or more",
            )
    promised = [queue for queue in tenants if any(resource.by == "dra" for resource in (*queue.deserved, *queue.limit))]
    if promised and not counted:
        yield UNCOUNTED.at(
            component.pinned,  # the catalogue's own version counts them
            f"Volcano {component.version} does not count claims against the quota of {_and_more(promised)}",
            help=f"write {SYSTEM.record.version}, or take the pin out",
            labels=(Label((*_first(promised).origin.place, "quota"), f"quota of {_first(promised).name}"),),
        )
    given = [queue for queue in promised if any(resource.by == "dra" for resource in queue.deserved)]
    if given and counted:
        yield UNRECLAIMED.at(
            (*_first(given).origin.place, "quota"),
            f"Volcano counts claims against a limit alone: what others took is not given back to {_and_more(given)}",
            help="write `limit` instead, so that the limits of all tenants fit the cluster together",
            note="the capacity plugin reads what is deserved and guaranteed of a DeviceClass and uses neither (capacity.go at v1.15.0)",
        )


def _first(queues: Sequence[Queue]) -> Queue:
    """Return a tenant whose amounts are its own and not those of its children together."""
    return min(queues, key=lambda queue: (not queue.leaf, queue.name))


def _and_more(queues: Sequence[Queue]) -> str:
    return f"tenant {_first(queues).name}" + (f" and {len(queues) - 1} more" if len(queues) > 1 else "")


def _facts() -> Mapping[str, Any]:
    return record(NAME).facts


SYSTEM = System(
    name=NAME,
    answers=("scheduler", NAME),
    rules=(TOO_DEEP, RESERVED, OVER_LIMIT, WEIGHT, NEWER, CLAIMS, UNCOUNTED, UNRECLAIMED, ZERO, UNREAD),
    bind=bind,
    amount=amount,
    guards=guards,
    queueing=True,
    check=check,
    lower=lower,
)
