"""A spec that is data means what its text means; what is wrong with it has a place and no span."""

from __future__ import annotations

import copy

import pytest
import yaml
from support import ROOT, STACKS

from fourleaf.pipeline import run, run_data

TREES = {path.stem: yaml.safe_load(path.read_text()) for path in STACKS}


@pytest.mark.parametrize("name", TREES)
def test_data_becomes_what_its_text_becomes(name: str) -> None:
    text = (ROOT / "stacks" / f"{name}.yaml").read_bytes()
    data = copy.deepcopy(TREES[name])
    made = run_data(data)

    assert (made.bundle, made.files) == (run(text).bundle, run(text).files)
    assert data == TREES[name]


def wrong(**spec):
    return run_data({**TREES["dgx"], "spec": {**TREES["dgx"]["spec"], **spec}})


def test_a_mistake_has_a_place_and_no_span() -> None:
    made = wrong(kubernetes={"version": 1.35})
    (found,) = made.diagnostics

    assert (found.rule.code, found.place, found.span, found.edits) == ("FL005", ("spec", "kubernetes", "version"), None, ())
    assert (made.sources, made.span(("spec",))) == ({}, None)


def test_so_has_one_of_a_later_stage() -> None:
    (found,) = wrong(workloads=[{"name": "w", "namespace": "n", "gpu": {"mig": "3g.40gb"}}]).diagnostics

    assert found.place[:3] == ("spec", "workloads", 0)
    assert found.span is None


def test_it_includes_nothing() -> None:
    (found,) = wrong(include=["tenants.yaml"]).diagnostics

    assert "tenants.yaml cannot be read" in found.message


@pytest.mark.parametrize("spec", [{"exclusive": [{"name": "a\x07"}]}, {"stack": {"gpu-operator": {"values": {"a\x07": 1}}}}])
def test_what_no_text_can_bring_in_is_refused(spec) -> None:
    assert any("U+0007 (a control character) does not survive" in found.message for found in wrong(**spec).diagnostics)


@pytest.mark.parametrize("tree", [{}, {"kind": "Tenants"}, {"apiVersion": "v1", "kind": "Pod"}])
def test_what_is_no_cluster_is_told_so(tree) -> None:
    (found,) = run_data(tree).diagnostics

    assert (found.rule.code, found.span) == (run(b"kind: Pod\napiVersion: v1\n").diagnostics[0].rule.code, None)
