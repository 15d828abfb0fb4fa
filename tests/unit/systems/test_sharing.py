"""Shares of a card: what they offer, and the plugin's configuration of each pool."""

import pytest
from clusters import at, lowered, planned, pool, workload
from msgspec.structs import replace
from specs import Tree, codes, compiled, spec
from specs import pool as tree_pool

from fourleaf.diag import Diagnostic
from fourleaf.ir import Cut, Document, Origin, Partition, Plan, Pool, Supply
from fourleaf.resolve.inventory import Workload
from fourleaf.systems import SYSTEMS

GIB = 2**30
SYSTEM = {"timeSlicing": "time-slicing", "mps": "mps"}


def shared(made: Pool, form: str, replicas: int) -> Pool:
    return replace(made, partition=Partition(forms=(form,), replicas=replicas, origin=Origin(made.at("partition", form))))


def cluster(*pools: Pool, workloads: tuple[Workload, ...] = ()) -> Plan:
    return planned(*pools, workloads=workloads, allocation={"nvidia": "operator"})


def infer(form: str, replicas: int, card: str = "l4", name: str = "infer") -> Pool:
    return shared(pool(name, (card, 2), nodes=[f"{name}-1"]), form, replicas)


def slices(replicas: int, name: str = "cut") -> Pool:
    """Return a pool of two cards: one in slices of two profiles that are shared, one whole."""
    made = pool(name, ("h100-80gb", 2), nodes=[f"{name}-1"])
    cuts = (Cut((0,), (("1g.10gb", 3), ("2g.20gb", 2))), Cut((1,), ()))
    origin = Origin(made.at("partition", "mig"))
    return replace(made, partition=Partition(forms=("mig", "timeSlicing"), cuts=cuts, replicas=replicas, origin=origin))


def found(made: Plan, form: str) -> list[Diagnostic]:
    component = next(one for one in made.components if one.system == SYSTEM[form])
    return list(SYSTEMS[SYSTEM[form]].check(made, component))


def offered(made: Plan) -> Supply:
    (supply,) = made.supplies
    return supply


def test_a_time_slice_is_a_share_of_the_cards_time_with_all_of_its_memory() -> None:
    supply = offered(cluster(infer("timeSlicing", 4)))
    assert (supply.resource.name, supply.unit, supply.per_node) == ("nvidia.com/gpu.shared", "share", 8)
    assert (supply.portion, supply.memory_bytes) == (0.25, 24 * GIB)


def test_mps_divides_the_memory_too() -> None:
    supply = offered(cluster(infer("mps", 4)))
    assert (supply.portion, supply.memory_bytes, supply.per_node) == (0.25, 6 * GIB, 8)


def test_slices_of_a_cut_pool_are_shared_and_its_whole_cards_are_not() -> None:
    supplies = {supply.resource.name: supply for supply in cluster(slices(4)).supplies}
    assert {name: (supply.unit, supply.per_node, supply.memory_bytes // GIB) for name, supply in supplies.items()} == {
        "nvidia.com/gpu": ("card", 1, 80),
        "nvidia.com/mig-1g.10gb.shared": ("share", 12, 10),
        "nvidia.com/mig-2g.20gb.shared": ("share", 8, 20),
    }
    share = supplies["nvidia.com/mig-1g.10gb.shared"]
    assert (share.portion, share.profile) == (pytest.approx(1 / 7 / 4), "1g.10gb")


def test_the_plugin_is_told_of_each_profile_that_is_shared_and_of_no_card() -> None:
    bundle = lowered(cluster(slices(4)))
    (config,) = (made for made in bundle.objects if made.name.startswith("fourleaf-device-plugin-"))
    names = [{"name": f"nvidia.com/mig-{profile}", "replicas": 4} for profile in ("1g.10gb", "2g.20gb")]
    shares = {"renameByDefault": True, "failRequestsGreaterThanOne": True, "resources": names}
    assert at(config.body, "data") == {"cut": Document({"version": "v1", "sharing": {"timeSlicing": shares}})}
    (rule,) = (made for made in bundle.objects if made.kind == "NodeFeatureRule")
    (one,) = at(rule.body, "spec", "rules")  # type: ignore[misc, union-attr]
    assert at(one, "labels") == {"nvidia.com/device-plugin.config": "cut", "nvidia.com/mig.config": "cut"}


def test_pools_of_both_kinds_share_one_map_with_a_configuration_each() -> None:
    bundle = lowered(cluster(infer("mps", 4, name="a"), infer("timeSlicing", 2, name="b"), pool("c", ("l4", 1), nodes=["c-1"])))
    (config,) = (made for made in bundle.objects if made.name.startswith("fourleaf-device-plugin-"))
    data = at(config.body, "data")
    shares = {"renameByDefault": True, "failRequestsGreaterThanOne": True}
    assert data == {
        "a": Document({"version": "v1", "sharing": {"mps": {**shares, "resources": [{"name": "nvidia.com/gpu", "replicas": 4}]}}}),
        "b": Document({"version": "v1", "sharing": {"timeSlicing": {**shares, "resources": [{"name": "nvidia.com/gpu", "replicas": 2}]}}}),
    }
    (chart,) = (chart for chart in bundle.charts if chart.name == "gpu-operator")
    assert at(chart.values, "devicePlugin", "config") == {"name": config.name}


def test_only_nodes_of_sharing_pools_are_told_a_configuration() -> None:
    bundle = lowered(cluster(infer("mps", 4, name="a"), pool("c", ("l4", 1), nodes=["c-1"])))
    (rule,) = (made for made in bundle.objects if made.kind == "NodeFeatureRule")
    assert [at(one, "labels") for one in at(rule.body, "spec", "rules")] == [{"nvidia.com/device-plugin.config": "a"}]  # type: ignore[arg-type, union-attr]


def test_pods_ask_for_a_share_by_its_own_name() -> None:
    (binding,) = lowered(cluster(infer("timeSlicing", 4), workloads=(workload("llm", vendor="nvidia"),))).bindings
    assert binding.requests == {"nvidia.com/gpu.shared": 1}


def test_mps_stands_beside_a_layout_that_leaves_all_cards_whole() -> None:
    made = compiled(spec(tree_pool("a", "l4", partition={"mps": {"replicas": 4}}), whole("b")))
    assert codes(made) == []
    (chart,) = (chart for chart in made.bundle.charts if chart.name == "gpu-operator") if made.bundle else ()
    assert "mig" not in chart.values


def whole(name: str) -> Tree:
    return tree_pool(name, "h100-80gb", partition={"mig": {"layout": "none"}})


def test_mps_beside_cut_cards_that_are_claimed_is_one_finding() -> None:
    cut = tree_pool("b", "h100-80gb", partition={"mig": {"profile": "1g.10gb"}})
    made = compiled(spec(tree_pool("a", "l4", partition={"mps": {"replicas": 4}}), cut, policy={"allocation": "dra"}))
    assert codes(made) == ["FL360"]


def test_mps_stands_in_no_cluster_with_cut_cards() -> None:
    (one,) = found(cluster(infer("mps", 4), slices(2)), "mps")
    assert (one.rule.code, one.place[-2:], one.help) == ("FL263", ("partition", "mps"), "write `timeSlicing: {replicas: 4}`")


def test_memory_of_a_slice_that_every_share_could_take_is_a_warning() -> None:
    made = cluster(slices(4), workloads=(replace(slice_of(6), name="llm"), slice_of(2)))
    (one,) = found(made, "timeSlicing")
    assert (one.rule.code, one.message) == ("FL262", "llm wants 6Gi of a slice with 10Gi that 4 may share")
    assert one.help == "write 2.5Gi or less, or take `timeSlicing` out"


def test_a_part_of_memory_is_said_in_round_numbers() -> None:
    made = cluster(slices(3), workloads=(slice_of(6),))
    assert [one.help for one in found(made, "timeSlicing")] == ["write 3.3Gi or less, or take `timeSlicing` out"]


def slice_of(memory: int) -> Workload:
    made = workload("small", memory=memory * GIB)
    return replace(made, want=replace(made.want, units=("slice", "share", "card")))


@pytest.mark.parametrize("form", ["timeSlicing", "mps"])
def test_more_than_one_share_for_a_pod_is_an_error(form: str) -> None:
    made = cluster(infer(form, 10), workloads=(workload("trt", vendor="nvidia", count=10),))
    (one,) = found(made, form)
    assert (one.rule.code, one.message) == ("FL261", "maximum request size for shared resources is 1; found 10 in workload trt")


@pytest.mark.parametrize(
    ("card", "replicas", "wrong"), [("l4", 48, []), ("l4", 49, ["FL260"]), ("v100-16gb", 16, []), ("v100-16gb", 17, ["FL260"])]
)
def test_mps_takes_as_many_clients_as_the_card(card: str, replicas: int, wrong: list[str]) -> None:
    assert [one.rule.code for one in found(cluster(infer("mps", replicas, card)), "mps")] == wrong


def test_time_slices_are_not_counted_by_mps_clients() -> None:
    assert not found(cluster(infer("timeSlicing", 55)), "timeSlicing")


@pytest.mark.parametrize(("form", "memory", "wrong"), [("timeSlicing", 10, ["FL262"]), ("timeSlicing", 6, []), ("mps", 6, [])])
def test_memory_that_every_share_could_take_is_a_warning(form: str, memory: int, wrong: list[str]) -> None:
    made = cluster(infer(form, 4), workloads=(workload("llm", memory=memory * GIB),))
    assert [one.rule.code for one in found(made, form)] == wrong


@pytest.mark.parametrize(
    ("form", "replicas", "wrong"), [("timeSlicing", 55, []), ("timeSlicing", 56, ["FL265"]), ("mps", 48, []), ("mps", 56, ["FL260"])]
)
def test_shares_that_a_node_runs_no_pods_for_are_a_warning(form: str, replicas: int, wrong: list[str]) -> None:
    assert [one.rule.code for one in found(cluster(infer(form, replicas)), form)] == wrong


def test_where_two_shares_are_too_many_they_are_not_to_be_shared() -> None:
    cards = shared(pool("gpu", ("l4", 60)), "timeSlicing", 2)
    assert [one.help.partition(", ")[0] for one in found(cluster(cards), "timeSlicing")] == ["write `partition: none`"]
    cut = tree_pool("gpu", "h100-80gb", 16, partition={"mig": {"profile": "1g.10gb", "timeSlicing": {"replicas": 2}}})
    (said,) = (one.help for one in compiled(spec(cut)).diagnostics if one.rule.code == "FL265")
    assert said == "take `timeSlicing` out, or write `maxPods` for pool gpu if its kubelets run more"


def test_few_shares_of_many_cards_are_counted_together() -> None:
    many = shared(pool("gpu", ("l4", 10)), "mps", 12)
    assert [one.help for one in found(cluster(many), "mps") if one.rule.code == "FL265"] == [
        "write 11 or less, or write `maxPods` for pool gpu if its kubelets run more"
    ]
