"""From demand to layouts: few nodes re-partitioned, then few cards, then few distinct layouts, each proven."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

from msgspec import Struct

from fourleaf.partition.answer import Alternative, Answer, Certificate, Way
from fourleaf.partition.certificate import lower_bound
from fourleaf.partition.demand import Ask, Stock, with_headroom
from fourleaf.partition.fewest import fewest
from fourleaf.partition.first_fit import first_fit
from fourleaf.partition.laid_out import laid_out
from fourleaf.partition.model import Model, model, units_of
from fourleaf.partition.program import SCALE
from fourleaf.partition.search import Budget, Found, minimise

STEPS = 100_000
"""What a search may take by default: pivots of a tableau, some seconds where it must give up; it seldom needs a thousand."""

ALTERNATIVE = 2_000
"""What the search for an alternative may take; where it does not end, the best that it found stands for it."""


def layouts_for(asks: Sequence[Ask], stocks: Sequence[Stock], *, headroom: int = 0, few_layouts: bool = True, steps: int = STEPS) -> Answer:
    """Return how to cut a fleet so that a demand is met.

    Present layouts hold as long as the demand itself fits in them: headroom is there to be grown into. Once a node must be re-partitioned,
    the new layouts have the headroom again, and as few nodes are re-partitioned as that takes.

    Args:
        asks: with distinct names.
        stocks: with distinct names.
        headroom: percent that each kind of slice is to be there in excess, rounded up.
        few_layouts: look for the fewest distinct layouts; else those of the first solution are taken as they are.
        steps: a limit to the search; no clock is read, the same input gives the same answer.
    """
    budget = Budget(steps)
    wanted = with_headroom(asks, headroom)
    solved, met = _solve(wanted, stocks, budget), True
    if len(wanted) > len(asks) and (solved.unmet or solved.changes):
        bare = _solve(asks, stocks, budget)
        if solved.unmet or not (bare.unmet or bare.changes):
            solved, met = bare, False
    return _answer(solved, met, budget if few_layouts else Budget(0))


class _Solved(Struct, frozen=True, kw_only=True):
    made: Model
    values: tuple[int, ...]
    unmet: int
    changes: int
    cost: Found
    proven: bool


def _solve(asks: Sequence[Ask], stocks: Sequence[Stock], budget: Budget) -> _Solved:
    """Settle what stays unmet, then the changes, then the cost. What is settled becomes a row of the program."""
    sticky = any(now is not None for stock in stocks for now in stock.present)
    made = model(asks, stocks, sticky=sticky)
    program = made.program
    unmet = changes = 0
    found = _least(made, made.changes if sticky else made.costs, budget, served=True)
    values, proven = found.values, found.proven
    if values is None:
        found = _least(made, made.unmet, budget)
        values, proven = found.values or made.nothing(), found.proven
        unmet = _total(made.unmet, values)
        program.limit(made.unmet, unmet)
        found = _least(made, made.changes if sticky else made.costs, budget)
        values, proven = found.values or values, proven and found.proven
    else:
        program.highs = _served(made)
    if sticky:
        changes = _total(made.changes, values)
        program.limit(made.changes, changes)
        found = _least(made, made.costs, budget)
        values, proven = found.values or values, proven and found.proven
    return _Solved(made=made, values=values, unmet=unmet, changes=changes, cost=found, proven=proven)


def _total(costs: Sequence[int], values: Sequence[int]) -> int:
    return sum(cost * value for cost, value in zip(costs, values, strict=True))


def _least(made: Model, costs: Sequence[int], budget: Budget, *, served: bool = False) -> Found:
    """Return the solution of least cost; where `served`, of those that leave nobody unserved."""
    program = made.program
    program.costs, program.total, program.costs_of_rows = list(costs), None, {}
    if costs is made.costs:
        if made.total is None:
            program.limit(costs, _total(costs, program.highs))
            made.total = len(program.row_lows) - 1
        program.total = made.total
        if not any(made.changes):
            each = [stock.cost * units_of(stock)[1] for stock in made.stocks]
            program.costs_of_rows = dict(zip(program.counted, each, strict=True))
    highs = program.highs
    if served:
        program.highs = _served(made)
    found = minimise(program, budget)
    program.highs = highs
    return found


def _served(made: Model) -> list[int]:
    """Return bounds of the columns that leave nobody unserved."""
    return [0 if unmet else high for unmet, high in zip(made.unmet, made.program.highs, strict=True)]


def _answer(solved: _Solved, met: bool, budget: Budget) -> Answer:
    made, program = solved.made, solved.made.program
    cost = _total(made.costs, solved.values)
    certificate = _certificate(made, solved, cost)
    if made.total is not None:
        program.row_highs[made.total] = cost
    for column, choice in made.choices.items():
        if choice.keeps is not None:
            program.lows[column] = program.highs[column] = solved.values[column]
    values, least = fewest(made, solved.values, solved.cost.prices, budget)
    fleet = laid_out(made, values)
    return Answer(
        cards=fleet.cards,
        cost=cost,
        bound=cost if solved.cost.proven else max(solved.cost.bound, certificate.bound),
        proven=solved.proven,
        certificate=certificate,
        nodes=fleet.nodes,
        layouts=fleet.layouts,
        layouts_bound=least,
        served=fleet.served,
        spare=fleet.spare,
        unmet=fleet.unmet,
        changes=sum(len(one.changed) for one in fleet.nodes),
        headroom=met,
        alternatives=tuple(_alternatives(made)),
    )


def _certificate(made: Model, solved: _Solved, cost: int) -> Certificate:
    """Return the prices of the search's first relaxation, and what they prove by themselves.

    Nothing where some is left unserved: then the least cost hangs on whom that is.
    """
    found = [] if solved.unmet else solved.cost.prices
    prices = {}
    for one, at in zip(made.asks, made.price_rows, strict=True):
        prices[one.name] = max(0, found[at[0]]) // at[1] if at and found else 0
    scale = gcd(SCALE, *prices.values())
    prices = {name: price // scale for name, price in prices.items()}
    bound = lower_bound(prices, SCALE // scale, made.asks, made.stocks)
    return Certificate(by="prices" if bound == cost else "search", prices=tuple(prices.items()), scale=SCALE // scale, bound=bound)


def _alternatives(made: Model) -> Iterator[Alternative]:
    """Yield what simpler ways would take, for the same asks and from the same stocks; present layouts do not count."""
    ways: list[tuple[Way, bool]] = [("one-profile-a-card", True)]
    if any(made.changes):
        ways.append(("from-scratch", False))
    for way, single in ways:
        other = model(made.asks, made.stocks, sticky=False, single=single)
        found = _least(other, other.costs, Budget(ALTERNATIVE), served=True)
        if found.values is not None:
            used = ((units_of(other.stocks[choice.stock])[1], found.values[column]) for column, choice in other.choices.items())
            yield Alternative(way=way, cards=sum(block * number for block, number in used), cost=found.cost)
    simple = first_fit(made.asks, made.stocks)
    if simple:
        yield Alternative(way="first-fit", cards=simple[0], cost=simple[1])
