"""Adds up what prices prove, from tables, asks and stocks alone: nothing of the search is needed, or believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd

from fourleaf.partition.demand import Ask, Stock
from fourleaf.partition.layouts import maximal
from fourleaf.partition.table import WHOLE


def lower_bound(prices: Mapping[str, int], scale: int, asks: Sequence[Ask], stocks: Sequence[Stock]) -> int:
    """Return a cost that no layouts fall below that meet a demand.

    Whatever the prices are: a solution serves every unit asked for, so all that its cards give is worth the sum over the asks at
    least, where an item is worth the highest price of those that it may serve. A card gives no more than its best layout does. What
    that is worth beyond the card's cost is taken off once for every card that there is.

    Args:
        prices: by the name of the ask, of one unit, in 1 / scale of the unit of cost; not negative.
    """
    total = sum(prices[one.name] * one.count for one in asks)
    for stock in stocks:
        worth: dict[str, int] = {}
        for one in asks:
            for name in dict(one.accepts).get(stock.name, ()):
                worth[name] = max(worth.get(name, 0), prices[one.name] if one.count else 0)
        best = worth.get(WHOLE, 0)
        if stock.table is not None:
            by_profile = [worth.get(profile.name, 0) for profile in stock.table.profiles]
            if any(by_profile):
                best = max(best, *(sum(map(int.__mul__, by_profile, counts)) for counts in maximal(stock.table)))
        total -= max(0, best - stock.cost * scale) * stock.nodes * stock.cards
    grain = gcd(*(stock.cost for stock in stocks)) or 1
    return max(0, -(-total // (scale * grain)) * grain)
