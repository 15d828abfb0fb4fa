"""One control plane for all rehearsals: each cleans up behind itself, definitions and namespaces apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from fourleaf.pipeline import Compilation
from fourleaf.rehearse import apply
from fourleaf.rehearse.plane import ControlPlane
from fourleaf.rehearse.programs import Programs
from fourleaf.rehearse.rehearsal import Rehearsal, rehearse
from fourleaf.rehearse.server import Server
from fourleaf.rehearse.tree import read

FLAGS = ("--runtime-config=resource.k8s.io/v1beta1=true,resource.k8s.io/v1beta2=true",)
"""What `objects.flags` asks for where a set is for an older Kubernetes; a shared plane must be ready for all."""


@pytest.fixture(scope="session")
def plane(programs: Programs) -> Iterator[ControlPlane]:
    with ControlPlane(programs, flags={"kube-apiserver": FLAGS}) as plane:
        yield plane


@pytest.fixture(scope="session")
def server(plane: ControlPlane) -> Server:
    return Server(plane.kubeconfig)


@pytest.fixture
def rehearsed(plane: ControlPlane, server: Server) -> Iterator[Callable[..., Rehearsal]]:
    """Rehearse a compilation, with other files where some are given."""

    def run(made: Compilation, files: dict[str, str] | None = None) -> Rehearsal:
        plane.check()
        assert made.plan
        assert made.bundle
        return rehearse(made.plan, made.bundle, read(files or made.files), server)

    yield run
    apply.clean(server, keep=apply.KEPT)
