"""Each component compiles a fragment of the language, registers the part of its system, and hands on what others need of it."""

from __future__ import annotations

import pytest
from components.programs import CUT, KUBERNETES, SHARED, SLICES, TEAMS, given, pool
from components.recorder import Recording, record
from fourleaf_components import (
    AmdOperator,
    AmdPlugin,
    Cluster,
    IntelDra,
    MigLayout,
    NvidiaDevicePlugin,
    NvidiaDra,
    NvidiaOperator,
    VolcanoQueues,
)

INTEL = pool("igpu", "arc-b580", 1)


def made(component, args) -> Recording:
    recording = record(lambda: component("it", args) and None)
    assert recording.failure is None, recording.errors
    return recording


def kinds(recording: Recording) -> list[str]:
    return sorted(f"{one.type.split(':')[-1]} {one.name}" for one in (*recording.objects, *recording.releases))


def test_the_operator_comes_with_what_it_needs() -> None:
    recording = made(NvidiaOperator, given(pool()))

    assert kinds(recording) == [
        "Namespace it:gpu-operator",
        "Namespace it:node-feature-discovery",
        "Release it:gpu-operator/gpu-operator",
        "Release it:node-feature-discovery/node-feature-discovery",
    ]
    assert recording.outputs["it"] == {
        "namespace": "gpu-operator",
        "version": "v26.7.0",
        "release": "gpu-operator",
        "resources": ["nvidia.com/gpu"],
        "runtimeClass": "nvidia",
        "nodeLabels": {},
        "prerequisites": [],
    }


def test_shared_cards_are_configured_by_the_operator() -> None:
    recording = made(NvidiaOperator, given(pool(), SHARED))
    (config,) = (one for one in recording.objects if one.type.endswith(":ConfigMap"))
    release = recording.named("it:gpu-operator/gpu-operator")
    outputs = recording.outputs["it"]

    assert outputs["devicePluginConfig"] == config.inputs["metadata"]["name"]
    assert release.inputs["values"]["devicePlugin"]["config"]["name"] == outputs["devicePluginConfig"]
    assert config.name in release.after
    assert outputs["resources"] == ["nvidia.com/gpu", "nvidia.com/gpu.shared"]
    assert outputs["nodeLabels"] == {"shared": {"nvidia.com/device-plugin.config": "shared"}}


def layout_then_operator(pools, operator_pools=None) -> Recording:
    def program() -> None:
        layout = MigLayout("layout", given(*pools))
        more = {"mig_config": layout.config_name, "namespace": layout.namespace}
        NvidiaOperator("gpu", given(*(operator_pools or pools), **more))

    return record(program)


def test_the_operator_waits_for_the_layouts_that_its_chart_names() -> None:
    recording = layout_then_operator([CUT])
    config = recording.named(f"layout:gpu-operator/{recording.outputs['layout']['configName']}")
    release = recording.named("gpu:gpu-operator/gpu-operator")

    assert recording.failure is None
    assert release.inputs["values"]["migManager"]["config"]["name"] == config.inputs["metadata"]["name"]
    assert {config.name, "layout:gpu-operator"} <= set(release.after)
    assert config.after == ("layout:gpu-operator",)
    assert [one.name for one in recording.objects if one.type.endswith(":Namespace")] == [
        "layout:gpu-operator",
        "gpu:node-feature-discovery",
    ]
    assert recording.outputs["layout"]["resources"] == ["nvidia.com/mig-1g.10gb"]
    assert recording.outputs["layout"]["nodeLabels"] == recording.outputs["gpu"]["nodeLabels"] == {"gpu": {"nvidia.com/mig.config": "gpu"}}


def test_slices_that_are_shared_have_their_layout_from_one_component_and_their_turns_from_the_other() -> None:
    turns = {**CUT, "partition": {"mig": {"layout": SLICES, "time_slicing": {"replicas": 4}}}}
    recording = layout_then_operator([turns])
    operator = recording.outputs["gpu"]

    assert recording.failure is None
    assert recording.outputs["layout"]["resources"] == operator["resources"] == ["nvidia.com/mig-1g.10gb.shared"]
    assert (
        operator["devicePluginConfig"] == recording.named(f"gpu:gpu-operator/{operator['devicePluginConfig']}").inputs["metadata"]["name"]
    )
    assert recording.outputs["layout"]["nodeLabels"] == {"gpu": {"nvidia.com/mig.config": "gpu"}}
    assert operator["nodeLabels"] == {"gpu": {"nvidia.com/device-plugin.config": "gpu", "nvidia.com/mig.config": "gpu"}}


def test_operator_and_layouts_together_are_the_whole_cluster() -> None:
    apart = layout_then_operator([CUT])
    whole = record(lambda: Cluster("it", given(CUT)) and None)

    assert sorted(name.split(":", 1)[1] for name in kinds(apart)) == sorted(name.split(":", 1)[1] for name in kinds(whole))
    assert sorted(str(sorted(one.inputs.items(), key=str)) for one in apart.objects if one.type.endswith("ConfigMap")) == sorted(
        str(sorted(one.inputs.items(), key=str)) for one in whole.objects if one.type.endswith("ConfigMap")
    )


def test_layouts_of_other_pools_are_refused() -> None:
    other = {**CUT, "partition": {"mig": {"layout": {"3g.40gb": 2}}}}
    recording = layout_then_operator([CUT], [other])

    assert "gpu.mig_config is fourleaf-mig-" in str(recording.failure)
    assert "give both components the same pools" in str(recording.failure)
    assert not [one for one in recording.releases if one.name == "gpu:gpu-operator/gpu-operator"]


def test_a_new_layout_is_a_new_name() -> None:
    names = {made(MigLayout, given(CUT)).outputs["it"]["configName"]}
    names.add(made(MigLayout, given({**CUT, "partition": {"mig": {"layout": SLICES}}})).outputs["it"]["configName"])

    assert len(names) == 2


def test_claimed_cards_are_the_dra_drivers_above_the_operator() -> None:
    work = [{"name": "train", "namespace": "ml", "gpu": {"vendor": "nvidia", "count": 2}}]

    def program() -> None:
        operator = NvidiaOperator("gpu", given(pool(), allocation="dra"))
        NvidiaDra("dra", given(pool(), operator=operator.release, workloads=work))

    recording = record(program)
    operator, driver = recording.named("gpu:gpu-operator/gpu-operator"), recording.outputs["dra"]
    release = recording.named(f"dra:{driver['namespace']}/dra-driver-nvidia-gpu")

    assert recording.failure is None
    assert operator.inputs["values"]["devicePlugin"] == {"enabled": False}
    assert recording.outputs["gpu"]["resources"] == []
    assert operator.name in release.after
    assert release.inputs["skipCrds"] is True
    assert operator.inputs["skipCrds"] is False
    assert [*driver["claimTemplates"]] == ["ml/train"]
    assert "gpu.nvidia.com" in driver["deviceClasses"]


def test_the_device_plugin_alone() -> None:
    recording = made(NvidiaDevicePlugin, given(pool(card="rtx-4090", count=1), version="v0.17.4"))
    outputs = recording.outputs["it"]

    assert kinds(recording) == [
        "DaemonSet it:nvidia-device-plugin/nvidia-device-plugin",
        "Namespace it:nvidia-device-plugin",
        "RuntimeClass it:nvidia",
    ]
    assert (outputs["resources"], outputs["runtimeClass"], outputs["version"]) == (["nvidia.com/gpu"], "nvidia", "v0.17.4")
    assert any("driver" in one["what"] for one in outputs["prerequisites"])


def test_intels_driver_makes_the_claims_of_workloads() -> None:
    work = [{"name": vendor, "namespace": "art", "gpu": {"vendor": vendor}} for vendor in ("intel", "nvidia")]
    recording = made(IntelDra, given(INTEL, pool(), workloads=work))
    (template,) = (one for one in recording.objects if one.type.endswith(":ResourceClaimTemplate"))
    outputs = recording.outputs["it"]

    assert outputs["claimTemplates"] == {"art/intel": template.inputs["metadata"]["name"]}
    assert outputs["deviceClasses"] == ["gpu-vfio.intel.com", "gpu.intel.com"]
    assert [one.name for one in recording.releases] == ["it:intel-gpu-resource-driver/intel-gpu-resource-driver"]


def test_amds_device_plugin() -> None:
    recording = made(AmdPlugin, given(pool("mi", "mi300x")))

    assert kinds(recording) == ["DaemonSet it:amd-device-plugin/amd-device-plugin", "Namespace it:amd-device-plugin"]
    assert recording.outputs["it"]["resources"] == ["amd.com/gpu"]


def test_amds_operator_comes_with_the_modes_of_its_cards() -> None:
    recording = made(AmdOperator, given(pool("mi", "mi300x", partition={"modes": {"cpx_nps4": 8}})))
    (config,) = (one for one in recording.objects if one.type.endswith(":ConfigMap"))
    (device,) = (one for one in recording.objects if one.type.endswith(":DeviceConfig"))
    outputs = recording.outputs["it"]

    assert device.inputs["spec"]["configManager"]["config"]["name"] == config.inputs["metadata"]["name"]
    assert config.name in device.after
    assert outputs["resources"] == ["amd.com/cpx_nps4"]
    assert outputs["nodeLabels"] == {"mi": {"dcm.amd.com/gpu-config-profile": "mi", "fourleaf.dev/pool": "mi"}}
    assert [one.name for one in recording.releases] == [
        "it:node-feature-discovery/node-feature-discovery",
        "it:kube-amd-gpu/amd-gpu-operator",
    ]


def test_tenants_become_queues() -> None:
    recording = made(VolcanoQueues, given(pool(), tenants=TEAMS))
    outputs = recording.outputs["it"]

    assert {one.inputs["metadata"]["name"] for one in recording.objects if one.type.endswith(":Queue")} == {*outputs["queues"]}
    assert outputs["queues"][:1] == ["science"]
    assert {*outputs["queues"]} == {"science", "vision", "speech", "default"}
    assert outputs["namespaces"] == {"vision": "vision", "speech": "speech"}
    assert outputs["scheduler"] == "volcano"
    assert {"Namespace it:vision", "Release it:volcano-system/volcano"} <= {*kinds(recording)}
    assert "Release it:gpu-operator/gpu-operator" not in kinds(recording)


def test_a_cluster_of_parts_is_the_cluster_of_a_file(tmp_path) -> None:
    path = tmp_path / "cluster.yaml"
    path.write_text(
        """
apiVersion: fourleaf.dev/v1
kind: Cluster
metadata: {name: it}
spec:
  kubernetes: {version: "1.35"}
  pools: [{name: gpu, nodes: [gpu-1], os: ubuntu-24.04, gpus: [{card: h100-80gb, count: 8}]}]
  policy: {createNamespaces: true}
  workloads: [{name: w, namespace: n, gpu: {vendor: nvidia, count: 2}}]
"""
    )
    work = [{"name": "w", "namespace": "n", "gpu": {"vendor": "nvidia", "count": 2}}]
    parts = made(Cluster, given(pool(), policy={"create_namespaces": True}, workloads=work))
    file = made(Cluster, {"spec": str(path)})

    assert [(one.name, one.inputs) for one in parts.registered] == [(one.name, one.inputs) for one in file.registered]
    assert parts.outputs == file.outputs
    assert parts.outputs["it"]["leaf"] == "L3"
    assert parts.outputs["it"]["bindings"]["n/w"]["spec"]["template"]["spec"]["containers"][0]["resources"] == {
        "limits": {"nvidia.com/gpu": 2}
    }


WRONG = {
    "a profile that the card has not": (
        MigLayout,
        given(pool(partition={"mig": {"layout": {"1g.12gb": 7}}})),
        ["FL201: h100-80gb has no MIG profile 1g.12gb", " --> it.pools[0].partition.mig.layout.1g.12gb", "= help: write 1g.10gb"],
    ),
    "a field that is not there": (
        NvidiaOperator,
        given(pool(taint=[])),
        ["has no field taint", " --> it.pools[0].taint", "taints"],
    ),
    "a word of several": (
        NvidiaOperator,
        given(pool(driver={"kernel_modules": "opn"})),
        [" --> it.pools[0].driver.kernel_modules", "= help: write open"],
    ),
    "an owner beside a version": (
        NvidiaOperator,
        given(pool(driver={"owner": "operator", "version": "580.173.02"})),
        [" --> it.pools[0].driver.owner"],
    ),
    "raw values that the chart has not": (
        NvidiaOperator,
        given(pool(), values={"dcgmExportr": {"enabled": False}}),
        ["FL811", " --> it.values.dcgmExportr"],
    ),
    "a control character": (
        NvidiaOperator,
        given(pool(labels={"a": "b\x01"})),
        ["U+0001 (a control character)", " --> it.pools[0].labels.a"],
    ),
    "an argument that is not there": (NvidiaOperator, given(pool(), migconfig="x"), ["it has no argument migconfig, it has mig_config"]),
    "no card of the vendor": (IntelDra, given(pool()), ["none of it.pools has cards of Intel"]),
    "no card of AMD": (AmdPlugin, given(pool()), ["none of it.pools has cards of AMD"]),
    "cards that AMD's plugin cannot partition": (
        AmdPlugin,
        given(pool("mi", "mi300x", partition={"modes": {"cpx_nps4": 8}})),
        ["one of it.pools is partitioned by modes: that takes AmdOperator"],
    ),
    "nothing for AMD's operator": (AmdOperator, given(pool("mi", "mi300x")), ["AmdPlugin is enough for whole cards"]),
    "nothing cut": (MigLayout, given(pool()), ["none of it.pools is cut by MIG"]),
    "layouts that nobody names": (
        NvidiaOperator,
        given(CUT),
        ["it.mig_config does not say where its layouts are"],
    ),
    "layouts for nothing": (NvidiaOperator, given(pool(), mig_config="x"), ["it.mig_config is given, and none of it.pools is cut by MIG"]),
    "a path and parts": (Cluster, {"spec": "x.yaml", "pools": [pool()]}, ["it has both spec and pools"]),
    "neither path nor parts": (Cluster, {}, ["FL004"]),
    "a path that leads nowhere": (Cluster, {"spec": "nowhere.yaml"}, ["there is no file nowhere.yaml"]),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_one_error_on_the_component(name: str) -> None:
    component, args, wanted = WRONG[name]
    recording = record(lambda: component("it", args) and None)

    (error,) = recording.errors
    assert [text for text in wanted if text not in error] == []
    assert "in its arguments" in str(recording.failure)
    assert "Traceback" not in error
    assert [one.name for one in recording.registered] == ["it"]


def test_an_output_where_the_compiler_must_see_the_value_is_named() -> None:
    import pulumi

    recording = record(lambda: NvidiaOperator("it", given(pool(os=pulumi.Output.from_input("ubuntu-24.04")))) and None)

    assert recording.errors == ["it.pools[0].os is an output: the compiler needs the value itself, while the program runs"]


def test_warnings_are_on_the_component_and_end_nothing() -> None:
    old = pool("gpu", "rtx-5070-ti", 1, os="talos-1.12")
    recording = made(NvidiaOperator, {"kubernetes": {**KUBERNETES, "distribution": "talos"}, "pools": [old]})

    assert any(text.startswith("FL153: ") for text in recording.warnings)
