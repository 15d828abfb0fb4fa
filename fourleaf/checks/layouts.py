"""Computed layouts: whether they hold what is asked for, whether they are proven, whether nodes can have them."""

from __future__ import annotations

from collections.abc import Iterator

from fourleaf.checks.given import Check, Given
from fourleaf.diag import Diagnostic, Label, Rule, Severity
from fourleaf.ir import Layouts, Plan

UNFIT = Rule(
    "FL210", "demand-above-cards", Severity.WARNING, "cards that no layout makes enough for the workloads that ask for parts of them"
)
UNPROVEN = Rule("FL211", "layout-not-proven", Severity.WARNING, "a computed layout that may not be the smallest")
SEVERAL = Rule(
    "FL213", "several-layouts-without-nodes", Severity.ERROR, "nodes without names that need layouts of their own", allowable=False
)
NO_HEADROOM = Rule("FL218", "headroom-not-there", Severity.WARNING, "a computed layout without the slices to spare that were asked for")
UNASKED = Rule("FL219", "layout-without-demand", Severity.NOTE, "a layout is to be computed, and no workload asks for a slice")


def _layouts(given: Given) -> Iterator[Diagnostic]:
    for layouts in given.plan.layouts:
        if not any(other.several for other in given.plan.layouts if other.pool in layouts.beside):
            yield from _unfit(given.plan, layouts)
        place = layouts.origin.place
        if layouts.several:
            yield SEVERAL.at(
                place,
                f"pool {layouts.pool} needs {layouts.several} layouts for its nodes, and nodes without names can have but one",
                help="name its nodes: write `nodes: [...]` in place of `count`",
                labels=(Label((*place[:-1][:3], "count"), f"pool {layouts.pool}: given by its count"),),
                on_key=True,
            )
        elif not layouts.proven and layouts.gpus > layouts.lower_bound:
            yield UNPROVEN.at(
                place,
                f"the layout of pool {layouts.pool} takes {_cards(layouts.gpus)}, {layouts.lower_bound} might do: the search ended",
                help="write the layout that you want (`layout: {...}`), or ask for fewer kinds of slices",
                on_key=True,
            )
        elif not layouts.proven:
            yield UNPROVEN.at(
                place,
                f"the layout of pool {layouts.pool} takes {_cards(layouts.gpus)}, no fewer will do, but fewer nodes to change might",
                help="write the layout that you want (`layout: {...}`), or ask for fewer kinds of slices",
                on_key=True,
            )
        if not layouts.has_headroom and layouts.headroom and not layouts.lacking:
            kept = layouts.known and not layouts.changes
            yield NO_HEADROOM.at(
                (*place, "auto", "headroom"),
                f"pool {layouts.pool} has less than {layouts.headroom}% of its slices to spare"
                + (": the layouts that its nodes have hold without" if kept else ": its cards have no room for more"),
                help="take `present` out to have them cut anew" if kept else "add nodes, or ask for less headroom",
            )
        cut = any(other.distinct or other.lacking for other in given.plan.layouts if other.pool in layouts.beside)
        if not cut and not layouts.changes:
            yield UNASKED.at(
                place,
                f"no workload asks for a slice of pool {layouts.pool}, so its cards stay whole",
                help="write `partition: none`, or a workload with `gpu: {mig: ...}`",
                on_key=True,
            )


def _unfit(plan: Plan, layouts: Layouts) -> Iterator[Diagnostic]:
    """Yield each workload that finds too little, whatever the layouts."""
    cards = [gpu for pool in plan.pools if (pool.part_of or pool.name) in layouts.beside for gpu in pool.gpus for _ in range(pool.count)]
    models: dict[str, int] = {}
    for gpu in cards:
        models[gpu.card.name] = models.get(gpu.card.name, 0) + gpu.count
    there = " and ".join(f"{count} {name}" for name, count in sorted(models.items()))
    where = f"pool{'s' if len(layouts.beside) > 1 else ''} {', '.join(layouts.beside)}"
    asking = {*layouts.workloads}
    for pod, prediction in zip(plan.pods, plan.predictions, strict=True):
        fitting, wanted = prediction.pods, prediction.wanted or pod.declared
        fits = pod.supplies and (fitting >= prediction.wanted or prediction.short_of == "pods") and not prediction.never
        if (pod.namespace, pod.name) not in asking or fits:
            continue
        more = f", or have {layouts.needed} cards there" if layouts.needed else ", or add cards"
        yield UNFIT.at(
            pod.at("replicas") if fitting else pod.want.place,
            f"{fitting} of {wanted} pods of {pod.name} find room on the {there} of {where}, however they are cut",
            help=(f"write `replicas: {fitting}`" if fitting else "ask for less") + more,
            labels=(Label(layouts.origin.place, "its layout is computed"),),
            severity=None if fitting else Severity.ERROR,
        )


def _cards(number: int) -> str:
    return f"{number} card{'' if number == 1 else 's'}"


CHECK = Check(_layouts, (UNFIT, UNPROVEN, SEVERAL, NO_HEADROOM, UNASKED))
