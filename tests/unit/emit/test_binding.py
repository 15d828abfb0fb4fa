"""Bindings are patches that kubectl and kustomize put on a manifest."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace

from fourleaf.emit.binding import patch, patch_text
from fourleaf.ir import Binding, Origin
from fourleaf.kube import Toleration

KINDS = ["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod"]
POD = {
    "Deployment": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
    "DaemonSet": ("spec", "template"),
    "Job": ("spec", "template"),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "Pod": (),
}
kubectl = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not on PATH")


def binding(kind: str, **fields: Any) -> Binding:
    return Binding(**{"name": "ollama", "namespace": "llm", "kind": kind, "replicas": 2, "origin": Origin(()), **fields})


def at(tree: Any, *way: str) -> Any:
    for step in way:
        tree = tree[step]
    return tree


def full(kind: str) -> Binding:
    return binding(
        kind,
        requests={"nvidia.com/gpu": 1},
        claims={"gpu": "ollama-gpu"},
        scheduler="volcano",
        runtime_class="nvidia",
        node_selector={"fourleaf.dev/pool": "gpu"},
        affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}},
        tolerations=(Toleration("nvidia.com/gpu", "NoSchedule"),),
        labels={"own": "label"},
        annotations={"own": "annotation"},
        pod_labels={"pod": "label"},
        pod_annotations={"pod": "annotation"},
        notes=("watch out",),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_everything_stands_where_its_kind_has_it(kind: str) -> None:
    made = patch(full(kind))
    pod = at(made, *POD[kind])

    assert list(made)[:3] == ["apiVersion", "kind", "metadata"]
    assert made["metadata"]["labels"]["own"] == "label"
    assert made["metadata"]["annotations"]["own"] == "annotation"
    assert pod["metadata"]["labels"]["pod"] == "label"
    assert pod["metadata"]["annotations"]["pod"] == "annotation"
    assert pod["spec"] == {
        "schedulerName": "volcano",
        "runtimeClassName": "nvidia",
        "nodeSelector": {"fourleaf.dev/pool": "gpu"},
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "ollama-gpu"}],
        "containers": [{"name": "ollama", "resources": {"limits": {"nvidia.com/gpu": 1}, "claims": [{"name": "gpu"}]}}],
    }


@pytest.mark.parametrize(
    ("kind", "replicas", "spec"),
    [
        ("Deployment", 2, {"replicas": 2}),
        ("Deployment", 0, {"replicas": 0}),
        ("StatefulSet", 3, {"replicas": 3}),
        ("Job", 4, {"parallelism": 4, "completions": 4}),
        ("Job", 0, {"parallelism": 0}),
        ("CronJob", 2, {"jobTemplate": {"spec": {"parallelism": 2, "completions": 2}}}),
        ("CronJob", 0, {"suspend": True}),
        ("DaemonSet", 1, None),
        ("Pod", 1, None),
    ],
)
def test_the_number_of_pods_is_said_as_the_kind_says_it(kind: str, replicas: int, spec: Any) -> None:
    assert patch(binding(kind, replicas=replicas)).get("spec") == spec


def test_a_deployment_that_must_give_its_card_back_says_null_for_what_a_rolling_update_left() -> None:
    assert patch(binding("Deployment", recreate=True))["spec"]["strategy"] == {"type": "Recreate", "rollingUpdate": None}
    assert "rollingUpdate: null" in patch_text(binding("Deployment", recreate=True))
    assert "strategy" not in patch(binding("StatefulSet", recreate=True))["spec"]


def test_a_kind_of_unknown_shape_gets_the_part_of_its_pods() -> None:
    text = patch_text(full("PyTorchJob"))

    assert list(yaml.safe_load(text)) == ["template"]
    assert "put what stands under `template` into each pod template of the PyTorchJob" in text


def test_comments_say_what_a_reader_must_do() -> None:
    text = patch_text(full("Deployment"))

    assert text.startswith("# Rename container `ollama` to the one that uses the GPU.\n")
    assert "# A patch replaces lists of tolerations and affinity terms whole: add those that the manifest has already.\n" in text
    assert "# watch out\n" in text
    assert "must not run now" in patch_text(binding("Pod", replicas=0))
    assert "Rename" not in patch_text(binding("Deployment"))


@kubectl
@pytest.mark.parametrize("kind", KINDS)
def test_kubectl_puts_it_on_a_manifest(kind: str, tmp_path: Path) -> None:
    container = {"name": "ollama", "image": "ollama/ollama", "resources": {"limits": {"memory": "64Gi"}}}
    manifest: Any = {"spec": {"containers": [container], "restartPolicy": "Always"}}
    for step in reversed(POD[kind]):
        manifest = {step: manifest}
    api_version = patch(full(kind))["apiVersion"]
    manifest = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "ollama", "namespace": "llm"}, **manifest}
    if kind == "Deployment":
        manifest["spec"]["strategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%"}}
    (tmp_path / "own.yaml").write_text(json.dumps(manifest))
    (tmp_path / "patch.yaml").write_text(patch_text(replace(full(kind), recreate=True)))

    command = ["kubectl", "patch", "--local", "-o", "json", "--type", "strategic", "-f", "own.yaml", "--patch-file", "patch.yaml"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)

    assert not run.stderr
    pod = at(json.loads(run.stdout), *POD[kind])["spec"]
    assert pod["containers"][0] == {
        "name": "ollama",
        "image": "ollama/ollama",
        "resources": {"limits": {"memory": "64Gi", "nvidia.com/gpu": 1}, "claims": [{"name": "gpu"}]},
    }
    assert pod["schedulerName"] == "volcano"
    assert pod["restartPolicy"] == "Always"
    if kind == "Deployment":
        assert json.loads(run.stdout)["spec"]["strategy"] == {"type": "Recreate"}
