"""One chart for all pools: what each kind of host makes of its values, and where two hosts cannot share it."""

import pytest
from clusters import at, chart_of, codes, lowered, objects_of, planned, pool, todo_of, workload
from msgspec.structs import replace

from fourleaf.diag import Diagnostic
from fourleaf.ir import Ask, Cut, Document, Origin, Partition, Plan, Pool, Ref
from fourleaf.systems import SYSTEMS
from fourleaf.systems.nvidia_operator import discovers

NAME = "gpu-operator"
ORIGIN = Origin(("spec",))


def cluster(*pools: Pool, distribution: str = "kubeadm", version: str = "") -> Plan:
    return planned(
        *pools,
        workloads=[workload("llm", vendor="nvidia")],
        distribution=distribution,
        allocation={"nvidia": "operator", "intel": "dra"},
        pins={NAME: version} if version else {},
    )


def gpu(os: str = "ubuntu-24.04", card: str = "rtx-5070-ti", **more: object) -> Pool:
    return pool("gpu", (card, 1), nodes=["gpu-1"], os=os, **more)  # type: ignore[arg-type]


def values(made: Plan) -> object:
    return chart_of(made, NAME).values


def found(made: Plan) -> list[Diagnostic]:
    component = next(one for one in made.components if one.system == NAME)
    return list(SYSTEMS[NAME].check(made, component))


# ---- hosts


def test_ubuntu_gets_driver_and_toolkit_and_little_else() -> None:
    assert values(cluster(gpu())) == {"driver": {"enabled": True}, "nfd": {"enabled": False}}
    assert not found(cluster(gpu()))


def test_node_feature_discovery_stands_below_it_and_the_charts_own_copy_is_off() -> None:
    made = cluster(gpu())
    assert made.pools[0].systems[:2] == ("node-feature-discovery", NAME)
    assert at(chart_of(made, NAME).values, "nfd", "enabled") is False


def test_a_driver_that_the_host_has_is_left_alone_and_named_to_a_person() -> None:
    made = cluster(gpu(driver={"owner": "host"}))
    assert at(chart_of(made, NAME).values, "driver") == {"enabled": False}
    assert [todo.what for todo in todo_of(made, NAME)] == ["NVIDIA's driver on the nodes of pool gpu (ubuntu-24.04)"]


def test_debian_brings_its_driver_because_no_image_is_published() -> None:
    assert at(chart_of(cluster(gpu("debian-12")), NAME).values, "driver") == {"enabled": False}


def test_a_pinned_driver_is_installed_by_the_operator() -> None:
    made = cluster(gpu(driver={"owner": "operator", "version": "580.173.02", "kernel_modules": "open"}))
    assert at(chart_of(made, NAME).values, "driver") == {"enabled": True, "version": "580.173.02", "kernelModuleType": "open"}


def test_container_optimized_os_keeps_everything_below_home() -> None:
    made = cluster(gpu("cos-121", labels={"gke-no-default-nvidia-gpu-device-plugin": "true"}), distribution="gke")
    assert values(made) == {
        "driver": {"enabled": False},
        "hostPaths": {"driverInstallDir": "/home/kubernetes/bin/nvidia"},
        "nfd": {"enabled": False},
        "toolkit": {"installDir": "/home/kubernetes/bin/nvidia", "env": [{"name": "RUNTIME_CONFIG_SOURCE", "value": "file"}]},
    }
    assert "gpu-operator" in objects_of(made, NAME, "ResourceQuota")
    assert not found(made)


def test_nodes_of_kind_have_driver_and_toolkit_of_their_machine() -> None:
    made = cluster(gpu(), distribution="kind")
    assert values(made) == {"driver": {"enabled": False}, "nfd": {"enabled": False}, "toolkit": {"enabled": False}}
    assert "nvkind" in todo_of(made, NAME)[0].text


@pytest.mark.parametrize("distribution", ["k3s", "rke2"])
def test_k3s_and_rke2_are_told_their_socket_and_no_configuration_file(distribution: str) -> None:
    env = at(chart_of(cluster(gpu(), distribution=distribution), NAME).values, "toolkit", "env")
    assert env == [{"name": "CONTAINERD_SOCKET", "value": "/run/k3s/containerd/containerd.sock"}]


def test_microk8s_and_k0s_are_told_where_their_containerd_is_configured() -> None:
    for distribution, path in (
        ("microk8s", "/var/snap/microk8s/current/args/containerd-template.toml"),
        ("k0s", "/etc/k0s/containerd.d/nvidia.toml"),
    ):
        env = at(chart_of(cluster(gpu(), distribution=distribution), NAME).values, "toolkit", "env")
        assert {"name": "CONTAINERD_CONFIG", "value": path} in env  # type: ignore[operator]
        assert all(isinstance(one["value"], str) for one in env)  # type: ignore[union-attr, index, call-overload]


def test_images_of_aks_that_bring_the_driver_bring_the_toolkit_too() -> None:
    made = cluster(gpu(driver={"owner": "host"}), distribution="aks")
    assert at(chart_of(made, NAME).values, "toolkit") == {"enabled": False}
    assert at(chart_of(made, NAME).values, "operator", "runtimeClass") == "nvidia-container-runtime"


def test_values_are_those_of_the_pinned_chart() -> None:
    from fourleaf.systems.record import keys

    for made in (cluster(gpu()), cluster(gpu("talos-1.12")), cluster(gpu("cos-121"), distribution="gke")):
        chart = chart_of(made, NAME)
        known = keys(NAME, chart.version)
        for key, value in chart.values.items():
            assert isinstance(value, dict)
            assert value.keys() <= known[key].keys(), key


# ---- Talos


def test_talos_from_1_13_on_needs_three_values_and_nothing_beside() -> None:
    made = cluster(gpu("talos-1.13"))
    assert chart_of(made, NAME).version == "v26.7.0"
    assert values(made) == {
        "driver": {"enabled": False},
        "hostPaths": {"driverInstallDir": "/usr/local"},
        "nfd": {"enabled": False},
        "toolkit": {"enabled": False},
    }
    assert not objects_of(made, NAME, "DaemonSet")
    assert not found(made)


def test_older_talos_gets_the_old_chart_without_cdi() -> None:
    made = cluster(gpu("talos-1.12"))
    chart = chart_of(made, NAME)
    assert chart.version == "v25.10.1"
    assert at(chart.values, "cdi") == {"enabled": False}
    assert at(chart.values, "hostPaths") == {"driverInstallDir": "/usr/local"}
    assert "operator" not in chart.values  # no defaultRuntime: the chart has no such value


def test_older_talos_gets_a_pod_that_writes_what_the_validator_would() -> None:
    made = cluster(gpu("talos-1.12", taints=["team=x:NoSchedule"]))
    markers = objects_of(made, NAME, "DaemonSet")["nvidia-validation-markers"]
    pod = at(markers.body, "spec", "template", "spec")
    assert markers.namespace == NAME
    assert at(pod, "nodeSelector") == {"nvidia.com/gpu.present": "true"}
    assert [at(one, "key") for one in at(pod, "tolerations")] == ["nvidia.com/gpu", "team"]  # type: ignore[union-attr, arg-type]
    assert at(pod, "containers", 0, "command", 2) == "while true; do touch driver-ready toolkit-ready; sleep 30; done"
    assert at(pod, "volumes", 0, "hostPath", "path") == at(pod, "containers", 0, "workingDir") == "/run/nvidia/validations"
    assert ":" in str(at(pod, "containers", 0, "image"))
    (rule,) = (made for made in lowered(made).objects if made.kind == "NodeFeatureRule")
    assert at(rule.body, "spec", "rules", 0, "labels") == {"nvidia.com/gpu.deploy.operator-validator": "false"}


def test_nobody_waits_for_an_operator_that_is_ready_only_once_its_nodes_are_labelled() -> None:
    assert not any("clusterpolicy" in wait for wait in chart_of(cluster(gpu("talos-1.12")), NAME).waits)
    assert any("clusterpolicy" in wait for wait in chart_of(cluster(gpu("talos-1.13")), NAME).waits)


def test_older_talos_makes_the_runtime_everybodys_and_loads_the_modules() -> None:
    (todo,) = (one for one in lowered(cluster(gpu("talos-1.12"))).prerequisites if "Talos" in one.what)
    assert (
        "      - siderolabs/nvidia-container-toolkit-production\n      - siderolabs/nvidia-open-gpu-kernel-modules-production\n"
        in todo.text
    )
    assert 'default_runtime_name = "nvidia"' in todo.text
    assert 'net.core.bpf_jit_harden: "1"' in todo.text


def test_newer_talos_keeps_its_default_runtime() -> None:
    (todo,) = (one for one in lowered(cluster(gpu("talos-1.13"))).prerequisites if "Talos" in one.what)
    assert "default_runtime_name" not in todo.text
    assert "bpf_jit_harden" not in todo.text


@pytest.mark.parametrize(
    ("card", "extension"), [("p40", "nonfree-kmod-nvidia-lts"), ("rtx-5090", "nvidia-open-gpu-kernel-modules-production")]
)
def test_talos_extensions_are_of_a_channel_that_moves_the_card(card: str, extension: str) -> None:
    (todo,) = (one for one in lowered(cluster(gpu("talos-1.13", card))).prerequisites if "Talos" in one.what)
    assert f"siderolabs/{extension}\n" in todo.text


def test_no_extension_of_an_old_talos_cuts_a_new_card() -> None:
    whole = gpu("talos-1.10", "b300")
    halves = Partition(forms=("mig",), cuts=(Cut((0,), (("3g.135gb", 2),)),), origin=Origin(("spec", "pools", "gpu", "partition", "mig")))
    (one,) = (found for found in found(cluster(replace(whole, partition=halves))) if found.rule.code == "FL158")
    assert one.message == "no driver extension of talos-1.10 moves b300 in pool gpu: it has 570.148.08 (production), 535.247.01 (lts)"


def test_cards_that_need_other_kernel_modules_share_no_node() -> None:
    (one,) = found(cluster(pool("gpu", ("p40", 1), ("rtx-5090", 1))))
    assert one.rule.code == "FL158"
    assert one.message == "rtx-5090 runs with open kernel modules only and p40 with proprietary ones, in one node of pool gpu"


def test_the_old_chart_is_told_to_be_past_its_life() -> None:
    (one,) = found(cluster(gpu("talos-1.12")))
    assert (one.rule.code, one.help) == ("FL153", "upgrade the nodes to talos-1.13")
    (one,) = found(cluster(gpu(), version="v25.10.1"))
    assert (one.rule.code, one.help) == ("FL153", "write v26.7.0")


def test_a_version_and_a_talos_that_do_not_fit_are_an_error() -> None:
    assert "FL152" in codes(cluster(gpu("talos-1.12"), version="v26.7.0"), NAME)
    assert "FL152" in codes(cluster(gpu("talos-1.13"), version="v25.10.1"), NAME)


# ---- what one chart cannot do for two pools


def two(one: Pool, other: Pool) -> Diagnostic:
    (only,) = (found for found in found(cluster(one, other)) if found.rule.code == "FL151")
    return only


def test_two_hosts_with_two_driver_images_disagree() -> None:
    one = pool("a", ("t4", 1), nodes=["a"], os="ubuntu-24.04")
    assert two(one, pool("b", ("t4", 1), nodes=["b"], os="ubuntu-22.04")).message == (
        "pool b on ubuntu-22.04 needs a driver image for ubuntu-22.04, pool a on ubuntu-24.04 needs ubuntu-24.04"
    )


def test_a_host_with_and_one_without_driver_disagree() -> None:
    one = pool("a", ("t4", 1), nodes=["a"], os="ubuntu-24.04")
    said = two(one, pool("b", ("t4", 1), nodes=["b"], os="talos-1.13"))
    assert said.message == "pool b on talos-1.13 needs driver.enabled false, pool a on ubuntu-24.04 needs true"
    assert "hostPaths.driverInstallDir" in said.note


def test_two_talos_of_two_charts_disagree() -> None:
    said = two(pool("a", ("t4", 1), nodes=["a"], os="talos-1.12"), pool("b", ("t4", 1), nodes=["b"], os="talos-1.13"))
    assert said.message == "pool b on talos-1.13 needs operator v26.7.0, pool a on talos-1.12 needs v25.10.1"


def test_two_drivers_disagree() -> None:
    one = pool("a", ("t4", 1), nodes=["a"], driver={"owner": "operator", "version": "580.173.02"})
    said = two(one, pool("b", ("t4", 1), nodes=["b"], driver={"owner": "operator", "version": "595.91.07"}))
    assert said.place == ("spec", "pools", "b", "driver")


def test_hosts_that_bring_their_driver_to_the_same_place_agree() -> None:
    made = cluster(
        pool("a", ("t4", 1), nodes=["a"], os="ubuntu-24.04", driver={"owner": "host"}),
        pool("b", ("t4", 1), nodes=["b"], os="debian-12"),
    )
    assert not found(made)


# ---- raw values


@pytest.mark.parametrize(("value", "wrong"), [(True, ["FL161"]), (1, ["FL161"]), ("true", [])])
def test_variables_of_operands_are_text(value: object, wrong: list[str]) -> None:
    made = cluster(gpu())
    values = {"toolkit": {"env": [{"name": "CONTAINERD_SET_AS_DEFAULT", "value": value}]}}
    component = next(one for one in made.components if one.system == NAME)
    found = list(SYSTEMS[NAME].check(made, replace(component, values=values, values_place=("stack", NAME, "values"))))  # type: ignore[arg-type]
    assert [one.rule.code for one in found] == wrong
    assert all(one.place == ("stack", NAME, "values", "toolkit", "env", 0, "value") for one in found)


# ---- refused


def test_bottlerocket_is_refused_with_the_reason() -> None:
    (one,) = found(cluster(gpu("bottlerocket-1"), distribution="eks"))
    assert (one.rule.code, "its own device plugin" in one.message) == ("FL157", True)


def test_openshift_is_refused_once_for_all_pools() -> None:
    assert codes(cluster(gpu("rhcos-4.20"), pool("b", ("t4", 1), os="rhcos-4.20"), distribution="openshift"), NAME) == ["FL157"]


def test_gkes_own_plugin_must_be_stopped() -> None:
    made = cluster(gpu(), distribution="gke")
    (one,) = (found for found in found(made) if found.rule.code == "FL159")
    assert one.help == 'create the node pool with it and write `labels: {gke-no-default-nvidia-gpu-device-plugin: "true"}`'


# ---- asks


def lowered_with(made: Plan, *asks: tuple[str, object]) -> list[object]:
    component = next(one for one in made.components if one.system == NAME)
    given = [Ask(topic=topic, pool="gpu", value=value, origin=ORIGIN) for topic, value in asks]  # type: ignore[arg-type]
    return list(SYSTEMS[NAME].lower(made, component, given))


def test_a_mig_configuration_switches_the_operators_own_default_off() -> None:
    ref = Ref("ConfigMap", "layouts", NAME)
    chart = next(part for part in lowered_with(cluster(gpu()), ("mig-config", ref), ("mig-strategy", "mixed")) if hasattr(part, "values"))
    assert at(chart.values, "migManager") == {"config": {"name": ref, "default": ""}}
    assert at(chart.values, "mig", "strategy") == "mixed"


def test_restarts_for_mig_are_text_and_not_a_boolean() -> None:
    asks = (("mig-config", Ref("ConfigMap", "layouts", NAME)), ("mig-reboot", True))
    chart = next(part for part in lowered_with(cluster(gpu()), *asks) if hasattr(part, "values"))
    assert at(chart.values, "migManager", "env") == [{"name": "WITH_REBOOT", "value": "true"}]


def test_a_mig_manager_that_would_wait_for_ever_is_off() -> None:
    assert at(chart_of(cluster(gpu("talos-1.13", "h100-80gb")), NAME).values, "migManager") == {"enabled": False}
    assert "migManager" not in chart_of(cluster(gpu("talos-1.13", "t4")), NAME).values


def test_configurations_of_the_plugin_become_one_map_by_pool() -> None:
    config = Document({"version": "v1"})
    made = lowered_with(cluster(gpu()), ("device-plugin-config", {"b": config}), ("device-plugin-config", {"a": config}))
    config_map = next(part for part in made if hasattr(part, "body"))
    chart = next(part for part in made if hasattr(part, "values"))
    assert (config_map.name, config_map.hashed, list(at(config_map.body, "data"))) == ("fourleaf-device-plugin", True, ["a", "b"])  # type: ignore[arg-type]
    assert at(chart.values, "devicePlugin", "config", "name") == config_map.ref


def test_its_label_of_turns_on_cards_says_nothing_of_turns_on_slices() -> None:
    origin = Origin(("spec", "pools", "gpu", "partition"))
    shared = Partition(forms=("timeSlicing",), replicas=4, origin=origin)
    slices = Partition(forms=("mig", "timeSlicing"), cuts=(Cut((0,), (("1g.10gb", 7),)),), replicas=4, origin=origin)
    said = [discovers(replace(pool("gpu", ("h100-80gb", 2)), partition=partition)) for partition in (shared, slices)]
    assert [labels["nvidia.com/gpu.replicas"] for labels in said] == ["4", "1"]
    assert [labels["nvidia.com/gpu.sharing-strategy"] for labels in said] == ["time-slicing", "none"]


def test_operands_tolerate_the_taints_of_all_pools_and_the_usual_one() -> None:
    made = cluster(gpu(taints=["team=x:NoExecute"]))
    assert at(chart_of(made, NAME).values, "daemonsets", "tolerations") == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "team", "operator": "Exists", "effect": "NoExecute"},
    ]


def test_pods_with_a_card_tolerate_the_usual_taint_though_none_is_declared() -> None:
    (binding,) = lowered(cluster(gpu())).bindings
    assert [toleration.key for toleration in binding.tolerations] == ["nvidia.com/gpu"]
    assert binding.requests == {"nvidia.com/gpu": 1}


def test_large_clusters_give_the_operator_more_memory() -> None:
    made = cluster(pool("gpu", ("t4", 1), nodes=300))
    assert at(chart_of(made, NAME).values, "operator", "resources", "limits", "memory") == "1400Mi"


def test_the_old_chart_does_not_promise_definitions_of_the_new() -> None:
    new = {item.ref.name for item in chart_of(cluster(gpu()), NAME).provides}
    old = {item.ref.name for item in chart_of(cluster(gpu("talos-1.12")), NAME).provides}
    assert new - old == {"GPUCluster.nvidia.com", "ComputeDomain.resource.nvidia.com", "ComputeDomainClique.resource.nvidia.com"}
