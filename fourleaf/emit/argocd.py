"""Argo CD: an Application for each folder of objects and each chart, in waves, below one that holds them.

No Application carries a finalizer: one that leaves the set leaves its objects in the cluster. Values of Argo CD 3.5,
read 2026-11-29: https://argo-cd.readthedocs.io/en/release-3.5/user-guide/sync-options/
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from fourleaf.emit.commands import counted, fenced
from fourleaf.emit.destination import Destination, Emitter, Files
from fourleaf.emit.manifest import shape
from fourleaf.emit.order import Folder, file_names
from fourleaf.ir import Chart, Object, Value
from fourleaf.kube.names import shorten

NAMESPACE = "argocd"
SERVER = "https://kubernetes.default.svc"
WAVE = "argocd.argoproj.io/sync-wave"
OPTIONS = "argocd.argoproj.io/sync-options"
KEEP = "Prune=false,Delete=false"
# Argo CD has not told an Application's own health since 1.8, so waves between Applications do not wait; this makes them.
# https://argo-cd.readthedocs.io/en/release-3.5/operator-manual/health/
_PATCH = (
    f"kubectl -n {NAMESPACE} patch configmap argocd-cm --type merge --patch-file /dev/stdin <<'EOF'",
    "data:",
    "  resource.customizations.health.argoproj.io_Application: |",
    "    local health = (obj.status or {}).health or {}",
    '    return {status = health.status or "Progressing", message = health.message or ""}',
    "EOF",
)


class _Step(Struct, frozen=True):
    """One Application: a folder, or a chart."""

    file: str
    wave: int
    folder: Folder
    chart: Chart | None = None


def files(folders: Sequence[Folder], destination: Destination) -> Files:
    """Return the objects, and the Applications under `argocd/`.

    Raises:
        AssertionError: there is no repository that Argo CD could read: an error of ours, since resolve asks for it.
    """
    from fourleaf.emit.yaml_text import dump

    if not destination.delivery.repo_url:
        raise AssertionError("argocd without repo_url")
    made = {f"{folder.name}/{name}.yaml": dump(_kept(one)) for folder in folders for name, one in folder.objects}
    applications = {
        step.file: _chart(step, step.chart, destination) if step.chart else _folder(step, destination) for step in _steps(folders)
    }
    if len(applications) < len(list(_steps(folders))) or "root" in applications:
        raise AssertionError(f"two Applications of one name: {sorted(applications)}")
    applications["root"] = _root(destination)
    return made | {f"{NAMESPACE}/{file}.yaml": dump(application) for file, application in applications.items()}


def _kept(made: Object) -> Mapping[str, Value]:
    if not made.keep:
        return shape(made)
    own = made.annotations.get(OPTIONS)
    return shape(made, {OPTIONS: f"{own},{KEEP}" if own else KEEP})


def _steps(folders: Sequence[Folder]) -> Iterator[_Step]:
    """Yield the Applications in order; those of one wave need nothing of each other."""
    charts = [(folder, name, row, chart) for folder in folders for name, row, chart in folder.charts]
    named = file_names([("", chart.namespace, name, str(chart.ref)) for _, name, _, chart in charts])
    files = {chart.ref: file for (_, _, _, chart), file in zip(charts, named, strict=True)}
    wave = 0
    for folder in folders:
        # Waves are the folders' numbers, so that one knows them; many charts in a row push those after them up.
        start = wave = max(folder.number, wave + 1)
        if folder.objects:
            yield _Step(folder.name, wave, folder)
        for _, row, chart in folder.charts:
            wave = start + row
            yield _Step(files[chart.ref], wave, folder, chart)


def _named(step: _Step, destination: Destination) -> str:
    """Return the name of a step's Application: one that can be a label's value too, as resource tracking by label has it."""
    return shorten(f"{destination.name}-{step.file}")


def _application(
    name: str, wave: int | None, destination: Destination, spec: Mapping[str, Value], *, prune: bool, options: Sequence[str]
) -> Value:
    metadata: dict[str, Value] = {"name": name, "namespace": NAMESPACE}
    if wave is not None:
        metadata["annotations"] = {WAVE: str(wave)}
    policy: dict[str, Value] = {
        "automated": {"prune": prune, "selfHeal": True},
        "syncOptions": list(options),
        # A chart's webhook may not answer yet when the objects after it come.
        "retry": {"limit": 10, "backoff": {"duration": "10s", "factor": 2, "maxDuration": "3m"}},
    }
    ignore = spec.get("ignoreDifferences")
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": metadata,
        "spec": {
            "project": destination.delivery.project,
            "source": spec["source"],
            "destination": {"server": SERVER, **({"namespace": spec["namespace"]} if spec.get("namespace") else {})},
            "syncPolicy": policy,
            **({"ignoreDifferences": ignore} if ignore else {}),
        },
    }


def _git(destination: Destination, folder: str) -> dict[str, Value]:
    delivery = destination.delivery
    path = "/".join(part for part in (delivery.path.strip("/"), folder) if part)
    return {"repoURL": delivery.repo_url, "targetRevision": delivery.revision, "path": path}


def _root(destination: Destination) -> Value:
    source = {**_git(destination, NAMESPACE), "directory": {"exclude": "root.yaml"}}
    spec: dict[str, Value] = {"source": source, "namespace": NAMESPACE}
    return _application(destination.name, None, destination, spec, prune=True, options=["ServerSideApply=true"])


def _folder(step: _Step, destination: Destination) -> Value:
    options = ["ServerSideApply=true", *(["SkipDryRunOnMissingResource=true"] if step.folder.after_charts else [])]
    spec = {"source": _git(destination, step.folder.name)}
    return _application(_named(step, destination), step.wave, destination, spec, prune=True, options=options)


def _chart(step: _Step, chart: Chart, destination: Destination) -> Value:
    """Return the Application of a chart. It prunes nothing: a definition that leaves a chart would take all of its kind along."""
    source: dict[str, Value] = {
        "repoURL": _source(chart),
        "chart": chart.name,
        "targetRevision": chart.version,
        "helm": {
            "releaseName": chart.release,
            **({"valuesObject": chart.values} if chart.values else {}),
            **({} if chart.definitions else {"skipCrds": True}),
        },
    }
    ignore = [dict(one) for one in destination.ignore.get(chart.name, ())]
    options = ["ServerSideApply=true", "SkipDryRunOnMissingResource=true", *(["RespectIgnoreDifferences=true"] if ignore else [])]
    spec: dict[str, Value] = {"source": source, "namespace": chart.namespace, "ignoreDifferences": ignore}
    return _application(_named(step, destination), step.wave, destination, spec, prune=False, options=options)


def _source(chart: Chart) -> str:
    """Return a chart's repository as Argo CD writes it: one of charts in OCI images without its scheme."""
    return chart.repository.removeprefix("oci://")


def route(folders: Sequence[Folder], destination: Destination) -> str:
    """Tell how Argo CD gets the set, what it does in which order, and what it must be told once."""
    delivery = destination.delivery
    rows = [f"| {step.wave} | `{_named(step, destination)}` | {_what(step)} |" for step in _steps(folders)]
    text = (
        "1. Let Argo CD tell the health of an Application. Without this the waves below do not wait for each other, and the set comes up "
        f"by retries alone:\n\n{fenced(_PATCH)}\n"
        f"2. Commit this folder as `{delivery.path.strip('/') or '.'}` to {delivery.repo_url}, revision `{delivery.revision}`.\n\n"
        "3. Apply the Application that holds the others, which come in waves:\n\n"
        f"{fenced([f'kubectl apply --server-side -f {NAMESPACE}/root.yaml'])}\n"
        "| wave | Application | what |\n|---|---|---|\n" + "\n".join(rows) + "\n\n"
        "Namespaces and other objects that carry more than themselves are never pruned or deleted, nor is anything of a chart; an "
        "Application that leaves the set leaves its objects in the cluster. A sync that is started by hand takes the options that it is "
        "given, not those of the Application: turn server-side apply on.\n"
    )
    return "\n".join([text, *_project(folders, destination), *_turns(destination)])


def _what(step: _Step) -> str:
    if step.chart:
        return f"chart {step.chart.name} {step.chart.version} in `{step.chart.namespace}`"
    return f"`{step.folder.name}`: {counted(len(step.folder.objects), 'object')}"


def _project(folders: Sequence[Folder], destination: Destination) -> Iterator[str]:
    """Tell what a project of its own must allow."""
    if destination.delivery.project == "default":
        return
    charts = [chart for folder in folders for _, _, chart in folder.charts]
    objects = [made for folder in folders for _, made in folder.objects]
    allowed = {
        "sources": {destination.delivery.repo_url, *(_source(chart) for chart in charts)},
        "namespaces": {NAMESPACE, *(chart.namespace for chart in charts), *(made.namespace for made in objects if made.namespace)},
        "kinds without a namespace, beside those of the charts": {made.ref.kind for made in objects if not made.namespace},
    }
    lines = "".join(f"- {what}: {', '.join(f'`{one}`' for one in sorted(held)) or 'none'}\n" for what, held in allowed.items())
    yield f"Project `{destination.delivery.project}` must allow, on {SERVER}:\n\n{lines}"


def _turns(destination: Destination) -> Iterator[str]:
    """Tell how to keep Argo CD from undoing a change of turns on a card."""
    from fourleaf.emit.yaml_text import dump

    ignore = [
        {"group": "apps", "kind": pod.kind, "namespace": pod.namespace, "name": pod.name, "jsonPointers": ["/spec/replicas"]}
        for pod in (destination.plan.pods if destination.plan else ())
        if pod.group and pod.kind in ("Deployment", "StatefulSet")
    ]
    if not ignore:
        return
    text = dump({"ignoreDifferences": ignore, "syncPolicy": {"syncOptions": ["RespectIgnoreDifferences=true"]}}).rstrip("\n")
    yield (
        "Some workloads take turns on a card, which is a change of their replicas. The Application that applies them undoes it unless "
        f"its `spec` says:\n\n{fenced([text], 'yaml')}"
    )


EMITTER = Emitter(files=files, route=route)
