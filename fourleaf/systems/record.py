"""The catalogue's facts of a system: versions, chart, what it provides. One YAML file a system, read when first asked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from fourleaf.data import load


class Brings(Struct, frozen=True, kw_only=True):
    """Something that the chart brings with it."""

    kind: str
    """As `Ref.kind`; "Definition" for a custom resource definition."""
    name: str
    """Of a definition: the kind that it defines, as `Ref.kind`."""
    api_version: str = ""
    """Of a definition: the version that is served."""
    since: str = ""
    """The first version of the chart that brings it; empty: every version."""
    body: Mapping[str, Any] = {}
    """What a stand-in for it must have, in a rehearsal, to do what it does."""


class Record(Struct, frozen=True, kw_only=True):
    version: str = ""
    """Installed where neither host nor user pins another."""
    pins: Mapping[str, str] = {}
    """Host ("talos-1.12") to the version that it needs instead."""
    namespace: str = ""
    pod_security: str = ""
    """Pod Security level that its namespace must have; empty where any will do."""
    chart: str = ""
    release: str = ""
    repository: str = ""
    provides: tuple[Brings, ...] = ()
    waits: tuple[str, ...] = ()
    relies: Mapping[str, Any] = {}
    """Values on which a plan stands although it leaves them to the chart; raw values of a spec may not say otherwise."""
    drift: tuple[Mapping[str, Any], ...] = ()
    """What the cluster itself changes in the chart's objects, as Argo CD's `ignoreDifferences` says it. Narrow: never a whole spec."""
    facts: Mapping[str, Any] = {}
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
    data["drift"] = tuple(data.get("drift", ()))
    return Record(**data)


def keys(name: str, version: str) -> Mapping[str, Any]:
    """Return the tree of value keys that a version of a system's chart has, from `systems/data/<name>.keys.yaml`.

    An empty mapping below a key takes anything; an empty tree: nothing is known of that version.
    """
    return _all_keys(name).get(version, {})


def known_versions(name: str) -> tuple[str, ...]:
    """Return the versions of a system of which the catalogue knows something, the newest first."""
    found = record(name)
    return tuple(sorted({found.version, *found.pins.values(), *_all_keys(name)}, key=release, reverse=True))


@cache
def _all_keys(name: str) -> Mapping[str, Mapping[str, Any]]:
    return load(f"systems/data/{name}.keys.yaml") or {}


def release(version: str) -> tuple[int, ...]:
    """Return a version's numbers, for comparing: "v26.3.1" is (26, 3, 1). What follows a hyphen or plus does not count."""
    plain = version.removeprefix("v").partition("-")[0].partition("+")[0]
    return tuple(int(part) for part in plain.split(".") if part.isdecimal())
