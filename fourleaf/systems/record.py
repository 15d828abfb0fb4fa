"""The catalogue's facts of a system: versions, chart, what it provides. One YAML file a system, read when first asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from fourleaf.data import load


@dataclass(frozen=True, slots=True, kw_only=True)
class Brings:
    """Something that the chart brings with it."""

    kind: str
    """As `Ref.kind`; "Definition" for a custom resource definition."""
    name: str
    """Of a definition: the kind that it defines, as `Ref.kind`."""
    api_version: str = ""
    """Of a definition: the version that is served."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    version: str = ""
    """Installed where neither host nor user pins another."""
    pins: Mapping[str, str] = field(default_factory=dict)
    """Host ("talos-1.12") to the version that it needs instead."""
    namespace: str = ""
    pod_security: str = ""
    """Pod Security level that its namespace must have; empty where any will do."""
    chart: str = ""
    release: str = ""
    repository: str = ""
    provides: tuple[Brings, ...] = ()
    waits: tuple[str, ...] = ()
    keys: Mapping[str, Any] = field(default_factory=dict)
    """Version to the tree of value keys that the chart has; {} below a key: anything."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What only the system's own module reads."""
    source: str = ""
    read: str = ""


@cache
def record(name: str) -> Record:
    """Return the record of a system, from `systems/data/<name>.yaml`; an empty one where it has no file."""
    data = load(f"systems/data/{name}.yaml")
    if data is None:
        return Record()
    data["provides"] = tuple(Brings(**item) for item in data.get("provides", ()))
    data["waits"] = tuple(data.get("waits", ()))
    return Record(**data)
