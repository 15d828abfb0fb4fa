from typing import Any

import pytest
from clusters import asks_of, at, codes, lowered, objects_of, parts_of, planned, pool, workload

from fourleaf.ir import Chart, Plan
from fourleaf.kube import Toleration
from fourleaf.systems.amd_plugin import NAME
from fourleaf.systems.record import record

GIB = 2**30


def lab(**more: Any) -> Plan:
    return planned(pool("mi", ("mi300x", 8), nodes=("mi-1",), **more), workloads=[workload("train", vendor="amd", count=4)])


def pod_of(made: Plan) -> Any:
    return at(objects_of(made, NAME, "DaemonSet")[NAME].body, "spec", "template", "spec")


def test_cards_are_counted_by_device() -> None:
    made = planned(pool("a", ("mi250x", 4), nodes=2))
    (supply,) = made.supplies
    assert (supply.resource.name, supply.resource.by) == ("amd.com/gpu", "device-plugin")
    assert (supply.per_node, supply.memory_bytes) == (8, 64 * GIB)


def test_models_of_one_node_are_not_told_apart() -> None:
    made = planned(pool("a", ("mi300x", 4), ("mi210", 2)), workloads=[workload("w", card="mi210"), workload("v", vendor="amd")])
    (supply,) = made.supplies
    assert supply.per_node == 6
    assert dict(supply.traits) == {"vendor": "amd"}
    assert supply.memory_bytes == 64 * GIB
    by_card, by_vendor = made.pods
    assert by_card.supplies == ()
    assert by_vendor.supplies == (supply,)


def test_a_pod_asks_for_the_resource_and_tolerates_the_usual_taint() -> None:
    (binding,) = lowered(lab()).bindings
    assert binding.requests == {"amd.com/gpu": 4}
    assert binding.claims == {}
    assert binding.tolerations == (Toleration("amd.com/gpu", "NoSchedule"),)
    assert any("supplementalGroups" in note for note in binding.notes)


def test_it_is_a_daemonset_and_no_chart() -> None:
    parts = parts_of(lab(), NAME)
    assert not [part for part in parts if isinstance(part, Chart)]
    (daemonset,) = objects_of(lab(), NAME, "DaemonSet").values()
    assert daemonset.namespace == NAME
    labels = at(daemonset.body, "spec", "selector", "matchLabels")
    assert labels == at(daemonset.body, "spec", "template", "metadata", "labels")


def test_the_image_is_pinned_and_follows_the_pin() -> None:
    def image(made: Plan) -> Any:
        return at(pod_of(made), "containers", 0, "image")

    assert image(lab()) == f"docker.io/rocm/k8s-device-plugin:{record(NAME).version}"
    assert image(planned(pool("a", ("mi210", 1)), pins={NAME: "1.31.0.9"})) == "docker.io/rocm/k8s-device-plugin:1.31.0.9"


def test_it_runs_where_the_cards_are_and_tolerates_what_is_there() -> None:
    pod = pod_of(lab(taints=["dedicated=gpu:NoSchedule"]))
    assert pod["nodeSelector"] == {"kubernetes.io/arch": "amd64"}
    (term,) = at(pod, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
    assert term == {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["mi-1"]}]}
    assert pod["tolerations"] == [
        {"key": "CriticalAddonsOnly", "operator": "Exists"},
        {"key": "amd.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"},
    ]


def test_pools_given_by_their_count_are_told_by_labels_that_are_asked_for() -> None:
    made = planned(pool("a", ("mi210", 1), nodes=3), pool("b", ("mi100", 1), nodes=("n-1",)))
    (term,) = at(pod_of(made), "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
    assert term == {"matchExpressions": [{"key": "fourleaf.dev/pool", "operator": "In", "values": ["a", "b"]}]}
    assert {name: ask.value for name, ask in asks_of(made, NAME, "node-label").items()} == {
        "a": {"fourleaf.dev/pool": "a"},
        "b": {"fourleaf.dev/pool": "b"},
    }
    assert asks_of(lab(), NAME, "node-label") == {}


def test_it_speaks_to_the_kubelet_where_that_lives() -> None:
    def path(distribution: str) -> Any:
        made = planned(pool("a", ("mi210", 1)), distribution=distribution)
        (inside,) = (one["mountPath"] for one in at(pod_of(made), "containers", 0, "volumeMounts") if one["name"] == "device-plugins")
        assert inside == "/var/lib/kubelet/device-plugins"
        return at(pod_of(made), "volumes", 0, "hostPath", "path")

    assert path("kubeadm") == "/var/lib/kubelet/device-plugins"
    assert path("k0s") == "/var/lib/k0s/kubelet/device-plugins"


def test_it_waits_for_the_driver_since_it_looks_but_once() -> None:
    (first,) = pod_of(lab())["initContainers"]
    assert first["image"] == at(pod_of(lab()), "containers", 0, "image")
    assert "/sys/class/kfd" in first["command"][-1]
    assert first["volumeMounts"] == [{"name": "sys", "mountPath": "/sys"}]


def test_its_namespace_lets_pods_reach_the_host() -> None:
    (namespace,) = (made for made in lowered(lab()).objects if made.kind == "Namespace" and made.name == NAME)
    assert namespace.labels["pod-security.kubernetes.io/enforce"] == "privileged"


def test_the_kernel_driver_is_an_extension_on_talos_and_a_persons_elsewhere() -> None:
    talos = planned(pool("a", ("mi210", 1), os="talos-1.12"), distribution="talos")
    assert asks_of(talos, NAME, "host-setup")["a"].value == {"extensions": ["siderolabs/amdgpu", "siderolabs/amd-ucode"]}
    assert "kernel driver amdgpu on the nodes of pool mi" in [todo.what for todo in lowered(lab()).prerequisites]


@pytest.mark.parametrize("driver", [{"owner": "operator"}, {"version": "30.20.1"}])
def test_nothing_installs_a_driver_for_amd(driver: dict[str, str]) -> None:
    assert codes(lab(driver=driver), NAME) == ["FL182"]


def test_a_driver_that_the_host_brings_is_as_it_should_be() -> None:
    assert codes(lab(driver={"owner": "host"}), NAME) == []
    assert codes(lab(), NAME) == []


def test_an_integrated_gpu_beside_a_card_counts_like_it() -> None:
    assert codes(planned(pool("a", ("mi210", 1), ("radeon-8060s", 1))), NAME) == ["FL183"]
    assert codes(planned(pool("a", ("radeon-8060s", 1))), NAME) == []
    assert codes(planned(pool("a", ("mi210", 1), ("arc-meteor-lake", 1))), NAME) == []
