"""Every object is of a version that the cluster serves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from fourleaf.diag import Diagnostic, Rule, Severity
from fourleaf.ir import Object, Plan
from fourleaf.kube import Version
from fourleaf.kube.served import Served, default_versions, is_served, known_releases, switches
from fourleaf.verify.view import View, below, defined_by, listed, maker, show, text

Kind: TypeAlias = tuple[str, str]
"""apiVersion and kind."""

GATES = "--feature-gates="

UNSERVED = Rule("FL826", "version-not-served", Severity.ERROR, "an object is of a version that the cluster does not serve")


def unserved(view: View) -> Iterator[Diagnostic]:
    """Kubernetes' own kinds are of a version of the declared release; others of a version that their definition serves."""
    wrong = refused(view)
    found: dict[tuple[str, str, str], list[Object]] = {}
    for made in view.bundle.objects:
        if (made.api_version, made.kind) in wrong:
            found.setdefault((made.api_version, *wrong[made.api_version, made.kind]), []).append(made)
    for (version, server, mend), objects in found.items():
        more = f" and {len(objects) - 1} more are" if len(objects) > 1 else " is"
        said = f"{show(objects[0])}{more} of {version}, which {server} does not serve"
        yield UNSERVED.at(objects[0].origin.place, said, help=mend, note=maker(objects[0]))


def refused(view: View) -> Mapping[Kind, tuple[str, str]]:
    """Return the kinds in use that are not served at their version: who does not serve them, and what helps."""
    wrong: dict[Kind, tuple[str, str]] = {}
    defined = _defined(view)
    for version, kind in dict.fromkeys((made.api_version, made.kind) for made in view.bundle.objects):
        group = version.rpartition("/")[0]
        if group in view.release.groups:
            if (version, kind) in view.release.kinds and "beta" not in version:
                continue  # stable versions are served wherever they are there, and most objects are of one
            found = _native(view.plan, group, version, kind)
            if found is not None:
                wrong[version, kind] = f"Kubernetes {view.plan.kubernetes}", found
            continue
        serves = defined.get(f"{kind}.{group}", {})  # without a definition the reference to it does not resolve
        if serves and version not in serves and "" not in serves:
            wrong[version, kind] = next(iter(serves.values())), f"it serves {', '.join(serves)}"
    return wrong


def _native(plan: Plan, group: str, version: str, kind: str) -> str | None:
    """Return what helps where a release does not serve a kind at a version; None where it does, or never knew the kind."""
    match is_served(version, kind, plan.kubernetes):
        case Served.YES:
            return None
        case Served.OFF:
            wanted = switches(version, kind, plan.kubernetes)
            gates = [gate for one in wanted if one.startswith(GATES) for gate in one.removeprefix(GATES).split(",")]
            if gates and all(plan.feature_gates.get(gate.removesuffix("=true")) for gate in gates):
                return None  # who says the gate is on says that the API is
            said = ", ".join(f"{gate.removesuffix('=true')}: true" for gate in gates)
            return f"start kube-apiserver with {' '.join(wanted)}" + (f", and write `featureGates: {{{said}}}`" if said else "")
    others = default_versions(group, kind, plan.kubernetes)
    if others:
        return f"it serves {', '.join(f'{group}/{name}' if group else name for name in others)}"
    known = any(is_served(version, kind, Version.parse(release)) is not Served.NO for release in known_releases())
    return "" if known else None


def _defined(view: View) -> Mapping[str, Mapping[str, str]]:
    """Return the served versions of each kind that is not Kubernetes' own, and who brings it; "": any version will do."""
    defined: dict[str, dict[str, str]] = {}
    for chart in view.bundle.charts:
        for provided in chart.provides:
            if provided.ref.kind == "Definition":
                defined.setdefault(provided.ref.name, {})[_whole(provided.ref.name, provided.api_version)] = f"chart {chart.release}"
    for made in view.bundle.objects:
        kind = defined_by(made)
        for version in listed(below(made.body, "spec", "versions")) if kind else ():
            if below(version, "served") is True:
                defined.setdefault(kind, {})[_whole(kind, text(below(version, "name")))] = show(made)
    for todo in view.bundle.prerequisites:
        if todo.brings and todo.brings.kind == "Definition":
            defined.setdefault(todo.brings.name, {})[""] = todo.what
    return defined


def _whole(kind: str, version: str) -> str:
    """Return a version with its group, whether or not the record wrote it."""
    return version if "/" in version or not version else f"{kind.partition('.')[2]}/{version}"
