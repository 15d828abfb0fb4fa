"""Feature gates that a cluster cannot have."""

from __future__ import annotations

import pytest
from specs import compiled, pool, spec

from fourleaf.diag import Diagnostic


def found(kubernetes: str, *names: str) -> list[Diagnostic]:
    said = {"version": kubernetes, "featureGates": dict.fromkeys(names, True)}
    return [one for one in compiled(spec(pool("a", "l4"), kubernetes=said)).diagnostics if one.rule.code == "FL111"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("dynamicresourceallocation", "DynamicResourceAllocation"),
        ("DRAPrioritizedLists", "DRAPrioritizedList"),
        ("DRAPartitionableDevice", "DRAPartitionableDevices"),
        ("DRADeviceTaintRule", "DRADeviceTaintRules"),
    ],
)
def test_a_misspelt_gate_is_told_from_one_that_nobody_knows(name: str, meant: str) -> None:
    (one,) = found("1.36", name)
    assert (one.message, one.help) == (f"Kubernetes 1.36 has no feature gate {name}", f"did you mean {meant}?")
    assert (one.place, one.on_key) == (("spec", "kubernetes", "featureGates", name), True)


@pytest.mark.parametrize(
    "name", ["ValidatingAdmissionPolicy", "DRANodeAllocatableResources", "PodLevelResources", "DRASchedulerFilterTimeout"]
)
def test_gates_of_kubernetes_that_the_table_lacks_are_let_through(name: str) -> None:
    assert found("1.36", name) == []


@pytest.mark.parametrize(
    ("kubernetes", "name", "there"),
    [
        ("1.35", "DRAResourcePoolStatus", "from 1.36 on"),
        ("1.37", "GangScheduling", "from 1.35 on, before 1.37"),
        ("1.34", "GangScheduling", "from 1.35 on, before 1.37"),
    ],
)
def test_a_gate_of_another_release_is_an_error(kubernetes: str, name: str, there: str) -> None:
    (one,) = found(kubernetes, name)
    assert one.help == f"take it out: it is there {there}"
    assert not found("1.36", name)
