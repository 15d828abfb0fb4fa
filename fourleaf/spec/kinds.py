"""Whether a document is what its reader expects, told before anything else is looked at."""

from __future__ import annotations

from fourleaf.diag import Diagnostic
from fourleaf.diag.nearest import nearest
from fourleaf.spec.located import Located
from fourleaf.spec.rules import NOT_A_CLUSTER_SPEC

API_VERSION = "fourleaf.dev/v1"
_ELSEWHERE = {
    "Tenants": "name it in spec.include of a cluster",
    "Workloads": "name it in spec.include of a cluster",
    "Layouts": "name it as `present` in `partition: {mig: {auto: {...}}}` of a pool",
}
"""Where files of our own kinds belong."""


def unexpected(document: Located, *kinds: str) -> Diagnostic | None:
    """Return why a document is none of these kinds, None where it is or may be one whose author forgot to say so."""
    value = document.value
    wanted = f"apiVersion: {API_VERSION} and kind: {' or '.join(kinds)}"
    if not isinstance(value, dict):
        what = "is empty" if value is None else "holds a list" if isinstance(value, list) else "holds one value"
        return NOT_A_CLUSTER_SPEC.at((), f"the file {what}, not {_a(kinds)}", help=f"begin it with {wanted}", span=document.beginning())
    version, kind = value.get("apiVersion"), value.get("kind")
    if version == API_VERSION and kind in kinds:
        return None
    if kind is not None and not isinstance(kind, str):
        return NOT_A_CLUSTER_SPEC.at(("kind",), f"the file's kind is no text, so it is not {_a(kinds)}", help=f"begin it with {wanted}")
    if kind is not None and kind not in kinds:
        if version in (None, API_VERSION):
            close = nearest(kind, kinds, limit=1)
            known = _ELSEWHERE.get(kind, f"write {close[0] if close else kinds[0]}")
            return NOT_A_CLUSTER_SPEC.at(("kind",), f"kind is {kind}, not {' or '.join(kinds)}", help=known)
        of = f" of {version}" if isinstance(version, str) else ""
        return NOT_A_CLUSTER_SPEC.at(("kind",), f"the file holds a {kind}{of}, not {_a(kinds)}", help=f"begin it with {wanted}")
    if version is not None and version != API_VERSION:
        said = version if isinstance(version, str) else "no text"
        return NOT_A_CLUSTER_SPEC.at(("apiVersion",), f"apiVersion is {said}, not {API_VERSION}", help=f"write {API_VERSION}")
    if version is None and kind is None and "spec" not in value:
        return NOT_A_CLUSTER_SPEC.at(
            (), f"the file has neither apiVersion nor kind, so it is not {_a(kinds)}", help=f"begin it with {wanted}"
        )
    return None


def _a(kinds: tuple[str, ...]) -> str:
    known: dict[tuple[str, ...], str] = {("Cluster",): "a cluster spec", ("Layouts",): "layouts of nodes"}
    return known.get(kinds, "tenants or workloads of a spec")
