"""Bare pods made of the patches of a tree: as many as the plan wants of each workload, with no controller in between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from fourleaf.emit import binding_paths
from fourleaf.ir import ONE_A_NODE, Bundle, Plan, PodShape
from fourleaf.rehearse.nodes import SIMULATED
from fourleaf.rehearse.tree import Item, Manifest

IMAGE = "registry.k8s.io/pause:3.10"
"""Nothing pulls it: there is no kubelet."""
OURS = "default-scheduler"
SIBLINGS = "fourleaf.dev/one-a-node"
"""Label by which the simulated pods of a DaemonSet know each other."""


class Work(Struct, frozen=True, kw_only=True):
    """A workload of the plan and its pods."""

    shape: PodShape
    path: str = ""
    """The file of its patch; empty where the tree has none."""
    scheduler: str = OURS
    pods: tuple[Manifest, ...] = ()


def works(plan: Plan, bundle: Bundle, bindings: Sequence[Item]) -> tuple[Work, ...]:
    """Return the workloads in the plan's order, each with its pods."""
    patches = {item.path: item.manifest for item in bindings}
    paths = {binding.ref: path for path, binding in binding_paths(bundle).items()}
    found = {(ref.namespace, ref.name, ref.kind): path for ref, path in paths.items()}
    return tuple(_work(shape, found.get((shape.namespace, shape.name, f"{shape.kind}.workload"), ""), patches) for shape in plan.pods)


def _work(shape: PodShape, path: str, patches: Mapping[str, Mapping[str, Any]]) -> Work:
    if path not in patches:
        return Work(shape=shape)
    template = _template(patches[path])
    scheduler = (template.get("spec") or {}).get("schedulerName", OURS)
    pods = tuple(_pod(shape, template, number) for number in range(1, shape.replicas + 1))
    return Work(shape=shape, path=path, scheduler=scheduler, pods=pods)


def _template(patch: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the pod of a patch: its metadata and spec, however deep they stand."""
    for way in (("template",), ("spec", "jobTemplate", "spec", "template"), ("spec", "template"), ()):
        at: Any = patch
        for step in way:
            at = at.get(step) if isinstance(at, Mapping) else None
        if isinstance(at, Mapping) and (not way or at):
            # A Pod is its own; of any other kind without a template nothing is patched.
            return at if way or patch.get("kind") == "Pod" else {}
    return {}


def _pod(shape: PodShape, template: Mapping[str, Any], number: int) -> Manifest:
    metadata = template.get("metadata") or {}
    spec = dict(template.get("spec") or {})
    containers = [{"image": IMAGE, **container} for container in spec.get("containers") or [{"name": shape.name}]]
    labels = {**(metadata.get("labels") or {}), SIMULATED: "true"}
    if shape.kind == ONE_A_NODE:  # its controller makes one a node; bare pods keep away from each other instead
        labels[SIBLINGS] = shape.name
        apart = {"labelSelector": {"matchLabels": {SIBLINGS: shape.name}}, "topologyKey": "kubernetes.io/hostname"}
        spec["affinity"] = {**(spec.get("affinity") or {}), "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{shape.name}-{number}",
            "namespace": shape.namespace,
            "labels": labels,
            **({"annotations": metadata["annotations"]} if metadata.get("annotations") else {}),
        },
        "spec": {**spec, "containers": containers},
    }
