"""`python -m bench.partition`: how long layouts take to compute, and what they save against simpler ways."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from time import process_time as clock
from typing import TypeAlias

from bench.fleets import mixed
from fourleaf.partition import maximal_layouts, place, table
from fourleaf.partition.answer import Answer
from fourleaf.partition.demand import Alike, Ask, Stock, ask
from fourleaf.partition.optimise import layouts_for

SIZES = (10, 100, 1_000, 10_000)
MIXES = {
    "uniform": {"1g": 1, "1gx2": 1, "2g": 1, "3g": 1, "4g": 1, "7g": 1},
    "small": {"1g": 8, "1gx2": 1, "2g": 3},
    "serving": {"1g": 6, "2g": 4, "3g": 4, "4g": 1, "7g": 1},
    "3g-heavy": {"1g": 2, "1gx2": 1, "2g": 2, "3g": 6, "4g": 2},
    "4g-heavy": {"1g": 1, "2g": 1, "3g": 2, "4g": 5},
    "no 1gx2": {"1g": 5, "2g": 3, "3g": 2, "4g": 1, "7g": 1},
    "with +me": {"1g": 5, "1g+me": 1, "1gx2": 1, "2g": 3, "3g": 2, "4g": 1, "7g": 1},
}
COSTS = {"a100-40gb": 10, "a100-80gb": 15, "h100-80gb": 30, "h200-141gb": 40}
KINDS = [(5, 0.1), (9, 0.1), (18, 0.1), (18, 0.25), (30, 0.4), (40, 0.4), (40, 0.5), (60, 0.4), (70, 0.5), (80, 0.8), (120, 0.8)]
"""(GiB, part of a card) that a slice must have at least."""
RUNS = 10
FLEETS = 300
BAR = 1000
"""Of the time that layouts of a mixed fleet may take, in ms."""

Instance: TypeAlias = tuple[list[Ask], list[Stock]]


def one_card(mix: str, size: int, seed: int) -> Instance:
    weights = MIXES[mix]
    picks = Random(seed).choices(list(weights), list(weights.values()), k=size)
    stock = Stock(name="pool", table=table("h100-80gb"), nodes=size // 8 + 8, cards=8)
    return [ask(word, picks.count(word), [stock], profile=word) for word in weights if word in picks], [stock]


def fleet(alike: Alike, size: int, tight: bool, seed: int) -> Instance:
    nodes = max(2, size // (8 * (3 + seed % 2))) if tight else size // 4
    stocks = [Stock(name=key, table=table(key), nodes=nodes, cards=8, cost=cost, alike=alike) for key, cost in COSTS.items()]
    picks = Random(seed).choices(KINDS, k=size)
    return [ask(f"{kind}", picks.count(kind), stocks, memory_gib=kind[0], portion=kind[1]) for kind in sorted(set(picks))], stocks


def timed(instances: Iterator[Instance], solve: Callable[[list[Ask], list[Stock]], Answer]) -> tuple[str, list[Answer]]:
    """Return the times of the processor as text, median and most in ms, and the answers."""
    times, answers = [], []
    for asks, stocks in instances:
        start = clock()
        answers.append(solve(asks, stocks))
        times.append(1000 * (clock() - start))
    return f"{statistics.median(times):8.1f} {max(times):8.1f}", answers


def placed(asks: list[Ask], stocks: list[Stock]) -> Answer:
    """Count, nodes and the place of every instance, without the search for fewer layouts."""
    answer = layouts_for(asks, stocks, few_layouts=False)
    for layout, _ in answer.layouts:
        place(table("h100-80gb"), dict(layout))
    return answer


def gain(answers: list[Answer], way: str) -> str:
    """Return how many more cards another way takes, on average and at most, in percent."""
    more = [100 * (other.cards / answer.cards - 1) for answer in answers for other in answer.alternatives if other.way == way]
    return f"{statistics.mean(more):5.1f} {max(more):5.1f}" if more else "        -"


def main() -> None:
    code = "from bench.partition import *; t = clock(); placed(*one_card('serving', 10_000, 0)); print(f'{1000 * (clock() - t):.1f}')"
    cold = [sys.executable, "-c", code]
    first = subprocess.run(cold, check=True, capture_output=True, text=True, timeout=60).stdout.strip()
    print(f"first 10,000 slices of a process, tables read: {first} ms\n")
    for asks, stocks in (one_card("uniform", 10, 0), fleet("card", 10, False, 0)):
        layouts_for(asks, stocks)
    print("one card model      slices   placed: median, most ms   fewest layouts too     proven  +% one profile  +% first fit")
    for mix in MIXES:
        for size in SIZES:
            quick, answers = timed((one_card(mix, size, seed) for seed in range(RUNS)), placed)
            full, fewest = timed((one_card(mix, size, seed) for seed in range(RUNS)), layouts_for)
            proven = sum(answer.proven for answer in answers)
            few = sum(answer.layouts_bound == len(answer.layouts) for answer in fewest)
            print(
                f"{mix:18} {size:7}  {quick}        {full}     {proven}/{RUNS} {few}/{RUNS}"
                f"  {gain(answers, 'one-profile-a-card')}     {gain(answers, 'first-fit')}"
            )
    print("\nfour card models    slices   median, most ms     proven")
    ways: list[tuple[Alike, bool]] = [(alike, tight) for alike in ("card", "node", "pool") for tight in (False, True)]
    for alike, tight in ways:
        for size in SIZES:
            full, answers = timed((fleet(alike, size, tight, seed) for seed in range(RUNS)), layouts_for)
            proven = sum(answer.proven for answer in answers)
            print(f"each {alike}{', scarce' if tight else '':9} {size:7} {full}     {proven}/{RUNS}")
    _solver()
    if (most := _mixed()) > BAR:
        sys.exit(f"a mixed fleet takes {most:.0f} ms, more than {BAR} ms")


def _mixed() -> float:
    """Print what mixed fleets of all kinds take, and how many are proven; return the most of all in ms."""
    times: dict[tuple[str, bool], list[float]] = {}
    proven: Counter[tuple[str, bool]] = Counter()
    few: Counter[tuple[str, bool]] = Counter()
    for seed in range(FLEETS):
        one = mixed(seed)
        key = one.alike, one.scarce
        start = clock()
        answer = layouts_for(one.asks, one.stocks, headroom=one.headroom)
        times.setdefault(key, []).append(1000 * (clock() - start))
        proven[key] += answer.proven
        few[key] += answer.layouts_bound == len(answer.layouts)
    print(f"\n{FLEETS} mixed fleets                median, p99, most ms     proven   fewest layouts too")
    for key, mine in sorted(times.items()):
        name = f"each {key[0]}{', scarce' if key[1] else ''}"
        print(f"{name:30} {_spread(mine)}    {proven[key]:3}/{len(mine):3}    {few[key]:3}/{len(mine):3}")
    every = [time for mine in times.values() for time in mine]
    print(f"{'all':30} {_spread(every)}    {proven.total():3}/{len(every):3}    {few.total():3}/{len(every):3}")
    return max(every)


def _spread(times: list[float]) -> str:
    times = sorted(times)
    return f"{statistics.median(times):7.1f} {times[len(times) * 99 // 100]:7.1f} {times[-1]:7.1f}"


def _solver() -> None:
    """Print what a solver takes for the count alone, if one is installed."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        return
    layouts = [dict(layout) for layout in maximal_layouts(table("h100-80gb"))]
    times = []
    for seed in range(RUNS):
        asks, stocks = one_card("serving", 10_000, seed)
        names = {one.name: dict(one.accepts)[stocks[0].name][0] for one in asks}
        start = clock()
        model = cp_model.CpModel()
        columns = [model.new_int_var(0, 10_000, "") for _ in layouts]
        for one in asks:
            model.add(sum(layout.get(names[one.name], 0) * column for layout, column in zip(layouts, columns, strict=True)) >= one.count)
        model.minimize(sum(columns))
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.solve(model)
        times.append(1000 * (clock() - start))
        assert round(solver.objective_value) == layouts_for(asks, stocks, few_layouts=False).cards
    print(f"\nCP-SAT, the count of 10,000 slices (serving) alone: {statistics.median(times):.1f} ms, its import not counted")


if __name__ == "__main__":
    main()
