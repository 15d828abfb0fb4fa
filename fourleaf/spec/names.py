"""Names that two things share, and paths that lead nowhere near: what can be seen before every value has its right type."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from fourleaf.diag import Diagnostic, Label, Path, show_path
from fourleaf.spec.rules import DUPLICATE_NAME, FILE_OUTSIDE_REPOSITORY, VALUE_OUT_OF_RANGE

LABEL_MAX = 63
LONGEST = {
    # Its Jobs get 11 characters more: https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#writing-a-cronjob-spec
    "CronJob": 52,
    # A label of its pods is the name and a hash, and no pod is made where that is refused: kubernetes/kubernetes#64023
    "StatefulSet": 52,
}
"""The longest name of a kind, where that is less than of others."""

_ABSOLUTE = re.compile(r"[/~\\]|[A-Za-z]:")


def duplicates(document: Any) -> Iterator[Diagnostic]:
    """Yield each second use of a name that must be one thing's alone.

    Args:
        document: the values of a spec, its included files merged; they may have any type.
    """
    pools = list(_items(document, "pools"))
    yield from _twice("pool", ((_text(pool, "name"), (*place, "name")) for place, pool in pools))
    nodes = [(node, (*place, "nodes", index)) for place, pool in pools for index, node in enumerate(_list(pool, "nodes"))]
    yield from _twice("node", ((node if isinstance(node, str) else None, place) for node, place in nodes))
    yield from _twice("tenant", ((_text(tenant, "name"), (*place, "name")) for place, tenant in _items(document, "tenants")))
    yield from _workloads(document)
    for place, group in (groups := list(_items(document, "exclusive"))):
        members = enumerate(_list(group, "members"))
        yield from _twice("member", ((name if isinstance(name, str) else None, (*place, "members", index)) for index, name in members))
    yield from _twice("exclusive group", ((_text(group, "name"), (*place, "name")) for place, group in groups))


def paths_outside(document: Any) -> Iterator[Diagnostic]:
    """Yield the paths of files that are not relative to the spec."""
    named: list[tuple[Any, Path]] = [
        (entry, ("spec", "include", index)) for index, entry in enumerate(_list(_dict(document, "spec"), "include"))
    ]
    for place, workload in _items(document, "workloads"):
        named += [(entry, (*place, "manifests", index)) for index, entry in enumerate(_list(workload, "manifests"))]
    named += present_files(_dict(document, "spec"))
    for text, place in named:
        if isinstance(text, str) and is_absolute(text):
            mend = "write it relative to the folder of the spec, with / between folders"
            yield FILE_OUTSIDE_REPOSITORY.at(place, f"{text} is not relative to the spec", help=mend)
    for target in ("argocd", "flux"):
        path = _dict(_dict(_dict(document, "spec"), "delivery"), target).get("path")
        if isinstance(path, str) and (is_absolute(path.strip("/")) or ".." in path.split("/")):
            mend = "write it relative to the root of the repository, such as clusters/lab"
            yield FILE_OUTSIDE_REPOSITORY.at(("spec", "delivery", target, "path"), f"{path} leads out of the repository", help=mend)


def present_files(body: dict[str, Any]) -> Iterator[tuple[str, Path]]:
    """Yield the files with the present layouts of pools, and where they are named.

    Args:
        body: the values of `spec`; they may have any type.
    """
    for place, pool in _items({"spec": body}, "pools"):
        present = _dict(_dict(_dict(pool, "partition"), "mig"), "auto").get("present")
        if isinstance(present, str) and present:
            yield present, (*place, "partition", "mig", "auto", "present")


def too_long(document: Any) -> Iterator[Diagnostic]:
    """Yield the names of workloads from which their kind could not make its pods."""
    for place, workload in _items(document, "workloads"):
        name, kind = _text(workload, "name") or "", _text(workload, "kind") or ""
        most = LONGEST.get(kind, LABEL_MAX)
        if most < len(name) <= LABEL_MAX:
            yield VALUE_OUT_OF_RANGE.at((*place, "name"), f"name has {len(name)} characters, a {kind} takes {most}", help="shorten it")


def is_absolute(path: str) -> bool:
    """Tell whether a path is of no use in another checkout: absolute, of a home folder, or of Windows."""
    return bool(_ABSOLUTE.match(path))


def _workloads(document: Any) -> Iterator[Diagnostic]:
    """Two workloads may have one name in two namespaces; where the namespace is that of the tenant, the tenant stands for it."""
    named: list[tuple[Hashable, Path]] = []
    for place, workload in _items(document, "workloads"):
        name, namespace = _text(workload, "name"), _text(workload, "namespace")
        named.append(((name, namespace, None if namespace else _text(workload, "tenant")) if name else None, (*place, "name")))
    yield from _twice("workload", named)


def _twice(kind: str, named: Iterable[tuple[Hashable, Path]]) -> Iterator[Diagnostic]:
    """Yield the second and further uses of a name; None is no name."""
    first: dict[Hashable, Path] = {}
    for key, place in named:
        if key is None:
            continue
        if key not in first:
            first[key] = place
            continue
        name = key[0] if isinstance(key, tuple) else key
        where = f" in namespace {key[1]}" if isinstance(key, tuple) and key[1] else ""
        labels = (Label(first[key], f"the first {name} is {show_path(first[key][:-1] if first[key][-1] == 'name' else first[key])}"),)
        yield DUPLICATE_NAME.at(place, f"{kind} {name} is there twice{where}", help="give it another name, or remove it", labels=labels)


def _items(document: Any, field: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the mappings in a list of `spec`, with their places."""
    for index, item in enumerate(_list(_dict(document, "spec"), field)):
        if isinstance(item, dict):
            yield ("spec", field, index), item


def _dict(value: Any, key: str) -> dict[str, Any]:
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


def _list(value: dict[str, Any], key: str) -> list[Any]:
    inner = value.get(key)
    return inner if isinstance(inner, list) else []


def _text(value: dict[str, Any], key: str) -> str | None:
    inner = value.get(key)
    return inner if isinstance(inner, str) else None
