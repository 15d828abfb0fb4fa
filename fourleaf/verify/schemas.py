"""Every object is as its schema says: of the release for Kubernetes' own kinds, of `schemas/crds` for others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from fourleaf.diag import Diagnostic, Rule, Severity, show_path
from fourleaf.ir import Document, Object, Ref, Value
from fourleaf.kube.definitions import open_schema
from fourleaf.verify.versions import refused
from fourleaf.verify.view import View, maker, show

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

MISMATCH = Rule("FL827", "schema-mismatch", Severity.ERROR, "an object is not as its schema says", allowable=False)
UNKNOWN = Rule("FL828", "unknown-schema", Severity.ERROR, "there is no schema to check an object against", allowable=False)

DRAFT = "https://json-schema.org/draft/2020-12/schema"
SHOWN = 3


def mismatched(view: View) -> Iterator[Diagnostic]:
    """One validator for all kinds in use: they share most of what they refer to, and compiling it is most of the time."""
    first = {(made.api_version, made.kind): made for made in reversed(view.bundle.objects)}
    schemas = {kind: _schema(view, made) for kind, made in first.items()}
    wrong = refused(view)  # of those no schema is wanted
    for kind, made in first.items():
        if schemas[kind] is None and kind not in wrong:
            yield UNKNOWN.at(made.origin.place, f"{show(made)} is of {kind[0]}, of which there is no schema", note=maker(made))
    checked = {kind: schema for kind, schema in schemas.items() if schema is not None}
    if not checked:
        return
    errors = _validator(view, checked)
    for made in view.bundle.objects:
        if (made.api_version, made.kind) in checked:
            found = errors(made)
            if found:
                yield MISMATCH.at(made.origin.place, f"{show(made)}: {'; '.join(found)}", note=maker(made))


def _schema(view: View, made: Object) -> Mapping[str, Any] | None:
    if made.group in view.release.groups:
        kind = view.release.kinds.get((made.api_version, made.kind))
        return None if kind is None else kind["schema"]
    record = view.custom(made.ref.kind)
    version = made.api_version.rpartition("/")[2]
    return open_schema(record, version) if record and any(entry["name"] == version for entry in record["versions"]) else None


def _validator(view: View, schemas: Mapping[tuple[str, str], Mapping[str, Any]]) -> Callable[[Object], list[str]]:
    """Return what tells the errors of one object, as clauses."""
    from jsonschema_rs import Draft202012Validator

    kinds = {" ".join(key): schema for key, schema in schemas.items()}
    validator = Draft202012Validator({"$schema": DRAFT, "properties": kinds, "$defs": view.release.reached(schemas.values())})

    def errors(made: Object) -> list[str]:
        key = f"{made.api_version} {made.kind}"
        try:
            valid = validator.is_valid({key: manifest(made)})
        except ValueError:  # documents and mappings other than dict: few objects have them, so only these are copied
            valid = False
        if valid:
            return []
        whole = {key: plain(manifest(made))}
        return [_clause(error) for error in islice(validator.iter_errors(whole), SHOWN)]

    return errors


def manifest(made: Object) -> dict[str, Value]:
    """Return an object as it is applied, its documents not yet text."""
    metadata: dict[str, Value] = {"name": made.name}
    if made.namespace:
        metadata["namespace"] = made.namespace
    if made.labels:
        metadata["labels"] = made.labels
    if made.annotations:
        metadata["annotations"] = made.annotations
    further = made.body.get("metadata")  # finalizers, say
    if isinstance(further, Mapping):
        metadata = {**further, **metadata}
    return {**made.body, "apiVersion": made.api_version, "kind": made.kind, "metadata": metadata}


def plain(value: Value) -> Any:
    """Return a tree of dicts and lists, with some text where a document will stand as text."""
    match value:
        case str():
            return value
        case Document():
            return "(a document)"
        case Ref():
            return value.name
        case Mapping():
            return {key: plain(item) for key, item in value.items()}
        case Sequence():
            return [plain(item) for item in value]
    return value


def _clause(error: ValidationError) -> str:
    """Say what is wrong, and where in the object."""
    kind: Any = error.kind
    path = tuple(error.instance_path[1:])
    match kind.name:
        case "additionalProperties":
            return f"{show_path((*path, kind.unexpected[0]))} is no field that is known"
        case "required":
            return f"{show_path((*path, kind.property))} is missing"
        case "type":
            return f"{show_path(path)} is {_short(error.instance)}, not of type {' or '.join(kind.types)}"
        case "enum":
            return f"{show_path(path)} is {_short(error.instance)}, not one of {', '.join(map(str, kind.options))}"
        case "pattern":
            return f"{show_path(path)} is {_short(error.instance)}, which its pattern does not take"
    return f"{show_path(path)}: {error.message[:120]}"


def _short(value: object) -> str:
    said = f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return said if len(said) <= 40 else f"{said[:37]}..."
