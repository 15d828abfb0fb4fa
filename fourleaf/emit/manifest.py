"""Objects as manifests, in the order in which people write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fourleaf.ir import Document, Object, Value


def manifest(made: Object) -> dict[str, Any]:
    """Return an object as plain data, its documents printed: what any Kubernetes client takes.

    Raises:
        TypeError: a reference in it has no final name yet: an error of ours.
    """
    return {key: plain(value) for key, value in shape(made).items()}


def shape(made: Object, annotations: Mapping[str, str] | None = None) -> dict[str, Value]:
    """Return an object for `dump`: its documents are still trees, and nothing is copied.

    Args:
        annotations: what a target needs on it beside its own.
    """
    metadata: dict[str, Value] = {"name": made.name}
    if made.namespace:
        metadata["namespace"] = made.namespace
    if made.labels:
        metadata["labels"] = made.labels
    if made.annotations or annotations:
        metadata["annotations"] = {**made.annotations, **(annotations or {})}
    rest = dict(made.body)
    further = rest.pop("metadata", None)
    if isinstance(further, Mapping):
        metadata |= {key: value for key, value in further.items() if key not in metadata}
    return {"apiVersion": made.api_version, "kind": made.kind, "metadata": metadata, **rest}


def plain(value: Value) -> Any:
    """Return a tree as dicts, lists and scalars, its documents printed."""
    from fourleaf.emit.yaml_text import dump

    match value:
        case None | bool() | int() | float() | str():
            return value
        case Document():
            return dump(value.tree)
        case Mapping():
            return {key: plain(item) for key, item in value.items()}
        case Sequence():
            return [plain(item) for item in value]
    raise TypeError(f"no part of a manifest: {value!r}")
