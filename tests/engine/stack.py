"""The project's own Pulumi program under the real engine: one stack a spec, stand-ins for charts."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from engine.charts import vendor
from engine.cluster import Cluster
from engine.project import Project

from fourleaf.ir import Chart
from fourleaf.pipeline import Compilation, run

ROOT = Path(__file__).parents[2]


class Stack:
    """A stack of the program, whose spec tests may change.

    Attributes:
        project: the copy of the project that it is in.
        spec: the file of its cluster spec.
    """

    def __init__(self, project: Project, name: str) -> None:
        self.project = project
        self.spec = project.folder / "stacks" / f"{name}.yaml"
        shutil.copy(ROOT / "Pulumi.yaml", project.folder)
        shutil.copytree(ROOT / "stacks", project.folder / "stacks", ignore=shutil.ignore_patterns("__pycache__"))
        project.run("stack", "init", name)
        project.run("config", "set", "charts", "charts")
        vendor(project.folder / "stacks" / "charts", self.charts)

    def change(self, old: str, new: str) -> None:
        """Write something else into the spec, and vendor what charts it then needs."""
        text = self.spec.read_text()
        assert old in text
        self.spec.write_text(text.replace(old, new))
        vendor(self.project.folder / "stacks" / "charts", self.charts)

    @property
    def compiled(self) -> Compilation:
        return run(self.spec.read_bytes(), self.spec.name, target="plain")

    @property
    def charts(self) -> tuple[Chart, ...]:
        made = self.compiled.bundle
        return made.charts if made else ()

    @property
    def exported(self) -> list[Mapping[str, Any]]:
        """Return the objects of the plain route, as their files have them."""
        files = self.compiled.files
        return [yaml.safe_load(files[path]) for path in files if path[0].isdigit() and not path.endswith("/values.yaml")]

    def on(self, cluster: Cluster) -> None:
        """Let its commands talk to a cluster."""
        self.project.kubeconfig = cluster.plane.kubeconfig

    def steps(self, *arguments: str) -> list[tuple[str, str]]:
        """Return what a preview would do, as (operation, kind and name); nothing for what stays."""
        digest = self.project.preview(*arguments)
        return sorted((step["op"], shown(step["urn"])) for step in digest["steps"] if step["op"] != "same")


def forget(cluster: Cluster, objects: Iterable[Mapping[str, Any]], charts: Iterable[Chart]) -> None:
    """Take objects and stand-ins out of a cluster, but for namespaces and definitions: faster than a destroy, which one test proves."""
    mine = "\n---\n".join(json.dumps(one) for one in objects if one["kind"] != "Namespace")
    if mine:
        cluster.kubectl("delete", "--filename=-", "--ignore-not-found", "--wait=false", given=mine)
    for chart in charts:
        cluster.kubectl("delete", "configmap", f"{chart.release}-values", f"--namespace={chart.namespace}", "--ignore-not-found")
        cluster.kubectl("delete", "secret", "--selector=owner=helm", f"--namespace={chart.namespace}")


def shown(urn: str) -> str:
    """Return kind and name of a resource: `ConfigMap dgx:gpu-operator/fourleaf-mig-e01c8357`."""
    *_, types, name = urn.split("::")
    return f"{types.split(':')[-1]} {name}"


def live(cluster: Cluster, *wanted: Mapping[str, Any]) -> list[Any]:
    """Return the objects of manifests as the API server has them."""
    given = "\n---\n".join(map(json.dumps, wanted))
    found = json.loads(cluster.kubectl("get", "--filename=-", "--output=json", given=given))
    return found["items"] if found["kind"] == "List" else [found]


def lacking(wanted: Any, found: Any, path: str = "") -> list[str]:
    """Return where an object of the API server says something else than a manifest; what the server adds does not count."""
    match wanted:
        case dict() if isinstance(found, dict):
            return [line for key, item in wanted.items() for line in lacking(item, found.get(key), f"{path}.{key}")]
        case list() if isinstance(found, list) and len(found) == len(wanted):
            return [line for number, item in enumerate(wanted) for line in lacking(item, found[number], f"{path}[{number}]")]
    return [] if wanted == found else [f"{path}: {json.dumps(found)}, not {json.dumps(wanted)}"]


def values(cluster: Cluster, chart: Chart) -> Any:
    """Return the values that arrived in a stand-in of a chart."""
    found = cluster.get("configmap", f"{chart.release}-values", f"--namespace={chart.namespace}")
    return json.loads(found["data"]["values.json"])
