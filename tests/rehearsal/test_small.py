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
