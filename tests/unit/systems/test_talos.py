"""What Talos' nodes are asked for, in the form of their version."""

import pytest
from clusters import planned, pool, workload

from fourleaf.ir import Ask, Origin, Plan
from fourleaf.systems import SYSTEMS

ORIGIN = Origin(("spec", "pools", "gpu"))
BOTH = {
    "extensions": ["siderolabs/nvidia-container-toolkit-production"],
    "modules": ["nvidia", "nvidia_uvm"],
    "sysctls": {"net.core.bpf_jit_harden": "1"},
    "default_runtime": "nvidia",
}
CDI = {"extensions": ["siderolabs/i915"], "cdi": ["/var/cdi/static", "/var/cdi/dynamic"]}


def cluster(os: str, nodes: object = ("gpu-1",)) -> Plan:
    gpu = pool("gpu", ("rtx-5070-ti", 1), os=os, nodes=nodes)  # type: ignore[arg-type]
    return planned(gpu, workloads=[workload("llm", vendor="nvidia")], distribution="talos", allocation={"nvidia": "operator"})


def setup(made: Plan, *values: object) -> tuple[str, str]:
    """Return command and text of the one thing to do."""
    asks = [Ask(topic="host-setup", pool="gpu", value=value, origin=ORIGIN) for value in values]  # type: ignore[arg-type]
    talos = next(component for component in made.components if component.system == "talos")
    (todo,) = SYSTEMS["talos"].lower(made, talos, asks)
    return todo.command, todo.text  # type: ignore[union-attr]


def test_it_stands_on_talos_pools_without_being_asked_for() -> None:
    assert "talos" in cluster("talos-1.12").pools[0].systems
    assert "talos" not in cluster("ubuntu-24.04").pools[0].systems


def test_two_systems_get_one_file_a_node_with_the_settings_of_both() -> None:
    _, text = setup(cluster("talos-1.12"), BOTH, CDI)
    assert text.count("/etc/cri/conf.d/20-customization.part") == 1
    assert text.endswith(
        '        [plugins."io.containerd.cri.v1.runtime"]\n'
        '          cdi_spec_dirs = ["/var/cdi/static", "/var/cdi/dynamic"]\n'
        '        [plugins."io.containerd.cri.v1.runtime".containerd]\n'
        '          default_runtime_name = "nvidia"\n'
        '        [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia]\n'
        '          base_runtime_spec = "/etc/cri/conf.d/base-spec.json"'
    )


def test_extensions_of_all_systems_are_one_list() -> None:
    _, text = setup(cluster("talos-1.12"), BOTH, CDI, CDI)
    assert "      - siderolabs/i915\n      - siderolabs/nvidia-container-toolkit-production\n" in text
    assert text.count("siderolabs/i915") == 1


def test_containerd_keeps_its_own_directories_beside_those_asked_for() -> None:
    _, text = setup(cluster("talos-1.13"), {"cdi": ["/etc/cdi", "/var/run/cdi"]}, CDI)
    assert 'cdi_spec_dirs = ["/etc/cdi", "/var/run/cdi", "/var/cdi/static", "/var/cdi/dynamic"]' in text


def test_directories_that_containerd_reads_anyway_are_not_written() -> None:
    _, text = setup(cluster("talos-1.13"), {"modules": ["nvidia"], "cdi": ["/etc/cdi", "/var/run/cdi"]})
    assert "cdi_spec_dirs" not in text


def test_a_named_runtime_gets_the_base_specification_and_stays_the_choice_of_pods() -> None:
    _, text = setup(cluster("talos-1.13"), {"runtimes": ["nvidia"]})
    assert "runtimes.nvidia]" in text
    assert "default_runtime_name" not in text


def test_from_1_14_on_documents_take_the_place_of_machine() -> None:
    command, text = setup(cluster("talos-1.14"), BOTH)
    assert "machine:" not in text
    assert (
        "apiVersion: v1alpha1\nkind: KernelModuleConfig\nname: nvidia\n---\n"
        "apiVersion: v1alpha1\nkind: KernelModuleConfig\nname: nvidia_uvm\n" in text
    )
    assert 'kind: SysctlConfig\nparams:\n  net.core.bpf_jit_harden: "1"\n' in text
    assert "kind: CRICustomizationConfig\nname: fourleaf\ncontent: |\n" in text
    assert command == "talosctl --nodes gpu-1 patch mc --patch talos-gpu.yaml"


def test_until_1_14_the_patch_is_named_with_an_at() -> None:
    command, _ = setup(cluster("talos-1.13", ["a", "b"]), BOTH)
    assert command == "talosctl --nodes a,b patch mc --patch @talos-gpu.yaml"


def test_nodes_that_the_spec_does_not_name_are_left_to_the_reader() -> None:
    command, _ = setup(cluster("talos-1.13", 3), BOTH)
    assert "<each node of pool gpu>" in command


def test_two_default_runtimes_are_a_bug_of_the_systems() -> None:
    with pytest.raises(AssertionError, match="nvidia and kata"):
        setup(cluster("talos-1.12"), BOTH, {"default_runtime": "kata"})
