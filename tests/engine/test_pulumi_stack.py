"""The program of `stacks/` under the real engine and the real provider, against a real API server.

Charts are stand-ins of ours (`charts.py`): their repositories cannot be reached from here. There are no Node objects, so a DaemonSet has no
pods to wait for and is ready at once.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from engine.cluster import Cluster
from engine.stack import Stack, forget, lacking, live, values

from fourleaf.emit.manifest import plain

pytestmark = pytest.mark.engine

EXAMPLES = ("amd-lab", "campus", "dgx", "homelab", "instinct", "laptop")
LAYOUT = "layout: {1g.10gb: 7}"


@pytest.fixture
def stack(project, cluster: Cluster, request) -> Iterator[Stack]:
    """A stack of the example that the test names (dgx if it names none), on the shared control plane."""
    made = Stack(project, getattr(request, "param", "dgx"))
    made.on(cluster)
    yield made
    forget(cluster, made.exported, made.charts)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_preview_of_every_example_needs_no_cluster(project, name: str) -> None:
    stack = Stack(project, name)
    creates = [one for one in stack.steps() if one[0] == "create"]

    # the stack itself, the provider, the component, and everything in it
    assert len(creates) == 3 + len(stack.exported) + len(stack.charts)


@pytest.mark.parametrize("stack", EXAMPLES, indirect=True)
def test_an_example_goes_up_as_it_is_exported_and_stays(stack: Stack, cluster: Cluster) -> None:
    for space in sorted({one["metadata"].get("namespace", "") for one in stack.exported} - {""}):
        if not any(one["kind"] == "Namespace" and one["metadata"]["name"] == space for one in stack.exported):
            cluster.namespace(space)  # which the spec says that somebody else makes
    stack.project.up()

    assert lacking(stack.exported, live(cluster, *stack.exported)) == []
    for chart in stack.charts:
        assert lacking(plain(chart.values), values(cluster, chart)) == []
    assert stack.steps() == []


def test_a_changed_layout_is_a_new_config_map_a_changed_value_and_the_end_of_the_old_one(stack: Stack, cluster: Cluster) -> None:
    stack.project.up()
    (old,) = (one["metadata"]["name"] for one in stack.exported if one["kind"] == "ConfigMap")
    stack.change(LAYOUT, "layout: {1g.10gb: 5, 2g.20gb: 1}")
    (new,) = (one["metadata"]["name"] for one in stack.exported if one["kind"] == "ConfigMap")
    digest = stack.project.preview()
    steps = [step for step in digest["steps"] if step["op"] != "same"]
    (update,) = (step for step in steps if step["op"] == "update")

    assert stack.steps() == [
        ("create", f"ConfigMap dgx:gpu-operator/{new}"),
        ("delete", f"ConfigMap dgx:gpu-operator/{old}"),
        ("update", "Release dgx:gpu-operator/gpu-operator"),
    ]
    assert [path for path in update["detailedDiff"] if path != "checksum"] == ["values.migManager.config.name"]
    said = stack.project.run("up", "--yes", "--skip-preview")
    order = [said.index(f"{word}") for word in (f"{new} created", "gpu-operator/gpu-operator updated", f"{old} deleted")]
    assert order == sorted(order)
    assert stack.steps() == []


@pytest.mark.parametrize("stack", ["laptop"], indirect=True)
def test_a_change_of_leaf_takes_one_stack_away_and_brings_another(stack: Stack, cluster: Cluster) -> None:
    stack.project.up()
    stack.change("count: 1}\n\n  workloads", "count: 2}\n\n  workloads")
    steps = stack.steps()

    assert stack.project.outputs()["leaf"] == "L1"
    assert {one for one in steps if one[0] == "delete"} == {
        ("delete", "DaemonSet laptop:nvidia-device-plugin/nvidia-device-plugin"),
        ("delete", "Namespace laptop:nvidia-device-plugin"),
        ("delete", "RuntimeClass laptop:nvidia"),
    }
    assert ("create", "Release laptop:gpu-operator/gpu-operator") in steps
    stack.project.up()
    assert stack.project.outputs()["leaf"] == "L3"
    assert stack.steps() == []
    assert cluster.get("namespace", "nvidia-device-plugin")["status"]["phase"] == "Active"


def test_destroy_keeps_namespaces_and_definitions(stack: Stack, cluster: Cluster) -> None:
    stack.project.up()
    stack.project.destroy()

    assert cluster.get("namespace", "gpu-operator")["status"]["phase"] == "Active"
    assert cluster.get("crd", "nodefeaturerules.nfd.k8s-sigs.io")["spec"]["scope"] == "Cluster"
    assert cluster.kubectl("get", "nodefeaturerules.nfd.k8s-sigs.io", "--output=name") == ""
    assert cluster.kubectl("get", "configmaps", "--namespace=gpu-operator", "--output=name") == "configmap/kube-root-ca.crt\n"


def test_what_somebody_did_by_hand_is_seen_by_a_refresh(stack: Stack, cluster: Cluster) -> None:
    stack.project.up()
    (config,) = (one for one in stack.exported if one["kind"] == "ConfigMap")
    name = config["metadata"]["name"]
    cluster.kubectl("patch", "configmap", name, "--namespace=gpu-operator", "--type=merge", '--patch={"data": {"config.yaml": "none"}}')

    assert stack.steps() == []
    seen = stack.project.run("refresh", "--preview-only", "--diff")
    assert f"dgx:gpu-operator/{name}]" in seen
    assert "+ none" in seen
    assert "~ 1 to update" in seen
    stack.project.run("up", "--yes", "--skip-preview", "--refresh")
    assert lacking([config], live(cluster, config)) == []


def test_a_spec_with_an_error_fails_the_preview_with_what_fourleaf_says(project) -> None:
    stack = Stack(project, "dgx")
    stack.spec.write_text(stack.spec.read_text().replace(LAYOUT, "layout: {1g.12gb: 7}"))
    said = stack.project.run("preview", code=1)

    assert "fourleaf:index:Cluster (dgx):\n    error: FL201: h100-80gb has no MIG profile 1g.12gb" in said
    assert "--> dgx.yaml:" in said
    assert "= help: write 1g.10gb" in said
    assert "Traceback" not in said


def test_a_chart_that_was_not_vendored_fails_the_preview_with_the_command_that_fetches_it(project) -> None:
    stack = Stack(project, "dgx")
    (stack.project.folder / "stacks" / "charts" / "gpu-operator-v26.7.0.tgz").unlink()

    assert "helm pull gpu-operator --repo https://helm.ngc.nvidia.com/nvidia --version v26.7.0 --destination charts" in stack.project.run(
        "preview", code=1
    )
