"""Branch and bound: the least cost of an integer program, with a proof that rests on whole numbers only."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import count
from math import ceil, gcd

from msgspec import Struct
from msgspec.structs import replace

from fourleaf.partition.cuts import cover, cut
from fourleaf.partition.program import Budget, Program
from fourleaf.partition.simplex import Tableau

WHOLE_ENOUGH = 1e-6
"""How far from a whole number a value may be to count as one; whether it is a solution is checked with whole numbers."""

ROOT = 2_000
"""Pivots that are there in any case to solve the first relaxation and to round it, so that no answer is empty for want of work."""
EASY = 1_500
"""Pivots before a program counts as hard."""
ROUNDS = 6
"""How often a hard program is cut before it is split."""
DIVE = 200
"""Pivots that a dive for a solution, or a look around one, may take."""


class Found(Struct, frozen=True, kw_only=True):
    """How a search ended."""

    values: tuple[int, ...] | None
    """Of the columns; None where nothing was found."""
    cost: int = 0
    bound: int = 0
    """No solution costs less."""
    proven: bool
    """The cost is the least there is; or, without values, there is no solution at all."""
    prices: tuple[int, ...] = ()
    """Of the rows, times SCALE: what the bound before any branching rests on. Empty where there is no solution."""
    helpers: frozenset[int] = frozenset()
    """Absent columns (of `Program.absent`): where a program without costs is proven to have no solution, none comes without one of them."""

    def renamed(self, names: Sequence[int], columns: int, before: Found) -> Found:
        """Return it for the program that some columns were left out of; what is known of that one from before stays."""
        values = self.values
        if values is not None and values is not before.values:
            there = dict(zip(names, values, strict=True))
            values = tuple(there.get(column, 0) for column in range(columns))
        return replace(self, values=values, bound=max(self.bound, before.bound), prices=before.prices)


def minimise(program: Program, budget: Budget, *, first: bool = False, start: tuple[int, ...] | None = None) -> Found:
    """Return the solution of least cost; where `first`, any solution will do.

    Most programs are done within a few splits. One that is not starts again with cuts, and without the columns that are too dear.

    Args:
        start: a solution that is known already.
    """
    easy = budget.part(budget.left if program.absent else EASY * program.size)
    search = _Search(program, easy)
    search.take(start)
    found = search.run(first=first)
    budget.left += easy.left
    if found.proven or program.absent or budget.left <= 0:
        return found
    gone = search.too_dear() if found.values else set()
    smaller, names = program.without(gone, forget=True)
    hard = _Search(smaller.copy(), budget)
    hard.best, hard.cost = found.values, found.cost
    return hard.run(first=first, rounds=ROUNDS).renamed(names, len(program.costs), found)


class _Search:
    """One run. `dropped` is the least cost of what was not looked through; `helpers` collects over the proofs."""

    def __init__(self, program: Program, budget: Budget, *, around: bool = True) -> None:
        self.program = program
        self.around = around
        self.budget = budget
        self.best: tuple[int, ...] | None = None
        self.cost = 0
        self.dropped: int | None = None
        self.helpers: set[int] = set()
        self.prices: tuple[int, ...] = ()
        self.root: Tableau | None = None
        self.looks, self.due = 0, 2
        self.splits = [0] * len(program.costs)

    def run(self, start: Tableau | None = None, *, first: bool, rounds: int = 0) -> Found:
        """Search from a tableau, the program's own by default; at most so many rounds of cuts come first."""
        start = start or Tableau(self.program)
        self.budget.left += (reserve := max(0, ROOT * start.size - self.budget.left))
        bound = self.enter(start, 0)
        self.budget.left -= reserve
        while self.around and bound is not None and self.budget.left > 0 and self.fractional(start):
            before = start.copy()
            if not cover(start):
                if not rounds or not cut(start):
                    break
                rounds -= 1
            bound = self.enter(start, bound)
            if bound is None and self.budget.left <= 0:
                self.round(before)
        self.root = start.copy()
        serial = count(0, -1)
        # By bound, then the youngest: as deep as the bound allows, so that a poor half does not hold the search up.
        heap = [] if bound is None else [(bound, next(serial), start)]
        while heap:
            least, _, node = heappop(heap)
            if self.best is not None and least >= self.cost:
                break
            if self.budget.left <= 0:
                self.drop(least)
                self.round(node)
                break
            choices = self.fractional(node)
            self.improve(node, choices)
            if self.best is not None and (first or self.cost <= least):
                self.drop(least)
                break
            if choices:
                for least_of_half, half in self.split(node, least, choices):
                    heappush(heap, (least_of_half, next(serial), half))
            else:
                self.drop(least)
        return self.found()

    def too_dear(self) -> set[int]:
        """Return the columns that are 0 in every solution that is better than the best so far."""
        root = self.root
        return self.program.too_dear(root.prices(), self.cost - 1, root.lows, root.highs) if root else set()

    def found(self) -> Found:
        proven = self.dropped is None or (self.best is not None and self.dropped >= self.cost)
        bound = self.cost if proven else self.dropped or 0
        return Found(values=self.best, cost=self.cost, bound=bound, proven=proven, prices=self.prices, helpers=frozenset(self.helpers))

    def drop(self, least: int) -> None:
        """Leave out a part of the tree, of which no more is known than its least cost."""
        self.dropped = least if self.dropped is None else min(least, self.dropped)

    def enter(self, node: Tableau, least: int) -> int | None:
        """Solve a node and return the least cost that it can lead to, at least `least`; None where it leads to nothing."""
        program = self.program
        afresh = False
        while True:
            status, row = node.solve(self.budget)
            if status == "optimal":
                bound = max(least, _up(node))
                self.prices = self.prices or tuple(node.prices())
                total = len(program.costs) + (program.total or 0)
                if program.total is None or bound <= node.lows[total]:
                    return bound
                # A row holds the cost to what it must be at least: on that face there is room for whole numbers, below there is none.
                least = bound
                node.limit(total, bound, node.highs[total])
                continue
            freed = program.refutes(node.weights(row), node.lows, node.highs) if status == "infeasible" else None
            if freed is not None:
                self.helpers.update(freed)
                return None
            if afresh or self.budget.left <= 0:
                self.drop(least)
                return None
            afresh = True
            node.reset()

    def fractional(self, node: Tableau) -> list[int]:
        """Return the variables to choose a split from: what decides much if any of it is no whole number, else one such column."""
        n, values, program = len(self.program.costs), node.values, self.program
        distance = [abs(value - round(value)) for value in values[: n + len(program.row_lows)]]
        rows = [n + row for row in program.counted if node.lows[n + row] < node.highs[n + row]]
        either = [column for column in program.either if distance[column] > WHOLE_ENOUGH]
        if either or any(distance[row] > WHOLE_ENOUGH for row in rows):
            return rows + either
        broken = [column for column in range(n) if distance[column] > WHOLE_ENOUGH]
        if not broken:
            return []
        column = max(broken, key=lambda column: (column not in program.follows, distance[column] / (1 + self.splits[column])))
        self.splits[column] += 1
        return [column]

    def split(self, node: Tableau, least: int, choices: list[int]) -> list[tuple[int, Tableau]]:
        """Return the halves of a node that lead on, split so that the poorer half is as dear as can be; the first to look at is last."""
        chosen: list[tuple[int, Tableau]] = []
        score: tuple[float, float] = (-1.0, -1.0)
        for variable in choices:
            halves = []
            for half in _halves(node, variable):
                bound = self.enter(half, least)
                if bound is not None and (self.best is None or bound < self.cost):
                    halves.append((bound, half))
            if len(halves) < 2:
                return halves
            bounds = sorted(float(bound) for bound, _ in halves)
            if (bounds[0], bounds[1]) > score:
                chosen, score = halves, (bounds[0], bounds[1])
        return chosen

    def improve(self, node: Tableau, choices: list[int]) -> None:
        """Take a node's solution where it is whole; else look around it once, then dive from it, ever more seldom."""
        values: tuple[int, ...] | None = None
        if not choices:
            values = tuple(round(value) for value in node.values[: len(self.program.costs)])
        elif self.around:
            self.looks += 1
            if self.looks == 1 and len(choices) == 1:
                values = self.look_around(node)
            elif self.looks == self.due:
                self.due *= 3
                values = self.dive(node)
        self.take(values)

    def take(self, values: tuple[int, ...] | None) -> None:
        if values is not None and self.program.solves(values) and (self.best is None or self.program.cost(values) < self.cost):
            self.best, self.cost = values, self.program.cost(values)

    def round(self, node: Tableau) -> None:
        """Take what comes of rounding a fractional solution, better than nothing: what costs up, or else what does not down."""
        columns = [column for column in range(len(self.program.costs)) if column not in self.program.follows]
        dear = [column for column in columns if self.program.costs[column]]
        free = [column for column in columns if not self.program.costs[column]]
        for rounded, up in ((dear, True), (free, False)):
            if self.best is None and self.around:
                fixed = node.copy()
                for column in rounded:
                    value = node.values[column]
                    whole = ceil(value - WHOLE_ENOUGH) if up else int(value + WHOLE_ENOUGH)
                    whole = max(node.lows[column], min(whole, node.highs[column]))
                    fixed.limit(column, whole, whole)
                if fixed.solve(Budget(ROOT * fixed.size))[0] == "optimal":
                    self.take(tuple(round(value) for value in fixed.values[: len(self.program.costs)]))

    def look_around(self, node: Tableau) -> tuple[int, ...] | None:
        """Return a solution close to a fractional one, if a short search finds any: from afar one may walk along a line for long."""
        box = node.copy()
        for variable in range(len(self.program.costs)):
            floor = int(node.values[variable] + WHOLE_ENOUGH)
            box.limit(variable, max(node.lows[variable], floor - 1), min(node.highs[variable], floor + 2))
        budget = self.budget.part(DIVE * node.size)
        found = _Search(self.program, budget, around=False).run(box, first=False)
        self.budget.left += budget.left
        return found.values

    def dive(self, node: Tableau) -> tuple[int, ...] | None:
        """Return a solution below a node, if rounding one value after the other, each in sight of the last, leads to any."""
        n, budget = len(self.program.costs), self.budget.part(DIVE * node.size)
        here: Tableau | None = node
        values: tuple[int, ...] | None = None
        while here and values is None and budget.left > 0:
            column = self.broken(here)
            if column is None:
                values = tuple(round(value) for value in here.values[:n])
            else:
                here = next((half for half in reversed(_halves(here, column)) if self.leads_on(half, budget)), None)
        self.budget.left += budget.left
        return values

    def leads_on(self, node: Tableau, budget: Budget) -> bool:
        return node.solve(budget)[0] == "optimal" and (self.best is None or node.cost < self.cost - WHOLE_ENOUGH)

    def broken(self, node: Tableau) -> int | None:
        """Return the column to round first: what decides much, then the one that rounding up changes least."""
        program = self.program
        first: int | None = None
        rank = (0, 0.0)
        for columns, kind in ((program.either, 2), (range(len(program.costs)), 1)):
            for column in columns:
                part = node.values[column] % 1
                if WHOLE_ENOUGH < part < 1 - WHOLE_ENOUGH and (mine := (kind if column not in program.follows else 0, part)) > rank:
                    first, rank = column, mine
        return first


def _up(node: Tableau) -> int:
    """Return the least cost of a node, rounded up to the next that the numbers of cards can make: those that are fixed drop out."""
    n, program = len(node.program.costs), node.program
    if not any(program.costs):
        return 0
    fixed = grain = 0
    for row, cost in program.costs_of_rows.items():
        if node.lows[n + row] == node.highs[n + row]:
            fixed += cost * node.lows[n + row]
        else:
            grain = gcd(grain, cost)
    bound = node.bound()
    if not program.costs_of_rows:
        grain = gcd(*program.costs)
    return fixed - (fixed - bound) // grain * grain if grain else max(bound, fixed)


def _halves(node: Tableau, variable: int) -> list[Tableau]:
    """Return both halves of a node, the lower first. A whole number is split off its neighbours: fixed counts sharpen the bound."""
    floor = int((node.values[variable] + WHOLE_ENOUGH) // 1)
    floor -= floor == node.highs[variable]
    lower, upper = node.copy(), node.copy()
    upper.limit(variable, floor + 1, node.highs[variable])
    lower.limit(variable, node.lows[variable], floor)
    return [lower, upper]
