"""What first fit would take: slices by size, each on the first card that has room at its lowest free place."""

from __future__ import annotations

from collections.abc import Sequence

from fourleaf.partition.demand import Ask, Stock
from fourleaf.partition.table import WHOLE, Profile

Card = tuple[int, int, tuple[int, ...]]
"""(stock, mask of its memory units, instances by profile); a whole card that is given away has all bits."""


def first_fit(asks: Sequence[Ask], stocks: Sequence[Stock]) -> tuple[int, int] | None:
    """Return the cards and the cost, None where it runs out of cards or cards are not free to differ.

    Cards that look alike and stand side by side are one run, so that 10,000 slices are as quick as 100.
    """
    if any(stock.alike != "card" for stock in stocks):
        return None
    order = sorted(range(len(stocks)), key=lambda i: stocks[i].cost)
    wants = [(one.count, _smallest(one, stocks)) for one in asks if one.count]
    if not all(want for _, want in wants):
        return None
    left = [stock.nodes * stock.cards for stock in stocks]
    runs: list[tuple[Card, int]] = []
    for count, want in sorted(wants, key=lambda pair: -max(_size(profile) for profile in pair[1].values())):
        rest = count
        filled: list[tuple[Card, int]] = []
        for run in runs:
            pieces, rest = _fill(run, rest, want[run[0][0]], stocks) if run[0][0] in want else ([run], rest)
            filled += pieces
        runs = filled
        for i in order:
            if rest and i in want and left[i]:
                empty: Card = (i, 0, (0,) * len(_profiles(stocks[i])))
                pieces, rest = _fill((empty, left[i]), rest, want[i], stocks)
                opened = [(card, number) for card, number in pieces if card != empty]
                left[i] -= sum(number for _, number in opened)
                runs += opened
        if rest:
            return None
    cards = sum(number for _, number in runs)
    return cards, sum(stocks[card[0]].cost * number for card, number in runs)


def _profiles(stock: Stock) -> tuple[Profile, ...]:
    return stock.table.profiles if stock.table else ()


def _size(profile: Profile | str) -> float:
    return 2.0 if isinstance(profile, str) else profile.memory / 100 + profile.portion


def _smallest(one: Ask, stocks: Sequence[Stock]) -> dict[int, Profile | str]:
    """Return, by stock, the smallest of what serves an ask there."""
    found: dict[int, Profile | str] = {}
    for i, stock in enumerate(stocks):
        names = dict(one.accepts).get(stock.name, ())
        cut = [profile for profile in _profiles(stock) if profile.name in names]
        if cut:
            found[i] = min(cut, key=_size)
        elif WHOLE in names:
            found[i] = WHOLE
    return found


def _fill(run: tuple[Card, int], rest: int, want: Profile | str, stocks: Sequence[Stock]) -> tuple[list[tuple[Card, int]], int]:
    """Put slices on the cards of a run, one card after the other; return the runs that it becomes, and what is left of the slices."""
    card, number = run
    steps = [card]
    while (fuller := _add(steps[-1], want, stocks)) is not None:
        steps.append(fuller)
    most = len(steps) - 1
    if not most:
        return [run], rest
    full = min(number, rest // most)
    part = min(rest - full * most, most) if full < number else 0
    pieces = [(steps[most], full), (steps[part], 1 if part else 0), (card, number - full - (1 if part else 0))]
    return [(one, cards) for one, cards in pieces if cards], rest - full * most - part


def _add(card: Card, want: Profile | str, stocks: Sequence[Stock]) -> Card | None:
    stock, mask, counts = card
    table = stocks[stock].table
    if isinstance(want, str):
        return None if mask else (stock, -1, counts)
    if table is None:
        return None
    more = tuple(count + (profile is want) for count, profile in zip(counts, table.profiles, strict=True))
    if sum(profile.compute * count for profile, count in zip(table.profiles, more, strict=True)) > table.compute:
        return None
    if more[table.profiles.index(want)] > want.limit:
        return None
    for engine, total in table.engines:
        if sum(dict(profile.engines).get(engine, 0) * count for profile, count in zip(table.profiles, more, strict=True)) > total:
            return None
    for start in want.starts:
        place = (1 << want.memory) - 1 << start
        if not mask & place:
            return stock, mask | place, more
    return None
