"""Stand-ins for the charts that the catalogue pins: no repository of theirs can be reached from a test.

A stand-in has the name and version of the real one and every value key that the catalogue knows of it. It brings the custom resource
definitions that fourleaf's objects need, in `crds/`, where Helm leaves them when the release goes; and a ConfigMap with the values that
arrived. It proves what reaches a chart, not what a chart does with it.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fourleaf.ir import Chart
from fourleaf.kube.definitions import definition, record
from fourleaf.systems.record import keys

TEMPLATE = """apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-values
  namespace: {{ .Release.Namespace }}
data:
  values.json: {{ .Values | toJson | quote }}
"""


def vendor(folder: Path, charts: Iterable[Chart]) -> Path:
    """Write a stand-in for each chart into a folder, packed as `helm pull` leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    for chart in charts:
        with tarfile.open(folder / f"{chart.name}-{chart.version}.tgz", "w:gz") as packed:
            for path, text in files(chart).items():
                entry = tarfile.TarInfo(f"{chart.name}/{path}")
                entry.size = len(text.encode())
                packed.addfile(entry, io.BytesIO(text.encode()))
    return folder


def files(chart: Chart) -> Mapping[str, str]:
    """Return the files of a stand-in, by path; JSON is YAML."""
    made = {
        "Chart.yaml": json.dumps({"apiVersion": "v2", "name": chart.name, "version": chart.version}),
        "values.yaml": json.dumps(defaults(keys(chart.by, chart.version))),
        "templates/values.yaml": TEMPLATE,
    }
    for item in chart.provides:
        kind, _, group = item.ref.name.partition(".")
        known = record(group, kind) if item.ref.kind == "Definition" else None
        if known:
            made[f"crds/{known['plural']}.{group}.yaml"] = json.dumps(definition(known))
    return made


def defaults(tree: Mapping[str, Any]) -> Any:
    """Return a tree of value keys as values: what takes anything has none."""
    return {key: defaults(below) if below else None for key, below in tree.items()}
