"""Which resource a workload asks for, of several that fit it."""

from __future__ import annotations

import pytest
from specs import Tree, codes, compiled, pool, spec, work


def _resource(gpu: dict[str, object], *pools: dict[str, object]) -> str:
    made = compiled(spec(*pools, workloads=[work("w", gpu)]))
    assert made.plan
    return made.plan.predictions[0].resource


WHOLE = pool("whole", "h100-80gb", 2)
CUT = pool("cut", "h100-80gb", 1, partition={"mig": {"layout": {"1g.10gb": 3, "3g.40gb": 1}}})
SHARED = pool("shared", "h100-80gb", 1, partition={"timeSlicing": {"replicas": 4}})


def test_whole_cards_come_before_shares() -> None:
    assert _resource({"vendor": "nvidia"}, SHARED, WHOLE) == "nvidia.com/gpu"
    assert _resource({"vendor": "nvidia"}, SHARED) == "nvidia.com/gpu.shared"


def test_an_ask_for_memory_gets_the_smallest_that_has_it() -> None:
    assert _resource({"memory": "8Gi"}, WHOLE, CUT) == "nvidia.com/mig-1g.10gb"
    assert _resource({"memory": "20Gi"}, WHOLE, CUT) == "nvidia.com/mig-3g.40gb"
    assert _resource({"memory": "60Gi"}, WHOLE, CUT) == "nvidia.com/gpu"


def test_an_ask_for_a_fraction_gets_the_smallest_that_is_enough() -> None:
    assert _resource({"fraction": 0.2}, SHARED, CUT) == "nvidia.com/gpu.shared"
    assert _resource({"fraction": 0.3}, SHARED, CUT) == "nvidia.com/mig-3g.40gb"


def test_an_ask_by_family_finds_the_profile_of_the_card() -> None:
    assert _resource({"mig": "1g"}, CUT) == "nvidia.com/mig-1g.10gb"


TURNS = pool("turns", "h100-80gb", 1, partition={"mig": {"profile": "1g.10gb", "timeSlicing": {"replicas": 4}}})


@pytest.mark.parametrize("profile", ["1g.10gb", "1g"])
def test_an_ask_for_a_slice_gets_a_share_of_one_only_where_none_is_whole(profile: str) -> None:
    assert _resource({"mig": profile}, TURNS) == "nvidia.com/mig-1g.10gb.shared"
    assert _resource({"mig": profile}, TURNS, CUT) == "nvidia.com/mig-1g.10gb"


def test_an_ask_for_a_card_never_gets_a_share_of_a_slice() -> None:
    assert _resource({"vendor": "nvidia"}, TURNS, SHARED) == "nvidia.com/gpu.shared"
    for ask in ({"vendor": "nvidia"}, {"card": "h100-80gb"}):
        made = compiled(spec(TURNS, workloads=[work("w", ask)]))
        assert codes(made) == ["FL216"]
        assert "they offer nvidia.com/mig-1g.10gb.shared" in made.diagnostics[0].message


def test_an_ask_by_size_counts_the_memory_of_the_slice_and_a_part_of_its_portion() -> None:
    assert _resource({"memory": "8Gi"}, TURNS, WHOLE) == "nvidia.com/mig-1g.10gb.shared"
    assert _resource({"fraction": 0.03}, TURNS, WHOLE) == "nvidia.com/mig-1g.10gb.shared"
    assert _resource({"fraction": 0.1}, TURNS, WHOLE) == "nvidia.com/gpu"


def test_the_order_of_pools_says_nothing() -> None:
    assert _resource({"memory": "8Gi"}, CUT, WHOLE) == _resource({"memory": "8Gi"}, WHOLE, CUT)


def test_members_of_a_group_are_confined_to_its_pool() -> None:
    turns = [{"name": "studio", "pool": "b", "members": ["w", "v"], "active": "w"}]
    made = compiled(spec(pool("a", "rtx-4090", 4), pool("b", "rtx-4090"), workloads=[work("w"), work("v")], exclusive=turns))

    assert made.plan
    assert [prediction.placed for prediction in made.plan.predictions] == [(), (("b", 1),)]
    assert [pod.replicas for pod in made.plan.pods] == [0, 1]


def test_a_daemonset_has_one_pod_on_each_node_that_it_fits() -> None:
    made = compiled(spec(pool("a", "rtx-4090", 2, 3), pool("b", "l4", 1, 4), workloads=[work("w", {"card": "rtx-4090"}, kind="DaemonSet")]))

    assert made.plan
    assert made.plan.predictions[0].placed == (("a", 3),)


@pytest.mark.parametrize("partition", [{"mig": "auto"}, {"mig": {"layout": {"1g+me.all": 1, "1g-me": 1}}}], ids=["computed", "written"])
def test_a_family_with_a_dot_is_found_by_its_name_on_the_card(partition: Tree) -> None:
    made = compiled(spec(pool("a", "rtx-pro-6000", 1, partition=partition), workloads=[work("w", {"mig": "1g+me.all"})]))
    assert made.plan

    assert [one.resource for one in made.plan.predictions] == ["nvidia.com/mig-1g.24gb.me.all"]
    assert not any(one.rule.code == "FL401" for one in made.diagnostics)
