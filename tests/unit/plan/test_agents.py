"""The set's own DaemonSets have a pod on each node, which is one less for workloads."""

from __future__ import annotations

import pytest
from specs import compiled, pool, spec, work
from support import GOLDEN

from fourleaf.pipeline import run
from fourleaf.systems import SYSTEMS


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_the_plan_counts_the_daemonsets_that_the_set_holds(name: str) -> None:
    path = GOLDEN[name]
    made = run(path.read_bytes(), path.name, lambda other: (path.parent / other).read_bytes())
    if made.plan is None or made.bundle is None:
        assert made.diagnostics, "a case without a set says why"
        return

    for one in made.plan.pools:
        lowered = [item.name for item in made.bundle.objects if item.kind == "DaemonSet" and item.by in one.systems]
        assert sum(SYSTEMS[system].agents(one) for system in one.systems) == len(lowered), (one.name, lowered)


def test_a_node_runs_one_pod_of_workloads_less_for_its_device_plugin() -> None:
    made = compiled(spec(pool("p", "mi210", 2, maxPods=2), workloads=[work("w", {"card": "mi210"}, replicas=2)]))
    assert made.plan

    assert [one.show() for one in made.plan.predictions] == ["1 of 2"]
    assert [one.message for one in made.diagnostics if one.rule.code == "FL404"] == [
        "1 of 2 pods of w fit now, a node of pool p runs 2 pods, 1 of them for the set's own DaemonSets"
    ]


def test_a_node_that_runs_agents_alone_lacks_pods_not_cards() -> None:
    made = compiled(spec(pool("p", "t4", maxPods=1), workloads=[work("w", {"card": "t4"})]))

    assert [(one.rule.code, one.message) for one in made.diagnostics] == [
        ("FL404", "0 of 1 pod of w fit now, a node of pool p runs 1 pod, 1 of them for the set's own DaemonSets")
    ]
