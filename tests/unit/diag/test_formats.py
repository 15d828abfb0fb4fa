"""Diagnostics as programs read them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from fourleaf.diag import Label, Rule, Severity, Span
from fourleaf.diag.formats import as_json
from fourleaf.spec import load

SCHEMA = json.loads((Path(__file__).parents[3] / "schemas" / "diagnostics.v1.schema.json").read_text())
RULE = Rule("FL011", "duplicate-name", Severity.ERROR, "x")


def test_a_diagnostic_has_exactly_these_members() -> None:
    item = RULE.at(
        ("spec",),
        "pool gpu is there twice",
        help="rename it",
        labels=(Label((), "first", Span("a", 1, 2, 3, 4)),),
        span=Span("b", 5, 6, 7, 8),
    )

    assert as_json([item]) == {
        "diagnostics": [
            {
                "code": "FL011",
                "name": "duplicate-name",
                "severity": "error",
                "message": "pool gpu is there twice",
                "help": "rename it",
                "file": "b",
                "line": 5,
                "column": 6,
                "endLine": 7,
                "endColumn": 8,
                "labels": [{"file": "a", "line": 1, "column": 2, "endLine": 3, "endColumn": 4, "message": "first"}],
            }
        ],
        "summary": {"errors": 1, "warnings": 0, "notes": 0},
    }


def test_members_come_in_a_fixed_order() -> None:
    (made,) = as_json([RULE.at((), "m", span=Span("b", 5, 6, 7, 8))])["diagnostics"]

    assert list(made) == ["code", "name", "severity", "message", "help", "file", "line", "column", "endLine", "endColumn", "labels"]


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "text", ["", "a: [", "- x", "kind: Cluster\nmetadata: {nam: 1, nam: 2}\nspec: {pools: [{name: a}, {name: a}]}\n", b"\xff"]
)
def test_what_the_loader_says_is_valid_against_the_schema(text: str | bytes) -> None:
    document = as_json(load(text, "c.yaml").diagnostics)

    assert document["diagnostics"]
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(document)))


def test_what_has_no_place_is_valid_too() -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(as_json([RULE.at((), "m")]))


@pytest.mark.parametrize("change", [{"severity": "fatal"}, {"code": "FL1"}, {"line": 0}, {"more": 1}, {"message": ""}, {"labels": [{}]}])
def test_the_schema_is_closed(change: dict[str, object]) -> None:
    document = as_json([RULE.at((), "m", span=Span("b", 5, 6, 7, 8))])
    document["diagnostics"][0].update(change)

    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(document)
