"""Answers against HiGHS on random instances: 1,000 for each grid where CI asks for all, a part of them else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace
from unit.partition.integer import assert_holds, layouts, least_cost

from fourleaf.partition import WHOLE, table
from fourleaf.partition.answer import Answer
from fourleaf.partition.certificate import lower_bound
from fourleaf.partition.demand import Alike, Ask, Stock, ask
from fourleaf.partition.optimise import layouts_for

ALL = os.environ.get("FOURLEAF_ENGINE") == "required"
INSTANCES = 1000 if ALL else 30
FLEETS = 100 if ALL else 15


def assert_certified(answer: Answer, asks: list[Ask], stocks: list[Stock]) -> None:
    """The certificate proves what it says: added up here over every layout, and by the library."""
    prices, scale = dict(answer.certificate.prices), answer.certificate.scale
    assert set(prices) >= {one.name for one in asks}
    total = sum(prices[one.name] * one.count for one in asks)
    for stock in stocks:
        worth = {name: max(prices[one.name] for one in asks if one.count and name in dict(one.accepts).get(stock.name, ()))
                 for one in asks if one.count for name in dict(one.accepts).get(stock.name, ())}  # fmt: skip
        every = [*(layouts(stock.table) if stock.table else []), {WHOLE: 1}]
        best = max(sum(worth.get(name, 0) * n for name, n in layout.items()) for layout in every)
        total -= max(0, best - stock.cost * scale) * stock.nodes * stock.cards
    assert answer.certificate.bound >= -(-total // scale)
    assert answer.certificate.bound == lower_bound(prices, scale, asks, stocks)
    assert answer.certificate.bound <= answer.cost
    assert (answer.certificate.by == "prices") == (answer.certificate.bound == answer.cost)


def demands(key: str, number: int) -> Iterator[tuple[list[Ask], Stock]]:
    """Yield random demands of one card: few slices and many, few profiles and all."""
    card = table(key)
    random = Random(key)
    for _ in range(number):
        size = random.choice([1, 2, 3, 5, 8, 13, 20, 50, 100, 1000, 10000])
        weights = [random.choice([0, 0, 1, 2, 5]) for _ in card.profiles]
        picks = random.choices(range(len(weights)), weights=weights if any(weights) else None, k=size)
        stock = Stock(name="pool", table=card, nodes=size // 4 + 1, cards=8)
        yield [ask(p.name, picks.count(i), [stock], profile=p.name) for i, p in enumerate(card.profiles) if i in set(picks)], stock


@pytest.mark.parametrize("key", ["a100-40gb", "h100-80gb", "a30", "rtx-pro-6000", "rtx-pro-5000"])
def test_the_fewest_cards_are_those_of_an_independent_integer_program(key: str) -> None:
    for asks, stock in demands(key, INSTANCES // 2 if key in ("a100-40gb", "h100-80gb") else INSTANCES):
        answer = layouts_for(asks, [stock])
        assert answer.proven
        assert_holds(answer, asks, [stock])
        assert_certified(answer, asks, [stock])
        assert (0, answer.cards) == least_cost(asks, [stock])


def fleets(seed: str, number: int, alikes: tuple[Alike, ...]) -> Iterator[tuple[list[Ask], list[Stock]]]:
    """Yield small mixed fleets: several cards, costs and sizes, asks by profile, family, memory, portion and for whole cards."""
    random = Random(seed)
    for _ in range(number):
        stocks = [
            Stock(
                name=f"{key}-{i}",
                table=table(key) if random.random() < 0.9 else None,
                nodes=random.randint(1, 4),
                cards=random.choice([1, 2, 4]),
                cost=random.choice([1, 1, 2, 3, 5]),
                alike=random.choice(alikes),
            )
            for i, key in enumerate(random.choices(["a100-40gb", "h100-80gb", "h200-141gb", "a30", "rtx-pro-6000"], k=random.randint(1, 3)))
        ]
        asks = []
        for i in range(random.randint(1, 5)):
            some = [stock for stock in stocks if random.random() < 0.8] or stocks
            count = random.randint(1, 9)
            how = random.random()
            if how < 0.4:
                word = random.choice(["1g", "1g+me", "2g", "3g", "1g.10gb", "1gx2", "4g"])
                asks.append(ask(f"ask {i}", count, some, profile=word))
            elif how < 0.6:
                asks.append(ask(f"ask {i}", count, some, memory_gib=random.choice([5, 10, 20, 40]), together=random.random() < 0.5))
            elif how < 0.8:
                asks.append(ask(f"ask {i}", count, some, portion=random.choice([0.1, 0.25, 0.5]), together=random.random() < 0.5))
            else:
                asks.append(ask(f"ask {i}", random.randint(1, 3), some, profile=WHOLE))
        yield asks, stocks


@pytest.mark.parametrize("alikes", [("card",), ("node",), ("card", "node", "pool")], ids="-".join)
def test_mixed_fleets_cost_what_an_independent_integer_program_says(alikes: tuple[Alike, ...]) -> None:
    for asks, stocks in fleets("-".join(alikes), FLEETS, alikes):
        answer = layouts_for(asks, stocks)
        unserved, cost = least_cost(asks, stocks)
        assert answer.proven
        assert_holds(answer, asks, stocks)
        assert (sum(count for _, count in answer.unmet), answer.cost) == (unserved, cost)
        if not unserved:
            assert_certified(answer, asks, stocks)


def test_layouts_are_as_few_as_an_independent_integer_program_finds() -> None:
    proven = 0
    for asks, stock in demands("h100-80gb", FLEETS):
        if sum(one.count for one in asks) > 100:
            continue
        answer = layouts_for(asks, [stock])
        fewest = least_cost(asks, [stock], distinct_within=answer.cost)[1]
        assert answer.layouts_bound <= fewest <= len(answer.layouts)
        proven += answer.layouts_bound == len(answer.layouts)
    assert proven >= FLEETS // 2


def test_as_few_nodes_are_re_partitioned_as_an_independent_integer_program_finds() -> None:
    random = Random("changes")
    for asks, stocks in fleets("present", FLEETS, ("card", "node")):
        before = layouts_for(asks, stocks)
        laid = {(one.stock, node): one.layouts for one in before.nodes for node in one.nodes}
        now = [
            replace(stock, present=tuple(laid[stock.name, node] if random.random() < 0.8 else None for node in range(stock.nodes)))
            for stock in stocks
        ]
        grown = [replace(one, count=max(0, one.count + random.randint(-2, 3))) for one in asks]
        answer = layouts_for(grown, now)
        assert answer.proven
        assert_holds(answer, grown, now)
        unserved, changes = least_cost(grown, now, changes_within=-1)
        assert (sum(count for _, count in answer.unmet), answer.changes) == (unserved, changes)
        if any(layouts is not None for stock in now for layouts in stock.present):
            assert (unserved, answer.cost) == least_cost(grown, now, changes_within=changes)
