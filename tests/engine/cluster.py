"""A rehearsal cluster as the tests use it: kubectl, simulated nodes, and kwok where something must look alive."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fourleaf.rehearse.plane import ControlPlane
from fourleaf.rehearse.processes import Processes, ProgramEndedError
from fourleaf.rehearse.programs import Programs

Manifest = Mapping[str, Any]


class Cluster:
    """kubectl as the administrator of a control plane."""

    def __init__(self, plane: ControlPlane, programs: Programs) -> None:
        self.plane = plane
        assert programs.kubectl is not None
        self._kubectl = [*programs.kubectl, f"--kubeconfig={plane.kubeconfig}", f"--cache-dir={plane.folder}/kubectl"]

    def kubectl(self, *arguments: str, given: str | None = None) -> str:
        """Return what kubectl prints; its complaint is the test's failure."""
        done = subprocess.run([*self._kubectl, *arguments], input=given, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def apply(self, *manifests: Manifest) -> str:
        """Apply objects server-side."""
        return self.kubectl("apply", "--server-side", "-f", "-", given="\n---\n".join(map(json.dumps, manifests)))

    def get(self, *arguments: str) -> Any:
        return json.loads(self.kubectl("get", *arguments, "-o", "json"))

    def node(self, name: str, **allocatable: str) -> None:
        """Make a node that is ready and has so much. Status has a door of its own: a Node is created without."""
        amounts = {"cpu": "8", "memory": "32Gi", "pods": "110", **allocatable}
        ready = {"type": "Ready", "status": "True", "reason": "Simulated", "message": "simulated"}
        status = {"capacity": amounts, "allocatable": amounts, "conditions": [ready]}
        self.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}}})
        self.kubectl("patch", "node", name, "--subresource=status", "--type=merge", f"--patch={json.dumps({'status': status})}")

    def namespace(self, name: str) -> None:
        """Make a namespace that takes pods: its default service account comes a moment later."""
        self.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        self.kubectl("wait", "--for=create", "serviceaccount/default", f"--namespace={name}", "--timeout=30s")


def pod(namespace: str, name: str, **limits: str) -> Manifest:
    """Return a pod that asks for so much."""
    container = {"name": "main", "image": "registry.example/none", "resources": {"limits": limits}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [container]},
    }


def eventually(holds: Callable[[], Any], seconds: float = 20) -> Any:
    """Return the first true answer, or the last one when the time is over."""
    end = time.monotonic() + seconds
    while not (answer := holds()) and time.monotonic() < end:
        time.sleep(0.1)
    return answer


class Kwok:
    """kwok on a control plane: bound pods run, deleted pods go. A context manager."""

    def __init__(self, binary: Path, kubeconfig: Path) -> None:
        self._command = [
            str(binary),
            f"--kubeconfig={kubeconfig}",
            f"--config={Path(__file__).with_name('kwok.yaml')}",
            "--manage-all-nodes=true",
            "--node-lease-duration-seconds=0",
        ]

    def __enter__(self) -> Self:
        # v0.8.0 writes to a map from two threads as it starts, and one start in three ends there.
        for _ in range(10):
            self._processes = Processes("fourleaf-kwok-")
            self._processes.start("kwok", self._command)
            try:
                eventually(self._processes.check, 1.5)
            except ProgramEndedError as ended:
                self._processes.close()
                if "concurrent map" not in ended.log:
                    raise
            except BaseException:
                self._processes.close()
                raise
            else:
                return self
        raise AssertionError("kwok ended at once ten times")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._processes.close()
