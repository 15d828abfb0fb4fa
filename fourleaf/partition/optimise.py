"""From demand to layouts: few nodes re-partitioned, then few cards, then few distinct layouts, each proven."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

from msgspec import Struct
from msgspec.structs import replace

from fourleaf.partition.answer import Alternative, Answer, Certificate, Way
from fourleaf.partition.certificate import lower_bound
from fourleaf.partition.demand import Ask, Stock, with_headroom
from fourleaf.partition.fewest import fewest
from fourleaf.partition.first_fit import first_fit
from fourleaf.partition.laid_out import laid_out
from fourleaf.partition.model import Model, model, units_of
from fourleaf.partition.program import SCALE, Budget
from fourleaf.partition.search import Found, minimise

WORK = 10_000_000
"""What the search may take by default, and half as much for the fewest layouts: half a second where it gives up, seldom a tenth."""

ALTERNATIVE = 500_000
"""What the search for an alternative may take; where it does not end, the best that it found stands for it."""


def layouts_for(asks: Sequence[Ask], stocks: Sequence[Stock], *, headroom: int = 0, few_layouts: bool = True, work: int = WORK) -> Answer:
    """Return how to cut a fleet so that a demand is met.

    Present layouts hold as long as the demand itself fits in them: headroom is there to be grown into. Once a node must be re-partitioned,
    the new layouts have the headroom again, and as few nodes are re-partitioned as that takes.

    Args:
        asks: with distinct names.
        stocks: with distinct names.
        headroom: percent that each kind of slice is to be there in excess, rounded up.
        few_layouts: look for the fewest distinct layouts; else those of the first solution are taken as they are.
        work: a limit to the search; no clock is read, the same input gives the same answer.
    """
    budget, rest = Budget(work), Budget(work // 2 if few_layouts else 0)
    wanted = with_headroom(asks, headroom)
    if len(wanted) == len(asks):
        return _answer(_solve(asks, stocks, budget), True, rest)
    half = budget.part(work // 2)
    solved, met = _solve(wanted, stocks, half, whole=True), True
    budget.left += half.left
    if solved.unmet or solved.changes:
        bare = _solve(asks, stocks, budget)
        if solved.unmet or not (bare.unmet or bare.changes):
            solved, met = replace(bare, proven=bare.proven and (solved.proven or not solved.unmet)), False
    return _answer(solved, met, rest)


class _Solved(Struct, frozen=True, kw_only=True):
    made: Model
    values: tuple[int, ...]
    unmet: int
    changes: int
    cost: Found
    proven: bool


def _solve(asks: Sequence[Ask], stocks: Sequence[Stock], budget: Budget, *, whole: bool = False) -> _Solved:
    """Settle what stays unmet, then the changes, then the cost. What is settled becomes a row of the program.

    Args:
        whole: where not all is served, nothing more is looked for.
    """
    sticky = any(now is not None for stock in stocks for now in stock.present)
    made = model(asks, stocks, sticky=sticky)
    program = made.program
    found = _least(made, made.changes if sticky else made.costs, budget, share=2, served=True)
    values, proven = found.values, True
    done = found.proven and not sticky
    if values is not None:
        program.highs = _served(made)
    elif whole:
        values = made.nothing()
        return _Solved(made=made, values=values, unmet=_total(made.unmet, values), changes=0, cost=found, proven=found.proven)
    else:
        done = False
        found = _least(made, made.unmet, budget, share=2)
        values, proven = found.values or made.nothing(), found.proven
        program.limit(made.unmet, _total(made.unmet, values))
        if sticky:
            found = _least(made, made.changes, budget, share=2, start=values)
            values = found.values or values
    if sticky:
        proven = proven and found.proven
        program.limit(made.changes, _total(made.changes, values))
    if not done:
        found = _least(made, made.costs, budget, start=values)
        values, proven = found.values or values, proven and found.proven
    unmet, changes = _total(made.unmet, values), _total(made.changes, values)
    return _Solved(made=made, values=values, unmet=unmet, changes=changes, cost=found, proven=proven)


def _total(costs: Sequence[int], values: Sequence[int]) -> int:
    return sum(cost * value for cost, value in zip(costs, values, strict=True))


def _least(
    made: Model,
    costs: Sequence[int],
    budget: Budget,
    *,
    share: int = 1,
    served: bool = False,
    start: tuple[int, ...] | None = None,
) -> Found:
    """Return the solution of least cost, with a share of the budget; where `served`, of those that leave nobody unserved."""
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
    part = budget.part(budget.left // share)
    found = minimise(program, part, start=start)
    budget.left += part.left
    program.highs = highs
    return found


def _served(made: Model) -> list[int]:
    """Return bounds of the columns that leave nobody unserved."""
    return [0 if unmet else high for unmet, high in zip(made.unmet, made.program.highs, strict=True)]


def _answer(solved: _Solved, met: bool, budget: Budget) -> Answer:
    made, program = solved.made, solved.made.program
    if made.total is not None:
        program.row_highs[made.total] = _total(made.costs, solved.values)
    for column, choice in made.choices.items():
        if choice.keeps is not None:
            program.lows[column] = program.highs[column] = solved.values[column]
    values, least = fewest(made, solved.values, solved.cost.prices, budget)
    cost = _total(made.costs, values)  # less than before where that was not proven
    certificate = _certificate(made, solved, cost)
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
