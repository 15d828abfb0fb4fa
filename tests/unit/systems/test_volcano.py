import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clusters import at, chart_of, codes, component, lowered, objects_of, planned, pool, tenant, workload

from fourleaf.ir import Document, Plan, Ref, Resource
from fourleaf.kube.definitions import record as definition
from fourleaf.systems.record import keys, record
from fourleaf.systems.volcano import NAME, QUEUE, SYSTEM

GPU = Resource("amd.com/gpu", "device-plugin")
CLAIMED = Resource("gpu.intel.com", "dra")
SCIENCE = tenant("science", leaf=False, guaranteed=8, limit=16)
VISION = tenant("vision", parent="science", guaranteed=4, deserved=6, limit=8)
SPEECH = tenant("speech", parent="science", guaranteed=4)
VISION_ALONE = tenant("vision", guaranteed=4)


def campus(*tenants: Any, card: str = "mi300x", workloads: Any = (), **more: Any) -> Plan:
    """Two nodes of eight cards under Volcano."""
    return planned(pool("a", (card, 8), nodes=("n-1", "n-2")), tenants=tenants, workloads=workloads, scheduler=NAME, **more)


def queue(made: Plan, name: str) -> Any:
    return objects_of(made, NAME, "Queue")[name].body["spec"]


def configuration(made: Plan) -> Any:
    document = at(chart_of(made, NAME).values, "custom", "scheduler_config_override")
    assert isinstance(document, Document)
    return document.tree


def plugins(made: Plan) -> dict[str, Any]:
    return {plugin["name"]: plugin for tier in configuration(made)["tiers"] for plugin in tier["plugins"]}


# ---- queues


def test_a_tenant_is_a_queue_with_its_amounts_as_quantities() -> None:
    made = campus(SCIENCE, VISION, SPEECH)
    assert queue(made, "vision") == {
        "parent": Ref(QUEUE, "science"),
        "reclaimable": True,
        "guarantee": {"resource": {"amd.com/gpu": "4"}},
        "deserved": {"amd.com/gpu": "6"},
        "capability": {"amd.com/gpu": "8"},
    }


def test_a_guarantee_alone_is_deserved_too_since_the_webhook_wants_both() -> None:
    spec = queue(campus(SCIENCE, VISION, SPEECH), "speech")
    assert spec["guarantee"]["resource"] == spec["deserved"] == {"amd.com/gpu": "4"}
    assert "capability" not in spec


def test_a_parent_holds_what_its_children_have_together() -> None:
    spec = queue(campus(tenant("top", leaf=False), tenant("a", parent="top", guaranteed=3), tenant("b", parent="top", deserved=5)), "top")
    assert spec["parent"] == Ref(QUEUE, "root")
    assert spec["guarantee"]["resource"] == {"amd.com/gpu": "3"}
    assert spec["deserved"] == {"amd.com/gpu": "8"}


def test_every_queue_says_its_parent_and_survives_pruning() -> None:
    made = objects_of(campus(SCIENCE, VISION, SPEECH), NAME, "Queue")
    assert list(made) == ["science", "vision", "speech", "default"]
    assert all("parent" in one.body["spec"] and one.keep for one in made.values())


def test_claimed_devices_count_under_the_key_of_their_class() -> None:
    assert SYSTEM.amounts({GPU: 2, CLAIMED: 3}) == {"amd.com/gpu": 2, "deviceclass/gpu.intel.com": 3}
    spec = queue(campus(tenant("a", limit=5), card="arc-b580"), "a")
    assert spec["capability"] == {"deviceclass/gpu.intel.com": "5"}


def test_a_weight_is_not_written() -> None:
    assert "weight" not in queue(campus(tenant("a", deserved=2, weight=3)), "a")


# ---- the guard


def test_pods_without_a_queue_get_no_gpu_where_every_workload_has_one() -> None:
    made = campus(VISION_ALONE, workloads=[workload("w", vendor="amd", tenant="vision")])
    assert made.queues[-1].guard
    assert queue(made, "default") == {"parent": Ref(QUEUE, "root"), "reclaimable": True, "capability": {"amd.com/gpu": "0"}}


def test_one_workload_without_a_tenant_leaves_the_default_queue_open() -> None:
    wants = [workload("w", vendor="amd", tenant="vision"), workload("x", vendor="amd")]
    assert "default" not in objects_of(campus(VISION_ALONE, workloads=wants), NAME, "Queue")


def test_without_tenants_there_is_no_guard() -> None:
    assert objects_of(campus(workloads=[workload("w", vendor="amd")]), NAME, "Queue") == {}


def test_a_limit_of_no_claimed_devices_would_be_none_so_the_guard_leaves_them_out() -> None:
    assert "default" not in objects_of(campus(VISION_ALONE, card="arc-b580"), NAME, "Queue")


def test_the_default_queue_has_one_owner() -> None:
    default = Ref(QUEUE, "default")
    guarded = campus(VISION_ALONE)
    assert default not in {item.ref for item in chart_of(guarded, NAME).provides}
    assert default in {item.ref for item in chart_of(campus(), NAME).provides}


# ---- the chart


def test_the_configuration_is_the_one_that_honours_a_tree_of_queues() -> None:
    made = campus(SCIENCE, VISION, SPEECH)
    assert {"reclaim", "enqueue", "allocate"} <= set(configuration(made)["actions"].split(", "))
    assert plugins(made)["capacity"] == {"name": "capacity", "enableHierarchy": True}
    assert "proportion" not in plugins(made)


def test_gpus_are_packed_by_the_names_that_nodes_advertise() -> None:
    assert plugins(campus())["binpack"]["arguments"] == {
        "binpack.weight": 10,
        "binpack.resources": "amd.com/gpu",
        "binpack.resources.amd.com/gpu": 10,
    }
    assert plugins(campus(card="arc-b580"))["binpack"] == {"name": "binpack"}


def test_names_of_plugins_and_actions_are_those_that_the_scheduler_knows() -> None:
    # pkg/scheduler/plugins/factory.go and actions/factory.go of volcano-sh/volcano v1.15.0; an unknown one is skipped in silence.
    known = {"drf", "gang", "predicates", "priority", "nodeorder", "conformance", "binpack", "capacity"}
    assert set(plugins(campus())) <= known
    actions = configuration(campus())["actions"].split(", ")
    assert set(actions) <= {"enqueue", "allocate", "backfill", "preempt", "reclaim", "shuffle"}


def test_chart_release_and_values_are_those_of_the_record() -> None:
    chart = chart_of(campus(), NAME)
    assert (chart.name, chart.release, chart.namespace) == ("volcano", "volcano", "volcano-system")
    assert chart.version == record(NAME).version
    assert set(at(chart.values, "custom")) <= set(keys(NAME, chart.version)["custom"])


# ---- workloads


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "Job", "DaemonSet"])
def test_queue_goes_on_the_pods_and_the_gangs_size_on_their_owner(kind: str) -> None:
    wants = [workload("w", kind=kind, vendor="amd", replicas=4, gang=4, tenant="vision")]
    (binding,) = lowered(campus(VISION_ALONE, workloads=wants)).bindings
    assert binding.scheduler == "volcano"
    assert binding.pod_annotations == {"scheduling.volcano.sh/queue-name": "vision"}
    assert binding.annotations == {"scheduling.volcano.sh/group-min-member": "4"}
    assert any("podManagementPolicy" in note for note in binding.notes) is (kind == "StatefulSet")


def test_a_gang_of_a_deployment_gives_its_cards_back_before_the_next_starts() -> None:
    def recreates(kind: str, gang: int) -> bool:
        wants = [workload("w", kind=kind, vendor="amd", replicas=2, gang=gang)]
        return lowered(campus(workloads=wants)).bindings[0].recreate

    assert recreates("Deployment", 2)
    assert not recreates("Deployment", 1)
    assert not recreates("Job", 2)


def test_bare_pods_share_a_group_of_their_own() -> None:
    wants = [workload("w", kind="Pod", vendor="amd", replicas=2, gang=2, tenant="vision")]
    bundle = lowered(campus(VISION_ALONE, workloads=wants))
    (group,) = (made for made in bundle.objects if made.kind == "PodGroup")
    assert (group.namespace, group.body) == ("apps", {"spec": {"minMember": 2, "queue": "vision"}})
    assert bundle.bindings[0].pod_annotations["scheduling.k8s.io/group-name"] == group.name


def test_bare_pods_without_a_tenant_share_a_group_in_the_default_queue() -> None:
    bundle = lowered(campus(workloads=[workload("w", kind="Pod", vendor="amd", replicas=2, gang=2)]))
    (group,) = (made for made in bundle.objects if made.kind == "PodGroup")
    assert group.body["spec"] == {"minMember": 2, "queue": "default"}


def test_a_workload_without_tenant_or_gang_carries_the_schedulers_name_alone() -> None:
    (binding,) = lowered(campus(workloads=[workload("w", vendor="amd")])).bindings
    assert (binding.scheduler, binding.annotations, binding.pod_annotations) == ("volcano", {}, {})


# ---- rules


def nested(levels: int) -> Iterator[Any]:
    for level in range(1, levels + 1):
        yield tenant(f"t{level}", parent=f"t{level - 1}" if level > 1 else "", leaf=level == levels)


def test_five_levels_are_as_deep_as_it_goes() -> None:
    assert codes(campus(*nested(5)), NAME) == []
    assert codes(campus(*nested(7)), NAME) == ["FL550"]


@pytest.mark.parametrize("name", ["root", "default"])
def test_names_of_volcanos_own_queues_are_taken(name: str) -> None:
    assert codes(campus(tenant(name, guaranteed=1), workloads=[workload("w", vendor="amd")]), NAME) == ["FL551"]


def test_children_may_not_deserve_more_than_the_limit_over_them() -> None:
    def found(limit: int) -> list[str]:
        children = [tenant("a", parent="top", guaranteed=6), tenant("b", parent="top", deserved=4)]
        return codes(campus(tenant("top", leaf=False, limit=limit), *children), NAME)

    assert found(10) == []
    assert found(9) == ["FL553"]


def test_a_weight_does_nothing() -> None:
    assert codes(campus(tenant("a", deserved=2, weight=2)), NAME) == ["FL554"]


@pytest.mark.parametrize(
    ("kubernetes", "version", "found"),
    [("1.35", "1.15.0", []), ("1.36", "1.15.0", ["FL555"]), ("1.35", "1.14.4", ["FL555"]), ("1.34", "1.14.4", []), ("1.37", "1.16.0", [])],
)
def test_a_kubernetes_newer_than_the_line_is_declared_for_is_said(kubernetes: str, version: str, found: list[str]) -> None:
    assert codes(campus(kubernetes=kubernetes, pins={NAME: version}), NAME) == found


def test_claims_under_volcano_are_said_once() -> None:
    wants = [workload(name, vendor="intel") for name in ("a", "b")]
    made = campus(card="arc-b580", workloads=wants)
    (found,) = SYSTEM.check(made, component(made, NAME))
    assert found.rule.code == "FL556"
    assert "a and 1 more" in found.message


def test_what_is_promised_of_claimed_devices_is_kept_as_a_limit_alone() -> None:
    assert codes(campus(tenant("a", limit=4), card="arc-b580"), NAME) == []
    assert codes(campus(tenant("a", guaranteed=4), tenant("b", deserved=2), card="arc-b580"), NAME) == ["FL558"]
    assert codes(campus(tenant("a", limit=0), card="arc-b580"), NAME) == ["FL559"]
    assert codes(campus(tenant("a", limit=4), card="arc-b580", kubernetes="1.34", pins={NAME: "1.14.4"}), NAME) == ["FL557"]


def test_amounts_of_a_device_plugin_raise_none_of_that() -> None:
    assert codes(campus(tenant("a", guaranteed=4), tenant("b", limit=0)), NAME) == []


def test_the_gang_of_a_cronjob_is_the_authors_to_annotate() -> None:
    made = campus(workloads=[workload("w", kind="CronJob", vendor="amd", replicas=2, gang=2)])
    assert codes(made, NAME) == ["FL560"]
    (binding,) = lowered(made).bindings
    assert any("spec.jobTemplate.metadata" in note for note in binding.notes)
    assert binding.annotations == {}


# ---- definitions


def test_queues_and_groups_are_what_their_definitions_take() -> None:
    import jsonschema

    wants = [workload("w", kind="Pod", vendor="amd", replicas=2, gang=2, tenant="vision")]
    made = [one for one in lowered(campus(SCIENCE, VISION, SPEECH, workloads=wants)).objects if one.kind in ("Queue", "PodGroup")]
    assert {one.kind for one in made} == {"Queue", "PodGroup"}
    for one in made:
        known = definition(one.group, one.kind)
        assert known
        (version,) = (entry for entry in known["versions"] if f"{one.group}/{entry['name']}" == one.api_version)
        jsonschema.validate({**one.body}, version["schema"])


@pytest.mark.skipif("FOURLEAF_SHARED" not in os.environ, reason="upstream's definitions are not at hand (FOURLEAF_SHARED)")
def test_the_record_says_what_upstreams_definitions_serve() -> None:
    folder = Path(os.environ["FOURLEAF_SHARED"]) / "upstream" / "crds"
    served = {}
    for path in folder.glob("*.volcano.sh_*.json"):
        read = json.loads(path.read_text())
        served[f"{read['kind']}.{read['group']}"] = {f"{read['group']}/{one['name']}" for one in read["versions"] if one["served"]}
    said = {item.name: {item.api_version} for item in record(NAME).provides if item.kind == "Definition"}
    assert said == served
