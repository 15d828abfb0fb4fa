"""The JSON Schema of a spec: closed, explained, and of one mind with the loader."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest

from fourleaf.spec import load
from fourleaf.spec.parse import parse
from fourleaf.spec.schema import json_schema

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
FULL = (HERE / "full.yaml").read_text()


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("schemas_main", ROOT / "schemas" / "__main__.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SHIPPED: dict[str, Any] = json.loads((ROOT / "schemas" / "cluster.v1.schema.json").read_text())


def valid(text: str, schema: dict[str, Any]) -> bool:
    document, _ = parse(text, "c.yaml")
    assert document is not None
    return bool(jsonschema.Draft202012Validator(schema).is_valid(document.value))


def test_the_shipped_schema_is_what_the_models_catalogue_and_registry_say_now() -> None:
    for name, text in generator().generated().items():
        assert (ROOT / "schemas" / name).read_text() == text, "write it anew: make schemas"


def test_it_is_a_schema_of_draft_2020_12() -> None:
    jsonschema.Draft202012Validator.check_schema(SHIPPED)
    assert SHIPPED["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_a_spec_with_every_field_is_valid() -> None:
    assert valid(FULL, SHIPPED)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: homelab", "nam: homelab"),
        ('version: "1.35"', "version: 1.35"),
        ("{mig: auto}", "{mgi: auto}"),
        ("{mig: auto}", "{mig: auto, mps: {replicas: 2}}"),
        ("{mig: auto}", "{mig: {profile: 1g.10gb}, timeSlicing: {replicas: 2}}"),
        ("{mig: auto}", "{mig: {profile: 1g.10gb, mps: {replicas: 2}}}"),
        ("{mig: auto}", "{mig: {timeSlicing: {replicas: 2}}}"),
        ("count: 3", "count: 0"),
        ("count: 3", "count: 3\n      nodes: [a]"),
        ("driver: host", "driver: hots"),
        ("memory: 1.5Ti", "memory: 96 GB"),
        ('empty: ""', "a b: c"),
        ('empty: ""', "a: -b-"),
        ("distribution: talos", "distribution: talso"),
        ("scheduler: volcano", "scheduler: vulcano"),
        ("gpu-operator:", "gpu-operater:"),
        ("fraction: 0.25", "fraction: 1"),
        ("kind: Cluster", "kind: Tenants"),
    ],
)
def test_what_the_language_refuses_the_schema_refuses(old: str, new: str) -> None:
    assert not valid(FULL.replace(old, new, 1), SHIPPED)


@pytest.mark.parametrize(
    ("old", "new"), [("h100-80gb", "NVIDIA H100 80GB HBM3"), ("os: talos-1.12", "os: arch-2026"), ("scheduler: volcano", "scheduler: auto")]
)
def test_names_that_have_aliases_are_offered_and_not_prescribed(old: str, new: str) -> None:
    assert valid(FULL.replace(old, new), SHIPPED)


def definitions() -> Iterator[tuple[str, dict[str, Any]]]:
    yield "Spec", SHIPPED
    yield from SHIPPED["$defs"].items()


def test_every_field_is_explained_and_shown_by_example() -> None:
    bare = [
        f"{name}.{field}"
        for name, definition in definitions()
        for field, schema in definition.get("properties", {}).items()
        if not schema.get("description")
        or not (
            schema.get("examples")
            or "const" in schema
            or (name, field) in {("Spec", "spec"), ("TenantsFile", "spec"), ("WorkloadsFile", "spec"), ("LayoutsFile", "spec")}
        )
    ]

    assert bare == []


def test_every_example_and_default_is_valid_where_it_stands() -> None:
    for definition in [definition for _, definition in definitions()]:
        for schema in definition.get("properties", {}).values():
            checker = jsonschema.Draft202012Validator(
                {"$defs": SHIPPED["$defs"], **{key: value for key, value in schema.items() if key != "examples"}}
            )
            for example in [*schema.get("examples", ()), *([schema["default"]] if "default" in schema else [])]:
                checker.validate(example)


def test_every_mapping_of_known_fields_is_closed() -> None:
    assert [name for name, definition in definitions() if definition.get("additionalProperties") is not False] == []


def test_files_that_a_spec_includes_have_their_schema_in_it() -> None:
    tenants = {"$ref": "#/$defs/TenantsFile", "$defs": SHIPPED["$defs"]}

    assert valid("apiVersion: fourleaf.dev/v1\nkind: Tenants\nspec: {tenants: [{name: a}]}\n", tenants)
    assert not valid("apiVersion: fourleaf.dev/v1\nkind: Tenants\nspec: {tenants: [{nme: a}]}\n", tenants)


def test_without_names_every_text_is_valid_that_the_loader_takes() -> None:
    text = FULL.replace("distribution: talos", "distribution: mine").replace("gpu-operator:", "anything:")

    assert valid(text, json_schema())
    assert load(text, "c.yaml", lambda path: b"{apiVersion: fourleaf.dev/v1, kind: Layouts, spec: {}}").diagnostics == ()


def test_a_partition_that_no_system_answers_is_not_offered() -> None:
    schema = json_schema({"partition": ["mig"]})

    assert list(schema["$defs"]["Partition"]["properties"]) == ["mig"]
    assert not valid(FULL, schema)
