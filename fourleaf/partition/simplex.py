"""The dual simplex method with bounds on all variables, on a dense tableau. Its numbers guide a search; they prove nothing."""

from __future__ import annotations

from typing import Literal, TypeAlias

from fourleaf.partition.program import SCALE, Program

TINY = 1e-9
SLACK = 1e-7
"""How far a variable may be beyond a bound before it counts."""

Status: TypeAlias = Literal["optimal", "infeasible", "stuck"]


class Tableau:
    """Basic variables as sums over the others, which stand at one of their bounds. Starts from the rows as the basis.

    The costs must not be negative: then the start is dual feasible, and stays so whatever bounds are moved.
    """

    __slots__ = ("basic", "costs", "highs", "lows", "nonbasic", "program", "rows", "values")

    def __init__(self, program: Program) -> None:
        n, m = len(program.costs), len(program.row_lows)
        self.program = program
        self.lows = program.lows + program.row_lows
        self.highs = program.highs + program.row_highs
        self.nonbasic = list(range(n))
        self.basic = list(range(n, n + m))
        self.rows: list[list[float]] = [[0.0] * n for _ in range(m)]
        for j, entries in enumerate(program.entries):
            for row, value in entries:
                self.rows[row][j] = float(value)
        self.costs: list[float] = [float(cost) for cost in program.costs]
        self.values: list[float] = [0.0] * (n + m)

    def copy(self) -> Tableau:
        """Return a tableau that can go its own way; rows are replaced, never changed, so both may hold the same ones."""
        other = object.__new__(Tableau)
        other.program = self.program
        other.lows, other.highs = list(self.lows), list(self.highs)
        other.nonbasic, other.basic = list(self.nonbasic), list(self.basic)
        other.rows, other.costs, other.values = list(self.rows), self.costs, list(self.values)
        return other

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

    def solve(self, steps: int) -> tuple[Status, int, int]:
        """Return how it ended, the pivots it took, and the row that shows that there is no solution (-1 where none does)."""
        values, lows, highs = self.values, self.lows, self.highs
        for taken in range(steps):
            leaving, worst = -1, SLACK
            for i, variable in enumerate(self.basic):
                value = values[variable]
                beyond = max(lows[variable] - value, value - highs[variable])
                if beyond > worst:
                    leaving, worst = i, beyond
            if leaving < 0:
                return "optimal", taken, -1
            out = self.basic[leaving]
            rises = values[out] < lows[out]
            row = self.rows[leaving]
            entering, least, size = -1, float("inf"), 0.0
            for j, variable in enumerate(self.nonbasic):
                value = row[j]
                if -TINY < value < TINY or lows[variable] == highs[variable]:
                    continue
                at_low = values[variable] <= lows[variable]
                if (value > 0) == (at_low == rises):
                    ratio = abs(self.costs[j] / value)
                    if ratio < least - TINY or (ratio < least + TINY and abs(value) > size):
                        entering, least, size = j, min(ratio, least), abs(value)
            if entering < 0:
                return "infeasible", taken, leaving
            self._pivot(leaving, entering, float(lows[out] if rises else highs[out]))
        return "stuck", steps, -1

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
