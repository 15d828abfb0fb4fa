"""Small specs on the real scheduler, each for one thing that the larger ones do not meet."""

from __future__ import annotations

import json

import pytest
from specs import pool, spec, work

from fourleaf.pipeline import Compilation, run
from fourleaf.rehearse.predictions import PREDICTIONS

pytestmark = pytest.mark.engine


def compiled(*pools: dict[str, object], **more: object) -> Compilation:
    return run(json.dumps(spec(*pools, **more)), "cluster.yaml", past=PREDICTIONS)


def test_a_set_for_volcano_without_a_queue_of_its_own_is_tried(rehearsed) -> None:
    daemon = work("w", {"card": "rtx-4090"}, kind="DaemonSet")
    found = rehearsed(compiled(pool("p", "rtx-4090"), workloads=[daemon], policy={"scheduler": "volcano"}))

    assert "Queue" in {one.manifest["kind"] for one in found.stand_ins}
    assert found.reason == ""
    assert [(one.accepted, one.wanted) for one in found.outcomes] == [(1, 1)]


@pytest.mark.parametrize(("card", "count", "runs", "placed"), [("mi210", 2, 2, 1), ("t4", 1, 1, 0), ("t4", 1, 2, 1)])
def test_pods_of_the_sets_own_daemonsets_stand_on_the_nodes_first(card: str, count: int, runs: int, placed: int, rehearsed) -> None:
    many = work("w", {"card": card}, replicas=count)
    found = rehearsed(compiled(pool("p", card, count, maxPods=runs), workloads=[many]))

    assert found.reason == "", found.differences
    assert [one.nodes for one in found.agents] == [1]
    (outcome,) = found.outcomes
    assert len(outcome.placed) == placed
    assert {cause.words for pod in outcome.pending for cause in pod.causes} <= {f"too many pods: a node runs {runs}"}


def test_pods_that_find_no_slot_or_no_node_of_their_own_are_told_so_and_nothing_is_short_by_none(rehearsed) -> None:
    cut = pool("p", "a100-40gb", 1, 2, maxPods=4, partition={"mig": {"layout": {"1g.5gb": 3, "2g.10gb": 2}}})
    many = [work(name, {"mig": mig}, replicas=pods) for name, mig, pods in (("w", "1g.5gb", 2), ("x", "2g.10gb", 3), ("y", "1g.5gb", 4))]
    found = rehearsed(compiled(cut, workloads=[*many, work("z", {"mig": "2g.10gb"}, kind="DaemonSet")]))

    assert found.reason == "", found.differences
    causes = {cause for outcome in found.outcomes for pod in outcome.pending for cause in pod.causes}
    assert "too many pods: a node runs 4" in {cause.words for cause in causes}
    assert {cause.kind for cause in causes} <= {"pods", "apart", "resource"}
    assert not [cause for cause in causes if "short by 0" in cause.words]


def test_a_second_pod_of_a_daemonset_does_not_go_where_the_first_is(rehearsed) -> None:
    one, many = work("a", {"card": "h100-80gb", "count": 8}, kind="Job"), work("z", {"card": "h100-80gb"}, kind="DaemonSet")
    found = rehearsed(compiled(pool("p", "h100-80gb", 8, 2), workloads=[one, many]))

    (job,) = next(outcome for outcome in found.outcomes if outcome.name == "a").placed
    (pending,) = next(outcome for outcome in found.outcomes if outcome.name == "z").pending
    assert {(cause.kind, cause.words) for cause in pending.causes} == {
        ("apart", "one pod a node: another of z is there"),
        ("resource", f"nvidia.com/gpu: asks 1, at most 0 free on a node ({job.node} has 0): short by 1"),
    }
