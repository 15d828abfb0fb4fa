"""The fewest distinct layouts among the solutions of one cost: sets of layouts, of each of which some must be used."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from fourleaf.partition.layouts import Layout
from fourleaf.partition.model import Model
from fourleaf.partition.program import Budget, Program
from fourleaf.partition.search import Found, minimise

HIT = 500
"""What one step of the search for a smallest choice takes."""


def fewest(made: Model, values: Sequence[int], prices: Sequence[int], budget: Budget) -> tuple[tuple[int, ...], int]:
    """Return a solution with as few layouts as can be, and how many there are at least; those of kept nodes count with them.

    Every proof that some layouts alone will not do names others, of which one must be there: a set to be hit. The smallest choice that
    hits all sets so far either does, and is the answer, or brings another set.

    Args:
        made: its program has rows that hold it to what is settled already.
        values: a solution; the cost of it is not exceeded.
        prices: of its rows, times SCALE; empty where there are none. They tell which layouts are too dear to be looked at.
    """
    whole = made.program
    kept = {layout for j, choice in made.choices.items() if choice.keeps and values[j] for layout in choice.keeps if layout}
    gone = {j for j, high in enumerate(whole.highs) if high == 0}
    if prices:
        whole.costs = made.costs
        lows, highs = whole.lows + whole.row_lows, whole.highs + whole.row_highs
        prices = [*prices, *[0] * (len(whole.row_lows) - len(prices))]
        gone |= whole.too_dear(prices, whole.cost(values), lows, highs) & made.choices.keys()
    program, names = whole.without(gone, forget=True)
    program.costs, program.total, program.costs_of_rows = [0] * len(names), None, {}
    layouts: dict[Layout, int] = {}
    layout_of: dict[int, int] = {}
    for column, name in enumerate(names):
        choice = made.choices.get(name)
        if choice and choice.layout and choice.layout not in kept:
            layout_of[column] = layouts.setdefault(choice.layout, len(layouts))
    best = [values[name] for name in names]
    used = {i for column, i in layout_of.items() if best[column]}
    sets: list[frozenset[int]] = []
    least = 0
    while least < len(used) and budget.left > 0:
        chosen = _hit(sets, least, len(used), budget)
        if chosen is None:
            least = least if budget.left <= 0 else len(used)
            break
        least = len(chosen)
        # Greedily on until they do: each step brings a set, and the end may be better than what there is.
        while (found := _solution(program, layout_of, chosen, budget)).values is None and found.proven:
            helpers = frozenset(layout_of[column] for column in found.helpers)
            sets = [one for one in sets if not helpers < one] + [helpers]
            chosen |= {max(helpers, key=lambda i: (i in used, sum(i in other for other in sets), -i))}
        if found.values is None:
            least = max(least, _apart(sets))
            break
        now = {i for column, i in layout_of.items() if found.values[column]}
        if len(now) < len(used):
            best, used = list(found.values), now
    solution = [0] * len(whole.highs)
    for name, value in zip(names, best, strict=True):
        solution[name] = value
    return tuple(solution), least + len(kept)


def _solution(program: Program, layout_of: Mapping[int, int], chosen: Collection[int], budget: Budget) -> Found:
    """Return a solution with the chosen layouts only, its values by the program's columns."""
    smaller, names = program.without({column for column, i in layout_of.items() if i not in chosen})
    found = minimise(smaller, budget, first=True)
    if found.values is None:
        return found
    values = [0] * len(program.costs)
    for name, value in zip(names, found.values, strict=True):
        values[name] = value
    return replace(found, values=tuple(values))


def _hit(sets: Sequence[frozenset[int]], least: int, below: int, budget: Budget) -> frozenset[int] | None:
    """Return a smallest choice of `least` to `below` - 1 elements that has one of every set; None where there is none, or no step left."""
    for size in range(least, below):
        chosen = _hit_with(sets, size, frozenset(), frozenset(), budget)
        if chosen is not None or budget.left <= 0:
            return chosen
    return None


def _hit_with(
    sets: Sequence[frozenset[int]], size: int, chosen: frozenset[int], refused: frozenset[int], budget: Budget
) -> frozenset[int] | None:
    """Return `chosen` and at most `size` more that hit all sets, none of `refused` among them."""
    budget.left -= HIT
    open_sets = [one - refused for one in sets if not one & chosen]
    if not open_sets:
        return chosen
    if budget.left <= 0 or _apart(open_sets) > size:
        return None
    first = min(open_sets, key=len)
    for element in sorted(first, key=lambda i: (-sum(i in one for one in open_sets), i)):
        found = _hit_with(sets, size - 1, chosen | {element}, refused, budget)
        if found is not None:
            return found
        refused |= {element}
    return None


def _apart(sets: Sequence[frozenset[int]]) -> int:
    """Return how many of the sets have nothing in common, taken greedily: as many elements are needed at least."""
    seen: set[int] = set()
    apart = 0
    for one in sorted(sets, key=len):
        if not one & seen:
            apart += 1
            seen |= one
    return apart
