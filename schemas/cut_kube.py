"""Cuts `kube/<minor>.json`: the core kinds that fourleaf emits, as strict JSON Schemas.

The source is the OpenAPI description of each release as the package kubernetes-validate bundles it (Apache-2.0). What is
changed: descriptions and list semantics are left out; null is not a value; what only a server writes (status, resourceVersion, ...)
is not a field; apiVersion, kind and metadata are required; 32-bit integers and quantities are checked as a server checks them.
One schema a line, so that a diff between releases can be read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import kubernetes_validate

SOURCE = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema"
MINORS = range(30, 38)
DRAFT = "https://json-schema.org/draft/2020-12/schema"

DRA = ("v1", "v1beta2", "v1beta1")
KINDS: Mapping[str, Mapping[str, str]] = {
    "": {
        "ConfigMap": "Namespaced",
        "LimitRange": "Namespaced",
        "Namespace": "Cluster",
        "Node": "Cluster",
        "Pod": "Namespaced",
        "ResourceQuota": "Namespaced",
        "Secret": "Namespaced",
        "Service": "Namespaced",
        "ServiceAccount": "Namespaced",
    },
    "admissionregistration.k8s.io": {"ValidatingAdmissionPolicy": "Cluster", "ValidatingAdmissionPolicyBinding": "Cluster"},
    "apiextensions.k8s.io": {"CustomResourceDefinition": "Cluster"},
    "apps": {"DaemonSet": "Namespaced", "Deployment": "Namespaced", "StatefulSet": "Namespaced"},
    "batch": {"CronJob": "Namespaced", "Job": "Namespaced"},
    "networking.k8s.io": {"NetworkPolicy": "Namespaced"},
    "node.k8s.io": {"RuntimeClass": "Cluster"},
    "rbac.authorization.k8s.io": {
        "ClusterRole": "Cluster",
        "ClusterRoleBinding": "Cluster",
        "Role": "Namespaced",
        "RoleBinding": "Namespaced",
    },
    "resource.k8s.io": {
        "DeviceClass": "Cluster",
        "ResourceClaim": "Namespaced",
        "ResourceClaimTemplate": "Namespaced",
        "ResourceSlice": "Cluster",
    },
    "scheduling.k8s.io": {"PriorityClass": "Cluster"},
}
"""Group to kinds, and the scope of each, as `kubectl api-resources` prints it."""

WITH_STATUS = {"Node"}
"""A simulated node is its status; of every other kind a server alone writes it."""

SERVER_SIDE = {
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
}
"""Fields of ObjectMeta that a manifest must not carry."""

PREFIXES = ("io.k8s.api.", "io.k8s.apimachinery.pkg.apis.", "io.k8s.apimachinery.pkg.", "io.k8s.apiextensions-apiserver.pkg.apis.")

QUANTITY = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
"""As the definitions of custom resources write https://pkg.go.dev/k8s.io/apimachinery/pkg/api/resource#Quantity."""

OWN = {
    "int32": {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
    "api.resource.Quantity": {"type": ["number", "string"], "pattern": QUANTITY},
    "util.intstr.IntOrString": {"type": ["integer", "string"]},
}
"""Definitions that upstream's OpenAPI does not have, or leaves wider than the server is."""


def cut(minor: int) -> str:
    """Return the text of `schemas/kube/1.<minor>.json`."""
    upstream = json.loads((SOURCE / f"v1.{minor}.0-local-strict" / "_definitions.json").read_bytes())["$defs"]
    short = {name: _short(name) for name in upstream}
    if len(set(short.values())) != len(short):
        raise AssertionError("two definitions get one short name")
    definitions = {short[name]: schema for name, schema in upstream.items()}
    groups = {meta["group"] for schema in upstream.values() for meta in schema.get("x-kubernetes-group-version-kind", ())}
    kinds = dict(sorted(_kinds(definitions)))
    reached: dict[str, Any] = {}
    stack = [name for kind in kinds.values() for name in _refs(kind["schema"])]
    while stack:
        name = stack.pop()
        if name not in reached:
            reached[name] = OWN.get(name) or _strict(definitions[name], name)
            stack.extend(_refs(reached[name]))
    return _text({"$schema": DRAFT, "groups": sorted(groups), "kinds": kinds, "$defs": dict(sorted(reached.items()))})


def _kinds(definitions: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield `apiVersion kind` and scope and schema of each kind that the release has."""
    for schema in definitions.values():
        for meta in schema.get("x-kubernetes-group-version-kind", ()):
            group, version, kind = meta["group"], meta["version"], meta["kind"]
            scope = KINDS.get(group, {}).get(kind)
            if scope is None or version not in (DRA if group == "resource.k8s.io" else ("v1",)):
                continue
            api_version = f"{group}/{version}" if group else version
            body = _strict(schema, kind)
            body["properties"] |= {"apiVersion": {"const": api_version}, "kind": {"const": kind}}
            if kind not in WITH_STATUS:
                body["properties"].pop("status", None)
            body["required"] = sorted({*body.get("required", ()), "apiVersion", "kind", "metadata"})
            yield f"{api_version} {kind}", {"scope": scope, "schema": body}


def _short(name: str) -> str:
    return next((name.removeprefix(prefix) for prefix in PREFIXES if name.startswith(prefix)), name)


def _strict(schema: Mapping[str, Any], name: str = "") -> dict[str, Any]:
    """Return a schema with only what is checked."""
    if schema.get("type") == ["integer", "null"] and schema.get("format") == "int32":
        return {"$ref": "#/$defs/int32"}
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in {"description", "format", "default", "$schema", "$id"} or key.startswith("x-kubernetes-"):
            continue
        match key:
            case "properties":
                made[key] = {field: _strict(below) for field, below in sorted(value.items()) if not _server_side(name, field)}
            case "type" if isinstance(value, list):
                types = [one for one in value if one != "null"]
                made[key] = types[0] if len(types) == 1 else types
            case "items" | "additionalProperties" if isinstance(value, dict):
                made[key] = _strict(value)
            case "$ref":
                made[key] = f"#/$defs/{_short(value.rpartition('/')[2])}"
            case "required" | "enum" | "additionalProperties" | "type":
                made[key] = value
            case _:
                raise AssertionError(f"{name}: {key} is not known to this script")
    return made


def _server_side(name: str, field: str) -> bool:
    return name == "meta.v1.ObjectMeta" and field in SERVER_SIDE


def _refs(schema: Any) -> Iterator[str]:
    stack = [schema]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            target = item.get("$ref")
            if isinstance(target, str):  # a field may be named $ref too
                yield target.rpartition("/")[2]
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)


def _text(document: Mapping[str, Any]) -> str:
    """Print JSON with one line for each entry of a top-level mapping."""

    def line(value: Any) -> str:
        return json.dumps(value, separators=(",", ":"), sort_keys=True)

    parts = []
    for key, value in document.items():
        if isinstance(value, dict):
            entries = ",\n".join(f"{line(name)}:{line(below)}" for name, below in value.items())
            parts.append(f"{line(key)}:{{\n{entries}\n}}")
        else:
            parts.append(f"{line(key)}:{line(value)}")
    return "{" + ",\n".join(parts) + "}\n"
