"""Kustomizations: one a folder of objects and one over them; each chart by itself, since kubectl's kustomize renders none."""

from __future__ import annotations

from collections.abc import Sequence

from fourleaf.emit.commands import by_hand, fenced
from fourleaf.emit.destination import Destination, Emitter, Files, object_files, values_files
from fourleaf.emit.order import Folder
from fourleaf.ir import Chart, Value

FILE = "kustomization.yaml"


def files(folders: Sequence[Folder], destination: Destination) -> Files:
    """Return objects, values and kustomizations. The one at the root lists the folders of objects, in order."""
    made = {**dict(object_files(folders)), **dict(values_files(folders))}
    listed = [folder for folder in folders if folder.objects]
    if listed:
        # kustomize's own order goes by kind, and would put custom resources of all levels side by side.
        made[FILE] = _kustomization(resources=[folder.name for folder in listed], sortOptions={"order": "fifo"})
    for folder in listed:
        made[f"{folder.name}/{FILE}"] = _kustomization(resources=[f"{name}.yaml" for name, _ in folder.objects])
    for folder in folders:
        for name, _, chart in folder.charts:
            made[f"{folder.name}/{name}/{FILE}"] = _kustomization(helmCharts=[_inflated(chart)])
    return made


def _kustomization(**fields: Value) -> str:
    from fourleaf.emit.yaml_text import dump

    return dump({"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", **fields})


def _inflated(chart: Chart) -> Value:
    """Return an entry of `helmCharts`.

    The namespace stands here and not on the whole kustomization: that would move objects which a chart puts elsewhere.
    """
    return {
        "name": chart.name,
        "releaseName": chart.release,
        "namespace": chart.namespace,
        "repo": chart.repository,
        "version": chart.version,
        "includeCRDs": chart.definitions,
        **({"valuesInline": chart.values} if chart.values else {}),
    }


def route(folders: Sequence[Folder], destination: Destination) -> str:
    """Tell which command applies which folder."""
    text = (
        "Run these in this folder, one after the other. Each folder stands by itself: what it needs is in those before it.\n"
        "Every command can be run again.\n\n" + by_hand(folders, "kubectl apply --server-side -k")
    )
    charts = [f"{folder.name}/{name}" for folder in folders for name, _, _ in folder.charts]
    if any(folder.objects for folder in folders):
        when = "Once the charts are in, it brings them up to date in one go" if charts else "It applies them in one go"
        text += f"\nThe kustomization at the root holds all folders of objects. {when}:\n\n"
        text += fenced(["kubectl apply --server-side -k ."])
    if charts:
        text += (
            "\nThe charts are not in it: `kubectl apply -k` renders none. Where you want to read what a chart becomes, kustomize and helm "
            "print it (as plain objects: hooks do not run as such):\n\n"
        )
        text += fenced(f"kustomize build --enable-helm {chart}" for chart in charts)
    return text


EMITTER = Emitter(files=files, route=route)
