"""What each release of Kubernetes serves: API versions by kind, and feature gates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any, TypeAlias

from msgspec import Struct

from fourleaf.data import load
from fourleaf.kube.versions import Version

Release: TypeAlias = tuple[int, int]
"""Major and minor."""


class Served(StrEnum):
    YES = "yes"
    OFF = "off-by-default"
    """The API server has it and serves it only where it is told to: see `switches`."""
    NO = "no"


class Gate(Struct, frozen=True, kw_only=True):
    """A feature gate: the first release of each of its stages, None where it has not come that far."""

    name: str
    alpha: Release
    beta: Release | None = None
    stable: Release | None = None
    default: Release | None = None
    """On by default from here."""
    locked: Release | None = None
    """From here it cannot be changed."""
    gone: Release | None = None
    """From here it is not known."""


class _Span(Struct, frozen=True, kw_only=True):
    """The life of one version of a kind."""

    since: Release
    until: Release | None = None
    default: Release | None = None
    gates: tuple[str, ...] = ()

    def state(self, release: Release) -> Served:
        if release < self.since or (self.until and release > self.until):
            return Served.NO
        return Served.YES if self.default and release >= self.default else Served.OFF


def known_releases() -> tuple[str, ...]:
    """Return the releases that the tables were read from, oldest first. For others the answers go by the same limits."""
    return tuple(_file()["releases"])


def is_served(api_version: str, kind: str, version: Version) -> Served:
    """Tell whether the API server of a release serves a kind of Kubernetes' own.

    Args:
        api_version: as a manifest has it: "v1", "resource.k8s.io/v1".

    Returns:
        NO also for every kind that only a custom resource definition can bring.
    """
    group, _, name = api_version.rpartition("/")
    span = _kinds().get((group, kind), {}).get(name)
    return span.state(version.release) if span else Served.NO


def built_in(group: str) -> bool:
    """Tell whether every API server has a group of its own accord; definitions bring the others. The core group is ""."""
    return group in _groups()


def default_versions(group: str, kind: str, version: Version) -> tuple[str, ...]:
    """Return the versions of a kind that a release serves without being told to, the most stable and newest first."""
    return _in_state(group, kind, version, {Served.YES})


def every_version(group: str, kind: str) -> tuple[str, ...]:
    """Return the versions of a kind of Kubernetes' own that any known release has, the most stable and newest first."""
    return tuple(sorted(_kinds().get((group, kind), ()), key=_rank))


def switches(api_version: str, kind: str, version: Version) -> tuple[str, ...]:
    """Return the arguments of kube-apiserver that make it serve what it has and does not serve; empty where none are needed or help."""
    if is_served(api_version, kind, version) is not Served.OFF:
        return ()
    group, _, name = api_version.rpartition("/")
    gates = [gate for gate in _kinds()[group, kind][name].gates if gate_on(gate, version) is False]
    wanted = ",".join(f"{gate}=true" for gate in gates)
    return (f"--runtime-config={api_version}=true", *([f"--feature-gates={wanted}"] if gates else []))


def gate(name: str) -> Gate | None:
    """Return a feature gate that the table has."""
    return _gates().get(name)


def gates() -> tuple[str, ...]:
    """Return the names of the feature gates that the table has; Kubernetes has others."""
    return tuple(_gates())


def gate_on(name: str, version: Version) -> bool | None:
    """Tell whether a feature gate is on by default; None where the release, or the table, does not know it."""
    found, release = _gates().get(name), version.release
    if found is None or release < found.alpha or (found.gone and release >= found.gone):
        return None
    return found.default is not None and release >= found.default


def gate_locked(name: str, version: Version) -> bool:
    """Tell whether a feature gate of the table cannot be changed in a release."""
    locked = _gates()[name].locked
    return locked is not None and version.release >= locked


def dra_api(version: Version) -> str | None:
    """Return the API version in which claims and device classes are to be written, None where a release has no usable one.

    v1 from 1.34, v1beta2 in 1.33, v1beta1 in 1.32; alpha versions are never used. See `dra_on`: only v1 is served by default.
    """
    present = _in_state("resource.k8s.io", "ResourceClaim", version, {Served.YES, Served.OFF})
    return next((f"resource.k8s.io/{name}" for name in present if "alpha" not in name), None)


def dra_on(version: Version) -> bool:
    """Tell whether dynamic resource allocation works without switches on the API server."""
    return bool(default_versions("resource.k8s.io", "ResourceClaim", version))


def _in_state(group: str, kind: str, version: Version, states: set[Served]) -> tuple[str, ...]:
    spans = _kinds().get((group, kind), {})
    return tuple(sorted((name for name, span in spans.items() if span.state(version.release) in states), key=_rank))


def _rank(name: str) -> tuple[int, int, int]:
    """Order API versions as Kubernetes prefers them: v2, v1, v1beta2, v1beta1, v1alpha1."""
    match = re.fullmatch(r"v(\d+)(?:(alpha|beta)(\d+))?", name)
    if match is None:
        raise AssertionError(name)
    major, stage, minor = match.groups()
    return {None: 0, "beta": 1, "alpha": 2}[stage], -int(major), -int(minor or 0)


@cache
def _kinds() -> Mapping[tuple[str, str], Mapping[str, _Span]]:
    kinds: dict[tuple[str, str], dict[str, _Span]] = {}
    for row in _file()["groups"]:
        gates = tuple(row.get("gates", ()))
        for name, record in row["versions"].items():
            limits = _releases(record)
            span = _Span(**{"since": limits.get("default"), **limits}, gates=gates)
            for kind in row["kinds"]:
                kinds.setdefault((row["group"], kind), {})[name] = span
    return kinds


@cache
def _groups() -> frozenset[str]:
    return frozenset(group for group, _ in _kinds())


@cache
def _gates() -> Mapping[str, Gate]:
    return {name: Gate(name=name, **_releases(record)) for name, record in _file()["gates"].items()}


def _releases(record: Mapping[str, str]) -> dict[str, Any]:
    return {key: Version.parse(text).release for key, text in record.items()}


@cache
def _file() -> Any:
    return load("kube/data/served.yaml")
