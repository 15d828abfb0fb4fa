"""Pins of versions: what is known of them."""

from __future__ import annotations

import pytest
from specs import compiled, pool, spec

from fourleaf.diag import Diagnostic


def found(component: str, version: str, os: str = "ubuntu-24.04", distribution: str = "kubeadm") -> list[Diagnostic]:
    made = spec(
        {**pool("a", "l4", partition={"timeSlicing": {"replicas": 4}}), "os": os},
        kubernetes={"version": "1.35", "distribution": distribution},
        stack={component: {"version": version}},
    )
    return [one for one in compiled(made).diagnostics if one.rule.code == "FL132"]


@pytest.mark.parametrize("version", ["v26.7.0", "v26.3.3", "v25.10.1"])
def test_versions_with_a_record_or_keys_are_known(version: str) -> None:
    assert found("gpu-operator", version) == []


@pytest.mark.parametrize(
    ("version", "os", "distribution", "write"),
    [
        ("v99.0.0", "ubuntu-24.04", "kubeadm", "v26.7.0"),
        ("26.3.3", "ubuntu-24.04", "kubeadm", "v26.3.3"),
        ("v25.10.0", "talos-1.12", "talos", "v25.10.1"),
    ],
)
def test_any_other_is_a_warning_that_names_one_that_fits_the_hosts(version: str, os: str, distribution: str, write: str) -> None:
    (one,) = found("gpu-operator", version, os, distribution)
    assert one.message == f"the catalogue does not know gpu-operator {version}, it has v26.7.0, v26.3.3, v25.10.1"
    assert (one.severity, one.help) == ("warning", f"write {write}, or accept it under `policy.allow`")
    assert one.place == ("spec", "stack", "gpu-operator", "version")


@pytest.mark.parametrize(
    ("version", "brings"), [("v26.5.0", "the known version before it brings"), ("v24.9.0", "v25.10.1 brings, the oldest that is known")]
)
def test_it_is_said_which_version_stands_for_an_unknown_one(version: str, brings: str) -> None:
    (one,) = found("gpu-operator", version)
    assert one.note == f"raw values are not checked against it, and it is taken to bring what {brings}"


def test_of_a_component_that_is_not_there_no_version_is_looked_up() -> None:
    assert found("volcano", "99.0.0") == []


def test_a_component_without_a_chart_has_the_version_of_its_record() -> None:
    made = spec(pool("a", "mi300x"), stack={"amd-device-plugin": {"version": "9.9.9"}})
    assert [one.rule.code for one in compiled(made).diagnostics] == ["FL132"]
