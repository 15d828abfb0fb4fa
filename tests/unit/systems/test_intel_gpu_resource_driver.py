import pytest
from clusters import asks_of, at, chart_of, codes, component, lowered, objects_of, planned, pool, todo_of, workload

from fourleaf.hardware.catalogue import cards
from fourleaf.ir import Plan, Prediction, Ref
from fourleaf.kube import Toleration
from fourleaf.systems.intel_dra import NAME, SYSTEM
from fourleaf.systems.record import keys, record

GIB = 2**30


def minis(**more: object) -> Plan:
    """Three nodes with an integrated GPU each, and one workload that wants one."""
    return planned(pool("igpu", ("arc-meteor-lake", 1), nodes=("m-1", "m-2", "m-3")), workloads=[workload("plex", vendor="intel")], **more)


def request(made: Plan, name: str) -> object:
    return at(objects_of(made, NAME, "ResourceClaimTemplate")[f"{name}-gpu"].body, "spec", "spec", "devices", "requests", 0)


# ---- what is advertised


def test_models_of_one_node_are_supplies_of_one_resource_that_claims_can_tell_apart() -> None:
    made = planned(pool("a", ("arc-b580", 2), ("arc-meteor-lake", 1), ("arc-b580", 1), nodes=4))
    assert [(dict(s.traits)["card"], s.per_node, s.memory_bytes, s.resource.name, s.resource.by) for s in made.supplies] == [
        ("arc-b580", 3, 12 * GIB, "gpu.intel.com", "dra"),
        ("arc-meteor-lake", 1, 0, "gpu.intel.com", "dra"),
    ]
    assert sum(made.capacity().values()) == 16


def test_a_card_of_two_devices_counts_twice() -> None:
    made = planned(pool("flex", ("flex-140", 3)))
    assert [supply.per_node for supply in made.supplies] == [6]


def test_workloads_fill_each_model_by_itself() -> None:
    made = planned(
        pool("a", ("arc-b580", 2), ("arc-meteor-lake", 1)),
        workloads=[
            workload("big", card="arc-b580", replicas=2),
            workload("more", card="arc-b580"),
            workload("small", card="arc-meteor-lake"),
        ],
    )
    assert {p.workload: (p.pods, p.never) for p in made.predictions} == {"big": (2, False), "more": (0, False), "small": (1, False)}


def test_a_workload_that_takes_any_model_is_placed_once_for_each_device() -> None:
    made = planned(pool("a", ("arc-b580", 2), ("arc-meteor-lake", 1)), workloads=[workload("any", vendor="intel", replicas=5)])
    (told,) = made.predictions
    assert isinstance(told, Prediction)
    assert told.placed == (("a", 3),)
    assert told.short_by == 2


def test_no_memory_is_promised_of_an_integrated_gpu() -> None:
    made = planned(pool("igpu", ("arc-meteor-lake", 1)), workloads=[workload("plex", vendor="intel", memory=2 * GIB)])
    assert made.pods[0].supplies == ()


def test_every_card_of_the_catalogue_says_its_kernel_driver_and_pci_id() -> None:
    mine = [card for card in cards().values() if card.vendor == "intel"]
    assert mine
    assert {card.traits["kernelDriver"] for card in mine} == {"i915", "xe"}
    assert all(card.pci for card in mine)


# ---- claims


@pytest.mark.parametrize(
    ("kubernetes", "version", "shape"),
    [("1.32", "v1beta1", "flat"), ("1.33", "v1beta2", "exactly"), ("1.34.2", "v1", "exactly"), ("1.37", "v1", "exactly")],
)
def test_a_claim_is_written_as_the_cluster_reads_it(kubernetes: str, version: str, shape: str) -> None:
    made = minis(kubernetes=kubernetes)
    (template,) = objects_of(made, NAME, "ResourceClaimTemplate").values()
    assert (template.api_version, template.namespace, template.hashed) == (f"resource.k8s.io/{version}", "apps", True)
    asked = {"deviceClassName": Ref("DeviceClass.resource.k8s.io", "gpu.intel.com"), "allocationMode": "ExactCount", "count": 1}
    assert request(made, "plex") == ({"name": "gpu", **asked} if shape == "flat" else {"name": "gpu", "exactly": asked})


def test_a_claim_for_a_model_selects_its_pci_ids_and_guards_the_read() -> None:
    made = planned(
        pool("a", ("max-1100", 1), ("arc-meteor-lake", 1)),
        workloads=[workload("train", card="max-1100", count=1), workload("any", vendor="intel")],
    )
    assert at(request(made, "train"), "exactly", "selectors") == [
        {
            "cel": {
                "expression": '"pciId" in device.attributes["gpu.intel.com"] && '
                'device.attributes["gpu.intel.com"].pciId in ["0x0bd9", "0x0bda", "0x0bdb"]'
            }
        }
    ]
    assert "selectors" not in at(request(made, "any"), "exactly")


def test_an_ask_by_memory_selects_the_models_that_have_it_and_compares_no_capacity() -> None:
    made = planned(
        pool("a", ("arc-pro-b60", 1), ("arc-a380", 1), ("arc-meteor-lake", 1)),
        workloads=[workload("llm", vendor="intel", memory=24 * GIB)],
    )
    text = str(request(made, "llm"))
    assert '["0xe211"]' in text
    assert "capacity" not in text


def test_a_pod_claims_by_the_final_name_of_its_template_and_tolerates_the_usual_taint() -> None:
    bundle = lowered(minis())
    (binding,) = bundle.bindings
    (template,) = (made for made in bundle.objects if made.kind == "ResourceClaimTemplate")
    assert binding.claims == {"gpu": template.name}
    assert template.name.startswith("plex-gpu-")
    assert binding.requests == {}
    assert binding.tolerations == (Toleration("node.kubernetes.io/gpu", "NoSchedule"),)


def test_another_count_is_another_template_since_a_template_cannot_change() -> None:
    def name(count: int) -> str:
        made = planned(pool("a", ("arc-b580", 4)), workloads=[workload("w", vendor="intel", count=count)])
        return next(one.name for one in lowered(made).objects if one.kind == "ResourceClaimTemplate")

    assert name(1) != name(2)


# ---- the chart


def test_the_chart_reads_the_cards_itself_and_installs_nothing_beside() -> None:
    values = chart_of(minis(), NAME).values
    assert at(values, "kubeletPlugin", "privileged") is True
    assert at(values, "kubeletPlugin", "healthMonitoring") == {"enabled": False}
    assert values["xpumdEnabled"] is False
    assert values["nfd"] == {"enabled": False}
    assert "cdi" not in values


@pytest.mark.parametrize("version", ["0.8.0", "0.9.0", "0.9.1", "0.10.0", "0.10.1", "0.11.0"])
def test_every_value_is_one_that_the_pinned_chart_has(version: str) -> None:
    made = minis(pins={NAME: version}, distribution="talos", kubernetes="1.34.2")
    known = keys(NAME, version)
    for key, value in chart_of(made, NAME).values.items():
        assert key in known
        if isinstance(value, dict) and known[key]:
            assert set(value) <= set(known[key]), key


def test_the_driver_runs_on_the_declared_nodes_and_tolerates_their_taints() -> None:
    made = planned(pool("a", ("arc-b580", 1), nodes=("n-1", "n-2"), taints=["team=a:NoExecute", "soft=:PreferNoSchedule"]))
    plugin = chart_of(made, NAME).values["kubeletPlugin"]
    terms = at(plugin, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
    assert [at(term, "matchFields", 0, "values") for term in terms] == [["n-1"], ["n-2"]]
    assert at(plugin, "tolerations") == [
        {"key": "node-role.kubernetes.io/control-plane", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "node-role.kubernetes.io/master", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "node.kubernetes.io/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "team", "operator": "Exists", "effect": "NoExecute"},
    ]


def test_a_pool_given_by_its_count_is_told_by_the_label_that_is_asked_for() -> None:
    made = planned(pool("a", ("arc-b580", 1), nodes=5))
    affinity = at(chart_of(made, NAME).values, "kubeletPlugin", "affinity")
    assert "fourleaf.dev/pool" in str(affinity)
    assert asks_of(made, NAME, "node-label")["a"].value == {"fourleaf.dev/pool": "a"}


def test_its_namespace_lets_pods_reach_the_host() -> None:
    bundle = lowered(minis())
    (namespace,) = (made for made in bundle.objects if made.kind == "Namespace" and made.name == NAME)
    assert namespace.labels["pod-security.kubernetes.io/enforce"] == "privileged"


def test_it_provides_the_class_that_claims_name() -> None:
    assert Ref("DeviceClass.resource.k8s.io", "gpu.intel.com") in {item.ref for item in chart_of(minis(), NAME).provides}


# ---- hosts


def test_on_talos_chart_and_container_runtime_share_directories_that_can_be_written() -> None:
    made = planned(pool("igpu", ("arc-meteor-lake", 1), os="talos-1.12"), distribution="talos")
    assert chart_of(made, NAME).values["cdi"] == {"staticPath": "/var/cdi/static", "dynamicPath": "/var/cdi/dynamic"}
    assert asks_of(made, NAME, "host-setup")["igpu"].value == {
        "extensions": ["siderolabs/i915"],
        "cdi": ["/var/cdi/static", "/var/cdi/dynamic"],
    }


def test_a_card_of_its_own_needs_the_management_engine_and_its_own_kernel_driver() -> None:
    made = planned(pool("a", ("arc-b580", 1), ("arc-meteor-lake", 1), os="talos-1.12"), distribution="talos")
    assert at(asks_of(made, NAME, "host-setup")["a"].value, "extensions") == ["siderolabs/i915", "siderolabs/xe", "siderolabs/mei"]


def test_on_other_hosts_a_person_sees_to_kernel_driver_and_runtime() -> None:
    bundle = lowered(minis())
    (todo,) = (one for one in bundle.prerequisites if "kernel driver" in one.what)
    assert "i915" in todo.what
    assert "pool igpu" in todo.what
    assert "/etc/cdi and /var/run/cdi" in todo.text


def test_where_the_kubelet_lives_elsewhere_a_link_leads_there() -> None:
    (todo,) = todo_of(minis(distribution="k0s"), NAME)
    assert todo.command == "ln -sfn /var/lib/k0s/kubelet /var/lib/kubelet"
    assert todo_of(minis(), NAME) == []


# ---- rules


@pytest.mark.parametrize(
    ("kubernetes", "more", "found"),
    [
        ("1.31", {}, ["FL350"]),
        ("1.32", {}, ["FL351"]),
        ("1.33", {}, ["FL351"]),
        ("1.33", {"gates": {"DynamicResourceAllocation": True}}, ["FL351"]),
        ("1.33", {"distribution": "eks"}, ["FL351"]),
        ("1.34", {}, []),
        ("1.34.0", {}, ["FL353"]),
        ("1.34.1", {}, ["FL353"]),
        ("1.34.2", {}, []),
        ("1.35", {}, []),
        ("1.34", {"gates": {"DynamicResourceAllocation": False}}, ["FL352"]),
        ("1.33", {"pins": {NAME: "0.8.0"}}, ["FL352"]),
        ("1.33", {"pins": {NAME: "0.8.0"}, "gates": {"DynamicResourceAllocation": True}}, []),
        ("1.33", {"pins": {NAME: "0.8.0"}, "distribution": "eks"}, []),
        ("1.34.2", {"pins": {NAME: "0.8.0"}}, ["FL351"]),
        ("1.34.2", {"pins": {NAME: "0.9.0"}}, []),
        ("1.35", {"pins": {NAME: "0.7.0"}}, ["FL351"]),
        ("1.36", {"pins": {NAME: "0.12.0"}}, []),
    ],
)  # fmt: skip
def test_driver_and_kubernetes_fit_or_one_thing_is_said(kubernetes: str, more: dict[str, dict[str, str]], found: list[str]) -> None:
    assert codes(minis(kubernetes=kubernetes, **more), NAME) == found


def test_the_mend_names_a_version_and_the_place_is_what_to_change() -> None:
    made = minis(kubernetes="1.33")
    (found,) = SYSTEM.check(made, component(made, NAME))
    assert found.place == ("spec", "kubernetes", "version")
    assert found.help == 'write `version: "1.34.2"` or later'
    pinned = minis(kubernetes="1.35", pins={NAME: "0.8.0"})
    (found,) = SYSTEM.check(pinned, component(pinned, NAME))
    assert found.place == ("spec", "stack", NAME, "version")
    assert record(NAME).version in found.help


def test_switching_dra_on_names_the_components_and_the_api() -> None:
    made = minis(kubernetes="1.33", pins={NAME: "0.8.0"})
    (found,) = SYSTEM.check(made, component(made, NAME))
    for word in ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "--runtime-config=resource.k8s.io/v1beta1=true"):
        assert word in found.note


def test_xe_comes_to_talos_with_1_12() -> None:
    def on(os: str, card: str) -> list[str]:
        return codes(planned(pool("a", (card, 1), os=os), distribution="talos", kubernetes="1.34.2"), NAME)

    assert on("talos-1.11", "arc-b580") == ["FL180"]
    assert on("talos-1.12", "arc-b580") == []
    assert on("talos-1.11", "arc-a770-16gb") == []


@pytest.mark.parametrize("driver", [{"owner": "operator"}, {"version": "1.2"}, {"kernel_modules": "open"}])
def test_nothing_installs_a_driver_for_intel(driver: dict[str, str]) -> None:
    assert codes(planned(pool("a", ("arc-b580", 1), driver=driver)), NAME) == ["FL181"]


def test_a_driver_beside_another_vendors_card_is_meant_for_that() -> None:
    made = planned(pool("a", ("arc-b580", 1), ("mi210", 1), driver={"owner": "operator"}))
    assert codes(made, NAME) == []


def test_a_claim_holds_thirty_two_devices() -> None:
    def asks(count: int) -> list[str]:
        return codes(planned(pool("a", ("max-1100", 40)), workloads=[workload("w", vendor="intel", count=count)]), NAME)

    assert asks(32) == []
    assert asks(33) == ["FL354"]


def test_two_models_of_one_pci_id_cannot_be_told_in_one_node() -> None:
    both = ("arc-a770-16gb", 1), ("arc-a770-8gb", 1)
    wants = [workload("w", card="arc-a770-16gb")]
    assert codes(planned(pool("a", *both), workloads=wants), NAME) == ["FL355"]
    assert codes(planned(pool("a", both[0]), pool("b", both[1], nodes=("node-2",)), workloads=wants), NAME) == []
    assert codes(planned(pool("a", *both), workloads=[workload("w", vendor="intel")]), NAME) == []
