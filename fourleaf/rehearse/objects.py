"""What must be there before a set is applied: definitions of its custom resources, and stand-ins for what charts and people bring."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from fourleaf.ir import Bundle, Ref, Value
from fourleaf.kube import Version, definitions
from fourleaf.kube.served import Served, default_versions, is_served, switches
from fourleaf.rehearse.nodes import SIMULATED
from fourleaf.rehearse.tree import Manifest, Tree

NAMESPACE = "Namespace"
_LEAST: Mapping[str, Mapping[str, Value]] = {
    NAMESPACE: {},
    "RuntimeClass.node.k8s.io": {"handler": "simulated"},
    "PriorityClass.scheduling.k8s.io": {"value": 0},
}
"""What an object of a kind must have to be taken, where the record of its system says nothing."""


class StandIn(Struct, frozen=True):
    """An object in place of one that the set counts on and does not hold."""

    manifest: Manifest
    bringer: str
    """Who brings the real one: "chart volcano", "you"."""


def definitions_of(tree: Tree, stood_in: Iterable[StandIn]) -> tuple[Manifest, ...]:
    """Return the definitions of the custom resources in a tree and of stand-ins, as far as fourleaf has a record of them."""
    manifests = (*(item.manifest for item in tree.objects), *(one.manifest for one in stood_in))
    kinds = dict.fromkeys((manifest["apiVersion"].rpartition("/")[0], manifest["kind"]) for manifest in manifests)
    records = (definitions.record(group, kind) for group, kind in kinds if group)
    return tuple(definitions.definition(record) for record in records if record)


def stand_ins(bundle: Bundle, tree: Tree, namespaces: Iterable[str], release: Version) -> tuple[StandIn, ...]:
    """Return what charts and people bring and an API server or a scheduler looks at, namespaces first.

    Args:
        namespaces: of the pods.
        release: of the API server.
    """
    there = {(item.manifest["kind"], item.manifest["metadata"]["name"]) for item in tree.objects}
    made: dict[tuple[str, str], StandIn] = {}
    for ref, bringer, body in _brought(bundle, tree, namespaces):
        kind, _, group = ref.kind.partition(".")
        version = _version(group, kind, release)
        if version and (kind, ref.name) not in there and (ref.kind, ref.name) not in made:
            whole = body or _LEAST.get(ref.kind, {"spec": {}})
            head = {"apiVersion": version, "kind": kind, "metadata": {"name": ref.name, "labels": {SIMULATED: "true"}}}
            made[ref.kind, ref.name] = StandIn({**head, **whole}, bringer)
    return tuple(sorted(made.values(), key=lambda one: one.manifest["kind"] != NAMESPACE))


def _brought(bundle: Bundle, tree: Tree, namespaces: Iterable[str]) -> Iterator[tuple[Ref, str, Mapping[str, Value]]]:
    # A namespace that the set should hold is not stood in for: a tree that lacks it is refused.
    own = {made.name for made in bundle.objects if made.kind == NAMESPACE}
    used = (*namespaces, *(item.manifest["metadata"].get("namespace", "") for item in tree.objects))
    yield from ((Ref(NAMESPACE, name), "you", {}) for name in sorted({*used} - own - {"", "default"}))
    for chart in bundle.charts:
        for provided in chart.provides:
            if provided.ref.kind != "Definition" and not provided.ref.namespace:
                yield provided.ref, f"chart {chart.name}", provided.body
    yield from ((todo.brings, "you", {}) for todo in bundle.prerequisites if todo.brings)


def _version(group: str, kind: str, release: Version) -> str:
    """Return the apiVersion of a kind that can be stood in for, empty where fourleaf knows none."""
    own = default_versions(group, kind, release)
    if own:
        return f"{group}/{own[0]}" if group else own[0]
    record = definitions.record(group, kind) if group else None
    stored = next((entry["name"] for entry in record["versions"] if entry["storage"]), "") if record else ""
    return f"{group}/{stored}" if stored else ""


def flags(tree: Tree, kubernetes: Version, release: Version) -> tuple[str, ...]:
    """Return the arguments with which an API server of one release serves what a cluster of another does.

    Args:
        kubernetes: of the cluster that the set is for.
        release: of the API server.
    """
    found: dict[str, None] = {}
    for item in tree.objects:
        api_version, kind = item.manifest["apiVersion"], item.manifest["kind"]
        if is_served(api_version, kind, kubernetes) is not Served.NO:
            found |= dict.fromkeys(switches(api_version, kind, release))
    return _joined(found)


def _joined(arguments: Iterable[str]) -> tuple[str, ...]:
    """Join the values of a flag that is given twice: the last would win."""
    values: dict[str, list[str]] = {}
    for argument in arguments:
        flag, _, value = argument.partition("=")
        values.setdefault(flag, []).append(value)
    return tuple(f"{flag}={','.join(all_of_it)}" for flag, all_of_it in values.items())
