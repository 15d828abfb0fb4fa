"""AMD's cards in modes: what the nodes offer, what the operator and its Device Config Manager are told, and what a person does."""

import json
from typing import Any

import pytest
from specs import Tree, codes, compiled, pool, spec, work

from fourleaf.ir import Supply
from fourleaf.pipeline import Compilation

GIB = 2**30


def lab(modes: Any = "cpx_nps4", card: str = "mi300x", count: int = 8, *more: Tree, **pool_more: Any) -> Compilation:
    return compiled(spec(pool("mi", card, count, partition={"modes": modes}, **pool_more), *more))


def offered(made: Compilation) -> dict[str, Supply]:
    assert made.plan
    return {supply.resource.name: supply for supply in made.plan.supplies}


def made_of(made: Compilation, kind: str) -> dict[str, Any]:
    assert made.bundle
    return {part.name: part.body for part in made.bundle.objects if part.kind == kind}


def profiles(made: Compilation) -> dict[str, Any]:
    ((_, body),) = made_of(made, "ConfigMap").items()
    found: dict[str, Any] = json.loads(body["data"]["config.json"])
    return found["gpu-config-profiles"]  # type: ignore[no-any-return]


# ---- what nodes offer


# https://github.com/ROCm/k8s-device-plugin/blob/v1.31.0.10/cmd/k8s-device-plugin/main.go, getResourceList under `mixed`
@pytest.mark.parametrize(
    ("modes", "counts"),
    [
        ("cpx_nps4", {"amd.com/cpx_nps4": 64}),
        ("spx_nps1", {"amd.com/spx_nps1": 8}),
        ({"spx_nps1": 5, "cpx_nps1": 3}, {"amd.com/spx_nps1": 5, "amd.com/cpx_nps1": 24}),
        ("CPX_NPS4", {"amd.com/cpx_nps4": 64}),
    ],
)
def test_parts_are_offered_under_the_name_of_their_mode(modes: Any, counts: dict[str, int]) -> None:
    assert {name: supply.per_node for name, supply in offered(lab(modes)).items()} == counts


def test_a_part_is_a_slice_of_compute_and_memory() -> None:
    part = offered(lab())["amd.com/cpx_nps4"]
    assert (part.unit, part.memory_bytes, part.portion) == ("slice", 24 * GIB, 1 / 8)
    assert {("card", "mi300x"), ("modes", "cpx_nps4")} <= part.traits


def test_a_card_of_one_part_is_whole() -> None:
    whole = offered(lab("spx_nps1"))["amd.com/spx_nps1"]
    assert (whole.unit, whole.memory_bytes, whole.portion) == ("card", 192 * GIB, 1)


def test_a_pool_without_modes_keeps_the_usual_name_beside_one_that_has_them() -> None:
    assert {*offered(lab("cpx_nps4", "mi300x", 8, pool("rest", "mi210", 2)))} == {"amd.com/cpx_nps4", "amd.com/gpu"}


@pytest.mark.parametrize(
    ("ask", "resource"),
    [
        ({"modes": "cpx_nps1"}, "amd.com/cpx_nps1"),
        ({"memory": "20Gi"}, "amd.com/cpx_nps1"),
        ({"fraction": 0.125}, "amd.com/cpx_nps1"),
        ({"fraction": 0.2}, "amd.com/spx_nps1"),
        ({"memory": "100Gi"}, "amd.com/spx_nps1"),
        ({"card": "mi300x"}, "amd.com/spx_nps1"),
        ({"vendor": "amd", "count": 2}, "amd.com/spx_nps1"),
    ],
)
def test_a_workload_gets_the_smallest_part_that_will_do(ask: Tree, resource: str) -> None:
    mi = pool("mi", "mi300x", 8, partition={"modes": {"spx_nps1": 5, "cpx_nps1": 3}})
    made = compiled(spec(mi, workloads=[work("w", ask)]))
    assert made.bundle
    assert [{*binding.requests} for binding in made.bundle.bindings] == [{resource}]


def test_whole_cards_that_are_all_in_parts_are_an_error_with_what_to_ask_for() -> None:
    made = compiled(spec(pool("mi", "mi300x", 8, partition={"modes": "cpx_nps4"}), workloads=[work("w", {"vendor": "amd"})]))
    (found,) = (one for one in made.diagnostics if one.rule.code == "FL216")
    assert "`gpu: {modes: cpx_nps4}`" in found.help


def test_parts_that_run_short_are_not_told_to_take_turns() -> None:
    made = compiled(spec(pool("mi", "mi300x", partition={"modes": "cpx_nps4"}), workloads=[work("w", {"modes": "cpx_nps4"}, replicas=9)]))
    (found,) = made.diagnostics
    assert (found.rule.code, found.help) == ("FL404", "write `replicas: 8`, or add nodes")


# ---- what is written


def test_a_profile_counts_every_card_of_a_node_once() -> None:
    (entries,) = (one["profiles"] for one in profiles(lab({"spx_nps1": 5, "cpx_nps1": 3})).values())
    assert [(one["computePartition"], one["memoryPartition"], one["numGPUsAssigned"]) for one in entries] == [
        ("CPX", "NPS1", 3),
        ("SPX", "NPS1", 5),
    ]


def test_the_order_of_modes_in_the_spec_changes_nothing() -> None:
    assert lab({"spx_nps1": 5, "cpx_nps1": 3}).files == lab({"cpx_nps1": 3, "spx_nps1": 5}).files


def test_a_device_config_names_profiles_and_naming_only_where_cards_are_in_parts() -> None:
    made = lab("cpx_nps4", "mi300x", 8, pool("rest", "mi300x", 8))
    parts, rest = (made_of(made, "DeviceConfig")[name]["spec"] for name in ("mi", "rest"))
    (config,) = made_of(made, "ConfigMap")

    assert parts["configManager"]["config"] == {"name": config}
    assert parts["devicePlugin"]["devicePluginArguments"] == {"resource_naming_strategy": "mixed"}
    assert "configManager" not in rest
    assert "devicePluginArguments" not in rest["devicePlugin"]


def test_no_device_config_lets_the_operator_build_a_driver() -> None:
    """The definition's default is true: api/v1alpha1 of ROCm/gpu-operator v1.5.1."""
    made = lab("cpx_nps4", "mi300x", 8, pool("rest", "mi210", 2))
    assert [body["spec"]["driver"] for body in made_of(made, "DeviceConfig").values()] == [{"enable": False}] * 2


def test_every_image_is_pinned() -> None:
    (body,) = made_of(lab(), "DeviceConfig").values()
    images = [body["spec"]["devicePlugin"]["devicePluginImage"], body["spec"]["configManager"]["image"]]
    assert all(not image.endswith(":latest") and ":" in image for image in images)


def test_the_plugin_does_not_outlive_the_taint_under_which_cards_are_partitioned() -> None:
    """It would keep what was there before: https://github.com/ROCm/gpu-operator/issues/382"""
    (body,) = made_of(lab(taints=[{"key": "team", "effect": "NoExecute"}]), "DeviceConfig").values()
    assert [one["key"] for one in body["spec"]["devicePlugin"]["devicePluginTolerations"]] == ["amd.com/gpu", "team"]


def test_discovery_stays_on_a_node_whose_cards_are_partitioned() -> None:
    """Without its worker a node loses the label that chooses the profile, in the middle of it."""
    made = lab()
    assert made.bundle
    (discovery,) = (chart for chart in made.bundle.charts if chart.name == "node-feature-discovery")
    tolerations: Any = discovery.values["worker"]
    assert {"key": "amd-dcm", "operator": "Equal", "value": "up", "effect": "NoExecute"} in tolerations["tolerations"]


def test_a_node_is_told_its_pool_and_its_profile() -> None:
    (body,) = made_of(lab(), "NodeFeatureRule").values()
    (rule,) = body["spec"]["rules"]
    assert rule["labels"] == {"dcm.amd.com/gpu-config-profile": "mi", "fourleaf.dev/pool": "mi"}
    assert [*profiles(lab())] == ["mi"]


def test_nodes_that_labels_tell_are_selected_by_these() -> None:
    made = compiled(
        spec({"name": "mi", "os": "ubuntu-24.04", "count": 2, "labels": {"rack": "b"}, "gpus": [{"card": "mi300x", "count": 8}],
              "partition": {"modes": "cpx_nps4"}})
    )  # fmt: skip
    (body,) = made_of(made, "DeviceConfig").values()
    assert body["spec"]["selector"] == {"rack": "b"}


def counted(name: str, card: str, labels: Tree, **more: Any) -> Tree:
    return {"name": name, "os": "ubuntu-24.04", "count": 2, "labels": labels, "gpus": [{"card": card, "count": 4}], **more}


@pytest.mark.parametrize(
    "other",
    [
        counted("b", "mi210", {"role": "gpu"}),
        counted("b", "h100-80gb", {"role": "gpu", "x": "y"}),
        {"name": "b", "os": "ubuntu-24.04", "nodes": ["n9"], "labels": {"role": "gpu"}, "gpus": [{"card": "mi210"}]},
    ],
    ids=["the same labels", "more labels, of another vendor", "names"],
)
def test_labels_that_other_pools_carry_too_select_nothing(other: Tree) -> None:
    made = compiled(spec(counted("mi", "mi300x", {"role": "gpu"}, partition={"modes": "cpx_nps4"}), other))
    assert codes(made) == []
    selectors = [body["spec"]["selector"] for body in made_of(made, "DeviceConfig").values()]
    assert {"role": "gpu"} not in selectors
    assert made.bundle
    assert not [todo for todo in made.bundle.prerequisites if "-l role=gpu" in todo.text + todo.command]


def test_pools_of_the_same_cards_with_labels_of_each_other_are_not_told_apart() -> None:
    fewer = counted("mi", "mi300x", {"role": "gpu"}, partition={"modes": "cpx_nps4"})
    assert codes(compiled(spec(fewer, counted("b", "mi300x", {"role": "gpu", "x": "y"})))) == ["FL412"]


def test_nodes_that_nothing_tells_are_a_persons_to_name() -> None:
    tree = counted("mi", "mi300x", {}, partition={"modes": "cpx_nps4"})
    made = compiled(spec(tree))
    assert made.bundle
    (todo,) = (one for one in made.bundle.prerequisites if "free of pods" in one.what)
    assert "kubectl taint nodes <each node of pool mi> amd-dcm=up:NoExecute" in todo.text


def test_the_kubelet_of_a_distribution_is_found() -> None:
    tree = spec(pool("mi", "mi300x", 8, partition={"modes": "cpx_nps4"}))
    tree["spec"]["kubernetes"]["distribution"] = "k0s"
    (body,) = made_of(compiled(tree), "DeviceConfig").values()
    assert body["spec"]["devicePlugin"]["kubeletSocketPath"] == "/var/lib/k0s/kubelet/device-plugins"


def test_a_person_frees_the_nodes_and_waits_for_the_manager() -> None:
    made = lab()
    assert made.bundle
    (todo,) = (one for one in made.bundle.prerequisites if "free of pods" in one.what)
    assert "kubectl taint nodes mi-0 amd-dcm=up:NoExecute --overwrite" in todo.text
    assert r"{.metadata.labels.dcm\.amd\.com/gpu-config-profile-state}'=success" in todo.text


# ---- who is installed


def test_the_operator_comes_only_where_cards_are_in_modes() -> None:
    def systems(made: Compilation) -> set[str]:
        assert made.plan
        return {component.system for component in made.plan.components}

    whole = compiled(spec(pool("mi", "mi300x", 8), pool("gpu", "l40s", 2)))
    assert "amd-device-plugin" in systems(whole)
    assert "amd-gpu-operator" not in systems(whole)
    beside = compiled(spec(pool("mi", "mi300x", 8, partition={"modes": "cpx_nps4"}), pool("gpu", "l40s", 2)))
    assert {"amd-gpu-operator", "device-config-manager", "gpu-operator"} <= systems(beside)
    assert "amd-device-plugin" not in systems(beside)


def test_the_chart_brings_nothing_that_another_system_has() -> None:
    made = lab()
    assert made.bundle
    values = next(chart.values for chart in made.bundle.charts if chart.release == "amd-gpu-operator")
    off: Any = [values["node-feature-discovery"], values["kmm"], values["remediation"]]
    assert [one["enabled"] for one in off] == [False] * 3


# ---- mistakes


@pytest.mark.parametrize(
    ("modes", "card", "count", "code"),
    [
        ("cpx_nps4", "mi210", 4, "FL230"),
        ("cpx_nps8", "mi300x", 8, "FL231"),
        ({"cpx_nps1": 3, "spx_nps9": 5}, "mi300x", 8, "FL231"),
        ({"cpx_nps1": 9}, "mi300x", 8, "FL232"),
        ({"cpx_nps1": 3}, "mi300x", 8, "FL232"),
        ({"cpx_nps4": 3, "cpx_nps1": 5}, "mi300x", 8, "FL233"),
        ("tpx_nps1", "mi300a", 4, "FL236"),
        ("qpx_nps1", "mi300x", 8, "FL237"),
        ("cpx_nps1", "mi325x", 8, "FL237"),
        ({"cpx_nps1": 2, "spx_nps1": 2}, "mi300a", 4, "FL238"),
    ],
)
def test_a_mode_that_cannot_be_or_is_not_tried_is_said(modes: Any, card: str, count: int, code: str) -> None:
    assert codes(lab(modes, card, count)) == [code]


def test_every_model_of_a_node_is_judged() -> None:
    tree = {"name": "mi", "os": "ubuntu-24.04", "nodes": ["a"], "gpus": [{"card": "mi300x", "count": 4}, {"card": "mi325x", "count": 4}]}
    made = compiled(spec({**tree, "partition": {"modes": "cpx_nps4"}}))
    (found,) = made.diagnostics
    assert "cpx_nps4 of mi325x; it says so of none but spx_nps1" in found.message
    assert offered(made)["amd.com/cpx_nps4"].per_node == 64


def test_parts_of_models_that_differ_are_one_resource_of_the_smallest() -> None:
    tree = {"name": "mi", "os": "ubuntu-24.04", "nodes": ["a"], "gpus": [{"card": "mi300x", "count": 4}, {"card": "mi300a", "count": 4}]}
    made = compiled(spec({**tree, "partition": {"modes": "cpx_nps1"}}))
    assert "FL183" not in codes(made)
    part = offered(made)["amd.com/cpx_nps1"]
    assert (part.per_node, part.portion) == (56, 1 / 8)


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"stack": {"amd-gpu-operator": {"version": "v1.4.1"}}}, "FL241"),
        ({"stack": {"amd-gpu-operator": {"values": {"deviceConfig": {"spec": {}}}}}}, "FL242"),
    ],
)
def test_what_the_chart_is_told_in_vain_is_said(more: Tree, code: str) -> None:
    assert code in codes(compiled(spec(pool("mi", "mi300x", 8, partition={"modes": "cpx_nps4"}), **more)))


def test_the_manager_is_of_the_operators_version() -> None:
    made = compiled(spec(pool("mi", "mi300x", 8, partition={"modes": "cpx_nps4"}), stack={"amd-gpu-operator": {"version": "v1.5.0"}}))
    (body,) = made_of(made, "DeviceConfig").values()
    assert body["spec"]["configManager"]["image"] == "docker.io/rocm/device-config-manager:v1.5.0"


def test_the_taint_under_which_cards_are_partitioned_is_not_declared() -> None:
    assert codes(lab(taints=[{"key": "amd-dcm", "value": "up", "effect": "NoExecute"}])) == ["FL240"]


def test_modes_are_no_way_of_cards_of_others() -> None:
    assert codes(lab("cpx_nps4", "h100-80gb")) == ["FL204"]


def test_claims_cannot_be_made_of_modes() -> None:
    tree = spec(pool("mi", "mi300x", 8, partition={"modes": "cpx_nps4"}), policy={"allocation": "dra"})
    assert codes(compiled(tree)) == ["FL902"]


@pytest.mark.parametrize(("os", "found"), [("ubuntu-22.04", []), ("debian-12", ["FL235"])])
def test_the_manager_is_documented_for_some_hosts(os: str, found: list[str]) -> None:
    assert codes(lab(os=os)) == found
