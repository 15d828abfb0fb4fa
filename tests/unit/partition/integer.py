"""Packings as integer programs for HiGHS, written from the definitions alone, and what every answer must keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any

import highspy

from fourleaf.partition import WHOLE, Placement, Table, place
from fourleaf.partition.answer import Answer
from fourleaf.partition.demand import Ask, Stock

OPTIONS = {"output_flag": False, "threads": 1, "mip_rel_gap": 0.0, "mip_abs_gap": 0.0, "mip_feasibility_tolerance": 1e-9}


@cache
def layouts(card: Table) -> list[dict[str, int]]:
    """Return every layout of a card, the empty one included: all counts, judged by `place`, which test_place holds against enumeration."""
    found = []
    ranges = [range(min(profile.limit, card.compute // profile.compute) + 1) for profile in card.profiles]
    for counts in product(*ranges):
        several = list(zip(card.profiles, counts, strict=True))
        if sum(p.compute * n for p, n in several) > card.compute or sum(p.memory * n for p, n in several) > card.memory:
            continue
        ask = {p.name: n for p, n in several if n}
        if isinstance(place(card, ask), Placement):
            found.append(ask)
    return found


class Solver:
    """HiGHS, one thread, to the exact optimum."""

    def __init__(self) -> None:
        self.highs: Any = highspy.Highs()
        for option, value in OPTIONS.items():
            self.highs.setOptionValue(option, value)

    def sum(self, terms: Sequence[Any]) -> Any:
        return sum(terms, start=self.variable(0))

    def variable(self, high: int) -> Any:
        return self.highs.addIntegral(lb=0, ub=high)

    def least(self, cost: Any) -> int:
        self.highs.minimize(cost)
        assert "Optimal" in str(self.highs.getModelStatus())
        return round(self.highs.getObjectiveValue())


def least_cost(
    asks: Sequence[Ask], stocks: Sequence[Stock], *, distinct_within: int | None = None, changes_within: int | None = None
) -> tuple[int, int]:
    """Return the fewest units that stay unserved and the least cost; or the number of distinct layouts, or of changes, as asked for.

    Args:
        distinct_within: minimise the number of distinct layouts at this cost.
        changes_within: minimise the nodes that lose their present layout at any cost if -1, else the cost within so many.
    """
    solver = Solver()
    highs = solver.highs
    supply: dict[tuple[str, str], list[Any]] = {}
    cost: list[Any] = []
    changed: list[Any] = []
    used: dict[tuple[tuple[str, int], ...], Any] = {}
    for stock in stocks:
        units, block = {
            "card": (stock.nodes * stock.cards, 1), "node": (stock.nodes, stock.cards), "pool": (stock.cards, stock.nodes)
        }[stock.alike]  # fmt: skip
        taken: list[Any] = []
        choices: list[Mapping[str, int]] = [*(one for one in (layouts(stock.table) if stock.table else []) if one), {WHOLE: 1}]
        asked = {name for one in asks for where, names in one.accepts if where == stock.name for name in names}
        for layout in choices:
            useful = {name: n for name, n in layout.items() if name in asked}
            if useful != layout:
                continue
            x = solver.variable(units)
            taken.append(x)
            cost.append(stock.cost * block * x)
            for name, n in useful.items():
                supply.setdefault((stock.name, name), []).append(n * block * x)
            if distinct_within is not None and WHOLE not in layout:
                key = tuple(sorted(layout.items()))
                used.setdefault(key, solver.variable(1))
                highs.addConstr(x <= units * used[key])
        for node in range(stock.nodes):
            now = stock.now(node)
            if now is None or changes_within is None:
                continue
            keep = solver.variable(1)
            changed.append(1 - keep)
            taken.append(units // stock.nodes * keep)
            cost.append(stock.cost * sum(1 for layout in now if layout) * keep)
            for layout in now:
                for name, n in layout:
                    supply.setdefault((stock.name, name), []).append(n * keep)
            if whole := sum(1 for layout in now if not layout):
                kept_whole = solver.variable(whole)
                highs.addConstr(kept_whole <= whole * keep)
                cost.append(stock.cost * kept_whole)
                supply.setdefault((stock.name, WHOLE), []).append(kept_whole)
        highs.addConstr(solver.sum(taken) <= units)
    unserved: list[Any] = []
    taken_of: dict[tuple[str, str], list[Any]] = {}
    for one in asks:
        flows = []
        names = sorted({name for _, names in one.accepts for name in names})
        chosen = {name: solver.variable(1) for name in names} if one.together else {}
        lost = solver.variable(1 if one.together else one.count)
        unserved.append(lost * (one.count if one.together else 1))
        for where, accepted in one.accepts:
            for name in accepted:
                flow = solver.variable(one.count)
                flows.append(flow)
                taken_of.setdefault((where, name), []).append(flow)
                if one.together:
                    highs.addConstr(flow <= one.count * chosen[name])
        highs.addConstr(solver.sum(flows) + unserved[-1] == one.count)
        if one.together and chosen:
            highs.addConstr(solver.sum(list(chosen.values())) <= 1)
    for item, flows in taken_of.items():
        highs.addConstr(solver.sum(flows) <= solver.sum(supply.get(item, [])))
    if distinct_within is not None:
        highs.addConstr(solver.sum(cost) <= distinct_within)
        highs.addConstr(solver.sum(unserved) <= 0)
        return 0, solver.least(solver.sum(list(used.values())))
    # One after the other: weights of a million in one objective are beyond the solver's tolerances.
    unmet = solver.least(solver.sum(unserved))
    highs.addConstr(solver.sum(unserved) <= unmet)
    if changes_within == -1:
        return unmet, solver.least(solver.sum(changed)) if changed else 0
    if changes_within is not None and changed:
        highs.addConstr(solver.sum(changed) <= changes_within)
    return unmet, solver.least(solver.sum(cost))


def assert_holds(answer: Answer, asks: Sequence[Ask], stocks: Sequence[Stock]) -> None:
    """Check an answer against the tables: every node once, every layout fits, everybody gets what the answer says."""
    supply: Counter[tuple[str, str]] = Counter()
    cards = cost = changes = 0
    by_name = {stock.name: stock for stock in stocks}
    seen: Counter[tuple[str, int]] = Counter()
    for one in answer.nodes:
        stock = by_name[one.stock]
        assert len(one.layouts) == stock.cards
        assert stock.alike != "node" or len(set(one.layouts)) == 1 or not set(one.changed) | {n for n in one.nodes if stock.now(n) is None}
        assert one.changed == tuple(node for node in one.nodes if stock.now(node) not in (None, one.layouts))
        changes += len(one.changed)
        seen.update((one.stock, node) for node in one.nodes)
        for layout in one.layouts:
            if layout:
                assert stock.table is not None
                assert isinstance(place(stock.table, dict(layout)), Placement)
                cards += len(one.nodes)
                cost += stock.cost * len(one.nodes)
                supply.update({(one.stock, name): n * len(one.nodes) for name, n in layout})
            else:
                supply[one.stock, WHOLE] += len(one.nodes)
    assert seen == Counter((stock.name, node) for stock in stocks for node in range(stock.nodes))
    for stock in stocks:
        if stock.alike == "pool":
            assert sum(one.stock == stock.name for one in answer.nodes) == 1
    accepted = {one.name: dict(one.accepts) for one in asks}
    got: Counter[str] = Counter()
    names: dict[str, set[str]] = {}
    for use in answer.served:
        assert use.name in accepted[use.ask][use.stock]
        got[use.ask] += use.count
        names.setdefault(use.ask, set()).add(use.name)
        supply[use.stock, use.name] -= use.count
    assert min(supply.values(), default=0) >= 0
    for use in answer.spare:
        assert supply[use.stock, use.name] >= use.count > 0
    for one in asks:
        assert got[one.name] == one.count - dict(answer.unmet).get(one.name, 0)
        assert not one.together or len(names.get(one.name, ())) <= 1
    whole = sum(use.count for use in (*answer.served, *answer.spare) if use.name == WHOLE)
    assert answer.cards == cards + whole
    assert answer.cost == cost + sum(by_name[use.stock].cost * use.count for use in (*answer.served, *answer.spare) if use.name == WHOLE)
    assert answer.changes == changes
    assert answer.bound <= answer.cost
    assert answer.proven <= (answer.bound == answer.cost)
    assert answer.layouts_bound <= len(answer.layouts)
