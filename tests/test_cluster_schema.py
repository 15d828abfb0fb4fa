"""The JSON Schema of a spec as editors use it: it takes what fourleaf takes, and marks a misspelt key wherever it stands."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
import yaml
from mutants import at, places
from support import ROOT, STACKS

from fourleaf.cli.init import SCHEMA, SPEC

CONTENT = json.loads((ROOT / "schemas" / "cluster.v1.schema.json").read_text())
VALIDATORS = {"jsonschema": jsonschema.Draft202012Validator(CONTENT), "jsonschema_rs": jsonschema_rs.Draft202012Validator(CONTENT)}
OPEN = ("labels", "featureGates", "stack", "values", "layout", "modes")
"""Mappings whose keys the author chooses."""


@pytest.fixture(params=VALIDATORS)
def judge(request: pytest.FixtureRequest) -> Any:
    return VALIDATORS[request.param]


@pytest.mark.parametrize("path", STACKS, ids=lambda path: path.stem)
def test_it_takes_the_examples(path: Path, judge: Any) -> None:
    assert judge.is_valid(yaml.safe_load(path.read_text()))


@pytest.mark.parametrize("path", STACKS, ids=lambda path: path.stem)
def test_the_examples_name_it_for_editors(path: Path) -> None:
    first = path.read_text().splitlines()[0]

    assert first.startswith("# yaml-language-server: $schema=")
    assert (path.parent / first.partition("=")[2]).resolve() == ROOT / "schemas" / "cluster.v1.schema.json"


def test_it_takes_what_init_writes(judge: Any) -> None:
    assert judge.is_valid(yaml.safe_load(SPEC.format(name="lab", schema=SCHEMA)))


def test_it_takes_what_init_offers_in_comments(judge: Any) -> None:
    """Each line that init comments out is part of the language."""
    text = re.sub(r"^( +)# ", r"\1", SPEC.format(name="lab", schema=SCHEMA), flags=re.MULTILINE)
    tree = yaml.safe_load(text)

    assert {"tenants", "delivery"} <= set(tree["spec"])
    assert {"taints", "partition"} <= set(tree["spec"]["pools"][0])
    assert judge.is_valid(tree)


@pytest.mark.parametrize("path", STACKS, ids=lambda path: path.stem)
def test_it_refuses_a_misspelt_key_wherever_it_stands(path: Path, judge: Any) -> None:
    tree = yaml.safe_load(path.read_text())
    keys = [place for place in places(tree) if isinstance(place[-1], str) and not any(part in OPEN for part in place[:-1])]

    assert len(keys) > 20
    for place in keys:
        wrong = copy.deepcopy(tree)
        holder = at(wrong, place[:-1])
        holder[f"{place[-1]}x"] = holder.pop(place[-1])
        assert not judge.is_valid(wrong), place
