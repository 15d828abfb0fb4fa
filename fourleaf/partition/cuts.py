"""Gomory's mixed-integer cuts: what every whole solution keeps and a fractional one does not, derived in whole numbers."""

from __future__ import annotations

from fourleaf.partition.program import SCALE, Program
from fourleaf.partition.simplex import Tableau

GRAIN = 840
"""Coefficients of a cut are rounded up to 1 / GRAIN of its right side, which is still true and keeps its numbers small."""
DEEPEST = 12
"""Cuts that are added at a time, those first whose row is the farthest from a whole number."""


def cut(node: Tableau) -> int:
    """Add cuts to the program of a solved root, and to its tableau; return how many.

    They are true of every whole solution between the node's bounds, so the node must be the root of all that comes after.
    """
    rows = []
    for i, variable in enumerate(node.basic):
        distance = abs(node.values[variable] - round(node.values[variable]))
        if distance > 0.01:
            rows.append((-distance, i))
    found = [made for _, i in sorted(rows)[:DEEPEST] if (made := _gomory(node, i)) is not None]
    for entries, low in found:
        high = sum(value * (node.highs[j] if value > 0 else node.lows[j]) for j, value in entries.items())
        _add(node, entries, low, high)
    return len(found)


def cover(node: Tableau) -> int:
    """Make those of the program's covers rows, of it and of a tableau, that the tableau's solution breaks; return how many."""
    program, values = node.program, node.values
    broken = []
    for made in program.covers:
        entries, low, _ = made
        if sum(value * values[column] for column, value in entries.items()) < low - 0.01:
            broken.append(made)
    for made in broken:
        program.covers.remove(made)
        _add(node, *made)
    return len(broken)


def _gomory(node: Tableau, row: int) -> tuple[dict[int, int], int] | None:
    """Return a cut as (coefficients by column, least sum), None where the row gives none that is certain.

    With whole weights, weight · r - (weight A) · x = 0 is exact, whatever floats the weights were rounded from. Each variable is counted
    from the bound at which it stands: y >= 0. What of the coefficients is no whole number must add up to what of the right side is none.
    """
    program = node.program
    n = len(program.costs)
    weights = node.weights(row)
    factors = [(n + i, weight) for i, weight in enumerate(weights) if weight]
    factors += [(j, -total) for j in range(n) if (total := sum(weights[i] * value for i, value in program.entries[j]))]
    basic = set(node.basic)
    right = 0
    shifted: list[tuple[int, int, bool]] = []
    for variable, factor in factors:
        at_high = variable not in basic and node.values[variable] > node.lows[variable]
        bound = node.highs[variable] if at_high else node.lows[variable]
        right -= factor * bound
        if factor % SCALE:
            if variable in basic:
                return None
            shifted.append((variable, (-factor if at_high else factor) % SCALE, at_high))
    rest = right % SCALE
    if not SCALE // 100 < rest < SCALE - SCALE // 100:
        return None
    columns: dict[int, int] = {}
    low = GRAIN
    for variable, part, at_high in shifted:
        if node.lows[variable] == node.highs[variable]:
            continue
        share = -(-GRAIN * part // rest) if part <= rest else -(-GRAIN * (SCALE - part) // (SCALE - rest))
        sign = -share if at_high else share
        low += sign * (node.highs[variable] if at_high else node.lows[variable])
        for column, value in [(variable, 1)] if variable < n else _entries_of(program, variable - n):
            columns[column] = columns.get(column, 0) + sign * value
    return columns, low


def _entries_of(program: Program, row: int) -> list[tuple[int, int]]:
    return [(j, value) for j, entries in enumerate(program.entries) for i, value in entries if i == row]


def _add(node: Tableau, columns: dict[int, int], low: int, high: int) -> None:
    program = node.program
    n = len(program.costs)
    row = program.row(low, max(low, high))
    for j, value in columns.items():
        if value:
            program.entries[j] = (*program.entries[j], (row, value))
    node.append(n + row, columns, low, max(low, high))
