"""What the proofs against real programs stand on. `make engine` builds the programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine.cluster import Cluster, Kwok
from engine.project import Project
from support import lacking

from fourleaf.rehearse.plane import ControlPlane
from fourleaf.rehearse.programs import Programs, engine_home

PACKAGES = {"pulumi": "3.", "pulumi_kubernetes": "4.25.0"}
"""What the interpreter of Pulumi programs needs: the SDK asks for the provider of exactly its own version, and 4.25.0 is built."""
VERSIONS = f"import importlib.metadata as m, json; print(json.dumps({{n: m.version(n) for n in {list(PACKAGES)}}}))"


def built(name: str) -> Path:
    """Return the path of a built program below the engine home."""
    path = engine_home() / name
    if not path.exists():
        lacking(f"there is no {path}: run make engine")
    return path


@pytest.fixture(scope="session")
def plane(programs: Programs) -> Iterator[ControlPlane]:
    """One control plane for all tests that can share it: each takes a namespace of its own."""
    with ControlPlane(programs) as plane:
        yield plane


@pytest.fixture
def cluster(plane: ControlPlane, programs: Programs) -> Cluster:
    """kubectl on the shared control plane; it fails the test if a program of the plane has ended."""
    plane.check()
    return Cluster(plane, programs)


@pytest.fixture
def kwok(plane: ControlPlane) -> Iterator[Kwok]:
    with Kwok(built("bin/kwok"), plane.kubeconfig) as kwok:
        yield kwok


@pytest.fixture(scope="session")
def python() -> Path:
    """The interpreter that Pulumi programs run under."""
    path = Path(os.environ.get("FOURLEAF_ENGINE_PYTHON") or sys.executable)
    done = subprocess.run([path, "-c", VERSIONS], capture_output=True, text=True, timeout=60)
    versions = json.loads(done.stdout) if done.returncode == 0 else {}
    if not all(versions.get(name, "").startswith(version) for name, version in PACKAGES.items()):
        wanted = "pulumi and pulumi-kubernetes==4.25.0"
        lacking(f"{path} has {versions or 'no Pulumi'}: name one with {wanted} in FOURLEAF_ENGINE_PYTHON")
    return path


@pytest.fixture
def project(tmp_path: Path, python: Path) -> Project:
    """An empty Pulumi project with a state of its own and no cluster."""
    built("bin/pulumi")
    built("bin/pulumi-language-python")
    built("pulumi/plugins/resource-kubernetes-v4.25.0/pulumi-resource-kubernetes")
    return Project(tmp_path, engine_home(), python)
