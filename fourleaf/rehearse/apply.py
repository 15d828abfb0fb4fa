"""A tree goes into an API server, object by object in its order, and what the server does not take is written down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

from msgspec import Struct

from fourleaf.diag import Path
from fourleaf.ir import Bundle
from fourleaf.rehearse import nodes
from fourleaf.rehearse.nodes import Node
from fourleaf.rehearse.server import Key, RefusedError, Server, until
from fourleaf.rehearse.tree import Manifest, Tree

WORKERS = 8
ESTABLISHED = 20
"""Seconds until a definition must be served."""


class Refusal(Struct, frozen=True):
    """An object that the server does not take, or a file that holds none."""

    path: str
    """Of the file in the tree; empty for what is no part of it."""
    what: str
    words: str
    place: Path = ()
    """Where the spec asked for it."""


def simulate(server: Server, made: Sequence[Node], api_version: str) -> None:
    """Make the nodes and their slices; raises RefusedError, which is a defect of ours."""

    def one(node: Node) -> None:
        server.apply(nodes.manifest(node))
        server.apply(nodes.status(node), part="status")
        for manifest in nodes.slices(node, api_version):
            server.apply(manifest)

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(one, made))


def define(server: Server, definitions: Iterable[Manifest]) -> None:
    """Install definitions, and wait until their kinds are served; raises RefusedError."""
    keys = []
    for definition in definitions:
        server.apply(definition)
        keys.append(Key.of(definition))
    for key in keys:
        if not until(lambda key=key: _established(server.get(key)), ESTABLISHED):  # type: ignore[misc]
            raise RefusedError(0, f"the server does not serve {key[3]} after {ESTABLISHED} s")


def _established(definition: Mapping[str, Mapping[str, Sequence[Mapping[str, str]]]] | None) -> bool:
    conditions = ((definition or {}).get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)


def apply(server: Server, tree: Tree, bundle: Bundle) -> tuple[Refusal, ...]:
    """Apply a tree; return what was refused, in its order."""
    places = {_identity(made.api_version, made.kind, made.name, made.namespace): made.origin.place for made in bundle.objects}
    refused = [Refusal(fault.path, fault.path, fault.words) for fault in tree.faults]
    for item in tree.objects:
        metadata = item.manifest["metadata"]
        kind, name, namespace = item.manifest["kind"], metadata["name"], metadata.get("namespace", "")
        try:
            server.apply(item.manifest)
        except RefusedError as error:
            what = f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"
            place = places.get(_identity(item.manifest["apiVersion"], kind, name, namespace), ())
            refused.append(Refusal(item.path, what, error.words, place))
    return tuple(refused)


def _identity(api_version: str, kind: str, name: str, namespace: str) -> tuple[str, str, str, str]:
    return api_version.rpartition("/")[0], kind, name, namespace


KEPT = ("CustomResourceDefinition", "Namespace")


def clean(server: Server, *, keep: Iterable[str] = ()) -> None:
    """Delete what was made, the last first; then the pods on simulated nodes, whose end no kubelet would tell.

    Args:
        keep: kinds that stay, for the next rehearsal on the same server.
    """
    staying = frozenset(keep)
    going = [key for key in server.made if key[1] not in staying]
    simulated = {key[3] for key in going if key[1] == "Node"}
    for key in [*_of(going, "Pod"), *_of(going, "DaemonSet"), *reversed(going)]:
        if key in server.made:
            server.delete(key)
    if any(key[1] == "DaemonSet" for key in going):
        for pod in server.find("v1", "Pod"):
            if pod["spec"].get("nodeName", next(iter(simulated), "")) in simulated:
                server.delete(Key.of({"apiVersion": "v1", "kind": "Pod", **pod}))


def _of(keys: Sequence[Key], kind: str) -> chain[Key]:
    return chain(key for key in keys if key[1] == kind)
