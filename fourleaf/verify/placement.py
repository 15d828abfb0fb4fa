"""Pods, pools and who owns them: taints are tolerated, one scheduler a pool, one allocator a vendor and node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fourleaf.diag import Diagnostic, Label, Rule, Severity
from fourleaf.ir import Binding, Pool, Supply, Value
from fourleaf.kube import Taint, Toleration
from fourleaf.verify.selection import Selections
from fourleaf.verify.view import Holder, View, below, listed, maker, pods, show, text

UNTOLERATED = Rule("FL823", "untolerated-taint", Severity.ERROR, "pods are meant for nodes whose taint they do not tolerate")
SCHEDULERS = Rule("FL824", "pool-with-two-schedulers", Severity.ERROR, "two schedulers give away the GPUs of one pool", allowable=False)
ALLOCATORS = Rule("FL825", "cards-with-two-allocators", Severity.ERROR, "two systems give out the same cards", allowable=False)

# The DaemonSet controller adds these itself:
# https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#taints-and-tolerations
OF_EVERY_DAEMONSET = (
    Toleration("node.kubernetes.io/not-ready", "NoExecute"),
    Toleration("node.kubernetes.io/unreachable", "NoExecute"),
    Toleration("node.kubernetes.io/disk-pressure", "NoSchedule"),
    Toleration("node.kubernetes.io/memory-pressure", "NoSchedule"),
    Toleration("node.kubernetes.io/pid-pressure", "NoSchedule"),
    Toleration("node.kubernetes.io/unschedulable", "NoSchedule"),
)


def untolerated(view: View) -> Iterator[Diagnostic]:
    """Every pod tolerates the taints of each pool that it is meant for."""
    tainted = {pool.name: pool for pool in view.plan.pools if pool.taints}
    if not tainted:
        return
    for binding in view.bundle.bindings:
        shape = view.shapes.get((binding.namespace, binding.name, binding.kind))
        meant = [tainted[supply.pool] for supply in shape.supplies if supply.pool in tainted] if shape else []
        yield from _missing(binding, meant, binding.tolerations)
    selections = Selections(view)
    for made in view.bundle.objects:
        template = pods(made)
        if template is not None:
            meant = [tainted[name] for name in sorted(selections.pools_of(made) & tainted.keys())]
            always = OF_EVERY_DAEMONSET if made.kind == "DaemonSet" else ()
            tolerated = [_toleration(one) for one in listed(below(template, "spec", "tolerations"))]
            yield from _missing(made, meant, [*always, *tolerated])


def _toleration(value: Value) -> Toleration:
    """Read a toleration; without an operator it is Equal: https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/."""
    operator = text(below(value, "operator"))
    return Toleration(
        key=text(below(value, "key")),
        effect=text(below(value, "effect")),
        operator="Exists" if operator == "Exists" else "Equal",
        value=text(below(value, "value")),
    )


def _missing(part: Holder, meant: Sequence[Pool], tolerations: Sequence[Toleration]) -> Iterator[Diagnostic]:
    found = [(pool, taint) for pool in meant for taint in pool.taints if not _tolerated(taint, tolerations)]
    if not found:
        return
    taints = sorted({str(taint) for _, taint in found})
    names = sorted({pool.name for pool, _ in found})
    first = found[0][1]
    whose = f"of pool{'s' if len(names) > 1 else ''} {', '.join(names)}"
    yield UNTOLERATED.at(
        part.origin.place,
        f"{show(part)} has pods for the nodes {whose} and does not tolerate {', '.join(taints)}",
        help=f"tolerate it: {{key: {first.key}, operator: Exists, effect: {first.effect}}}",
        note=maker(part),
        labels=tuple(Label(pool.at("taints"), f"pool {pool.name} carries {taint}") for pool, taint in found[:3]),
    )


def _tolerated(taint: Taint, tolerations: Sequence[Toleration]) -> bool:
    return taint.effect == "PreferNoSchedule" or any(one.tolerates(taint) for one in tolerations)


def two_schedulers(view: View) -> Iterator[Diagnostic]:
    """All workloads on a pool name one scheduler: each counts the pool's GPUs as if it were alone."""
    first: dict[str, dict[str, Binding]] = {}
    for binding in view.bundle.bindings:
        shape = view.shapes.get((binding.namespace, binding.name, binding.kind))
        for supply in shape.supplies if shape else ():
            first.setdefault(supply.pool, {}).setdefault(binding.scheduler, binding)
    told: dict[tuple[str, ...], list[str]] = {}
    for pool, found in sorted(first.items()):
        if len(found) > 1:
            told.setdefault(tuple(sorted(found)), []).append(pool)
    for names, pools_ in told.items():
        by = [first[pools_[0]][name] for name in names]
        said = " and ".join(f"{one.scheduler or 'the default scheduler'} ({one.kind} {one.namespace}/{one.name})" for one in by)
        yield SCHEDULERS.at(
            by[-1].origin.place,
            f"GPUs of pool{'s' if len(pools_) > 1 else ''} {', '.join(pools_)} are given away by {said}",
            labels=tuple(Label(one.origin.place, f"scheduled by {one.scheduler or 'the default scheduler'}") for one in by[:-1]),
        )


def two_allocators(view: View) -> Iterator[Diagnostic]:
    """The cards of one vendor in one node are given out by one system, in one way."""
    first: dict[tuple[str, str], Supply] = {}
    told: set[tuple[str, str]] = set()
    place = {pool.name: pool.origin.place for pool in view.plan.pools}
    for supply in view.plan.supplies:
        key = (supply.pool, supply.vendor)
        earlier = first.setdefault(key, supply)
        if key not in told and (earlier.allocator, earlier.resource.by) != (supply.allocator, supply.resource.by):
            told.add(key)
            both = " and ".join(f"{one.allocator} as {one.resource.name} ({one.resource.by})" for one in (earlier, supply))
            yield ALLOCATORS.at(place.get(supply.pool, ()), f"cards of {supply.vendor} on pool {supply.pool} are given out by {both}")
