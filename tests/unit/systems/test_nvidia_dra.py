"""NVIDIA's cards and slices as devices that pods claim, above an operator whose device plugin is off."""

from collections.abc import Mapping, Sequence

import pytest
from clusters import asks_of, at, chart_of, codes, component, lowered, objects_of, planned, pool, todo_of, workload
from msgspec.structs import replace
from specs import compiled, spec
from specs import pool as cards

from fourleaf.ir import Binding, Bundle, Chart, Cut, Origin, Partition, Plan, Pool, Ref
from fourleaf.kube import Toleration
from fourleaf.resolve.inventory import Workload
from fourleaf.systems.nvidia_dra import NAME, SYSTEM
from fourleaf.systems.record import keys, record

GIB = 2**30
OPERATOR = "gpu-operator"


def cut(made: Pool, *cuts: tuple[Sequence[int], Mapping[str, int]]) -> Pool:
    made_of = tuple(Cut(tuple(cards), tuple(layout.items())) for cards, layout in cuts)
    return replace(made, partition=Partition(forms=("mig",), cuts=made_of, origin=Origin(made.at("partition", "mig"))))


def shared(made: Pool, form: str) -> Pool:
    return replace(made, partition=Partition(forms=(form,), replicas=4, origin=Origin(made.at("partition", form))))


def claimed(*pools: Pool, **more: object) -> Plan:
    return planned(*pools, allocation={"nvidia": "dra", "intel": "dra"}, **more)  # type: ignore[arg-type]


def slices(name: str, *, count: int = 1, memory: int = 0, **traits: str) -> Workload:
    made = workload(name, count=count, memory=memory, **traits)
    return replace(made, want=replace(made.want, units=("slice",)))


def half(**more: object) -> Plan:
    """One node of eight cards, four of them cut into four slices of three profiles each."""
    layout = {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}
    return claimed(cut(pool("dgx", ("h100-80gb", 8), nodes=["dgx-1"]), ([0, 1, 2, 3], layout), ([4, 5, 6, 7], {})), **more)


def request(made: Plan, name: str) -> Mapping[str, object]:
    found = at(objects_of(made, NAME, "ResourceClaimTemplate")[f"{name}-gpu"].body, "spec", "spec", "devices", "requests", 0)
    assert isinstance(found, Mapping)
    return found


def expression(made: Plan, name: str) -> str:
    return str(at(request(made, name), "exactly", "selectors", 0, "cel", "expression"))  # type: ignore[arg-type]


def charts(made: Bundle) -> dict[str, Chart]:
    return {chart.name: chart for chart in made.charts}


def binding(made: Bundle, name: str) -> Binding:
    return next(one for one in made.bindings if one.name == name)


# ---- what is advertised


def test_the_operator_stands_below_and_advertises_nothing() -> None:
    made = claimed(pool("a", ("h100-80gb", 8), ("l4", 1)))
    assert made.pools[0].systems == ("node-feature-discovery", OPERATOR, NAME, "native")
    assert [(dict(s.traits)["card"], s.per_node, s.resource.name, s.resource.by, s.allocator) for s in made.supplies] == [
        ("h100-80gb", 8, "gpu.nvidia.com", "dra", NAME),
        ("l4", 1, "gpu.nvidia.com", "dra", NAME),
    ]


def test_the_operator_stands_on_no_node_without_cards_of_nvidia() -> None:
    made = claimed(pool("a", ("h100-80gb", 8)), pool("b", ("arc-b580", 1), nodes=["b-1"]))
    assert component(made, OPERATOR).pools == component(made, NAME).pools == ("a",)
    assert component(made, "node-feature-discovery").pools == ("a", "b")


def test_slices_are_devices_of_one_class_that_profiles_tell_apart() -> None:
    assert [(s.resource.name, dict(s.traits).get("profile"), s.per_node, s.unit) for s in half().supplies] == [
        ("gpu.nvidia.com", None, 4, "card"),
        ("mig.nvidia.com", "1g.10gb", 8, "slice"),
        ("mig.nvidia.com", "2g.20gb", 4, "slice"),
        ("mig.nvidia.com", "3g.40gb", 4, "slice"),
    ]


def test_whole_cards_beside_cut_ones_stay_apart_by_model() -> None:
    made = claimed(cut(pool("mix", ("a100-80gb", 2), ("t4", 2)), ([0], {"1g.10gb": 7})))
    assert {dict(s.traits)["card"]: s.per_node for s in made.supplies if s.unit == "card"} == {"a100-80gb": 1, "t4": 2}


def test_a_node_whose_cards_are_all_cut_offers_no_whole_card() -> None:
    made = claimed(cut(pool("dgx", ("h100-80gb", 1)), ([0], {"7g.80gb": 1})))
    assert [supply.resource.name for supply in made.supplies] == ["mig.nvidia.com"]


# ---- what is claimed


def test_a_workload_for_any_card_claims_of_the_class_alone() -> None:
    made = half(workloads=[workload("any", vendor="nvidia", count=2)])
    assert request(made, "any") == {
        "name": "gpu",
        "exactly": {"deviceClassName": Ref("DeviceClass.resource.k8s.io", "gpu.nvidia.com"), "allocationMode": "ExactCount", "count": 2},
    }


@pytest.mark.parametrize("ask", [{"card": "h100-80gb"}, {"memory": 60 * GIB}])
def test_a_card_is_told_by_every_name_that_the_driver_may_have_for_its_model(ask: Mapping[str, object]) -> None:
    made = claimed(pool("a", ("h100-80gb", 1), ("l4", 1)), workloads=[workload("llm", **ask)])  # type: ignore[arg-type]
    assert expression(made, "llm") == (
        '"productName" in device.attributes["gpu.nvidia.com"] && '
        'device.attributes["gpu.nvidia.com"].productName in ["NVIDIA H100 80GB HBM3", "NVIDIA H100 PCIe"]'
    )


def test_a_slice_is_told_by_its_profile() -> None:
    made = half(workloads=[slices("chat", profile="3g.40gb")])
    assert at(request(made, "chat"), "exactly", "deviceClassName") == Ref("DeviceClass.resource.k8s.io", "mig.nvidia.com")  # type: ignore[arg-type]
    assert expression(made, "chat") == (
        '"profile" in device.attributes["gpu.nvidia.com"] && device.attributes["gpu.nvidia.com"].profile in ["3g.40gb"]'
    )


def test_an_ask_by_memory_takes_the_smallest_profile_and_leaves_the_larger_ones_to_others() -> None:
    made = half(workloads=[slices("small", memory=9 * GIB), slices("large", memory=30 * GIB)])
    assert expression(made, "small").endswith('["1g.10gb"]')
    assert expression(made, "large").endswith('["3g.40gb"]')


def test_slices_of_one_profile_run_out_while_the_class_has_others() -> None:
    many = replace(slices("chat", profile="3g.40gb"), replicas=6)
    made = half(workloads=[many])
    assert [(told.pods, told.short_by, told.short_of) for told in made.predictions] == [(4, 2, "mig.nvidia.com")]
    assert binding(lowered(made), "chat").recreate  # no slice of its profile is spare for a rollout


@pytest.mark.parametrize(("kubernetes", "version", "nested"), [("1.35", "v1", True), ("1.33", "v1beta2", True), ("1.32", "v1beta1", False)])
def test_claims_and_chart_speak_the_version_that_kubernetes_serves(kubernetes: str, version: str, nested: bool) -> None:
    made = claimed(pool("a", ("l4", 1)), workloads=[workload("w", card="l4")], kubernetes=kubernetes)
    assert {one.api_version for one in objects_of(made, NAME, "ResourceClaimTemplate").values()} == {f"resource.k8s.io/{version}"}
    assert ("exactly" in request(made, "w")) is nested
    assert chart_of(made, NAME).values["resourceApiVersion"] == f"resource.k8s.io/{version}"


def test_a_pod_asks_by_its_claim_and_for_no_resource() -> None:
    made = lowered(half(workloads=[workload("train", card="h100-80gb", count=4)]))
    bound = binding(made, "train")
    assert not bound.requests
    assert [*bound.claims] == ["gpu"]
    assert Toleration("nvidia.com/gpu", "NoSchedule") in bound.tolerations


# ---- what is installed


def test_the_operator_gives_up_its_device_plugin_and_keeps_the_rest() -> None:
    values = charts(lowered(half()))["gpu-operator"].values
    assert values["devicePlugin"] == {"enabled": False}
    assert values["cdi"] == {"enabled": True}
    assert at(values, "mig", "strategy") == "mixed"
    assert isinstance(at(values, "migManager", "config", "name"), str)


def test_layouts_are_in_the_namespace_of_the_operator_that_reads_them() -> None:
    assert component(half(), "mig").namespace == "gpu-operator"


def test_the_driver_goes_in_after_the_operator_and_without_the_definitions_that_the_operator_has() -> None:
    made = lowered(half())
    known = charts(made)
    assert not known[NAME].definitions
    assert (known[NAME].ref, known["gpu-operator"].ref) in made.edges
    assert {ref.ref for ref in known[NAME].provides if ref.ref.kind == "Definition"} == set()


def test_its_pods_leave_a_node_while_the_operator_changes_driver_or_layout() -> None:
    pools = pool("a", ("l4", 1))
    assert at(chart_of(claimed(pools), NAME).values, "kubeletPlugin", "nodeSelector") == {"nvidia.com/gpu.deploy.client": "true"}
    older = claimed(pools, pins={OPERATOR: "v26.3.3"})
    assert at(chart_of(older, NAME).values, "kubeletPlugin", "nodeSelector") == {"nvidia.com/gpu.deploy.device-plugin": "true"}


@pytest.mark.parametrize(
    ("host", "distribution", "driver", "root"),
    [
        ("ubuntu-24.04", "kubeadm", "auto", "/run/nvidia/driver"),
        ("ubuntu-24.04", "kubeadm", "host", "/"),
        ("debian-12", "kubeadm", "auto", "/"),
        ("talos-1.13", "talos", "auto", "/usr/local"),
        ("cos-121", "gke", "auto", "/home/kubernetes/bin/nvidia"),
    ],
)
def test_the_driver_is_looked_for_where_the_host_has_it(host: str, distribution: str, driver: str, root: str) -> None:
    made = claimed(pool("a", ("l4", 1), os=host, driver={"owner": driver}), distribution=distribution)
    assert chart_of(made, NAME).values["nvidiaDriverRoot"] == root


def test_taints_of_the_pools_are_tolerated_beside_the_usual_one() -> None:
    assert "tolerations" not in at(chart_of(claimed(pool("a", ("l4", 1))), NAME).values, "kubeletPlugin")  # type: ignore[operator]
    made = claimed(pool("a", ("l4", 1), taints=["dedicated=gpu:NoSchedule"]))
    assert at(chart_of(made, NAME).values, "kubeletPlugin", "tolerations") == [
        {"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
    ]


def test_a_kubelet_in_another_directory_is_told_to_the_chart() -> None:
    plugin = at(chart_of(claimed(pool("a", ("l4", 1)), distribution="k0s"), NAME).values, "kubeletPlugin")
    assert at(plugin, "kubeletPluginsDirectoryPath") == "/var/lib/k0s/kubelet/plugins"
    assert at(plugin, "kubeletRegistrarDirectoryPath") == "/var/lib/k0s/kubelet/plugins_registry"


def test_on_gke_both_namespaces_let_critical_pods_in() -> None:
    labels = {"gke-no-default-nvidia-gpu-device-plugin": "true"}
    made = lowered(claimed(pool("a", ("l4", 1), os="cos-121", labels=labels), distribution="gke"))
    assert {one.namespace for one in made.objects if one.kind == "ResourceQuota"} == {"gpu-operator", NAME}


def test_a_host_with_its_own_driver_and_runtime_must_have_what_claims_need() -> None:
    assert [todo.what for todo in todo_of(claimed(pool("a", ("l4", 1), os="flatcar-4152")), NAME)] == [
        "driver 565 or newer on the nodes of pool a: see on each",
        "CDI in the container runtime on the nodes of pool a",
    ]
    assert not todo_of(claimed(pool("a", ("l4", 1))), NAME)
    assert not todo_of(claimed(pool("a", ("l4", 1), os="talos-1.13"), distribution="talos"), NAME)


def test_every_value_is_one_that_the_chart_has() -> None:
    known = keys(NAME, record(NAME).version)
    stack = [(known, chart_of(claimed(pool("a", ("l4", 1), taints=["x=y:NoExecute"]), distribution="k0s"), NAME).values)]
    while stack:
        tree, values = stack.pop()
        assert {*values} <= {*tree}
        stack += [(tree[key], value) for key, value in values.items() if isinstance(value, Mapping) and tree[key]]


def test_asks_hold_for_the_pools_that_have_its_cards() -> None:
    made = claimed(pool("a", ("l4", 1)), pool("b", ("arc-b580", 1), nodes=["b-1"]))
    assert {name: ask.value for name, ask in asks_of(made, NAME, "device-plugin").items()} == {"a": "off"}
    assert {name: ask.value for name, ask in asks_of(made, NAME, "cdi").items()} == {"a": True}


@pytest.mark.parametrize(
    ("who", "values"),
    [
        (OPERATOR, {"devicePlugin": {"enabled": True}}),
        (OPERATOR, {"cdi": {"enabled": False}}),
        (NAME, {"resources": {"gpus": {"enabled": False}}}),
    ],
)
def test_raw_values_that_would_give_cards_out_twice_or_not_at_all_contradict_the_plan(who: str, values: Mapping[str, object]) -> None:
    made = compiled(spec(cards("a", "h100-80gb"), policy={"allocation": "dra"}, stack={who: {"values": values}}))
    assert [found.rule.code for found in made.diagnostics] == ["FL810"]


# ---- what it publishes, for rehearsals


def test_whole_cards_and_slices_are_published_each_as_its_class_wants_them() -> None:
    found = SYSTEM.devices(half().pools[0])
    assert len({device.name for device in found}) == len(found) == 4 * 4 + 4
    assert [device.attributes["type"] for device in found].count("gpu") == 4
    assert sorted(str(device.attributes["profile"]) for device in found if device.attributes["type"] == "mig") == (
        ["1g.10gb"] * 8 + ["2g.20gb"] * 4 + ["3g.40gb"] * 4
    )
    assert {device.attributes["productName"] for device in found} == {"NVIDIA H100 80GB HBM3"}


# ---- rules


@pytest.mark.parametrize("form", ["timeSlicing", "mps"])
def test_shares_are_not_made_of_claimed_cards(form: str) -> None:
    assert codes(claimed(shared(pool("a", ("l4", 1)), form)), NAME) == ["FL360"]


def test_shares_are_not_made_of_claimed_slices() -> None:
    made = cut(pool("a", ("h100-80gb", 1)), ([0], {"3g.40gb": 2}))
    assert made.partition
    plan = claimed(replace(made, partition=replace(made.partition, forms=("mig", "timeSlicing"), replicas=2)))
    (one,) = SYSTEM.check(plan, component(plan, NAME))
    assert one.place[-3:] == ("partition", "mig", "timeSlicing")
    assert one.help == "write `allocation: device-plugin` under policy, or take `timeSlicing` out here"


def test_models_of_one_name_are_told_where_a_claim_would_tell_them_by_it() -> None:
    pools = pool("a", ("rtx-3080-10gb", 1), ("rtx-3080-12gb", 1))
    assert codes(claimed(pools, workloads=[workload("w", card="rtx-3080-12gb")]), NAME) == ["FL361"]
    assert codes(claimed(pools, workloads=[workload("w", vendor="nvidia")]), NAME) == []
    assert codes(claimed(pools, workloads=[workload("w", memory=8 * GIB)]), NAME) == []  # either will do


def test_models_of_one_name_in_pools_of_their_own_are_told_apart_by_their_nodes() -> None:
    pools = pool("a", ("rtx-3080-10gb", 1)), pool("b", ("rtx-3080-12gb", 1), nodes=["b-1"])
    made = claimed(*pools, workloads=[workload("w", card="rtx-3080-12gb")])
    assert codes(made, NAME) == []
    assert binding(lowered(made), "w").node_selector == {"fourleaf.dev/pool": "b"}


@pytest.mark.parametrize(("version", "found"), [("550.90.07", ["FL362"]), ("565.57.01", []), ("580.173.02", [])])
def test_the_driver_must_be_new_enough(version: str, found: list[str]) -> None:
    assert codes(claimed(pool("a", ("l4", 1), driver={"owner": "operator", "version": version})), NAME) == found


@pytest.mark.parametrize(("host", "found"), [("talos-1.12", ["FL363"]), ("talos-1.13", [])])
def test_without_cdi_nothing_is_claimed(host: str, found: list[str]) -> None:
    assert codes(claimed(pool("a", ("l4", 1), os=host), distribution="talos"), NAME) == found


@pytest.mark.parametrize(
    ("kubernetes", "distribution", "gates", "found"),
    [
        ("1.31", "kubeadm", {}, ["FL350"]),
        ("1.33", "kubeadm", {}, ["FL352"]),
        ("1.33", "kubeadm", {"DynamicResourceAllocation": True}, []),
        ("1.33", "eks", {}, []),
        ("1.34.1", "kubeadm", {}, ["FL353"]),
        ("1.34.2", "kubeadm", {}, []),
        ("1.34.2", "kubeadm", {"DynamicResourceAllocation": False}, ["FL352"]),
    ],
)
def test_kubernetes_must_serve_claims(kubernetes: str, distribution: str, gates: Mapping[str, bool], found: list[str]) -> None:
    assert codes(claimed(pool("a", ("l4", 1)), kubernetes=kubernetes, distribution=distribution, gates=gates), NAME) == found


def test_one_claim_holds_thirty_two_devices() -> None:
    made = claimed(cut(pool("dgx", ("h100-80gb", 8)), (range(8), {"1g.10gb": 7})), workloads=[slices("w", profile="1g.10gb", count=33)])
    assert codes(made, NAME) == ["FL354"]
