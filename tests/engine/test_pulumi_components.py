"""The component package under the real engine: a program in YAML, which knows nothing of Python, uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from engine.charts import vendor
from engine.cluster import Cluster
from engine.project import Project
from engine.stack import forget

from fourleaf.emit.manifest import manifest
from fourleaf.ir import Bundle
from fourleaf.pipeline import run_data

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]
POOLS = [
    {
        "name": "dgx",
        "nodes": ["dgx-1"],
        "os": "ubuntu-24.04",
        "gpus": [{"card": "h100-80gb", "count": 8}],
        "partition": {"mig": {"layout": {"1g.10gb": 7}}},
    }
]
KUBERNETES = {"version": "1.35"}
PROGRAM = {
    "name": "consumer",
    "runtime": "yaml",
    "plugins": {"providers": [{"name": "fourleaf", "path": "./components"}]},
    "variables": {"kubernetes": KUBERNETES, "pools": POOLS},
    "resources": {
        "layout": {"type": "fourleaf:index:MigLayout", "properties": {"kubernetes": "${kubernetes}", "pools": "${pools}"}},
        "gpu": {
            "type": "fourleaf:index:NvidiaOperator",
            "properties": {
                "kubernetes": "${kubernetes}",
                "pools": "${pools}",
                "migConfig": "${layout.configName}",
                "namespace": "${layout.namespace}",
            },
        },
    },
    "outputs": {"config": "${layout.configName}", "resources": "${gpu.resources}"},
}


def compiled() -> Bundle:
    """Return what the program's pools become."""
    spec = {"kubernetes": KUBERNETES, "pools": POOLS}
    tree = {"apiVersion": "fourleaf.dev/v1", "kind": "Cluster", "metadata": {"name": "consumer"}, "spec": spec}
    bundle = run_data(tree, target="plain").bundle
    assert bundle
    return bundle


@pytest.fixture
def consumer(project: Project) -> Project:
    """A program in YAML beside a checkout of the components."""
    (project.folder / "components").symlink_to(ROOT / "components")
    project.write({"Pulumi.yaml": json.dumps(PROGRAM)})
    vendor(project.folder / "charts", compiled().charts)
    project.run("stack", "init", "dev")
    project.run("config", "set", "fourleaf:charts", "charts")
    return project


def test_a_program_in_yaml_uses_the_components(consumer: Project, cluster: Cluster) -> None:
    offline = consumer.preview()["changeSummary"]
    consumer.kubeconfig = cluster.plane.kubeconfig
    consumer.up()
    outputs = consumer.outputs()
    values = cluster.get("configmap", "gpu-operator-values", "--namespace=gpu-operator")["data"]["values.json"]

    assert offline == {"create": 9}
    assert outputs["resources"] == ["nvidia.com/mig-1g.10gb"]
    assert cluster.get("configmap", outputs["config"], "--namespace=gpu-operator")["data"]
    assert json.loads(values)["migManager"]["config"]["name"] == outputs["config"]
    assert consumer.preview()["changeSummary"] == {"same": 9}
    forget(cluster, map(manifest, compiled().objects), compiled().charts)


def test_a_mistake_in_yaml_is_told_by_its_property(consumer: Project) -> None:
    text = (consumer.folder / "Pulumi.yaml").read_text()
    consumer.write({"Pulumi.yaml": text.replace("1g.10gb", "1g.12gb")})
    said = consumer.run("preview", code=1)

    assert "property pools[0].partition.mig.layout.1g.12gb has a problem: FL201: h100-80gb has no MIG profile 1g.12gb" in said
    assert "Traceback" not in said


def test_the_engine_reads_the_schema_from_the_folder(consumer: Project) -> None:
    schema, _ = json.JSONDecoder().raw_decode(consumer.run("package", "get-schema", "./components"))

    assert set(schema["resources"]) >= {"fourleaf:index:Cluster", "fourleaf:index:VolcanoQueues"}
