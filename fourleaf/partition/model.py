"""The integer program of a demand and a fleet: how many cards of each stock get which layout."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from msgspec import Struct

from fourleaf.partition.demand import Ask, Stock
from fourleaf.partition.layouts import Layout, maximal
from fourleaf.partition.place import offers
from fourleaf.partition.program import Program
from fourleaf.partition.table import WHOLE, Table


class Choice(Struct, frozen=True):
    """A column of the program: one more unit of a stock that is cut so, or one more node that keeps what it has.

    A unit is what must be cut alike: a card, the cards of a node, or the cards of one index in all nodes.
    """

    stock: int
    layout: Layout = ()
    """Of a unit that is cut anew; empty: its cards stay whole."""
    keeps: tuple[Layout, ...] | None = None
    """The present layout that nodes keep."""


Item: TypeAlias = tuple[int, str]
"""(stock, profile or WHOLE): what one unit of a supply is."""


class Flow(Struct, frozen=True):
    """Units of an ask that some items serve, each as well as the other."""

    ask: int
    items: frozenset[Item]
    column: int
    """Its value times `size` is the number of units; of an ask that has one flow it is what the ask leaves unserved instead."""
    size: int
    rest: bool = False
    """The column counts what is left unserved."""


COVERS = 60
"""Rows of rounded covers, at most."""


@dataclass(slots=True)
class Model:
    """A program, and what its columns stand for. Costs of three kinds are kept apart: they are settled one after the other."""

    asks: tuple[Ask, ...]
    stocks: tuple[Stock, ...]
    program: Program = field(default_factory=Program)
    choices: dict[int, Choice] = field(default_factory=dict)
    """By column."""
    flows: list[Flow] = field(default_factory=list)
    rest: dict[int, int] = field(default_factory=dict)
    """By ask, the column of what it leaves unserved."""
    price_rows: list[tuple[int, int] | None] = field(default_factory=list)
    """By ask: (row whose price is that of so many units of it, so many); None where nothing is asked."""
    unmet: list[int] = field(default_factory=list)
    """By column, units of asks that it leaves unserved."""
    changes: list[int] = field(default_factory=list)
    """By column, nodes that it re-partitions."""
    costs: list[int] = field(default_factory=list)
    """By column, the cost of the cards that it uses."""
    total: int | None = None
    """The row that equals the cost, once there is one."""

    def nothing(self) -> tuple[int, ...]:
        """Return the solution that serves nobody and keeps nothing."""
        columns = zip(self.program.highs, self.unmet, self.changes, strict=True)
        return tuple(high if unmet or changed else 0 for high, unmet, changed in columns)

    def add(self, entries: Mapping[int, int], high: int, *, unmet: int = 0, changes: int = 0, cost: int = 0) -> int:
        self.unmet.append(unmet)
        self.changes.append(changes)
        self.costs.append(cost)
        return self.program.column(entries.items(), high=high)


def model(asks: Sequence[Ask], stocks: Sequence[Stock], *, sticky: bool, single: bool = False) -> Model:
    """Return the program of a demand.

    Args:
        sticky: nodes may keep their present layouts, and those that do not are counted as changes.
        single: only layouts of one profile, as many of it as fit.
    """
    made = Model(asks=tuple(asks), stocks=tuple(stocks))
    served = _goods(made)
    goods = sorted(set(served.values()), key=lambda good: sorted(good))
    names = {stock.name: i for i, stock in enumerate(stocks)}
    most = sum(one.count for one in asks)
    most += sum(stock.nodes * stock.cards * (stock.table.memory if stock.table else 1) for stock in stocks)
    row = {good: made.program.row(0, most) for good in goods}
    useful = {row[good]: sum(made.asks[i].count for i, _ in good) for good in goods}
    item_row = {item: row[good] for item, good in served.items()}
    for i, one in enumerate(made.asks):
        items = frozenset((names[stock], name) for stock, profiles in one.accepts if stock in names for name in profiles)
        _demand(made, i, items & served.keys(), item_row)
    for i in range(len(stocks)):
        _supply(made, i, item_row, useful, sticky=sticky, single=single)
    for block in sorted({units_of(stock)[1] for stock in stocks} - {1}):
        _cover(made, block, item_row)
    return made


def _goods(made: Model) -> dict[Item, frozenset[tuple[int, str]]]:
    """Return, by item, its good: items that serve the same asks are one good; where an ask wants one name, their names count too."""
    names = {stock.name: i for i, stock in enumerate(made.stocks)}
    asks_of: dict[Item, list[int]] = {}
    for i, one in enumerate(made.asks):
        for stock, profiles in one.accepts:
            if stock in names and one.count:
                for name in profiles:
                    asks_of.setdefault((names[stock], name), []).append(i)
    together = {i for i, one in enumerate(made.asks) if one.together}
    return {item: frozenset((i, item[1] if together.intersection(found) else "") for i in found) for item, found in asks_of.items()}


def _demand(made: Model, i: int, items: frozenset[Item], row: Mapping[Item, int]) -> None:
    """Add what an ask takes: straight from the one good that serves it, or over flows from several."""
    one, program = made.asks[i], made.program
    if not one.count:
        made.price_rows.append(None)
        return
    names = sorted({name for _, name in items if _most(made, i, name) >= one.count}) if one.together else [""]
    rows = {name: sorted({row[item] for item in items if name in ("", item[1])}) for name in names}
    if len(rows) == 1 and all(len(goods) == 1 for goods in rows.values()):
        (good,) = rows[names[0]]
        program.row_lows[good] += one.count
        made.price_rows.append((good, 1))
        step = one.count if one.together else 1
        made.rest[i] = made.add({good: step}, one.count // step, unmet=step)
        named = frozenset(item for item in items if names[0] in ("", item[1]))
        made.flows.append(Flow(i, named, made.rest[i], step, rest=True))
        return
    if not one.together:
        all_of_it = program.row(one.count, one.count)
        made.price_rows.append((all_of_it, 1))
        made.rest[i] = made.add({all_of_it: 1}, one.count, unmet=1)
        for good in rows.get("", []):
            served = frozenset(item for item in items if row[item] == good)
            made.flows.append(Flow(i, served, made.add({good: -1, all_of_it: 1}, one.count), 1))
            program.follows.add(made.flows[-1].column)
        return
    choice = program.row(1, 1)
    made.price_rows.append((choice, one.count))
    made.rest[i] = made.add({choice: 1}, 1, unmet=one.count)
    for name in names:
        named = frozenset(item for item in items if item[1] == name)
        if len(rows[name]) == 1:
            program.either.append(made.add({choice: 1, rows[name][0]: -one.count}, 1))
            made.flows.append(Flow(i, named, program.either[-1], one.count))
            continue
        several = program.row(0, 0)
        program.either.append(made.add({choice: 1, several: -one.count}, 1))
        for good in rows[name]:
            served = frozenset(item for item in named if row[item] == good)
            made.flows.append(Flow(i, served, made.add({several: 1, good: -1}, one.count), 1))
            program.follows.add(made.flows[-1].column)


def _most(made: Model, i: int, name: str) -> int:
    """Return how many an ask could get of one name if all of its cards were cut for it; kept layouts hold no more than that."""
    most = 0
    for stock in made.stocks:
        if name in dict(made.asks[i].accepts).get(stock.name, ()):
            profile = stock.table.find(name) if stock.table else None
            most += stock.nodes * stock.cards * (profile.limit if profile else 1)
    return most


def _supply(made: Model, i: int, row: Mapping[Item, int], useful: Mapping[int, int], *, sticky: bool, single: bool) -> None:
    """Add what a stock can give; of each good no more than is asked for, since what nobody can take would weaken the bounds."""
    stock, program = made.stocks[i], made.program
    units, block = units_of(stock)
    wanted = sum(one.count for one in made.asks)
    cards = program.row(0, units, counted=True)
    rows = {name: good for (s, name), good in row.items() if s == i}
    for layout, given in _layouts(stock, rows, useful, single):
        made.choices[made.add({cards: 1, **given}, min(units, wanted), cost=stock.cost * block)] = Choice(i, layout)
    whole = row.get((i, WHOLE))
    if whole is not None:
        made.choices[made.add({cards: 1, whole: min(block, useful[whole])}, min(units, wanted), cost=stock.cost * block)] = Choice(i)
    if not sticky:
        return
    known = [now for node in range(stock.nodes) if (now := stock.now(node)) is not None]
    if not known:
        return
    changed = program.row(len(known), len(known) * 2)
    made.add({changed: 1}, len(known), changes=1)
    spare = program.row(0, stock.nodes * stock.cards) if whole is not None else None
    if whole is not None and spare is not None:
        made.choices[made.add({spare: -1, whole: 1}, wanted, cost=stock.cost)] = Choice(i, keeps=())
    for layouts in sorted(set(known)):
        nodes = known.count(layouts)
        alike = stock.nodes if stock.alike == "pool" else 1
        offered = offers((alike, dict(layout)) for layout in layouts)
        entries = {cards: units if stock.alike == "pool" else stock.cards // block, changed: nodes if stock.alike == "pool" else 1}
        if spare is not None:
            entries[spare] = offered.get(WHOLE, 0)
        entries |= _given(rows, {name: count for name, count in offered.items() if name != WHOLE}, useful)
        cut = sum(1 for layout in layouts if layout) * alike
        column = made.add(entries, 1 if stock.alike == "pool" else nodes, cost=stock.cost * cut)
        made.choices[column] = Choice(i, keeps=layouts)


def _given(row: Mapping[str, int], parts: Mapping[str, int], useful: Mapping[int, int]) -> dict[int, int]:
    """Return what instances give, by the row of the good, as far as it is asked for."""
    given: dict[int, int] = {}
    for name, count in parts.items():
        if name in row:
            given[row[name]] = given.get(row[name], 0) + count
    return {good: min(number, useful[good]) for good, number in given.items()}


def _cover(made: Model, block: int, row: Mapping[Item, int]) -> None:
    """Add what follows where supply comes in blocks: 20 slices of something that comes by 8 are 3 blocks, not 2.5.

    For what serves an ask: its units, and those of all asks that nothing else serves, in blocks, rounded up (Chvatal's cut).
    """
    program = made.program
    goods_of = [frozenset(row[item] for flow in made.flows if flow.ask == i for item in flow.items) for i in range(len(made.asks))]
    for goods in _unions(set(goods_of) - {frozenset()}):
        inside = [i for i, others in enumerate(goods_of) if others and others <= goods]
        low = -(-sum(made.asks[i].count for i in inside) // block)
        entries = {column: made.unmet[column] for i, column in made.rest.items() if i in inside}
        for column in made.choices:
            given = sum(value for good, value in program.entries[column] if good in goods)
            entries[column] = min(low, -(-given // block))
        high = max(low, sum(value * program.highs[column] for column, value in entries.items()))
        program.covers.append(({column: value for column, value in entries.items() if value}, low, high))


def _unions(sets: Collection[frozenset[int]]) -> list[frozenset[int]]:
    """Return sets and their unions where they overlap, small ones first, at most COVERS."""
    found = sorted(sets, key=lambda one: (len(one), sorted(one)))
    for one in found:
        found += [both for other in sets if one & other and (both := one | other) not in found][: COVERS - len(found)]
    return found


def units_of(stock: Stock) -> tuple[int, int]:
    """Return how many units a stock has, of which each is cut alike, and how many cards a unit is."""
    if stock.alike == "card":
        return stock.nodes * stock.cards, 1
    return (stock.nodes, stock.cards) if stock.alike == "node" else (stock.cards, stock.nodes)


def _layouts(stock: Stock, row: Mapping[str, int], useful: Mapping[int, int], single: bool) -> list[tuple[Layout, dict[int, int]]]:
    """Return the layouts worth having, with what a unit that has one gives of each good.

    What nobody asks for is not cut, and none gives less of everything than another. Of two that give the same, the one with fewer
    profiles, then the one with more compute.
    """
    card = stock.table
    if card is None:
        return []
    block = units_of(stock)[1]
    goods = sorted({good for name, good in row.items() if card.find(name)})
    best: dict[tuple[int, ...], tuple[tuple[int, int], Layout]] = {}
    for counts in _single(card) if single else maximal(card):
        layout = tuple((p.name, count) for p, count in zip(card.profiles, counts, strict=True) if count and p.name in row)
        if layout:
            given = _given(row, {name: count * block for name, count in layout}, useful)
            rank = len(layout), -sum(p.compute * count for p, count in zip(card.profiles, counts, strict=True) if p.name in row)
            vector = tuple(given.get(good, 0) for good in goods)
            best[vector] = min(best.get(vector, (rank, layout)), (rank, layout))
    vectors = [one for one in best if not any(all(map(int.__ge__, other, one)) for other in best if other is not one)]
    return [(best[one][1], {good: number for good, number in zip(goods, one, strict=True) if number}) for one in vectors]


def _single(card: Table) -> list[tuple[int, ...]]:
    return [tuple(profile.limit if profile is one else 0 for profile in card.profiles) for one in card.profiles]
