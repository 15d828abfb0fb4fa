"""How cards are cut: each layout drawn, and what was computed about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fourleaf.hardware import Card
from fourleaf.ir import Cut, Layouts, Plan, Pool
from fourleaf.partition import draw, table

WAYS = {"one-profile-a-card": "one profile a card", "first-fit": "first fit", "from-scratch": "cut from scratch"}


def drawn(pool: Pool) -> Iterator[str]:
    """Yield a line for each layout of a pool's cards."""
    models = [gpu.card for gpu in pool.gpus for _ in range(gpu.count)]
    cuts = pool.partition.cuts if pool.partition else ()
    width = max((len(_indexes(cut)) for cut in cuts), default=0)
    for cut in cuts:
        card = models[cut.cards[0]]
        text = _drawn(card, cut, pool.driver.version) if cut.parts else "whole"
        yield f"{_indexes(cut):{width}}  {text}"


def _drawn(card: Card, cut: Cut, driver: str) -> str:
    if card.mig:
        return draw(table(card.mig).named(driver), dict(cut.parts))
    (name, count), *_ = cut.parts
    return "|" + f"{name}|" * count


def _indexes(cut: Cut) -> str:
    """Return the cards of a cut as people write them: `card 0`, `cards 0-3, 6`."""
    runs: list[tuple[int, int]] = []
    for card in sorted(cut.cards):
        if runs and runs[-1][1] == card - 1:
            runs[-1] = (runs[-1][0], card)
        else:
            runs.append((card, card))
    shown = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
    return f"card{'s' if len(cut.cards) > 1 else ''} {shown}"


def computed(plan: Plan) -> Iterator[str]:
    """Yield what was computed: cards in use, the proof, what other ways would take, and what becomes of the nodes."""
    for one in plan.layouts:
        proof = "no fewer will do" if one.gpus <= one.lower_bound else f"at least {one.lower_bound} are needed"
        yield f"  {one.pool}: {one.gpus} card{'' if one.gpus == 1 else 's'} in use, {proof}"
        for layout, gpus in one.distinct:
            yield f"     {gpus} x {{{', '.join(f'{name}: {count}' for name, count in layout)}}}"
        if one.alternatives:
            others = ", ".join(f"{WAYS.get(other.way, other.way)} would take {other.gpus}" for other in one.alternatives)
            yield f"     {others}" + (f" (pools {', '.join(one.beside)} together, which take {one.total})" if len(one.beside) > 1 else "")
        if one.headroom:
            yield f"     headroom {one.headroom}%: {'there' if one.has_headroom else 'not there'}"
        if one.known:
            named = ", ".join(one.changed) or (f"all {one.changes}" if one.changes else "none")
            yield f"     nodes to re-partition: {named}"


def cards(cuts: Iterable[Cut]) -> list[dict[str, Any]]:
    """Return how the cards of a node are cut, as JSON has it; the layout of those that stay whole is empty."""
    return [{"gpus": list(cut.cards), "layout": dict(cut.parts)} for cut in cuts]


def as_list(plan: Plan) -> list[dict[str, Any]]:
    """Return the same as JSON has it."""
    return [_data(one) for one in plan.layouts]


def _data(one: Layouts) -> dict[str, Any]:
    return {
        "pool": one.pool,
        "gpusUsed": one.gpus,
        "lowerBound": one.lower_bound,
        "proven": one.proven,
        "layouts": [{"layout": dict(layout), "gpus": gpus} for layout, gpus in one.distinct],
        "nodes": [
            {
                "pool": nodes.pool,
                "names": list(nodes.nodes),
                "count": nodes.count,
                "cards": cards(nodes.cuts),
            }
            for nodes in one.nodes
        ],
        "nodesToRepartition": list(one.changed),
        "repartitioned": one.changes,
        "headroom": {"percent": one.headroom, "there": one.has_headroom},
        "alternatives": [{"way": other.way, "gpus": other.gpus} for other in one.alternatives],
        "beside": list(one.beside),
        "total": one.total,
        "lacking": one.lacking,
    }
