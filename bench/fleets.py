"""Mixed fleets with a demand, drawn from a seed: several cards and sizes, cut alike by card, node or pool, scarce and plenty."""

from __future__ import annotations

from random import Random

from msgspec import Struct
from msgspec.structs import replace

from fourleaf.partition import WHOLE, Layout, table
from fourleaf.partition.demand import Alike, Ask, Stock, ask
from fourleaf.partition.optimise import layouts_for

COSTS = {"a100-40gb": 10, "a100-80gb": 15, "h100-80gb": 30, "h200-141gb": 40, "a30": 5, "rtx-pro-6000": 12}
ALIKE: tuple[tuple[Alike, ...], ...] = (("card",), ("node",), ("pool",), ("card", "node", "pool"))
"""In turns: what is cut alike in each stock of a fleet, one of them by chance."""
PART = {"1g": 1 / 7, "1g+me": 1 / 2, "1gx2": 1 / 4, "2g": 1 / 3, "3g": 1 / 2, "4g": 4 / 7, "7g": 1, WHOLE: 1}
"""Of a card that one slice of a family takes at least."""
GIB = (5, 10, 20, 40, 70)
PORTIONS = (0.1, 0.25, 0.4, 0.5, 0.8)


class Fleet(Struct, frozen=True, kw_only=True):
    asks: list[Ask]
    stocks: list[Stock]
    headroom: int
    alike: str
    scarce: bool
    """What is asked for takes about all of the cards, or more."""


def mixed(seed: int) -> Fleet:
    """Return a fleet; half of them have present layouts, those of a demand that was somewhat smaller."""
    random = Random(f"fleet {seed}")
    alike = ALIKE[seed % len(ALIKE)]
    keys = random.choices(list(COSTS), k=random.choice([2, 2, 3, 3, 4, 5]))
    priced = random.random() < 0.5
    stocks = [
        Stock(
            name=f"{key}-{i}",
            table=table(key),
            nodes=random.choice([1, 2, 4, 8, 16, 32, 64]),
            cards=random.choice([2, 4, 8, 8]),
            cost=COSTS[key] if priced else 1,
            alike=random.choice(alike),
        )
        for i, key in enumerate(keys)
    ]
    load = random.choice([0.3, 0.6, 0.9, 1.0, 1.1])
    shares = [random.random() for _ in range(random.randint(3, 12))]
    cards = load * sum(stock.nodes * stock.cards for stock in stocks) / sum(shares)
    asks = [_ask(f"ask {i}", share * cards, stocks, random) for i, share in enumerate(shares)]
    headroom = random.choice([0, 0, 10, 25])
    if random.random() < 0.5:
        before = layouts_for(asks, stocks, headroom=headroom, few_layouts=False)
        laid = {(one.stock, node): one.layouts for one in before.nodes for node in one.nodes}
        stocks = [replace(stock, present=tuple(_known(laid[stock.name, n], stock, random) for n in range(stock.nodes))) for stock in stocks]
        asks = [replace(one, count=round(one.count * random.choice([0.7, 1, 1, 1.2, 1.5]))) for one in asks]
    return Fleet(asks=asks, stocks=stocks, headroom=headroom, alike="/".join(alike), scarce=load >= 0.9)


def _ask(name: str, cards: float, stocks: list[Stock], random: Random) -> Ask:
    """Return an ask that takes about so many cards, of some of the stocks: by family, memory, part of a card, or for whole cards."""
    some = [stock for stock in stocks if random.random() < 0.7] or stocks
    how = random.random()
    together = random.random() < 0.4
    if how < 0.5:
        family = random.choice(list(PART))
        return ask(name, max(1, round(cards / PART[family])), some, profile=family)
    if how < 0.75:
        gib = random.choice(GIB)
        return ask(name, max(1, round(cards * GIB[-1] / gib)), some, memory_gib=gib, together=together)
    portion = random.choice(PORTIONS)
    return ask(name, max(1, round(cards / portion)), some, portion=portion, together=together)


def _known(layouts: tuple[Layout, ...], stock: Stock, random: Random) -> tuple[Layout, ...] | None:
    return layouts if stock.alike == "pool" or random.random() < 0.8 else None
