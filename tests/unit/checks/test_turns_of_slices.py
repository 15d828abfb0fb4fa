"""Too few slices: how many turns on each would do, where turns would do at all."""

from __future__ import annotations

from typing import Any

import pytest
from specs import Tree, codes, compiled, pool, spec, work

SLICE = {"mig": "1g.10gb"}


def cut(nodes: int = 1, **mig: Any) -> Tree:
    return pool("gpu", "h100-80gb", 1, nodes, partition={"mig": {"profile": "1g.10gb", **mig}})


def asks(*wanted: tuple[Tree, int]) -> list[Tree]:
    return [work(f"w{index}", ask, replicas=replicas) for index, (ask, replicas) in enumerate(wanted)]


def helps(*wanted: tuple[Tree, int], nodes: int = 1, **more: Any) -> list[str]:
    made = compiled(spec(cut(nodes), workloads=asks(*wanted), **more))
    return [found.help for found in made.diagnostics if found.rule.code == "FL404"]


def test_nine_pods_on_the_seven_slices_of_a_card_take_two_turns() -> None:
    assert helps((SLICE, 9)) == ["write `replicas: 7`, or `timeSlicing: {replicas: 2}` under `mig` of pool gpu, or add nodes"]


def test_who_finds_no_slice_at_all_is_told_too() -> None:
    assert helps((SLICE, 7), (SLICE, 1)) == [
        "free what the others take, or write `timeSlicing: {replicas: 2}` under `mig` of pool gpu, or add nodes"
    ]


@pytest.mark.parametrize(
    ("wanted", "nodes", "turns"),
    [
        ([(SLICE, 10), (SLICE, 12)], 1, 4),
        ([(SLICE, 14), (SLICE, 15)], 2, 3),
        ([(SLICE, 13), ({"memory": "4Gi"}, 1), ({"mig": "1g"}, 3)], 2, 2),
    ],
)
def test_the_turns_are_enough_for_all_who_ask_for_the_slices(wanted: list[tuple[Tree, int]], nodes: int, turns: int) -> None:
    assert all(f"`timeSlicing: {{replicas: {turns}}}`" in one for one in helps(*wanted, nodes=nodes))
    assert codes(compiled(spec(cut(nodes, timeSlicing={"replicas": turns}), workloads=asks(*wanted)))) == []
    if turns > 2:
        assert "FL404" in codes(compiled(spec(cut(nodes, timeSlicing={"replicas": turns - 1}), workloads=asks(*wanted))))


@pytest.mark.parametrize("other", [{"memory": "8Gi"}, {"fraction": 0.1}, {"mig": "1g.10gb", "count": 2}])
def test_turns_are_no_mend_where_a_share_would_not_do_for_everyone(other: Tree) -> None:
    (said,) = helps((SLICE, 9), (other, 1))[:1]
    assert said == "write `replicas: 7`, or add nodes"


def test_turns_are_no_mend_of_claims() -> None:
    assert helps((SLICE, 9), policy={"allocation": "dra"}) == ["write `replicas: 7`, or add nodes"]


def test_two_pools_of_the_same_slices_are_shared_together() -> None:
    pools = [{**cut(), "name": name, "nodes": [name]} for name in ("a", "b")]
    made = compiled(spec(*pools, workloads=asks((SLICE, 15))))
    assert "`timeSlicing: {replicas: 2}` under `mig` of pool a and of pool b" in made.diagnostics[0].help


def test_two_workloads_on_slices_of_one_layout_are_told_the_same_turns() -> None:
    layout = {"layout": {"1g.10gb": 4, "3g.40gb": 1}}
    pods = [work("infer", SLICE, replicas=7), work("train", {"mig": "3g.40gb"}, replicas=3)]
    made = compiled(spec(pool("gpu", "h100-80gb", partition={"mig": layout}), workloads=pods))
    assert all("`timeSlicing: {replicas: 3}` under `mig` of pool gpu" in one.help for one in made.diagnostics)
    shared = {"mig": {**layout, "timeSlicing": {"replicas": 3}}}
    assert codes(compiled(spec(pool("gpu", "h100-80gb", partition=shared), workloads=pods))) == []


def test_turns_are_no_mend_where_who_asks_for_other_slices_of_the_pool_could_not_take_them() -> None:
    layout = {"layout": {"1g.10gb": 4, "3g.40gb": 1}}
    pods = [work("infer", SLICE, replicas=7), work("train", {"memory": "30Gi"})]
    made = compiled(spec(pool("gpu", "h100-80gb", partition={"mig": layout}), workloads=pods))
    assert [one.help for one in made.diagnostics] == ["write `replicas: 4`, or add nodes"]


def test_turns_are_no_mend_where_a_node_runs_no_pods_for_all_its_shares() -> None:
    made = compiled(spec(pool("gpu", "h100-80gb", 8, maxPods=100, partition={"mig": {"profile": "1g.10gb"}}), workloads=asks((SLICE, 57))))
    assert [one.help for one in made.diagnostics] == ["write `replicas: 56`, or add nodes"]
