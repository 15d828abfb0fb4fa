"""Layouts that are computed: what workloads ask for becomes cuts, and every later stage counts on them."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from specs import Tree, pool, spec, work

from fourleaf.checks import check
from fourleaf.ir import Layouts, Pool
from fourleaf.partition import place, table
from fourleaf.partition.place import Misfit
from fourleaf.pipeline import Compilation, run

AUTO: Tree = {"mig": "auto"}


def compiled(tree: Tree, present: str = "") -> Compilation:
    """Take a spec through every stage, with a file of present layouts beside it."""
    return run(json.dumps(tree), "cluster.yaml", lambda path: present.encode())


def laid(made: Compilation, name: str = "gpu") -> Layouts:
    assert made.plan, [one.message for one in made.diagnostics]
    return next(one for one in made.plan.layouts if one.pool == name)


def placed(made: Compilation) -> dict[str, int]:
    assert made.plan
    return {one.workload: one.pods for one in made.plan.predictions}


def asked(made: Compilation) -> dict[str, str]:
    assert made.plan
    return {one.workload: one.resource for one in made.plan.predictions}


def codes(made: Compilation) -> list[str]:
    return [one.rule.code for one in made.diagnostics]


def slices(name: str, profile: str, replicas: int, **more: Any) -> Tree:
    return work(name, {"mig": profile}, replicas=replicas, **more)


def wishes(**auto: Any) -> Tree:
    return {"mig": {"auto": {"present": "layouts.yaml", **auto}}}


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


# ---- what nodes have already


def now(*nodes: str, layout: str = "{1g.10gb: 7}", gpus: str = "[0, 1]", name: str = "gpu") -> str:
    return (
        "apiVersion: fourleaf.dev/v1\nkind: Layouts\nspec:\n  pools:\n"
        f"    - {{name: {name}, nodes: [{', '.join(nodes)}], layouts: [{{gpus: {gpus}, layout: {layout}}}]}}\n"
    )


def test_what_nodes_have_is_kept_where_the_demand_fits() -> None:
    tree = spec(pool("gpu", "h100-80gb", 2, 2, partition=wishes()), workloads=[slices("a", "1g.10gb", 5), work("b", {"memory": "9Gi"})])
    made = compiled(tree, now("gpu-1"))
    found = laid(made)

    assert (found.changes, found.changed, found.known) == (0, (), 1)
    assert next(one for one in found.nodes if one.nodes == ("gpu-1",)).cuts[0].parts == (("1g.10gb", 7),)
    assert placed(made) == {"a": 5, "b": 1}


def test_nodes_that_must_be_cut_anew_are_named() -> None:
    tree = spec(pool("gpu", "h100-80gb", 2, 1, partition=wishes()), workloads=[slices("a", "3g.40gb", 3)])
    made = compiled(tree, now("gpu-0"))
    (found,) = (one for one in made.diagnostics if one.rule.code == "FL212")

    assert laid(made).changed == ("gpu-0",)
    assert found.message == "gpu-0 of pool gpu must be cut anew: pods on those cards must go first"
    assert "kubectl drain gpu-0" in found.help


@pytest.mark.parametrize(("card", "said"), [("a100-80gb", "ampere cards are reset"), ("h100-80gb", "no card is reset")])
def test_the_generation_says_what_a_change_does_to_the_card(card: str, said: str) -> None:
    tree = spec(pool("gpu", card, 2, 1, partition=wishes()), workloads=[slices("a", "3g.40gb", 3)])
    (found,) = (one for one in compiled(tree, now("gpu-0")).diagnostics if one.rule.code == "FL212")

    assert said in found.note


def test_what_compile_writes_is_what_the_next_compile_starts_from() -> None:
    workloads = [slices("a", "1g", 9), work("b", {"memory": "20Gi"}, replicas=3), work("c", {"vendor": "nvidia", "count": 2})]
    first = compiled(spec(pool("gpu", "h100-80gb", 4, 2, partition=AUTO), workloads=workloads))
    again = compiled(spec(pool("gpu", "h100-80gb", 4, 2, partition=wishes()), workloads=workloads), first.files["layouts.yaml"])
    less = compiled(spec(pool("gpu", "h100-80gb", 4, 2, partition=wishes()), workloads=workloads[:2]), first.files["layouts.yaml"])

    assert again.files["layouts.yaml"] == first.files["layouts.yaml"]
    assert (laid(again).known, laid(again).changes, laid(less).changes) == (2, 0, 0)


def test_a_changed_demand_recuts_as_few_nodes_as_can_be() -> None:
    tree = spec(pool("gpu", "h100-80gb", 2, 3, partition=wishes()), workloads=[slices("a", "1g.10gb", 14), slices("b", "3g.40gb", 4)])
    made = compiled(tree, now("gpu-0", "gpu-1", "gpu-2"))

    assert laid(made).changes == 1
    assert placed(made) == {"a": 14, "b": 4}


@pytest.mark.parametrize(
    ("text", "code", "line", "message"),
    [
        (now("gpu-9"), "FL217", 5, "the spec has no node gpu-9 in pool gpu, so what this file says of it does not count"),
        (now("gpu-0", name="gpus"), "FL217", 5, "the spec has no pool gpus, so what this file says of it does not count"),
        (now("gpu-0", layout="{1g.5gb: 7}"), "FL201", 5, "h100-80gb has no MIG profile 1g.5gb"),
        (now("gpu-0", layout="{1g.10gb: 8}"), "FL202", 5, "8 x 1g.10gb do not fit one h100-80gb"),
        (now("gpu-0", gpus="[0, 2]"), "FL203", 5, "pool gpu has 2 cards a node, there is no card 2"),
        (now("gpu-0", "gpu-0"), "FL011", 5, "the layout of gpu-0 is there twice"),
        ("kind: Cluster\napiVersion: fourleaf.dev/v1\n", "FL007", 1, "kind is Cluster, not Layouts"),
        (now("gpu-0").replace("layouts:", "layout:"), "FL003", 5, "has no field layout"),
    ],
)
def test_what_is_wrong_with_the_file_has_its_place_there(text: str, code: str, line: int, message: str) -> None:
    made = compiled(spec(pool("gpu", "h100-80gb", 2, 1, partition=wishes()), workloads=[slices("a", "1g.10gb", 1)]), text)
    found = next(one for one in made.diagnostics if one.rule.code == code)

    assert found.span
    assert (found.span.file, found.span.line) == ("layouts.yaml", line)
    assert message in found.message


def test_headroom_is_no_reason_to_cut_a_node_anew() -> None:
    tree = spec(pool("gpu", "h100-80gb", 1, 1, partition=wishes(headroom="10%")), workloads=[slices("a", "1g.10gb", 7)])
    made = compiled(tree, now("gpu-0", gpus="[0]"))

    assert (laid(made).changes, laid(made).has_headroom) == (0, False)
    assert codes(made) == ["FL218"]


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
