"""Computed layouts: whether they hold what is asked for, whether they are proven, whether nodes can have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fourleaf.checks.given import Check, Given
from fourleaf.checks.lacking import several_for_one, without_cards
from fourleaf.diag import Diagnostic, Label, Rule, Severity
from fourleaf.ir import ONE_A_NODE, Layouts, Plan

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
    yield from _unfit(given.plan)
    for layouts in given.plan.layouts:
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


def _unfit(plan: Plan) -> Iterator[Diagnostic]:
    """Yield each workload that finds too little, whatever the layouts."""
    several = several_for_one(plan)
    for layouts, pod, prediction in without_cards(plan):
        if layouts.pool in several:
            continue  # that is said of the nodes
        one_each, empty = pod.kind == ONE_A_NODE, pod.empty()
        found = f"{prediction.show() if prediction.wanted else f'0 of {pod.declared}'} pods of {pod.name} find"
        place, gang = pod.at("kind" if one_each else "replicas"), ""
        fewer = f"write `replicas: {prediction.pods}`" if prediction.pods >= max(1, pod.gang) else "free what the others take"
        more = f"have {layouts.needed} cards there" if layouts.needed else "add cards"
        if prediction.never and empty:
            found = f"{empty} of {pod.declared} pods of {pod.name} find"
            place, gang, fewer = pod.at("gang", "size"), f", fewer than its gang of {pod.gang}", f"write `gang: {{size: {empty}}}` at most"
        elif prediction.never:
            found = f"no pod of {pod.name} finds" if one_each else found
            place, fewer = pod.want.place, "ask for less"
        elif one_each:
            fewer, more = "free what the others take", "write `kind: Deployment`"
        yield UNFIT.at(
            place,
            f"{found} room on the {_there(plan, layouts)}, however they are cut{gang}",
            help=f"{fewer}, or {more}",
            labels=(Label(layouts.origin.place, "its layout is computed"),),
            severity=Severity.ERROR if prediction.never else None,
        )


def _there(plan: Plan, layouts: Layouts) -> str:
    """Return the cards of the pools that share demand, in words."""
    models: Counter[str] = Counter()
    for pool in plan.pools:
        if (pool.part_of or pool.name) in layouts.beside:
            for gpu in pool.gpus:
                models[gpu.card.name] += gpu.count * pool.count
    cards = " and ".join(f"{count} {name}" for name, count in sorted(models.items()))
    return f"{cards} of pool{'s' if len(layouts.beside) > 1 else ''} {', '.join(layouts.beside)}"


def _cards(number: int) -> str:
    return f"{number} card{'' if number == 1 else 's'}"


CHECK = Check(_layouts, (UNFIT, UNPROVEN, SEVERAL, NO_HEADROOM, UNASKED))
