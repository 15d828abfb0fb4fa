"""The package's schema is its public surface: programs in other languages are generated from it. `make golden` writes it anew."""

from __future__ import annotations

import json

import fourleaf_components
from fourleaf_components.host import provider
from pytest_snapshot.plugin import Snapshot
from support import ROOT

import fourleaf


def test_the_schema_is_the_one_that_was_committed(snapshot: Snapshot) -> None:
    snapshot.snapshot_dir = ROOT / "tests" / "components"
    schema = json.loads(provider().schema)
    assert schema.pop("version") == fourleaf.__version__

    snapshot.assert_match(json.dumps(schema, indent=1, sort_keys=True) + "\n", "schema.json")


def test_every_component_is_in_it_with_descriptions() -> None:
    schema = json.loads(provider().schema)
    named = {f"fourleaf:index:{component.__name__}": component for component in fourleaf_components.COMPONENTS}

    assert set(schema["resources"]) == set(named)
    for name, resource in schema["resources"].items():
        fields = {**resource["inputProperties"], **resource["properties"]}
        assert resource["description"], name
        assert [field for field, about in fields.items() if not about.get("description")] == [], name
    for name, declared in schema["types"].items():
        assert [field for field, about in declared["properties"].items() if not about.get("description")] == [], name


def test_what_the_compiler_must_see_is_plain() -> None:
    schema = json.loads(provider().schema)
    inputs = {name: resource["inputProperties"] for name, resource in schema["resources"].items()}
    passed_on = {(name, field) for name, fields in inputs.items() for field, about in fields.items() if not about.get("plain")}

    assert passed_on == {
        ("fourleaf:index:NvidiaOperator", "migConfig"),
        ("fourleaf:index:NvidiaOperator", "namespace"),
        ("fourleaf:index:MigLayout", "namespace"),
        ("fourleaf:index:NvidiaDra", "operator"),
    }
