"""Specs by lot, each against the real scheduler: what the plan predicts and what happens must agree, both ways."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache

import pytest
from rehearsal.specs import CASES, spec

from fourleaf.diag import Severity
from fourleaf.diag.render import render
from fourleaf.pipeline import Compilation, run
from fourleaf.rehearse.predictions import PREDICTIONS


@cache
def compiled(number: int) -> Compilation:
    return run(json.dumps(spec(number), indent=1), f"lot-{number}.yaml", past=PREDICTIONS)


@pytest.mark.parametrize("number", range(CASES))
def test_a_spec_by_lot_is_whole(number: int) -> None:
    """A case that never gets to the scheduler would prove nothing."""
    made = compiled(number)
    errors = [one for one in made.diagnostics if one.severity == Severity.ERROR and one.rule.code not in PREDICTIONS]

    assert made.files, render(errors, made.sources)


def test_the_lot_covers_what_it_is_for() -> None:
    met: Counter[str] = Counter()
    for number in range(CASES):
        plan = compiled(number).plan
        assert plan
        for supply in plan.supplies:
            met[f"{supply.vendor} {supply.unit} by {supply.resource.by}"] += 1
        met["taint"] += any(pool.taints for pool in plan.pools)
        met["turns"] += any(pod.group for pod in plan.pods)
        met["gang"] += any(pod.gang > 1 for pod in plan.pods)
        for found in plan.predictions:
            met["all placed"] += found.at_least == found.wanted > 0
            met["some placed"] += 0 < found.at_least == found.at_most < found.wanted
            met["none placed"] += found.at_most == 0 < found.wanted
            met["never"] += found.never
            met["left to the scheduler"] += found.at_least < found.at_most
            met["workload"] += 1

    for what in (
        "nvidia card by device-plugin", "nvidia slice by device-plugin", "nvidia share by device-plugin", "amd card by device-plugin",
        "intel card by dra", "nvidia card by dra", "nvidia slice by dra", "taint", "gang",
        "all placed", "some placed", "none placed", "never",
    ):  # fmt: skip
        assert met[what] >= 5, (what, met)
    assert met["turns"] >= 3
    assert met["left to the scheduler"] < met["workload"] / 6, "predictions that promise little are no test"


@pytest.mark.engine
@pytest.mark.parametrize("number", range(CASES))
def test_the_scheduler_does_what_the_plan_predicts(number: int, rehearsed) -> None:
    found = rehearsed(compiled(number))

    assert found.refusals == ()
    assert found.differences == (), json.dumps(spec(number))
    causes = [cause for outcome in found.outcomes for pod in outcome.pending for cause in pod.causes]
    assert not [cause for cause in causes if cause.kind == "other"]
    for outcome in found.outcomes:
        assert all(pod.causes for pod in outcome.pending)
        assert len(outcome.placed) + len(outcome.pending) == (outcome.wanted if outcome.resource else 0)
