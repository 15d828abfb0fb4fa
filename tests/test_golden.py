"""The whole compiler on each example: decision, plan, diagnostics, then every file. `make golden` writes them anew."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_snapshot.plugin import Snapshot
from show import show_decision, show_plan
from support import GOLDEN, ROOT, nest, shared

from fourleaf.diag.render import render
from fourleaf.emit import EMITTERS
from fourleaf.pipeline import Compilation, run


def _compiled(name: str, target: str | None = None) -> Compilation:
    path = GOLDEN[name]
    return run(path.read_bytes(), path.name, lambda other: (path.parent / other).read_bytes(), target)


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_golden(name: str, snapshot: Snapshot) -> None:
    snapshot.snapshot_dir = ROOT / "tests" / "golden" / name
    made = _compiled(name)
    assert made.decision
    assert made.plan

    snapshot.assert_match(show_decision(made.decision), "decision.txt")
    snapshot.assert_match(show_plan(made.plan), "plan.txt")
    snapshot.assert_match(render(made.diagnostics, made.sources), "diagnostics.txt")
    snapshot.assert_match_dir(nest(dict(made.files)), "out")


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_every_command_that_comes_first_can_be_run_again(name: str) -> None:
    bundle = _compiled(name).bundle
    once = re.compile(r"kubectl create(?!.*--dry-run)|kubectl label(?!.*--overwrite)|ln -s ")

    assert bundle
    assert not [one.command for one in bundle.prerequisites if once.search(one.command)]


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_argocd_golden(name: str, snapshot: Snapshot) -> None:
    """Only what Argo CD adds; the objects are the same by every route (below)."""
    snapshot.snapshot_dir = ROOT / "tests" / "golden" / name
    made = _compiled(name, "argocd")

    snapshot.assert_match_dir(
        {path.removeprefix("argocd/"): text for path, text in made.files.items() if path.startswith("argocd/")}, "argocd"
    )


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_every_route_has_the_same_objects(name: str) -> None:
    routes = {}
    for target in EMITTERS:
        files = _compiled(name, target).files
        ours = ("argocd/", "README.md")
        routes[target] = {
            path: text
            for path, text in files.items()
            if not path.startswith(ours) and not path.endswith(("kustomization.yaml", "values.yaml"))
        }

    assert set(routes["plain"]) == set(routes["kustomize"]) == set(routes["argocd"])
    assert routes["plain"] == routes["kustomize"]


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_kubectl_builds_the_tree(name: str, tmp_path: Path) -> None:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not on this machine")
    files = _compiled(name, "kustomize").files
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    built = subprocess.run(["kubectl", "kustomize", str(tmp_path)], capture_output=True, text=True, timeout=60, check=False)

    assert built.returncode == 0, built.stderr
    assert built.stdout.count("\nkind: ") == sum(
        path[0].isdigit() and "charts" not in path and not path.endswith("kustomization.yaml") for path in files
    )


def test_upstream_finds_nothing_in_any_tree(tmp_path: Path) -> None:
    """Definitions and chart defaults of upstream judge every tree, by the route that spells its charts out."""
    judge = shared() / "tools" / "upstream_check.py"
    for name in GOLDEN:
        for target in EMITTERS:
            for path, text in _compiled(name, target).files.items():
                at = tmp_path / name / target / path
                at.parent.mkdir(parents=True, exist_ok=True)
                at.write_text(text)

    said = subprocess.run([sys.executable, str(judge), str(tmp_path)], capture_output=True, text=True, timeout=120, check=False)

    assert said.returncode == 0, said.stdout + said.stderr
