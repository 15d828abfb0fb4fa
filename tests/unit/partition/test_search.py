from __future__ import annotations

from itertools import product
from random import Random

import pytest

from fourleaf.partition.cuts import cover, cut
from fourleaf.partition.program import SCALE, Budget, Program
from fourleaf.partition.search import minimise
from fourleaf.partition.simplex import Tableau

MUCH = 10_000_000


def some(seed: int) -> Program:
    """Return a random program of up to five columns that can be tried through."""
    random = Random(seed)
    program = Program()
    columns = random.randint(2, 5)
    highs = [random.randint(1, 4) for _ in range(columns)]
    rows = random.randint(1, 4)
    for _ in range(rows):
        low = random.randint(0, 9)
        program.row(low, low + random.choice([0, 2, 30]), counted=random.random() < 0.3)
    for high in highs:
        program.column([(row, random.choice([0, 0, 1, 1, 2, 3, -1])) for row in range(rows)], high=high, cost=random.randint(0, 5))
    if random.random() < 0.5:
        program.limit(program.costs, 100)
        program.total = len(program.row_lows) - 1
    return program


def solutions(program: Program) -> list[tuple[int, ...]]:
    return [values for values in product(*(range(high + 1) for high in program.highs)) if program.solves(values)]


SEEDS = range(250)


def test_the_least_cost_is_that_of_trying_everything() -> None:
    feasible = 0
    for seed in SEEDS:
        program = some(seed)
        every = solutions(program)
        found = minimise(program, Budget(MUCH))
        assert found.proven
        if every:
            feasible += 1
            assert found.values in every
            assert found.cost == program.cost(found.values) == min(map(program.cost, every)) == found.bound
        else:
            assert found.values is None
    assert 60 < feasible < 240


def test_any_solution_will_do_where_the_first_is_asked_for() -> None:
    for seed in SEEDS:
        program = some(seed)
        every = solutions(program)
        found = minimise(program, Budget(MUCH), first=True)
        assert (found.values is None) == (not every)
        if every:
            assert found.bound <= min(map(program.cost, every)) <= found.cost
            assert found.proven <= (found.bound == found.cost)


def test_bounds_hold_for_prices_of_any_kind() -> None:
    random = Random(7)
    for seed in SEEDS:
        program = some(seed)
        every = solutions(program)
        prices = [random.randint(-3 * SCALE, 3 * SCALE) for _ in program.row_lows]
        bound = program.bound(prices, program.lows + program.row_lows, program.highs + program.row_highs)
        assert all(SCALE * program.cost(values) >= bound for values in every)


def test_no_weights_refute_a_program_that_has_a_solution() -> None:
    random = Random(8)
    refuted = 0
    for seed in SEEDS:
        program = some(seed)
        weights = [random.randint(-3, 3) * SCALE for _ in program.row_lows]
        answer = program.refutes(weights, program.lows + program.row_lows, program.highs + program.row_highs)
        refuted += answer is not None
        assert answer is None or not solutions(program)
    assert refuted > 3


def test_a_program_without_some_columns_is_mended_by_one_of_its_helpers_if_at_all() -> None:
    random = Random(9)
    helped = 0
    for seed in SEEDS:
        program = some(seed)
        program.costs, program.total = [0] * len(program.costs), None
        left_out = {column for column in range(len(program.costs)) if random.random() < 0.5}
        smaller, kept = program.without(left_out)
        found = minimise(smaller, Budget(MUCH))
        assert kept == [column for column in range(len(program.costs)) if column not in left_out]
        if found.values is None:
            assert found.proven
            for values in solutions(program):
                helped += 1
                assert any(values[column] for column in found.helpers)
    assert helped > 10


def test_cuts_keep_every_whole_solution() -> None:
    cuts = 0
    for seed in SEEDS:
        program = some(seed)
        every = solutions(program)
        tableau = Tableau(program)
        while tableau.solve(Budget(MUCH))[0] == "optimal" and cut(tableau):
            cuts += 1
            assert solutions(program) == every
            if len(program.row_lows) > 20:
                break
    assert cuts > 30


def test_covers_that_a_relaxation_breaks_become_rows() -> None:
    program = Program()
    row = program.row(7, 100)
    for size in (2, 5):
        program.column([(row, size)], high=9, cost=size)
    program.covers = [({0: 1, 1: 1}, 2, 18), ({0: 1, 1: 2}, 1, 27)]
    tableau = Tableau(program)
    assert tableau.solve(Budget(MUCH))[0] == "optimal"
    broken = [made for made in program.covers if sum(value * tableau.values[column] for column, value in made[0].items()) < made[1]]
    left = [made for made in program.covers if made not in broken]
    assert cover(tableau) == len(broken) == 1
    assert (program.covers, len(program.row_lows)) == (left, 2)
    assert tableau.solve(Budget(MUCH))[0] == "optimal"
    assert cover(tableau) == 0


def test_a_solution_that_is_known_is_given_back_or_bettered() -> None:
    bettered = 0
    for seed in SEEDS:
        program = some(seed)
        for values in solutions(program)[:3]:
            for work in (0, MUCH):
                found = minimise(program, Budget(work), start=values)
                assert found.values in solutions(program)
                assert found.cost <= program.cost(values)
                bettered += found.cost < program.cost(values)
    assert bettered > 30


def test_columns_that_are_too_dear_are_in_no_solution_of_that_cost() -> None:
    dear = 0
    for seed in SEEDS:
        program = some(seed)
        found = minimise(program, Budget(MUCH))
        if found.values is None or program.total is not None:
            continue
        gone = program.too_dear(found.prices, found.cost, program.lows + program.row_lows, program.highs + program.row_highs)
        dear += len(gone)
        for values in solutions(program):
            if program.cost(values) == found.cost:
                assert not any(values[column] for column in gone)
    assert dear > 30


@pytest.mark.parametrize("work", [0, 400, 1_500, 5_000])
def test_without_work_nothing_false_is_claimed(work: int) -> None:
    for seed in SEEDS:
        program = some(seed)
        every = solutions(program)
        found = minimise(program, Budget(work))
        if found.values is not None:
            assert found.values in every
        if every:
            least = min(map(program.cost, every))
            assert found.bound <= least
            assert not found.proven or (found.values is not None and found.cost == least)


def test_a_tableau_that_starts_again_comes_to_the_same() -> None:
    for seed in SEEDS:
        tableau = Tableau(some(seed))
        status, _ = tableau.solve(Budget(MUCH))
        cost = tableau.cost
        tableau.reset()
        assert tableau.solve(Budget(MUCH))[0] == status
        assert status != "optimal" or tableau.cost == pytest.approx(cost)
