import json
from collections import defaultdict
from functools import cache
from pathlib import Path

import kubernetes_validate
import pytest

from fourleaf.kube import Version
from fourleaf.kube import served as table
from fourleaf.kube.served import Served, default_versions, dra_api, dra_on, gate, gate_on, is_served, known_releases, switches

DRA = "resource.k8s.io"
SCHEMAS = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema"


def at(text: str) -> Version:
    return Version.parse(text)


@cache
def released(release: str) -> dict[tuple[str, str], set[str]]:
    """The versions of every kind in the OpenAPI schema of a release, which holds what is off by default too."""
    definitions = json.loads((SCHEMAS / f"v{release}.0-local" / "_definitions.json").read_bytes())["$defs"]
    found = defaultdict(set)
    for definition in definitions.values():
        for item in definition.get("x-kubernetes-group-version-kind", ()):
            found[item["group"], item["kind"]].add(item["version"])
    return found


@pytest.mark.parametrize("release", known_releases())
def test_the_table_has_the_versions_of_the_released_schemas_and_no_others(release: str) -> None:
    for (group, kind), spans in table._kinds().items():
        schema = released(release)[group, kind]
        api_versions = {name: f"{group}/{name}" if group else name for name in schema | set(spans)}
        present = {name for name, text in api_versions.items() if is_served(text, kind, at(release)) is not Served.NO}
        assert present == schema, (group, kind)


def test_the_known_releases_are_those_that_were_read() -> None:
    assert known_releases() == ("1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36", "1.37")


@pytest.mark.parametrize(
    ("api_version", "kind", "yes", "off", "no"),
    [
        (f"{DRA}/v1", "ResourceClaim", "1.34 1.35 1.36 1.37", "", "1.30 1.33"),
        (f"{DRA}/v1beta2", "ResourceClaimTemplate", "", "1.33 1.34 1.37", "1.32"),
        (f"{DRA}/v1beta1", "DeviceClass", "", "1.32 1.33 1.34 1.37", "1.31 1.38"),
        (f"{DRA}/v1alpha3", "ResourceSlice", "", "1.31 1.33", "1.34"),
        (f"{DRA}/v1", "DeviceTaintRule", "1.37", "", "1.36"),
        (f"{DRA}/v1beta2", "DeviceTaintRule", "", "1.36 1.37", "1.35"),
        ("apps/v1", "Deployment", "1.30 1.37", "", ""),
        ("apps/v1beta1", "Deployment", "", "", "1.30 1.37"),
        ("v1", "ConfigMap", "1.30 1.37", "", ""),
        ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "1.30 1.37", "", ""),
        ("admissionregistration.k8s.io/v1beta1", "ValidatingAdmissionPolicy", "", "1.30 1.33", "1.34"),
        ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", "1.36", "", "1.35"),
        ("scheduling.k8s.io/v1", "PriorityClass", "1.30 1.37", "", ""),
        ("scheduling.k8s.io/v1alpha1", "Workload", "", "1.35", "1.34 1.36"),
        ("scheduling.k8s.io/v1beta1", "PodGroup", "", "1.37", "1.36"),
        ("scheduling.volcano.sh/v1beta1", "Queue", "", "", "1.30 1.37"),
        ("v1", "Deployment", "", "", "1.37"),
    ],
)
def test_what_a_release_serves(api_version: str, kind: str, yes: str, off: str, no: str) -> None:
    for state, releases in ((Served.YES, yes), (Served.OFF, off), (Served.NO, no)):
        assert {is_served(api_version, kind, at(release)) for release in releases.split()} <= {state}


def test_a_patch_release_serves_what_its_minor_release_does() -> None:
    assert is_served(f"{DRA}/v1", "DeviceClass", at("1.34.0")) is Served.YES
    assert is_served(f"{DRA}/v1", "DeviceClass", at("1.33.9")) is Served.NO


def test_the_most_stable_and_newest_version_stands_first() -> None:
    assert default_versions("autoscaling", "HorizontalPodAutoscaler", at("1.35")) == ("v2", "v1")
    assert default_versions(DRA, "ResourceClaim", at("1.33")) == ()
    assert default_versions(DRA, "ResourceClaim", at("1.37")) == ("v1",)


@pytest.mark.parametrize(
    ("release", "api", "on"),
    [
        ("1.30", None, False), ("1.31", None, False), ("1.32", "v1beta1", False), ("1.33", "v1beta2", False),
        ("1.34", "v1", True), ("1.35", "v1", True), ("1.36", "v1", True), ("1.37", "v1", True),
    ],
)  # fmt: skip
def test_claims_are_written_in_the_best_version_that_is_not_alpha(release: str, api: str | None, on: bool) -> None:
    assert dra_api(at(release)) == (api and f"{DRA}/{api}")
    assert dra_on(at(release)) is on


def test_switches_name_the_version_and_the_gates_that_are_still_off() -> None:
    assert switches(f"{DRA}/v1beta1", "ResourceClaim", at("1.32")) == (
        "--runtime-config=resource.k8s.io/v1beta1=true",
        "--feature-gates=DynamicResourceAllocation=true",
    )
    assert switches(f"{DRA}/v1beta1", "ResourceClaim", at("1.34")) == ("--runtime-config=resource.k8s.io/v1beta1=true",)
    assert switches("scheduling.k8s.io/v1alpha3", "CompositePodGroup", at("1.37"))[1] == (
        "--feature-gates=GenericWorkload=true,CompositePodGroup=true"
    )
    # The gate of the rules came two releases after their API.
    assert "DRADeviceTaintRules" not in switches(f"{DRA}/v1alpha3", "DeviceTaintRule", at("1.34"))[1]


def test_nothing_is_switched_on_that_is_on_or_absent() -> None:
    assert switches(f"{DRA}/v1", "ResourceClaim", at("1.34")) == ()
    assert switches(f"{DRA}/v1", "ResourceClaim", at("1.33")) == ()
    assert switches("volcano.sh/v1", "Job", at("1.33")) == ()


@pytest.mark.parametrize(
    ("name", "unknown", "off", "on"),
    [
        ("DynamicResourceAllocation", "", "1.30 1.33", "1.34 1.37"),
        ("DRAExtendedResource", "1.33", "1.34 1.35", "1.36 1.37"),
        ("DRAPrioritizedList", "1.32", "1.33", "1.34"),
        ("DRAPartitionableDevices", "1.32", "1.33 1.35", "1.36 1.37"),
        ("DRAConsumableCapacity", "1.33", "1.34 1.35", "1.36"),
        ("DRADeviceTaints", "1.32", "1.33 1.35", "1.36"),
        ("DRADeviceTaintRules", "1.34", "1.35 1.36", "1.37"),
        ("DRAResourceClaimDeviceStatus", "1.31", "1.32", "1.33"),
        ("GenericWorkload", "1.34", "1.35 1.37", ""),
        ("GangScheduling", "1.34 1.37", "1.35 1.36", ""),
        ("NoSuchGate", "1.30 1.37", "", ""),
    ],
)
def test_gates_by_release(name: str, unknown: str, off: str, on: str) -> None:
    for state, releases in ((None, unknown), (False, off), (True, on)):
        assert {gate_on(name, at(release)) for release in releases.split()} <= {state}


def test_a_gates_stages_come_in_order() -> None:
    for name in table._file()["gates"]:
        found = gate(name)
        assert found is not None
        stages = [stage for stage in (found.alpha, found.beta, found.stable) if stage]
        assert stages == sorted(stages), name
        assert found.default is None or (found.beta is not None and found.default >= found.beta), name
        assert found.locked is None or (found.stable is not None and found.locked >= found.stable), name
    assert gate("NoSuchGate") is None


def test_every_gate_that_an_api_stands_behind_is_in_the_table() -> None:
    behind = {name for spans in table._kinds().values() for span in spans.values() for name in span.gates}
    assert behind <= set(table._file()["gates"])


def test_the_table_says_where_it_comes_from() -> None:
    assert table._file()["read"] == "2026-11-29"
    assert "kubernetes/kubernetes v1.37.2" in table._file()["source"]
