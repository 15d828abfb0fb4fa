"""The dual simplex method with bounds on all variables, on a dense tableau. Its numbers guide a search; they prove nothing."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot
from typing import Literal, TypeAlias

from fourleaf.partition.program import SCALE, Budget, Program

TINY = 1e-7
"""Below it, a number of the tableau is none to pivot on."""
CLOSE = 1e-9
"""Ratios that differ by less tie."""
SLACK = 1e-7
"""How far a variable may be beyond a bound before it counts."""
RELATIVE = 1e-3
"""How much more by its size: the sums of long rows are less exact."""

Status: TypeAlias = Literal["optimal", "infeasible", "stuck"]


class Tableau:
    """Basic variables as sums over the others, which stand at one of their bounds. Starts from the rows as the basis.

    The costs must not be negative: then the start is dual feasible, and stays so whatever bounds are moved.
    """

    __slots__ = ("basic", "costs", "highs", "lows", "nonbasic", "program", "rows", "values")

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lows = program.lows + program.row_lows
        self.highs = program.highs + program.row_highs
        self.reset()

    def reset(self) -> None:
        """Start again from the program's own rows, between the same bounds: what many pivots have blurred is exact again."""
        program = self.program
        n, m = len(program.costs), len(program.row_lows)
        self.nonbasic = list(range(n))
        self.basic = list(range(n, n + m))
        self.rows: list[list[float]] = [[0.0] * n for _ in range(m)]
        for j, entries in enumerate(program.entries):
            for row, value in entries:
                self.rows[row][j] = float(value)
        self.costs: list[float] = [float(cost) for cost in program.costs]
        self.values: list[float] = [float(low) for low in self.lows[:n]] + [0.0] * m
        for basic, numbers in zip(self.basic, self.rows, strict=True):
            self.values[basic] = sum(value * self.values[j] for j, value in enumerate(numbers) if value)

    def copy(self) -> Tableau:
        """Return a tableau that can go its own way; rows are replaced, never changed, so both may hold the same ones."""
        other = object.__new__(Tableau)
        other.program = self.program
        other.lows, other.highs = list(self.lows), list(self.highs)
        other.nonbasic, other.basic = list(self.nonbasic), list(self.basic)
        other.rows, other.costs, other.values = list(self.rows), self.costs, list(self.values)
        return other

    def append(self, variable: int, columns: Mapping[int, int], low: int, high: int) -> None:
        """Take in a row that the program has got, the last of its variables."""
        row = [0.0] * len(self.nonbasic)
        place = {other: j for j, other in enumerate(self.nonbasic)}
        at = {other: i for i, other in enumerate(self.basic)}
        for column, value in columns.items():
            if column in place:
                row[place[column]] += value
            else:
                row = [a + value * b for a, b in zip(row, self.rows[at[column]], strict=True)]
        self.rows.append(row)
        self.basic.append(variable)
        self.lows.append(low)
        self.highs.append(high)
        self.values.append(sum(value * self.values[column] for column, value in columns.items()))

    def limit(self, variable: int, low: int, high: int) -> None:
        """Narrow the bounds of a variable."""
        self.lows[variable], self.highs[variable] = low, high
        if variable in self.nonbasic:
            j = self.nonbasic.index(variable)
            wanted = low if self.costs[j] >= 0 else high
            step = wanted - self.values[variable]
            if step:
                self.values[variable] = float(wanted)
                for basic, row in zip(self.basic, self.rows, strict=True):
                    self.values[basic] += step * row[j]

    @property
    def size(self) -> int:
        """What one pivot takes of a budget: the numbers that it changes, and as much as three hundred to choose it."""
        return len(self.basic) * len(self.nonbasic) + 300

    def solve(self, budget: Budget) -> tuple[Status, int]:
        """Return how it ended, and the row that shows that there is no solution (-1 where none does)."""
        values, lows, highs = self.values, self.lows, self.highs
        patience = 50 + 2 * len(self.basic)
        size = self.size
        for taken in range(12 * patience):
            if taken and budget.left <= 0:
                break
            budget.left -= size
            if taken and taken % patience == 0:
                self._untie(1e-7 * taken / patience)
            leaving, worst = -1, 0.0
            for i, variable in enumerate(self.basic):
                value = values[variable]
                beyond = max(lows[variable] - value, value - highs[variable]) / (1.0 + abs(value) * RELATIVE)
                if beyond > SLACK:
                    beyond /= hypot(1.0, *self.rows[i])
                    if beyond > worst:
                        leaving, worst = i, beyond
            if leaving < 0:
                return "optimal", -1
            out = self.basic[leaving]
            rises = values[out] < lows[out]
            entering = self._entering(self.rows[leaving], rises)
            if entering < 0:
                return "infeasible", leaving
            self._pivot(leaving, entering, float(lows[out] if rises else highs[out]))
        return "stuck", -1

    def _untie(self, little: float) -> None:
        """Move all costs a little apart: where they tie, pivots may lead round in a circle. Bounds stay true, whatever the costs are."""
        self.costs = [
            cost + (little if self.values[variable] <= self.lows[variable] else -little) * (1 + variable * 37 % 101 / 101)
            for cost, variable in zip(self.costs, self.nonbasic, strict=True)
        ]

    def _entering(self, row: list[float], rises: bool) -> int:
        """Return which of the other variables is to enter: the one whose cost allows least, of several the one with the largest pivot."""
        values, lows, highs = self.values, self.lows, self.highs
        entering, least, size = -1, float("inf"), 0.0
        for j, variable in enumerate(self.nonbasic):
            value = row[j]
            if -TINY < value < TINY or lows[variable] == highs[variable]:
                continue
            if (value > 0) == ((values[variable] <= lows[variable]) == rises):
                ratio = abs(self.costs[j] / value)
                if ratio < least - CLOSE or (ratio < least + CLOSE and abs(value) > size):
                    entering, least, size = j, min(ratio, least), abs(value)
        return entering

    def _pivot(self, p: int, q: int, bound: float) -> None:
        """Let basic variable `p` leave at a bound and the other variable `q` enter in its place."""
        row = self.rows[p]
        inverse = 1.0 / row[q]
        out, into = self.basic[p], self.nonbasic[q]
        step = (bound - self.values[out]) * inverse
        for basic, other in zip(self.basic, self.rows, strict=True):
            if other[q]:
                self.values[basic] += step * other[q]
        self.values[into] += step
        self.values[out] = bound
        fresh = [-value * inverse for value in row]
        fresh[q] = inverse
        for i, other in enumerate(self.rows):
            factor = other[q]
            if factor and i != p:
                changed = [a + factor * b for a, b in zip(other, fresh, strict=True)]
                changed[q] = factor * inverse
                self.rows[i] = changed
        factor = self.costs[q]
        if factor:
            self.costs = [a + factor * b for a, b in zip(self.costs, fresh, strict=True)]
            self.costs[q] = factor * inverse
        self.rows[p] = fresh
        self.basic[p], self.nonbasic[q] = into, out

    @property
    def cost(self) -> float:
        return sum(cost * self.values[variable] for cost, variable in zip(self.program.costs, range(len(self.program.costs)), strict=True))

    def prices(self) -> list[int]:
        """Return a price for each row of the program, times SCALE."""
        n = len(self.program.costs)
        prices = [0] * len(self.program.row_lows)
        for j, variable in enumerate(self.nonbasic):
            if variable >= n:
                prices[variable - n] = round(self.costs[j] * SCALE)
        return prices

    def weights(self, row: int) -> list[int]:
        """Return the weights of the program's rows that add up to a row of the tableau, times SCALE."""
        n = len(self.program.costs)
        weights = [0] * len(self.program.row_lows)
        for variable, value in [(self.basic[row], 1.0), *((v, -value) for v, value in zip(self.nonbasic, self.rows[row], strict=True))]:
            if variable >= n:
                weights[variable - n] = round(value * SCALE)
        return weights

    def bound(self) -> int:
        """Return what a solution between the bounds costs at least, exactly; a whole number, as all costs are."""
        return -(-self.program.bound(self.prices(), self.lows, self.highs) // SCALE)
