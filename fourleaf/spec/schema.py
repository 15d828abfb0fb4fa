"""The JSON Schema of a spec, for editors: the models' own, closed, with the names that the catalogue and the registry know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fourleaf.spec.record import Choice

Schema = dict[str, Any]

IDENTITY = "https://fourleaf.dev/schemas/cluster.v1.schema.json"

SUGGESTED = {"card": (("PoolGpu", "card"), ("GpuAsk", "card")), "os": (("Pool", "os"),)}
"""Names that an editor offers, where others are known too (aliases, further versions): by the key of `enums`, (model, field)."""

ENUMERATED = {"distribution": (("Kubernetes", "distribution"),), "scheduler": (("Policy", "scheduler"),)}
"""Names of which the field must be one."""


def json_schema(enums: Mapping[str, Sequence[str]] | None = None) -> Schema:
    """Return the schema of a cluster spec, draft 2020-12; those of the files that it names stand in its `$defs`.

    Args:
        enums: names by what they are names of: "card", "os", "distribution", "scheduler", "component" (of `stack`) and "partition"
            (keys of the union). What is not among them stays any text.
    """
    from pydantic.json_schema import models_json_schema

    from fourleaf.spec.layouts import LayoutsFile
    from fourleaf.spec.models import Spec, TenantsFile, WorkloadsFile

    _, combined = models_json_schema([(model, "validation") for model in (Spec, TenantsFile, WorkloadsFile, LayoutsFile)])
    definitions: dict[str, Schema] = combined["$defs"]
    for choice in _below(Choice):
        aliases = [choice.model_fields[name].alias or name for name in choice.one_of]
        definitions[choice.__name__]["oneOf"] = [{"required": [alias]} for alias in aliases]
    for definition in definitions.values():
        _tidy(definition)
    _name(definitions, enums or {})
    root = definitions.pop("Spec")
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": IDENTITY, "title": "A cluster spec of fourleaf"}
    return {**head, **root, "$defs": {name: definitions[name] for name in sorted(definitions)}}


def _below(model: type[Choice]) -> list[type[Choice]]:
    return [below for direct in model.__subclasses__() for below in (direct, *_below(direct))]


def _tidy(schema: Schema) -> None:
    """Take out what is noise to an author: titles made of names, defaults that stand for nothing, null beside a type."""
    todo = [schema]
    while todo:
        form = todo.pop()
        form.pop("title", None)
        default = form.get("default")
        if (default in (None, "", 0) and default is not False) or isinstance(default, dict | list):
            form.pop("default", None)
        if "patternProperties" in form:
            form["additionalProperties"] = False
        options = [option for option in form.get("anyOf", ()) if option != {"type": "null"}]
        if len(options) == 1:
            del form["anyOf"]
            form.update(options[0])
        for key in ("properties", "patternProperties"):
            todo += form.get(key, {}).values()
        todo += [form[key] for key in ("items", "additionalProperties", "propertyNames") if isinstance(form.get(key), dict)]
        todo += [option for key in ("anyOf", "oneOf") for option in form.get(key, ())]


def _name(definitions: dict[str, Schema], enums: Mapping[str, Sequence[str]]) -> None:
    """Put the names that are known into the fields that take them."""
    for key, places in SUGGESTED.items():
        for model, field in places if key in enums else ():
            schema = definitions[model]["properties"][field]
            length = schema.pop("minLength")
            schema.pop("type")
            schema["anyOf"] = [{"enum": list(enums[key])}, {"type": "string", "minLength": length}]
    for key, places in ENUMERATED.items():
        for model, field in places if key in enums else ():
            schema = definitions[model]["properties"][field]
            automatic = ["auto"] if schema.get("default") == "auto" else []
            schema.pop("minLength")
            schema["enum"] = [*automatic, *enums[key]]
    if "component" in enums:
        definitions["ClusterSpec"]["properties"]["stack"]["propertyNames"] = {"enum": list(enums["component"])}
    if "partition" in enums:
        union = definitions["Partition"]
        union["properties"] = {name: schema for name, schema in union["properties"].items() if name in enums["partition"]}
        union["oneOf"] = [{"required": [name]} for name in union["properties"]]
