"""The fewest distinct layouts among the solutions of one cost: sets of layouts, of each of which some must be used."""

from __future__ import annotations

from collections.abc import Sequence

from fourleaf.partition.layouts import Layout
from fourleaf.partition.model import Model
from fourleaf.partition.search import Budget, minimise

STEPS = 2_000
"""What the search for fewer layouts may take, whatever is left: it settles nothing but how many layouts there are."""


def fewest(made: Model, values: Sequence[int], budget: Budget) -> tuple[tuple[int, ...], int]:
    """Return a solution with as few layouts as can be, and how many there are at least.

    Every proof that some layouts alone will not do names others, of which one must be there: a set to be hit. The smallest choice that
    hits all sets so far either does, and is the answer, or brings another set.

    Args:
        made: its program has rows that hold it to what is settled already; its costs do not matter.
        values: a solution.
    """
    columns: dict[Layout, list[int]] = {}
    kept = {layout for j, choice in made.choices.items() if choice.keeps and values[j] for layout in choice.keeps}
    for j, choice in made.choices.items():
        if choice.layout and choice.layout not in kept:
            columns.setdefault(choice.layout, []).append(j)
    layouts = list(columns)
    layout_of = {j: i for i, layout in enumerate(layouts) for j in columns[layout]}
    allowed = min(STEPS, budget.left)
    budget.left -= allowed
    budget = Budget(allowed)
    best = tuple(values)
    used = {layout_of[j] for j in layout_of if values[j]}
    program = made.program
    program.costs, program.total, program.costs_of_rows = [0] * len(program.costs), None, {}
    sets: list[frozenset[int]] = []
    least = 0
    while least < len(used):
        chosen = _hit(sets, least, len(used), budget)
        if chosen is None:
            return best, least if budget.left <= 0 else len(used)
        least = len(chosen)
        # Greedily on until they do: each step brings a set, and the end may be better than what there is.
        while True:
            absent = {j for j, i in layout_of.items() if i not in chosen}
            found = minimise(program.without(absent), budget, first=True)
            if found.values is not None:
                rest = iter(found.values)
                solution = tuple(0 if j in absent else next(rest) for j in range(len(program.costs)))
                now = {layout_of[j] for j in layout_of if solution[j]}
                if len(now) < len(used):
                    best, used = solution, now
                break
            if not found.proven:
                return best, max(least, _apart(sets))
            helpers = frozenset(layout_of[j] for j in found.helpers)
            sets.append(helpers)
            chosen = chosen | {max(helpers, key=lambda i: (i in used, sum(i in other for other in sets), -i))}
    return best, len(used)


def _hit(sets: Sequence[frozenset[int]], least: int, below: int, budget: Budget) -> frozenset[int] | None:
    """Return a smallest choice of `least` to `below` - 1 elements that has one of every set; None where there is none, or no step left."""
    minimal = [one for one in sets if not any(other < one for other in sets)]
    for size in range(least, below):
        chosen = _hit_with(minimal, size, frozenset(), frozenset(), budget)
        if chosen is not None or budget.left <= 0:
            return chosen
    return None


def _hit_with(
    sets: Sequence[frozenset[int]], size: int, chosen: frozenset[int], refused: frozenset[int], budget: Budget
) -> frozenset[int] | None:
    """Return `chosen` and at most `size` more that hit all sets, none of `refused` among them."""
    budget.left -= 1
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
