"""What cut cards offer, and the layouts that the MIG manager is given."""

from collections.abc import Mapping, Sequence

import pytest
from clusters import asks_of, at, codes, component, lowered, objects_of, planned, pool, todo_of
from msgspec.structs import replace
from specs import codes as spec_codes
from specs import compiled, spec, work
from specs import pool as spec_pool

from fourleaf.ir import Cut, Document, Origin, Partition, Plan, Pool, Supply
from fourleaf.systems import SYSTEMS
from fourleaf.systems.mig import resource

NAME = "mig"
GIB = 2**30


def cut(made: Pool, *cuts: tuple[Sequence[int], Mapping[str, int]]) -> Pool:
    origin = Origin(made.at("partition", "mig"))
    return replace(
        made,
        partition=Partition(forms=("mig",), cuts=tuple(Cut(tuple(cards), tuple(layout.items())) for cards, layout in cuts), origin=origin),
    )


def cluster(*pools: Pool, distribution: str = "kubeadm") -> Plan:
    return planned(*pools, distribution=distribution, allocation={"nvidia": "operator"})


def h100(*cuts: tuple[Sequence[int], Mapping[str, int]], count: int = 8, os: str = "ubuntu-24.04") -> Pool:
    return cut(pool("dgx", ("h100-80gb", count), nodes=["dgx-1"], os=os), *cuts)


def offered(made: Plan) -> dict[str, Supply]:
    return {supply.resource.name: supply for supply in made.supplies}


def layouts(made: Plan) -> Mapping[str, object]:
    config = objects_of(made, NAME, "ConfigMap")["fourleaf-mig"]
    document = at(config.body, "data", "config.yaml")
    assert isinstance(document, Document)
    assert at(document.tree, "version") == "v1"
    return at(document.tree, "mig-configs")  # type: ignore[return-value]


# ---- supplies


def test_cut_cards_leave_the_whole_ones_and_slices_take_their_place() -> None:
    found = offered(cluster(h100(([4, 5, 6, 7], {"1g.10gb": 7}))))
    assert {name: supply.per_node for name, supply in found.items()} == {"nvidia.com/gpu": 4, "nvidia.com/mig-1g.10gb": 28}


def test_a_slice_says_what_it_is() -> None:
    found = offered(cluster(h100(([0], {"3g.40gb": 2}))))["nvidia.com/mig-3g.40gb"]
    assert (found.unit, found.memory_bytes, found.portion) == ("slice", 40 * GIB, 0.5)
    assert found.traits == {("vendor", "nvidia"), ("card", "h100-80gb"), ("profile", "3g.40gb"), ("family", "3g")}


def test_a_node_whose_cards_are_all_cut_offers_no_whole_card() -> None:
    assert list(offered(cluster(h100(([0, 1], {"7g.80gb": 1}), count=2)))) == ["nvidia.com/mig-7g.80gb"]


def test_slices_of_one_profile_on_cards_with_other_layouts_are_one_resource() -> None:
    found = offered(cluster(h100(([0], {"1g.10gb": 7}), ([1], {"1g.10gb": 1, "3g.40gb": 1}), count=2)))
    assert found["nvidia.com/mig-1g.10gb"].per_node == 8


def test_cards_that_stay_whole_beside_another_model_are_known_by_name() -> None:
    mixed = cut(pool("mix", ("a100-80gb", 1), ("t4", 2)), ([0], {"1g.10gb": 7}))
    whole = offered(cluster(mixed))["nvidia.com/gpu"]
    assert (whole.per_node, whole.memory_bytes) == (2, 16 * GIB)
    assert ("card", "t4") in whole.traits


@pytest.mark.parametrize(
    ("profile", "name"), [("1g.10gb+me", "mig-1g.10gb.me"), ("1g.24gb+me.all", "mig-1g.24gb.me.all"), ("1g.24gb-me", "mig-1g.24gb-me")]
)
def test_names_of_resources_are_those_of_the_device_plugin(profile: str, name: str) -> None:
    assert resource(profile) == f"nvidia.com/{name}"


# ---- layouts


def test_every_card_is_covered_once_and_the_layout_that_undoes_mig_is_there() -> None:
    assert layouts(cluster(h100(([4, 5, 6, 7], {"1g.10gb": 7})))) == {
        "all-disabled": [{"devices": "all", "mig-enabled": False}],
        "dgx": [
            {"devices": [0, 1, 2, 3], "mig-enabled": False},
            {"devices": [4, 5, 6, 7], "mig-enabled": True, "mig-devices": {"1g.10gb": 7}},
        ],
    }


def test_cards_cut_alike_are_all_devices() -> None:
    made = cluster(h100(([0, 1], {"3g.40gb": 2}), count=2))
    assert layouts(made)["dgx"] == [{"devices": "all", "mig-enabled": True, "mig-devices": {"3g.40gb": 2}}]


def test_two_models_in_one_node_are_told_by_their_ids() -> None:
    mixed = cut(pool("mix", ("a100-40gb", 1), ("t4", 1)), ([0], {"1g.5gb": 7}))
    assert layouts(cluster(mixed))["mix"] == [
        {"device-filter": ["0x20B010DE", "0x20B110DE", "0x20F110DE"], "devices": "all", "mig-enabled": True, "mig-devices": {"1g.5gb": 7}},
        {"device-filter": ["0x1EB810DE"], "devices": "all", "mig-enabled": False},
    ]


def test_operator_and_node_are_told_of_the_layout() -> None:
    bundle = lowered(cluster(h100(([0], {"1g.10gb": 7}))))
    (config,) = (made.name for made in bundle.objects if made.name.startswith("fourleaf-mig-"))
    (chart,) = (chart for chart in bundle.charts if chart.name == "gpu-operator")
    assert at(chart.values, "migManager", "config") == {"name": config, "default": ""}
    assert at(chart.values, "mig") == {"strategy": "mixed"}
    (rule,) = (made for made in bundle.objects if made.kind == "NodeFeatureRule")
    assert at(rule.body, "spec", "rules", 0, "labels") == {"nvidia.com/mig.config": "dgx"}


def test_cards_of_other_pools_that_could_be_cut_are_kept_whole() -> None:
    made = cluster(h100(([0], {"1g.10gb": 7})), pool("whole", ("h100-80gb", 8), nodes=["w"]), pool("small", ("t4", 1), nodes=["s"]))
    labels = asks_of(made, NAME, "node-label")
    assert {name: ask.value for name, ask in labels.items()} == {
        "dgx": {"nvidia.com/mig.config": "dgx"},
        "whole": {"nvidia.com/mig.config": "all-disabled"},
    }


def test_boards_with_a_display_are_prepared_by_a_person() -> None:
    made = cluster(cut(pool("pro", ("rtx-pro-6000", 1)), ([0], {"1g.24gb": 4})))
    (todo,) = todo_of(made, NAME)
    assert "display mode compute" in todo.text


# ---- hosts and drivers


def test_a_host_without_systemd_cannot_cut() -> None:
    assert codes(cluster(h100(([0], {"1g.10gb": 7}), os="talos-1.13")), NAME) == ["FL250"]


def test_modules_that_hold_a_card_are_not_loaded_where_it_is_cut() -> None:
    (todo,) = (one for one in lowered(cluster(h100(([0], {"1g.10gb": 7}), os="talos-1.13"))).prerequisites if "Talos" in one.what)
    assert "name: nvidia_uvm" in todo.text
    assert "nvidia_drm" not in todo.text


@pytest.mark.parametrize(
    ("card", "distribution", "restarts"),
    [("a100-80gb", "eks", True), ("h100-80gb", "eks", False), ("a100-80gb", "kubeadm", False), ("h100-80gb", "gke", True)],
)
def test_clouds_restart_nodes_for_ampere_and_gke_for_all(card: str, distribution: str, restarts: bool) -> None:
    made = cluster(cut(pool("gpu", (card, 1)), ([0], {"1g.10gb": 7})), distribution=distribution)
    assert bool(asks_of(made, NAME, "mig-reboot")) is restarts
    assert ("FL251" in codes(made, NAME)) is restarts


def test_one_model_cut_in_two_ways_beside_another_is_an_error() -> None:
    assert codes(cluster(cut(pool("mix", ("a100-40gb", 2), ("t4", 1)), ([0], {"1g.5gb": 7}))), NAME) == ["FL252"]
    assert codes(cluster(cut(pool("mix", ("a100-40gb", 2), ("t4", 1)), ([0, 1], {"1g.5gb": 7}))), NAME) == []


@pytest.mark.parametrize(("cards", "wrong"), [([0], ["FL253"]), ([0, 1], [])])
def test_some_drivers_hide_whole_cards_beside_slices(cards: list[int], wrong: list[str]) -> None:
    made = pool("dgx", ("h100-80gb", 2), driver={"owner": "operator", "version": "570.133.20"})
    assert codes(cluster(cut(made, (cards, {"1g.10gb": 7}))), NAME) == wrong


# ---- what the operator's version knows


def of_version(version: str, *cuts: tuple[Sequence[int], Mapping[str, int]], cards: Sequence[str] = ("rtx-pro-4500",)) -> list[str]:
    made = cut(pool("gpu", *((card, 1) for card in cards)), *cuts)
    return codes(planned(made, allocation={"nvidia": "operator"}, pins={"gpu-operator": version} if version else {}), NAME)


@pytest.mark.parametrize("profile", ["1g.16gb+gfx", "1g.16gb+me.all", "1g.16gb-me"])
def test_an_operator_makes_no_variant_that_is_younger_than_it(profile: str) -> None:
    layout = ([0], {profile: 1})
    assert [of_version(version, layout) for version in ("v24.9.2", "v25.3.1", "v25.3.3", "v25.10.1", "")] == [
        ["FL254"],
        ["FL254"],
        [],
        [],
        [],
    ]


def test_profiles_of_the_first_operators_are_known_to_all() -> None:
    assert of_version("v24.9.2", ([0], {"1g.10gb": 2, "1g.10gb+me": 1, "1g.20gb": 1}), cards=["h100-80gb"]) == []


def test_one_operator_fails_at_cards_with_variants_whatever_their_layout() -> None:
    assert of_version("v25.3.2", ([0], {"1g.16gb": 2})) == ["FL254"]
    assert of_version("v25.3.2", ([0], {"1g.10gb": 7}), cards=["h100-80gb"]) == []
    assert of_version("v25.3.1", ([0], {"1g.16gb": 2})) == []


def test_a_name_of_two_slices_in_a_node_takes_an_operator_that_looks_at_each_card() -> None:
    two, layout = ["a100-40gb", "a100-80gb"], ([0, 1], {"1g.10gb": 4})
    assert [of_version(version, layout, cards=two) for version in ("v26.3.3", "v26.7.0")] == [["FL254"], []]
    assert of_version("v26.3.3", ([1], {"2g.20gb": 1}), cards=two) == []


def test_a_layout_beyond_the_operator_names_profile_card_and_pin() -> None:
    made = planned(
        cut(pool("gpu", ("rtx-pro-4500", 1)), ([0], {"1g.16gb-me": 1})), allocation={"nvidia": "dra"}, pins={"gpu-operator": "v25.3.1"}
    )
    (found,) = (one for one in SYSTEMS[NAME].check(made, component(made, NAME)) if one.rule.code == "FL254")
    assert found.message == "gpu-operator v25.3.1 does not know profile 1g.16gb-me of rtx-pro-4500 in pool gpu"
    assert found.place == ("spec", "pools", "gpu", "partition", "mig")
    assert [label.place for label in found.labels] == [("spec", "stack", "gpu-operator", "version")]


def test_computed_layouts_are_held_to_the_operator_too() -> None:
    tree = spec(
        spec_pool("gpu", "rtx-pro-4500", partition={"mig": "auto"}),
        workloads=[work("render", {"mig": "1g.16gb+gfx"})],
        stack={"gpu-operator": {"version": "v25.3.1"}},
    )
    assert "FL254" in spec_codes(compiled(tree))
