"""Custom resources that fourleaf emits: the schema of each, and the definition that an API server installs.

A record is a file of `schemas/crds/`: {group, kind, plural, scope, statusSubresource, versions: [{name, served, storage, schema}],
references, source, read}. Its schemas are structural OpenAPI v3 and closed: what they do not name, fourleaf never writes. `references` says
which fields name another object: {"spec.parent": kind, as `Ref.kind`}.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeAlias

from fourleaf.data import schema, schemas

Record: TypeAlias = Mapping[str, Any]

OPEN_STATUS: Mapping[str, Any] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
"""Controllers write it, fourleaf never does."""

METADATA: Mapping[str, Any] = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "namespace": {"type": "string"},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
        "finalizers": {"type": "array", "items": {"type": "string"}},
    },
    "additionalProperties": False,
}

INT32 = {"minimum": -(2**31), "maximum": 2**31 - 1}


@cache
def record(group: str, kind: str) -> Record | None:
    """Return the record of a custom resource, None where fourleaf does not emit it."""
    for name in schemas(f"crds/*.{group}.json"):
        found: Record = schema(name)
        if (found["group"], found["kind"]) == (group, kind):
            return found
    return None


def open_schema(record: Record, version: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of whole objects of one version; it refuses what the record does not name.

    Args:
        version: its name without the group, "v1beta1".

    Raises:
        KeyError: The record has no such version.
    """
    schemas_by_name = {entry["name"]: entry["schema"] for entry in record["versions"]}
    body = _strict(schemas_by_name[version])
    body["properties"] = {
        "apiVersion": {"const": f"{record['group']}/{version}"},
        "kind": {"const": record["kind"]},
        "metadata": METADATA,
        **body["properties"],
    }
    body["required"] = ["apiVersion", "kind", "metadata", *body.get("required", ())]
    return body


def definition(record: Record) -> dict[str, Any]:
    """Return the manifest of the CustomResourceDefinition, with an open status for those who write it."""
    group, kind, plural = record["group"], record["kind"], record["plural"]
    metadata: dict[str, Any] = {"name": f"{plural}.{group}"}
    if group.endswith((".k8s.io", ".kubernetes.io")):
        # https://github.com/kubernetes/enhancements/pull/1111: an API server refuses the group without it
        metadata["annotations"] = {"api-approved.kubernetes.io": "unapproved, a copy closed over some fields"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": {
            "group": group,
            "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()},
            "scope": record["scope"],
            "versions": [_version(entry, bool(record["statusSubresource"])) for entry in record["versions"]],
        },
    }


def _version(entry: Mapping[str, Any], subresource: bool) -> dict[str, Any]:
    own = entry["schema"]
    text = {"type": "string"}
    properties = {"apiVersion": text, "kind": text, "metadata": {"type": "object"}, **own["properties"], "status": OPEN_STATUS}
    made: dict[str, Any] = {
        "name": entry["name"],
        "served": entry["served"],
        "storage": entry["storage"],
        "schema": {"openAPIV3Schema": {**own, "properties": properties}},
    }
    if subresource:
        made["subresources"] = {"status": {}}
    return made


def _strict(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return a structural schema as a JSON Schema that refuses fields without a name."""
    made = {key: value for key, value in node.items() if key not in _STRUCTURAL and not key.startswith("x-kubernetes-")}
    if "properties" in node:
        made["properties"] = {name: _strict(below) for name, below in node["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), Mapping):
            made[key] = _strict(node[key])
    if node.get("x-kubernetes-int-or-string"):
        made["type"] = ["integer", "string"]
        made.pop("anyOf", None)
    if node.get("format") == "int32":
        made = {**INT32, **made}
    if node.get("nullable"):
        made["type"] = [*([made["type"]] if isinstance(made["type"], str) else made["type"]), "null"]
    if made.get("type") == "object" and "additionalProperties" not in made and not node.get("x-kubernetes-preserve-unknown-fields"):
        made["additionalProperties"] = False
    return made


_STRUCTURAL = frozenset({"default", "description", "format", "nullable"})
