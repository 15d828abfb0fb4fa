"""A binding as a strategic merge patch: what a workload's own manifest must carry, to be put on it by its owner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fourleaf.ir import Binding, Value

_KINDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "Deployment": ("apps/v1", ("spec", "template")),
    "StatefulSet": ("apps/v1", ("spec", "template")),
    "DaemonSet": ("apps/v1", ("spec", "template")),
    "Job": ("batch/v1", ("spec", "template")),
    "CronJob": ("batch/v1", ("spec", "jobTemplate", "spec", "template")),
    "Pod": ("v1", ()),
}
"""Kind to its apiVersion and the way to its pod. A Pod is its own."""


def patch_text(binding: Binding) -> str:
    """Return the file of a binding: what to know as comments, then the patch."""
    from fourleaf.emit.yaml_text import dump

    return dump(patch(binding), header=_notes(binding))


def patch(binding: Binding) -> dict[str, Any]:
    """Return the patch; for a kind whose shape is not known, `template` alone: the pod's part of it."""
    pod = {**_metadata({}, binding.pod_labels, binding.pod_annotations), **_pod_spec(binding)}
    if binding.kind not in _KINDS:
        return {"template": pod}
    api_version, way = _KINDS[binding.kind]
    name = {"name": binding.name, **({"namespace": binding.namespace} if binding.namespace else {})}
    top = {"apiVersion": api_version, "kind": binding.kind}
    if not way:
        labels, annotations = {**binding.labels, **binding.pod_labels}, {**binding.annotations, **binding.pod_annotations}
        return {**top, **_metadata(name, labels, annotations), **_pod_spec(binding)}
    spec = inner = _scale(binding)
    if pod:
        for step in way[1:-1]:
            inner = inner.setdefault(step, {})
        inner[way[-1]] = pod
    return {**top, **_metadata(name, binding.labels, binding.annotations), **({"spec": spec} if spec else {})}


def _scale(binding: Binding) -> dict[str, Any]:
    """Return what says how many pods there are, and how they are replaced."""
    count = binding.replicas
    match binding.kind:
        case "Deployment" | "StatefulSet":
            spec: dict[str, Any] = {"replicas": count}
            if binding.recreate and binding.kind == "Deployment":
                # The null takes out what an earlier rolling update left: Recreate beside it is refused.
                spec["strategy"] = {"type": "Recreate", "rollingUpdate": None}
            return spec
        case "Job":
            # No pods at all is `parallelism: 0`; none wanted would be a finished Job.
            return {"parallelism": count, "completions": count} if count else {"parallelism": 0}
        case "CronJob" if not count:
            return {"suspend": True}
        case "CronJob":
            return {"jobTemplate": {"spec": {"parallelism": count, "completions": count}}}
    return {}


def _metadata(name: Mapping[str, str], labels: Mapping[str, Value], annotations: Mapping[str, Value]) -> dict[str, Any]:
    metadata = {**name, **({"labels": labels} if labels else {}), **({"annotations": annotations} if annotations else {})}
    return {"metadata": metadata} if metadata else {}


def _pod_spec(binding: Binding) -> dict[str, Any]:
    resources: dict[str, Any] = {}
    if binding.requests:
        # Extended resources are not overcommitted: a limit is the request too.
        resources["limits"] = binding.requests
    if binding.claims:
        resources["claims"] = [{"name": name} for name in binding.claims]
    fields: dict[str, Any] = {
        "schedulerName": binding.scheduler,
        "runtimeClassName": binding.runtime_class,
        "nodeSelector": binding.node_selector,
        "affinity": binding.affinity,
        "tolerations": [toleration.manifest() for toleration in binding.tolerations],
        "resourceClaims": [{"name": name, "resourceClaimTemplateName": template} for name, template in binding.claims.items()],
        "containers": [{"name": binding.name, "resources": resources}] if resources else [],
    }
    spec = {name: value for name, value in fields.items() if value}
    return {"spec": spec} if spec else {}


def _notes(binding: Binding) -> list[str]:
    notes = []
    if binding.requests or binding.claims:
        notes.append(f"Rename container `{binding.name}` to the one that uses the GPU.")
    notes.append(f"A patch for {binding.kind} {binding.name}: nothing applies this file; put it on your own manifest (README.md says how).")
    if binding.kind not in _KINDS:
        notes.append(f"Its shape is not known here: put what stands under `template` into each pod template of the {binding.kind}.")
    lists = [name for name, value in (("tolerations", binding.tolerations), ("affinity terms", binding.affinity)) if value]
    if lists:
        notes.append(f"A patch replaces lists of {' and '.join(lists)} whole: add those that the manifest has already.")
    if not binding.replicas and binding.kind not in ("Deployment", "StatefulSet", "Job", "CronJob"):
        notes.append(f"It must not run now, and a {binding.kind} has no number to set to 0: take it out of the cluster.")
    return [*notes, *binding.notes]
