"""Feature gates that a cluster cannot have."""

from __future__ import annotations

import pytest
from specs import compiled, pool, spec

from fourleaf.diag import Diagnostic


def found(kubernetes: str, *names: str, on: bool = True, code: str = "FL111") -> list[Diagnostic]:
    said = {"version": kubernetes, "featureGates": dict.fromkeys(names, on)}
    return [one for one in compiled(spec(pool("a", "l4"), kubernetes=said)).diagnostics if one.rule.code == code]


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


@pytest.mark.parametrize(("kubernetes", "locked"), [("1.34.2", False), ("1.35", True), ("1.37", True)])
def test_a_locked_gate_cannot_be_off_whoever_gives_out_the_cards(kubernetes: str, locked: bool) -> None:
    said = [one.message for one in found(kubernetes, "DynamicResourceAllocation", on=False, code="FL112")]
    assert said == ([f"in Kubernetes {kubernetes} feature gate DynamicResourceAllocation cannot be off"] if locked else [])


def test_a_locked_gate_may_be_said_to_be_as_it_is() -> None:
    assert found("1.36", "DynamicResourceAllocation", code="FL112") == []


@pytest.mark.parametrize(("name", "code"), [("", "FL006"), ("DRA-ExtendedResource", "FL016"), ("Gate=true", "FL016")])
def test_what_is_no_name_is_no_gate(name: str, code: str) -> None:
    (one,) = found("1.36", name, code=code)
    assert (one.on_key, one.message.partition(" is ")[0]) == (True, f"the key {name}" if name else "a key of featureGates")
