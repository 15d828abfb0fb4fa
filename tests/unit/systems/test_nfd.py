"""Labels by one rule for the pools that it can tell, by hand for the others."""

from clusters import at, chart_of, component, lowered, objects_of, planned, pool, workload

from fourleaf.ir import Object, Plan, Pool, Prerequisite
from fourleaf.systems import SYSTEMS
from fourleaf.systems.parts import node_label

NVIDIA = {"nvidia": "operator", "intel": "dra", "amd": "plugin"}


def cluster(*pools: Pool) -> Plan:
    return planned(*pools, workloads=[workload("llm", vendor="nvidia")], allocation=NVIDIA)


def rules(made: Plan, *labelled: str, key: str = "example.com/a") -> tuple[list[object], list[Prerequisite]]:
    """Return the rules, and what is left to a person, when some pools are to be labelled."""
    asks = [node_label(made.pool(name), key, name, "a test") for name in labelled]
    nfd = SYSTEMS["node-feature-discovery"]
    parts = list(nfd.lower(made, component(made, nfd.name), asks))
    made_rules = [part for part in parts if isinstance(part, Object)]
    todo = [part for part in parts if isinstance(part, Prerequisite)]
    return (list(at(made_rules[0].body, "spec", "rules")) if made_rules else []), todo  # type: ignore[call-overload]


def test_a_pool_is_told_by_the_names_of_its_nodes() -> None:
    made = cluster(pool("gpu", ("t4", 1), nodes=["b", "a"]))
    (rule,), todo = rules(made, "gpu")
    assert rule == {
        "name": "gpu",
        "labels": {"example.com/a": "gpu"},
        "matchFeatures": [{"feature": "system.name", "matchExpressions": {"nodename": {"op": "In", "value": ["a", "b"]}}}],
    }
    assert not todo


def test_a_pool_by_count_is_told_by_its_cards() -> None:
    made = cluster(pool("big", ("h100-80gb", 8), nodes=4), pool("small", ("t4", 1), nodes=2))
    (big, _), todo = rules(made, "big", "small")
    ids = {"vendor": {"op": "In", "value": ["10de"]}, "device": {"op": "In", "value": ["2330", "2331"]}}
    assert at(big, "matchFeatures") == [{"feature": "pci.device", "matchExpressions": ids}]  # type: ignore[arg-type]
    assert not todo


def test_two_pools_by_count_with_one_card_fall_to_a_person() -> None:
    made = cluster(pool("one", ("t4", 1), nodes=4), pool("two", ("t4", 1), nodes=2))
    found, todo = rules(made, "one", "two")
    assert not found
    assert [one.what for one in todo] == [
        "label example.com/a=one on the nodes of pool one",
        "label example.com/a=two on the nodes of pool two",
    ]


def test_a_rule_that_would_match_the_named_nodes_of_another_pool_is_not_written() -> None:
    made = cluster(pool("named", ("t4", 1), nodes=["a"]), pool("counted", ("t4", 1), nodes=2, labels={"size": "big"}))
    (rule,), (todo,) = rules(made, "named", "counted")
    assert at(rule, "name") == "named"  # type: ignore[arg-type]
    assert todo.command == "kubectl label node -l size=big example.com/a=counted --overwrite"


def test_a_second_card_tells_a_pool_from_one_that_has_only_the_first() -> None:
    made = cluster(pool("both", ("t4", 1), ("arc-b580", 1), nodes=2), pool("one", ("t4", 1), nodes=2))
    found, todo = rules(made, "both", "one")
    assert [at(rule, "name") for rule in found] == ["both"]  # type: ignore[arg-type]
    assert [one.what for one in todo] == ["label example.com/a=one on the nodes of pool one"]


def test_labels_of_one_pool_share_a_rule() -> None:
    made = cluster(pool("gpu", ("t4", 1), nodes=["a"]))
    nfd = SYSTEMS["node-feature-discovery"]
    asks = [node_label(made.pools[0], key, "x", "a test") for key in ("example.com/b", "example.com/a")]
    (rule,) = (part for part in nfd.lower(made, component(made, nfd.name), asks) if isinstance(part, Object))
    assert at(rule.body, "spec", "rules", 0, "labels") == {"example.com/a": "x", "example.com/b": "x"}


def test_its_worker_tolerates_the_taints_of_all_pools() -> None:
    taints = {"a": ["team=x:NoExecute"], "b": ["nvidia.com/gpu=present:NoSchedule", "soft=y:PreferNoSchedule"]}
    made = cluster(*(pool(name, ("t4", 1), nodes=[name], taints=taint) for name, taint in taints.items()))
    assert at(chart_of(made, "node-feature-discovery").values, "worker", "tolerations") == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "team", "operator": "Exists", "effect": "NoExecute"},
    ]


def test_without_labels_there_is_no_rule() -> None:
    assert not objects_of(cluster(pool("gpu", ("t4", 1))), "node-feature-discovery", "NodeFeatureRule")


def test_its_namespace_lets_the_worker_see_the_host() -> None:
    bundle = lowered(cluster(pool("gpu", ("t4", 1))))
    (namespace,) = (made for made in bundle.objects if made.kind == "Namespace" and made.name == "node-feature-discovery")
    assert namespace.labels == {"pod-security.kubernetes.io/enforce": "privileged"}
