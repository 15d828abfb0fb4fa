"""Integer programs of the size that packings have, and exact bounds on them from prices of any origin."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace

SCALE = 720720 * 10_000
"""Prices are whole multiples of 1 / SCALE. It has 1 to 16 as divisors, so most that occur are met exactly, and the others closely."""


@dataclass(slots=True)
class Budget:
    """Work that searches may still do together: numbers of a tableau that pivots change. No clock is read: a run can be repeated."""

    left: int

    def part(self, most: int) -> Budget:
        """Take out some of it, no more than there is."""
        taken = max(0, min(most, self.left))
        self.left -= taken
        return Budget(taken)


@dataclass(slots=True)
class Program:
    """Minimise cost · x, where every x and every row is a whole number between its bounds.

    Variables are numbered columns first, then rows: a row is the variable that equals the sum of its entries.
    """

    costs: list[int] = field(default_factory=list)
    entries: list[tuple[tuple[int, int], ...]] = field(default_factory=list)
    """By column: (row, coefficient)."""
    lows: list[int] = field(default_factory=list)
    highs: list[int] = field(default_factory=list)
    row_lows: list[int] = field(default_factory=list)
    row_highs: list[int] = field(default_factory=list)
    counted: list[int] = field(default_factory=list)
    """Rows that count cards: whole numbers that decide much, so a search settles them first."""
    either: list[int] = field(default_factory=list)
    """Columns that are 0 or 1 and decide much: settled together with the counted rows."""
    follows: set[int] = field(default_factory=set)
    """Columns that are whole numbers where all others are, so that they are split on last."""
    total: int | None = None
    """The row that equals the cost, where there is one."""
    costs_of_rows: dict[int, int] = field(default_factory=dict)
    """Where the cost of every solution is a sum over counted rows: that sum. Empty where it is not."""
    covers: list[tuple[dict[int, int], int, int]] = field(default_factory=list)
    """(coefficients by column, least and most of the sum): what whole solutions keep. They become rows once a relaxation breaks them."""
    absent: list[tuple[int, tuple[tuple[int, int], ...]]] = field(default_factory=list)
    """(name, entries) of columns that are left out, in other words held at 0."""

    def row(self, low: int, high: int, *, counted: bool = False) -> int:
        """Add a row and return its number."""
        self.row_lows.append(low)
        self.row_highs.append(high)
        if counted:
            self.counted.append(len(self.row_lows) - 1)
        return len(self.row_lows) - 1

    def column(self, entries: Iterable[tuple[int, int]], *, high: int, cost: int = 0) -> int:
        """Add a column between 0 and `high` and return its number."""
        self.entries.append(tuple((row, value) for row, value in entries if value))
        self.costs.append(cost)
        self.lows.append(0)
        self.highs.append(high)
        return len(self.costs) - 1

    def bound(self, prices: Sequence[int], lows: Sequence[int], highs: Sequence[int]) -> int:
        """Return what any solution between the bounds costs at least, times SCALE.

        True for prices of any kind: with r = A x, cost · x = (cost - price A) · x + price · r, and each term has its own least value.

        Args:
            prices: one a row, times SCALE.
            lows: of all variables, columns first; `highs` likewise.
        """
        terms = [SCALE * cost - _price(prices, entries) for cost, entries in zip(self.costs, self.entries, strict=True)]
        terms += prices
        total = 0
        for factor, low, high in zip(terms, lows, highs, strict=True):
            if factor > 0:
                total += factor * low
            elif factor:
                total += factor * high
        return total

    @property
    def size(self) -> int:
        """What one pivot of its tableau takes of a budget: the numbers that it changes, and as much as three hundred to choose it."""
        return len(self.costs) * len(self.row_lows) + 300

    def too_dear(self, prices: Sequence[int], cost: int, lows: Sequence[int], highs: Sequence[int]) -> set[int]:
        """Return the columns that are 0 in every solution between the bounds that costs so much at most, as far as prices prove it."""
        least = self.bound(prices, lows, highs)
        spare = SCALE * cost - least
        each = (SCALE * own - _price(prices, entries) for own, entries in zip(self.costs, self.entries, strict=True))
        return {j for j, more in enumerate(each) if more > spare and not lows[j]}

    def refutes(self, weights: Sequence[int], lows: Sequence[int], highs: Sequence[int]) -> frozenset[int] | None:
        """Return None where row weights do not prove that nothing lies between the bounds, else the absent columns that could mend it.

        Where r = A x, weight · r = (weight A) · x: there is no solution where the two sides have no value in common.
        """
        terms = [-_price(weights, entries) for entries in self.entries]
        terms += weights
        least = most = 0
        for factor, low, high in zip(terms, lows, highs, strict=True):
            if factor > 0:
                least += factor * low
                most += factor * high
            elif factor:
                least += factor * high
                most += factor * low
        if least > 0:
            return frozenset(name for name, entries in self.absent if _price(weights, entries) > 0)
        if most < 0:
            return frozenset(name for name, entries in self.absent if _price(weights, entries) < 0)
        return None

    def limit(self, costs: Sequence[int], high: int) -> None:
        """Add the row that holds a sum over the columns to a number at most."""
        row = self.row(0, high)
        self.entries = [(*entries, (row, cost)) if cost else entries for entries, cost in zip(self.entries, costs, strict=True)]

    def copy(self) -> Program:
        """Return a program that rows can be added to."""
        return replace(
            self, entries=list(self.entries), row_lows=list(self.row_lows), row_highs=list(self.row_highs), covers=list(self.covers)
        )

    def without(self, columns: Container[int], *, forget: bool = False) -> tuple[Program, list[int]]:
        """Return the program with some columns left out, and the columns that are left by their numbers here.

        Args:
            forget: they are left out for good; else they are `absent`, by their numbers here.
        """
        kept = [j for j in range(len(self.costs)) if j not in columns]
        smaller = Program(
            costs=[self.costs[j] for j in kept],
            entries=[self.entries[j] for j in kept],
            lows=[self.lows[j] for j in kept],
            highs=[self.highs[j] for j in kept],
            row_lows=self.row_lows,
            row_highs=self.row_highs,
            counted=self.counted,
            total=self.total,
            costs_of_rows=self.costs_of_rows,
        )
        place = {j: i for i, j in enumerate(kept)}
        if self.follows or self.either:
            smaller.follows = {place[j] for j in self.follows if j in place}
            smaller.either = [place[j] for j in self.either if j in place]
        if forget:
            smaller.covers = [
                ({place[j]: value for j, value in entries.items() if j in place}, low, high) for entries, low, high in self.covers
            ]
        else:
            smaller.absent = [(j, self.entries[j]) for j in range(len(self.costs)) if j in columns]
        return smaller, kept

    def solves(self, values: Sequence[int]) -> bool:
        """Tell whether values of the columns keep every bound."""
        rows = [0] * len(self.row_lows)
        for value, entries in zip(values, self.entries, strict=True):
            for row, coefficient in entries:
                rows[row] += value * coefficient
        return all(low <= value <= high for low, value, high in zip(self.lows, values, self.highs, strict=True)) and all(
            low <= value <= high for low, value, high in zip(self.row_lows, rows, self.row_highs, strict=True)
        )

    def cost(self, values: Sequence[int]) -> int:
        return sum(cost * value for cost, value in zip(self.costs, values, strict=True))


def _price(prices: Sequence[int], entries: Iterable[tuple[int, int]]) -> int:
    total = 0
    for row, value in entries:
        total += prices[row] * value
    return total
