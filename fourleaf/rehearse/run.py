"""A rehearsal on a control plane of its own, or on an API server that is there already."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from fourleaf.ir import Bundle, Plan
from fourleaf.kube import Version
from fourleaf.rehearse import objects
from fourleaf.rehearse.apply import clean
from fourleaf.rehearse.nodes import SIMULATED
from fourleaf.rehearse.plane import ControlPlane
from fourleaf.rehearse.programs import Programs
from fourleaf.rehearse.rehearsal import Rehearsal, rehearse
from fourleaf.rehearse.server import Server
from fourleaf.rehearse.tree import Tree

ELSEWHERE = {SIMULATED: "true", "type": "kwok"}
"""Labels of nodes that are none: ours, and that of kwok's own examples."""
KWOK = "kwok.x-k8s.io/node"
"""The annotation by which kwok knows the nodes that it manages."""


class RealNodesError(Exception):
    """A server has nodes on which something may run.

    Attributes:
        names: of the first few.
        count: how many there are.
    """

    def __init__(self, names: tuple[str, ...], count: int) -> None:
        super().__init__(", ".join(names))
        self.names = names
        self.count = count


def on_own(plan: Plan, bundle: Bundle, tree: Tree, programs: Programs) -> Rehearsal:
    """Rehearse on a throwaway control plane; nothing of it is left, however this ends.

    Raises:
        ProgramEndedError, NotReadyError: it does not come up, or goes down.
        RefusedError, UnreachableError: as `rehearse`.
    """
    flags = {"kube-apiserver": objects.flags(tree, plan.kubernetes, release_of(programs))}
    with ControlPlane(programs, flags=flags) as plane:
        found = rehearse(plan, bundle, tree, Server(plane.kubeconfig))
        plane.check()
        return found


def on_given(plan: Plan, bundle: Bundle, tree: Tree, kubeconfig: Path) -> Rehearsal:
    """Rehearse on a server that is there, and delete what was made.

    Raises:
        RealNodesError: it is a cluster that somebody uses. Nothing was changed.
        RefusedError, UnreachableError: as `rehearse`.
    """
    server = Server(kubeconfig)
    real = [node["metadata"]["name"] for node in server.find("v1", "Node") if not _simulated(node["metadata"])]
    if real:
        raise RealNodesError(tuple(real[:3]), len(real))
    try:
        return rehearse(plan, bundle, tree, server)
    finally:
        clean(server)


def _simulated(metadata: dict[str, dict[str, str]]) -> bool:
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    return KWOK in annotations or any(labels.get(key) == value for key, value in ELSEWHERE.items())


def release_of(programs: Programs) -> Version:
    """Return the version of a kube-apiserver, as it says itself."""
    told = subprocess.run([*programs.apiserver, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    found = re.search(r"v(\d+)\.(\d+)", told)
    return Version(int(found[1]), int(found[2])) if found else Version(0, 0)
