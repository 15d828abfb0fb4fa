"""Predictions against a placement pod by pod, and against quota."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fourleaf.ir import UNBOUNDED, Origin, PodShape, Queue, Resource, Supply, Want
from fourleaf.plan.predict import predict

GPU = Resource("example.com/gpu", "device-plugin")


def _supply(nodes: int, per_node: int, pool: str = "a", *, resource: Resource = GPU, max_pods: int = UNBOUNDED) -> Supply:
    return Supply(
        pool=pool, nodes=nodes, resource=resource, per_node=per_node, max_pods=max_pods, unit="card", vendor="x", allocator="x",
        traits=frozenset({("vendor", "x")}),
    )  # fmt: skip


def _pod(name: str, replicas: int, count: int, *supplies: Supply, gang: int = 1, queue: str = "") -> PodShape:
    return PodShape(
        name=name, namespace="n", kind="Job", replicas=replicas, declared=replicas, want=Want(count=count, units=("card",)),
        gang=gang, queue=queue, supplies=supplies, origin=Origin(("spec", "workloads", 0)),
    )  # fmt: skip


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.integers(1, 6), st.integers(1, 8), st.integers(1, 8), st.lists(st.tuples(st.integers(1, 9), st.integers(1, 8)), max_size=5))
def test_counting_nodes_is_placing_pods_one_by_one(nodes: int, per_node: int, max_pods: int, wants: list[tuple[int, int]]) -> None:
    supply = _supply(nodes, per_node, max_pods=max_pods)
    pods = [_pod(f"w{index}", replicas, count, supply) for index, (replicas, count) in enumerate(wants)]
    free = [per_node] * nodes
    runs = [max_pods] * nodes

    expected = []
    for replicas, count in wants:
        placed = 0
        for _ in range(replicas):
            # The fullest node that still has room, as binpacking does.
            room = sorted((left, runs[index], index) for index, left in enumerate(free) if left >= count and runs[index])
            if room:
                free[room[0][2]] -= count
                runs[room[0][2]] -= 1
                placed += 1
        expected.append(placed)

    assert [prediction.pods for prediction in predict(pods, [supply], [])] == expected


def test_what_is_missing_is_counted_in_units() -> None:
    supply = _supply(1, 8)

    (found,) = predict([_pod("w", 3, 3, supply)], [supply], [])

    assert (found.pods, found.short_of, found.short_by, found.never) == (2, GPU.name, 3, False)


def test_pods_of_every_resource_count_together_where_a_node_runs_no_more() -> None:
    shares, slices = _supply(2, 6, max_pods=8), _supply(2, 6, resource=Resource("example.com/slice", "device-plugin"), max_pods=8)

    first, second, third = predict([_pod("a", 9, 1, shares), _pod("b", 9, 1, slices), _pod("c", 1, 1, shares)], [shares, slices], [])

    assert (first.pods, first.short_of) == (9, "")
    assert (second.pods, second.short_of, second.short_by) == (7, "pods", 2)
    assert (third.pods, third.short_of, third.never) == (0, "pods", False)


def test_a_gang_of_more_pods_than_all_nodes_run_never_runs() -> None:
    supply = _supply(2, 200, max_pods=110)

    (found,) = predict([_pod("a", 300, 1, supply, gang=300)], [supply], [])

    assert (found.best, found.never, found.short_of) == (220, True, "pods")


def test_a_daemon_set_takes_of_every_node_and_of_each_once() -> None:
    supply = _supply(3, 4)
    each = replace(_pod("a", 3, 1, supply), kind="DaemonSet")

    daemon, three, whole = predict([each, _pod("b", 4, 3, supply), _pod("c", 1, 4, supply)], [supply], [])

    assert (daemon.pods, three.pods, whole.pods) == (3, 3, 0)
    assert not replace(each, want=Want(count=5, units=("card",))).empty()
    assert each.empty() == 3


def test_a_gang_is_placed_whole_or_not_at_all() -> None:
    supply = _supply(2, 4)

    small, large = predict([_pod("a", 2, 3, supply), _pod("b", 3, 1, supply, gang=3)], [supply], [])

    assert small.pods == 2
    assert large.pods == 0
    assert not large.never


def test_a_gang_that_the_empty_cluster_cannot_hold_never_runs() -> None:
    supply = _supply(3, 4)

    (found,) = predict([_pod("c", 4, 3, supply, gang=4)], [supply], [])

    assert found.never
    assert found.best == 3


def test_pools_are_filled_in_their_order_and_named() -> None:
    one, two = _supply(1, 2, "a"), _supply(1, 4, "b")

    (found,) = predict([_pod("w", 5, 1, one, two)], [one, two], [])

    assert found.placed == (("a", 2), ("b", 3))


def _queue(name: str, parent: str = "", limit: int | None = None, guaranteed: int = 0) -> Queue:
    return Queue(
        name=name, parent=parent, limit={} if limit is None else {GPU: limit}, guaranteed={GPU: guaranteed} if guaranteed else {},
        origin=Origin(("spec", "tenants", 0)),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("queues", "pods"),
    [
        ([_queue("t", limit=3)], 3),
        ([_queue("f", limit=4), _queue("t", "f")], 4),
        ([_queue("f", limit=4), _queue("t", "f", limit=2)], 2),
        # A sibling's guarantee is held back from the parent's limit, used or not.
        ([_queue("f", limit=6), _queue("s", "f", guaranteed=2), _queue("t", "f", limit=6)], 4),
        # Without a limit over them, nothing is held back: the cluster has the last word.
        ([_queue("s", guaranteed=2), _queue("t")], 8),
    ],
)
def test_quota_bounds_what_is_placed(queues: list[Queue], pods: int) -> None:
    supply = _supply(1, 8)

    (found,) = predict([_pod("w", 8, 1, supply, queue="t")], [supply], queues)

    assert found.pods == pods


def test_what_others_use_counts_against_the_limit_over_them() -> None:
    supply = _supply(1, 8)
    queues = [_queue("f", limit=4), _queue("s", "f"), _queue("t", "f")]

    first, second = predict([_pod("a", 3, 1, supply, queue="s"), _pod("b", 3, 1, supply, queue="t")], [supply], queues)

    assert (first.pods, second.pods) == (3, 1)
    assert second.short_of == "quota of f"


def test_two_models_of_one_resource_are_counted_apart() -> None:
    one, two = _supply(1, 1), _supply(1, 2)

    found = predict([_pod("a", 2, 1, one), _pod("b", 2, 1, two)], [one, two], [])

    assert Counter(prediction.pods for prediction in found) == {1: 1, 2: 1}
