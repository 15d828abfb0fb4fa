"""The DaemonSets of a set: their pods stand on the nodes before those of the workloads come, as on a cluster that is set up."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from fourleaf.ir import Bundle, Plan
from fourleaf.rehearse import verdict
from fourleaf.rehearse.server import Key, Server, until
from fourleaf.rehearse.tree import Tree

PATIENCE = 4.0
"""Seconds that a number of nodes may still change where it is not the wanted one."""


class Agent(Struct, frozen=True):
    """A DaemonSet of the tree, and the nodes that its pods go to."""

    name: str
    namespace: str
    nodes: int
    wanted: int
    """Nodes of the pools that its component stands on."""

    @property
    def difference(self) -> str:
        if self.nodes == self.wanted:
            return ""
        return f"its pods go to {self.nodes} nodes, its component stands on {self.wanted}"


def settle(server: Server, plan: Plan, bundle: Bundle, tree: Tree, refused: Sequence[str], seconds: float) -> tuple[Agent, ...]:
    """Wait until the scheduler has spoken of every pod of every DaemonSet, and return these with the nodes that their controller counts.

    Args:
        refused: paths of the files that the server did not take.
        seconds: until a pod counts as one that nobody speaks of.
    """
    here = {
        (item.manifest["metadata"].get("namespace", ""), item.manifest["metadata"]["name"])
        for item in tree.objects
        if item.path not in refused
    }
    stands: Mapping[str, int] = {one.system: sum(pool.count for pool in plan.pools_of(one)) for one in plan.components}
    wanted = {
        Key((made.api_version, made.kind, made.namespace, made.name)): stands.get(made.by, 0)
        for made in bundle.objects
        if made.kind == "DaemonSet" and (made.namespace, made.name) in here
    }
    since = time.monotonic()

    def settled() -> bool:
        found = {key: server.get(key) for key in wanted}
        spoken = all(_spoken(server, one) for one in found.values())
        late = time.monotonic() > since + PATIENCE
        return spoken and (late or all(_nodes(one) == wanted[key] for key, one in found.items()))

    if wanted:
        until(settled, seconds)
    return tuple(Agent(key[3], key[2], _nodes(server.get(key)), nodes) for key, nodes in wanted.items())


def _nodes(daemons: Any) -> int:
    count: int = daemons["status"].get("desiredNumberScheduled", 0)
    return count


def _spoken(server: Server, daemons: Any) -> bool:
    """Tell whether a DaemonSet has all its pods, each with a node or with the scheduler's word why not."""
    if not daemons["status"].get("observedGeneration"):
        return False
    uid, namespace = daemons["metadata"]["uid"], daemons["metadata"]["namespace"]
    pods = [pod for pod in server.find("v1", "Pod", namespace=namespace) if uid in _owners(pod)]
    return len(pods) >= _nodes(daemons) and all(pod["spec"].get("nodeName") or verdict.said(pod) for pod in pods)


def _owners(pod: Any) -> set[str]:
    return {one["uid"] for one in pod["metadata"].get("ownerReferences") or ()}
