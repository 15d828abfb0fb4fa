"""Layouts that are computed: what workloads ask for becomes cuts, and every later stage counts on them."""

from __future__ import annotations

from random import Random

import pytest
from laid_out import AUTO, asked, codes, compiled, laid, now, placed, slices, wishes
from msgspec.structs import replace
from specs import Tree, pool, spec, work

from fourleaf.checks import check
from fourleaf.ir import Pool
from fourleaf.partition import place, table
from fourleaf.partition.place import Misfit

# ---- what is computed


def test_a_mixed_demand_takes_the_fewest_cards_and_says_what_others_would_take() -> None:
    work_ = [slices("a", "1g", 8), slices("b", "3g.40gb", 2)]
    made = compiled(spec(pool("gpu", "h100-80gb", 4, partition=AUTO), workloads=work_))
    found = laid(made)

    assert (found.gpus, found.lower_bound, found.proven) == (2, 2, True)
    assert found.distinct == (((("1g.10gb", 4), ("3g.40gb", 1)), 2),)
    assert {one.way: one.gpus for one in found.alternatives}["one-profile-a-card"] == 3
    assert placed(made) == {"a": 8, "b": 2}
    assert made.ok


def test_cards_that_are_asked_for_whole_stay_whole() -> None:
    work_ = [slices("a", "1g.10gb", 3), work("whole", {"vendor": "nvidia", "count": 3}, kind="Job")]
    made = compiled(spec(pool("gpu", "h100-80gb", 4, partition=AUTO), workloads=work_))

    assert placed(made) == {"a": 3, "whole": 1}
    assert laid(made).gpus == 4


def test_asks_by_size_get_the_smallest_slice_and_whole_cards_where_no_slice_is_large_enough() -> None:
    work_ = [work("small", {"memory": "8Gi"}), work("half", {"fraction": 0.4}), work("large", {"memory": "70Gi"})]
    made = compiled(spec(pool("gpu", "h100-80gb", 4, partition=AUTO), workloads=work_))

    assert asked(made) == {"small": "nvidia.com/mig-1g.10gb", "half": "nvidia.com/mig-3g.40gb", "large": "nvidia.com/gpu"}
    assert laid(made).gpus == 2


def test_nodes_that_differ_are_pools_of_their_own_and_belong_to_the_one_of_the_spec() -> None:
    work_ = [slices("a", "1g.10gb", 7), work("whole", {"card": "h100-80gb", "count": 1})]
    group = {"name": "turns", "pool": "gpu", "members": ["whole"], "active": "whole"}
    made = compiled(spec(pool("gpu", "h100-80gb", 1, 2, partition=AUTO), workloads=work_, exclusive=[group]))
    assert made.plan
    parts = {one.name: one for one in made.plan.pools}

    assert list(parts) == ["gpu-a", "gpu-b"]
    assert {one.part_of for one in parts.values()} == {"gpu"}
    assert [one.nodes for one in parts.values()] == [("gpu-0",), ("gpu-1",)]
    assert {one.origin.place for one in parts.values()} == {("spec", "pools", 0)}
    assert placed(made) == {"a": 7, "whole": 1}
    assert made.ok


def test_a_part_never_takes_the_name_of_another_pool() -> None:
    work_ = [slices("a", "1g.10gb", 7), work("whole", {"vendor": "nvidia"}), work("more", {"vendor": "nvidia"})]
    other = pool("gpu-a", "t4", 1)
    made = compiled(spec(pool("gpu", "h100-80gb", 1, 2, partition=AUTO), other, workloads=work_))
    assert made.plan

    assert [one.name for one in made.plan.pools] == ["gpu-a", "gpu-b", "gpu-c"]


def test_pools_whose_cards_are_as_they_are_serve_first() -> None:
    fixed = pool("fixed", "h100-80gb", 1, partition={"mig": {"profile": "1g.10gb"}})
    auto = pool("gpu", "h100-80gb", 4, partition=AUTO)
    made = compiled(spec(fixed, auto, workloads=[slices("a", "1g.10gb", 9), work("small", {"memory": "5Gi"}, replicas=3)]))

    assert laid(made).distinct == (((("1g.10gb", 7),), 1),)
    assert placed(made) == {"a": 9, "small": 3}


def test_a_group_that_takes_turns_counts_once() -> None:
    members = [work("one", {"memory": "30Gi"}), slices("two", "3g.40gb", 1), slices("three", "3g", 1)]
    group = {"name": "turns", "pool": "gpu", "members": ["one", "two", "three"], "active": "two"}
    made = compiled(spec(pool("gpu", "h100-80gb", 2, partition=AUTO), workloads=members, exclusive=[group]))

    assert laid(made).gpus == 1
    assert made.ok


def test_pods_of_several_slices_find_them_on_one_node() -> None:
    made = compiled(spec(pool("gpu", "h100-80gb", 1, 4, partition=AUTO), workloads=[work("a", {"mig": "1g.10gb", "count": 4}, replicas=3)]))
    found = laid(made)

    assert placed(made) == {"a": 3}
    assert (found.gpus, found.lower_bound) == (3, 2)
    assert codes(made) == ["FL211"]


def test_a_node_of_several_models_has_all_cards_of_one_model_cut_alike() -> None:
    mixed = pool("gpu", "a100-40gb", 2, partition=AUTO) | {"gpus": [{"card": "a100-40gb", "count": 2}, {"card": "t4", "count": 1}]}
    made = compiled(spec(mixed, workloads=[slices("a", "1g.5gb", 3)]))
    (nodes,) = laid(made).nodes

    assert [(cut.cards, cut.parts) for cut in nodes.cuts] == [((0, 1), (("1g.5gb", 7),)), ((2,), ())]
    assert made.ok


@pytest.mark.parametrize(
    ("card", "ask", "partitioned"),
    [
        ("h100-80gb", {"mig": "1g"}, True),
        ("h100-80gb", {"memory": "20Gi"}, True),
        ("h100-80gb", {"fraction": 0.5}, True),
        ("h100-80gb", {"memory": "60Gi"}, False),
        ("h100-80gb", {"fraction": 0.9}, False),
        ("h100-80gb", {"vendor": "nvidia"}, False),
        ("l40s", {"memory": "20Gi"}, False),
    ],
)
def test_partition_auto_cuts_where_a_workload_asks_for_less_than_a_card(card: str, ask: Tree, partitioned: bool) -> None:
    made = compiled(spec(pool("gpu", card, 2, partition="auto"), workloads=[work("a", ask)]))
    assert made.plan

    assert bool(made.plan.layouts) is partitioned
    assert placed(made) == {"a": 1}
    assert made.ok


def test_partition_auto_leaves_cards_whole_where_the_host_could_not_cut_them() -> None:
    talos = pool("gpu", "h100-80gb", 2, partition="auto", os="talos-1.12")
    tree = spec(talos, workloads=[work("a", {"memory": "20Gi"})])
    tree["spec"]["kubernetes"]["distribution"] = "talos"
    made = compiled(tree)
    assert made.plan

    assert not made.plan.layouts
    assert asked(made) == {"a": "nvidia.com/gpu"}


def test_headroom_is_there_where_cards_are_cut_anyway() -> None:
    made = compiled(
        spec(pool("gpu", "h100-80gb", 2, 1, partition={"mig": {"auto": {"headroom": "2.5%"}}}), workloads=[slices("a", "1g.10gb", 7)])
    )
    assert made.plan

    assert sum(one.per_node * one.nodes for one in made.plan.supplies if one.unit == "slice") >= 8
    assert codes(made) == []


# ---- what does not fit


def test_what_does_not_fit_is_said_once_with_numbers() -> None:
    made = compiled(spec(pool("gpu", "h100-80gb", 1, partition=AUTO), workloads=[slices("a", "1g.10gb", 9)]))

    assert codes(made) == ["FL210"]
    assert "7 of 9 pods of a" in made.diagnostics[0].message
    assert "have 2 cards" in made.diagnostics[0].help
    assert made.files


def test_a_workload_of_which_no_pod_fits_is_an_error() -> None:
    work_ = [work("a", {"vendor": "nvidia"}), slices("b", "3g.40gb", 3)]
    made = compiled(spec(pool("gpu", "h100-80gb", 1, partition=AUTO), workloads=work_))

    assert codes(made) == ["FL210", "FL210"]
    assert sorted(str(one.severity) for one in made.diagnostics) == ["error", "warning"]


def test_nodes_without_names_have_one_layout() -> None:
    by_count = {**pool("gpu", "h100-80gb", 1, partition=AUTO), "count": 2}
    del by_count["nodes"]
    alike = compiled(spec(by_count, workloads=[slices("a", "3g.40gb", 2), slices("b", "1g.10gb", 7)]))
    apart = compiled(spec(by_count, workloads=[work("a", {"vendor": "nvidia"}), slices("b", "1g.10gb", 7)]))

    assert alike.ok
    assert laid(alike).distinct == (((("1g.10gb", 4), ("3g.40gb", 1)), 2),)
    assert codes(apart) == ["FL213"]
    assert laid(apart).several == 2


def test_a_layout_without_proof_is_a_warning_with_its_bound() -> None:
    made = compiled(spec(pool("gpu", "h100-80gb", 4, partition=AUTO), workloads=[slices("a", "1g.10gb", 20)]))
    assert made.plan
    assert made.inventory
    assert made.decision
    unproven = replace(made.plan, layouts=tuple(replace(one, proven=False, lower_bound=2) for one in made.plan.layouts))
    (found,) = check(made.inventory, made.decision, unproven)

    assert found.rule.code == "FL211"
    assert "takes 3 cards, 2 might do" in found.message


def test_a_name_of_another_driver_is_told_with_the_one_to_write() -> None:
    tree = spec(pool("gpu", "gb300", 1, partition={"mig": {"profile": "1g.35gb"}}, driver={"version": "610.43.02"}))
    (found,) = compiled(tree).diagnostics

    assert (found.rule.code, found.message) == ("FL201", "driver 610.43.02 calls profile 1g.35gb of gb300 1g.31gb")
    assert found.help == "write 1g.31gb, or its family"


def test_what_is_said_of_every_part_of_a_pool_is_said_once() -> None:
    gpu = pool("gpu", "h100-80gb", 1, 2, partition=AUTO, driver={"version": "570.133.20"})
    work_ = [slices("a", "1g.10gb", 7), work("whole", {"vendor": "nvidia"})]
    made = compiled(spec(pool("gpu", "gb300", 1, 2, partition=AUTO), workloads=[slices("a", "1g", 7), slices("b", "3g", 2)]))
    again = compiled(spec(gpu, workloads=work_))

    assert [one.message for one in made.diagnostics] == [
        "profile 1g.35gb of gb300 in pool gpu is 1g.31gb under other drivers",
        "profile 3g.139gb of gb300 in pool gpu is 3g.126gb under other drivers",
    ]
    assert again.ok


def test_many_workloads_that_could_get_several_kinds_are_proven_by_a_bound_that_lets_their_pods_differ() -> None:
    workloads = [work(f"w{i}", {"memory": "9Gi"} if i % 2 else {"fraction": 0.4}, replicas=1 + i % 3) for i in range(60)]
    made = compiled(spec(pool("gpu", "h100-80gb", 8, 4, partition=AUTO), pool("h", "a100-40gb", 8, 4, partition=AUTO), workloads=workloads))

    assert laid(made).total <= laid(made).lower_bound + laid(made, "h").lower_bound + 1
    assert placed(made) == {one["name"]: one["replicas"] for one in workloads}


# ---- what is written


def test_each_layout_is_in_the_configuration_and_on_its_nodes() -> None:
    work_ = [slices("a", "1g.10gb", 7), work("whole", {"vendor": "nvidia"}), slices("b", "3g.40gb", 2)]
    made = compiled(spec(pool("gpu", "h100-80gb", 1, 3, partition=AUTO), workloads=work_))
    config = next(text for path, text in made.files.items() if "configmap-fourleaf-mig-" in path)
    rule = next(text for path, text in made.files.items() if "nodefeaturerule" in path)

    assert made.plan
    labels = [line.split(": ")[1] for line in rule.splitlines() if "nvidia.com/mig.config: " in line]
    assert labels == [one.name if one.partition else "all-disabled" for one in made.plan.pools]
    assert min(labels) == "all-disabled"
    assert all(f"      {name}:\n" in config for name in labels)


def test_nodes_that_are_no_longer_cut_are_told_so() -> None:
    tree = spec(pool("gpu", "h100-80gb", 2, 1, partition=wishes()), workloads=[work("whole", {"vendor": "nvidia", "count": 2})])
    made = compiled(tree, now("gpu-0"))
    config = next(text for path, text in made.files.items() if "configmap-fourleaf-mig-" in path)

    assert laid(made).changed == ("gpu-0",)
    assert "      gpu:\n      - devices: all\n        mig-enabled: false\n" in config


def test_claims_ask_for_slices_of_computed_layouts_too() -> None:
    work_ = [slices("a", "1g.10gb", 7), work("b", {"memory": "30Gi"})]
    made = compiled(spec(pool("gpu", "h100-80gb", 2, 1, partition=AUTO), workloads=work_, policy={"allocation": "dra"}))
    assert made.plan

    assert {one.resource.by for one in made.plan.supplies} == {"dra"}
    assert placed(made) == {"a": 7, "b": 1}


# ---- solver and predictions agree


@pytest.mark.parametrize("seed", range(40))
def test_every_workload_that_the_solver_gives_room_finds_it(seed: int) -> None:
    random = Random(seed)
    cards = random.sample(["h100-80gb", "a100-40gb", "a30", "h100-94gb", "rtx-pro-6000"], random.choice([1, 1, 2]))
    pools = [
        pool(f"p{i}", card, random.choice([1, 2, 4]), random.choice([1, 2, 3]), partition=AUTO)
        if random.random() < 0.8
        else {**pool(f"p{i}", card, random.choice([1, 2])), "partition": {"mig": {"profile": "1g"}}}
        for i, card in enumerate(cards)
    ]
    asks: list[Tree] = [
        {"mig": "1g"},
        {"mig": "2g"},
        {"memory": "9Gi"},
        {"memory": "21Gi"},
        {"fraction": 0.3},
        {"fraction": 0.5},
        {"vendor": "nvidia"},
    ]
    workloads = [work(f"w{i}", random.choice(asks), replicas=random.choice([1, 2, 3, 5, 8])) for i in range(random.randint(1, 6))]
    made = compiled(spec(*pools, workloads=workloads))
    assert made.plan, [one.message for one in made.diagnostics]
    asking = {name for one in made.plan.layouts if not one.lacking for _, name in one.workloads}

    assert all(one.pods == one.wanted for one in made.plan.predictions if one.workload in asking)
    for one_layouts in made.plan.layouts:
        assert one_layouts.lower_bound <= one_layouts.gpus
        for pool_ in (pool_ for pool_ in made.plan.pools if (pool_.part_of or pool_.name) == one_layouts.pool):
            _assert_holds(pool_)


def _assert_holds(made: Pool) -> None:
    cards = [gpu.card for gpu in made.gpus for _ in range(gpu.count)]
    cuts = made.partition.cuts if made.partition else ()
    named = [index for cut in cuts for index in cut.cards]
    assert sorted(named) == sorted(set(named))
    for cut in cuts:
        if cut.parts:
            assert not isinstance(place(table(cards[cut.cards[0]].mig), dict(cut.parts)), Misfit)


# ---- DaemonSets


def probe(gpu: dict[str, object]) -> Tree:
    return work("probe", gpu, kind="DaemonSet")


def test_a_daemonset_finds_its_slice_on_every_node_whatever_replicas_says() -> None:
    for replicas in (1, 5):
        made = compiled(
            spec(pool("gpu", "h100-80gb", 2, 3, partition=AUTO), workloads=[probe({"mig": "1g.10gb"}) | {"replicas": replicas}])
        )

        assert laid(made).distinct == (((("1g.10gb", 7),), 3),)
        assert placed(made) == {"probe": 3}


def test_a_daemonset_takes_one_place_of_each_node_and_others_share_the_rest() -> None:
    made = compiled(spec(pool("gpu", "h100-80gb", 1, 3, partition=AUTO), workloads=[slices("z", "1g.10gb", 18), probe({"mig": "1g.10gb"})]))

    assert placed(made) == {"probe": 3, "z": 18}
    assert laid(made).gpus == 3


def test_a_daemonset_asks_for_the_one_slice_that_most_nodes_can_have() -> None:
    fixed = pool("fixed", "h100-80gb", 1, 2, partition={"mig": {"profile": "1g.10gb"}})
    auto, few = pool("gpu", "h100-80gb", 1, 3, partition=AUTO), pool("old", "a30", 1, 2, partition=AUTO)
    made = compiled(spec(fixed, auto, few, workloads=[probe({"memory": "9Gi"})]))

    assert asked(made) == {"probe": "nvidia.com/mig-1g.10gb"}
    assert placed(made) == {"probe": 5}
    assert not laid(made, "old").gpus


def test_nodes_that_a_daemonset_is_on_keep_the_layouts_that_they_have() -> None:
    made = compiled(
        spec(pool("gpu", "h100-80gb", 2, 2, partition=wishes()), workloads=[probe({"mig": "1g.10gb"})]),
        now("gpu-0", "gpu-1", layout="{3g.40gb: 1, 1g.10gb: 4}"),
    )

    assert (laid(made).changes, placed(made)) == (0, {"probe": 2})
