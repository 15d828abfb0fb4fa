"""`fourleaf rehearse` as its users run it: what it says, how it ends, and that nothing is left of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from support import ROOT

from fourleaf.pipeline import run
from fourleaf.rehearse.plane import ControlPlane
from fourleaf.rehearse.programs import Programs
from fourleaf.rehearse.server import Key, Server

pytestmark = pytest.mark.engine

PROGRAM = (sys.executable, "-c", "from fourleaf.cli.main import main; main()", "rehearse")
HOMELAB = ROOT / "stacks" / "homelab.yaml"


class Stage:
    """Runs the command with a folder for temporary files of its own, in which nothing may be left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def start(self, *args: str | Path, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        around = {**os.environ, "TMPDIR": str(self.folder), **(env or {})}
        return subprocess.Popen([*PROGRAM, *args], cwd=ROOT, env=around, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *args: str | Path, env: Mapping[str, str] | None = None) -> tuple[int, str, str]:
        """Return exit code, output and complaints."""
        with self.start(*args, env=env) as process:
            out, err = process.communicate(timeout=120)
        assert self.left() == []
        return process.returncode, out, err

    def left(self) -> list[str]:
        """Return the files that are left, and the processes that stand in a folder among them, removed or not."""
        found = [str(path) for path in self.folder.iterdir()]
        for link in Path("/proc").glob("[0-9]*/cwd"):
            try:
                at = str(link.readlink())
            except OSError:
                continue
            found += [f"process {link.parent.name} in {at}"] if at.startswith(str(self.folder)) else []
        return found


@pytest.fixture
def stage(programs: Programs, tmp_path: Path) -> Stage:
    folder = tmp_path / "temporary"
    folder.mkdir()
    return Stage(folder)


def _until(holds: Callable[[], object], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def test_the_homelab_does_as_predicted(stage: Stage) -> None:
    code, out, err = stage.run(HOMELAB, "--format", "json")
    found = json.loads(out)

    assert (code, err, found["ok"], found["reason"]) == (0, "", True, None)
    assert found["nodes"] == 4
    placed = {one["name"]: [(pod["pool"], len(pod["devices"])) for pod in one["placed"]] for one in found["workloads"]}
    assert placed == {"comfyui": [], "ollama": [("gpu", 0)], "openvino": [("igpu", 1)], "vllm": []}
    assert [one["code"] for one in found["diagnostics"]] == ["FL153"]


def test_a_tree_that_somebody_edited_is_tried_in_place_of_the_compiled_one(stage: Stage, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for path, text in run(HOMELAB.read_bytes()).files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    patch = tree / "bindings" / "ollama" / "ollama.yaml"
    patch.write_text(patch.read_text().replace("- key: nvidia.com/gpu", "- key: nvidia.com/card"))

    code, out, _ = stage.run(HOMELAB, "--tree", tree)

    assert code == 1
    assert "taint nvidia.com/gpu=present:NoSchedule is not tolerated [1 node]" in out
    assert out.endswith("not as predicted\n  workload ollama/ollama: predicted 1 of 1 placed, kube-scheduler placed 0\n")


def test_too_little_is_as_predicted_where_it_was(stage: Stage, tmp_path: Path) -> None:
    spec = tmp_path / "short.yaml"
    spec.write_text((ROOT / "stacks" / "laptop.yaml").read_text().replace("count: 1}\n      memory", "count: 2}\n      memory"))

    code, out, _ = stage.run(spec)

    assert code == 0, out
    assert "error[FL402]" in out
    assert "lab/notebook  0 of 1 placed" in out
    assert "nvidia.com/gpu: asks 2, at most 1 free on a node (laptop has 1): short by 1 [1 node]" in out
    assert out.endswith("as predicted\n")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_nothing_is_left_after_a_signal(stage: Stage, number: signal.Signals, code: int) -> None:
    with stage.start(HOMELAB) as process:
        assert _until(lambda: [*stage.folder.glob("*/kubeconfig")])
        time.sleep(0.5)  # in the middle of it
        process.send_signal(number)
        process.communicate(timeout=60)

    assert process.returncode == code
    assert stage.left() == []


def test_a_program_that_ends_at_once_is_named_with_its_own_words(stage: Stage, tmp_path: Path, programs: Programs) -> None:
    assets = tmp_path / "assets"
    assets.mkdir()
    for name in ("etcd", "kube-apiserver", "kube-scheduler", "kube-controller-manager"):
        (assets / name).write_text("#!/bin/sh\necho no such flag >&2\nexit 7\n")
        (assets / name).chmod(0o755)

    code, _, err = stage.run(HOMELAB, env={"KUBEBUILDER_ASSETS": str(assets)})

    assert code == 3
    assert "ended with exit code 7" in err
    assert "no such flag" in err


# ---- a server that is there


def test_a_server_with_real_nodes_is_left_alone(stage: Stage, plane: ControlPlane, server: Server) -> None:
    real = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker-1"}}
    server.apply(real)
    try:
        code, _, err = stage.run(HOMELAB, "--kubeconfig", plane.kubeconfig)
    finally:
        server.delete(Key.of(real))

    assert code == 3
    assert "a cluster with real nodes (worker-1)" in err
    assert server.find("v1", "Node") == []


def test_a_server_without_nodes_is_used_and_left_as_it_was(stage: Stage, plane: ControlPlane, server: Server, tmp_path: Path) -> None:
    spec = tmp_path / "given.yaml"
    spec.write_text(HOMELAB.read_text().replace("namespace: openvino", "namespace: given-alone"))

    code, out, _ = stage.run(spec, "--kubeconfig", plane.kubeconfig)

    assert code == 0, out
    for api_version, kind in (("v1", "Node"), ("v1", "Pod"), ("apps/v1", "DaemonSet"), ("resource.k8s.io/v1", "ResourceSlice")):
        assert server.find(api_version, kind) == []
    assert _until(lambda: server.find("resource.k8s.io/v1", "ResourceClaim") == [])
    assert _until(lambda: server.get(Key(("v1", "Namespace", "", "given-alone"))) is None)


def test_a_kubeconfig_that_leads_nowhere_is_something_that_lacks(stage: Stage, tmp_path: Path) -> None:
    code, _, err = stage.run(HOMELAB, "--kubeconfig", tmp_path / "nowhere")

    assert code == 3
    assert "no API server answers" in err


# ---- the guide


def test_the_guide_shows_what_happens(stage: Stage) -> None:
    page = (ROOT / "docs" / "guide" / "rehearse.md").read_text()
    block = page.split("```text\n$ fourleaf rehearse stacks/homelab.yaml\n")[1].split("```")[0]

    code, out, _ = stage.run("stacks/homelab.yaml")

    assert code == 0
    any_of_three = ("mini-1", "mini-2", "mini-3")  # alike: kube-scheduler draws lots
    assert _one(out, any_of_three) == _one(block, any_of_three)


def _one(text: str, names: tuple[str, ...]) -> str:
    for name in names:
        text = text.replace(name, names[0])
    return text
