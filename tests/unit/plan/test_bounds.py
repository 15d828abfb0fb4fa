"""Bounds of predictions against schedulers that choose nodes by lot."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from specs import compiled, pool, spec, work

from fourleaf.ir import UNBOUNDED, Origin, PodShape, Resource, Supply, Want
from fourleaf.plan.predict import predict

CLAIM = Resource("gpu.example.com", "dra")


def _supply(pool: str, nodes: int, per_node: int, model: str, max_pods: int = UNBOUNDED) -> Supply:
    traits = frozenset({("vendor", "x"), ("card", model)})
    return Supply(
        pool=pool, nodes=nodes, resource=CLAIM, per_node=per_node, max_pods=max_pods, unit="card", vendor="x", allocator="x", traits=traits
    )


def _pod(name: str, replicas: int, count: int, supplies: tuple[Supply, ...]) -> PodShape:
    return PodShape(
        name=name, namespace="n", kind="Job", replicas=replicas, declared=replicas, want=Want(count=count, units=("card",)),
        supplies=supplies, origin=Origin(("spec", "workloads", 0)),
    )  # fmt: skip


def _by_lot(pods: list[PodShape], supplies: list[Supply], lot: random.Random) -> list[int]:
    """Place pods one by one on any node that has room, and take any of the units that will do."""
    nodes = {(name, number): {} for name, count in {s.pool: s.nodes for s in supplies}.items() for number in range(count)}
    for (name, _), free in nodes.items():
        free |= {supply: supply.per_node for supply in supplies if supply.pool == name}
    runs = {(s.pool, number): s.max_pods for s in supplies for number in range(s.nodes)}
    found = []
    for pod in pods:
        placed = 0
        for _ in range(pod.replicas):
            able = [node for node, free in nodes.items() if runs[node] and sum(free.get(s, 0) for s in pod.supplies) >= pod.want.count]
            if not able:
                break
            node = lot.choice(able)
            runs[node] -= 1
            free = nodes[node]
            units = [s for s in pod.supplies if s in free for _ in range(free[s])]
            for unit in lot.sample(units, pod.want.count):
                free[unit] -= 1
            placed += 1
        found.append(placed)
    return found


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.data())
def test_whatever_nodes_and_models_a_scheduler_chooses_the_bounds_hold(data: st.DataObject) -> None:
    shapes = data.draw(
        st.lists(
            st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.integers(1, 4)), min_size=1, max_size=4, unique_by=lambda s: s[:2]
        )
    )
    sizes = {pool: data.draw(st.integers(1, 3)) for pool in "abc"}
    most = {pool: data.draw(st.sampled_from([1, 2, 3, UNBOUNDED])) for pool in "abc"}
    supplies = [_supply(pool, sizes[pool], each, model, most[pool]) for pool, model, each in shapes]
    pods = []
    for number in range(data.draw(st.integers(1, 4))):
        mine = data.draw(st.lists(st.sampled_from(supplies), min_size=1, unique=True))
        pods.append(
            _pod(f"w{number}", data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4)), tuple(sorted(mine, key=lambda s: s.pool)))
        )

    predictions = predict(pods, supplies, ())

    for seed in range(5):
        for prediction, placed in zip(predictions, _by_lot(pods, supplies, random.Random(seed)), strict=True):
            assert prediction.at_least <= placed <= prediction.at_most
            assert prediction.at_least <= prediction.pods <= prediction.at_most


def test_pods_of_one_size_in_one_place_leave_nothing_open() -> None:
    supply = _supply("a", 3, 4, "x")

    first, second = predict([_pod("a", 5, 2, (supply,)), _pod("b", 4, 2, (supply,))], [supply], ())

    assert (first.at_least, first.pods, first.at_most) == (5, 5, 5)
    assert (second.at_least, second.pods, second.at_most) == (1, 1, 1)


def test_a_small_pod_may_break_a_place_for_a_large_one() -> None:
    small, large = _supply("a", 1, 1, "x"), _supply("b", 1, 8, "x")

    _, found = predict([_pod("a", 1, 1, (small, large)), _pod("b", 1, 8, (large,))], [small, large], ())

    assert (found.at_least, found.pods, found.at_most) == (0, 1, 1)


def test_a_pod_may_claim_devices_of_several_models() -> None:
    one, two = _supply("a", 1, 1, "x"), _supply("a", 1, 1, "y")

    (found,) = predict([_pod("a", 1, 2, (one, two))], [one, two], ())

    assert (found.pods, found.never, found.placed) == (1, False, (("a", 1),))


def test_what_hangs_on_the_schedulers_choices_is_said_as_between() -> None:
    small, large = work("a", {"vendor": "nvidia"}, replicas=3), work("b", {"vendor": "nvidia", "count": 8}, kind="Job", replicas=3)
    made = compiled(spec(pool("big", "h100-80gb", 8, 3), workloads=[small, large]))
    assert made.plan

    assert [one.show() for one in made.plan.predictions] == ["3 of 3", "between 0 and 2 of 3"]
    assert [one.message for one in made.diagnostics if one.rule.code == "FL404"] == [
        "between 0 and 2 of 3 pods of b fit now, the others lack up to 24 nvidia.com/gpu"
    ]
