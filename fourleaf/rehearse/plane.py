"""A throwaway Kubernetes control plane on this machine: storage, API server, scheduler and controllers, and no kubelet.

Nodes and what runs on them are simulated by whoever uses it. The API server listens on a loopback port of its own, with a
certificate and a token that end with it; storage listens on sockets in a private folder; the others do not listen at all.

How the flags were found: read in the sources of Kubernetes 1.36.3 and etcd 3.6.8, and run.
"""

from __future__ import annotations

import json
import secrets
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from fourleaf.rehearse.processes import Processes
from fourleaf.rehearse.programs import Programs

CONTROLLERS_OFF = ("node-lifecycle-controller", "taint-eviction-controller", "cloud-node-lifecycle-controller")
"""They act on nodes whose kubelet is silent, and there is none."""
ADMISSION_OFF = ("TaintNodesByCondition",)
"""It taints each new node node.kubernetes.io/not-ready:NoSchedule until a controller that is off sees it ready."""
PAUSE = 0.05
"""Seconds between two looks at whether it is ready."""


class NotReadyError(Exception):
    """The API server did not get ready in time.

    Attributes:
        seconds: how long was waited.
        log: the last lines that the API server wrote.
    """

    def __init__(self, seconds: float, log: str) -> None:
        super().__init__(f"kube-apiserver is not ready after {seconds:g} s\n{log}")
        self.seconds = seconds
        self.log = log


class ControlPlane:
    """A running control plane; a context manager that enters when the API server is ready and leaves nothing behind.

    Attributes:
        folder: where its files are, logs among them.
        server: the API server's address, https on loopback.
        kubeconfig: the path of a configuration for its administrator.
    """

    def __init__(self, programs: Programs, *, flags: Mapping[str, Sequence[str]] | None = None, timeout: float = 60) -> None:
        """Prepare it; nothing runs yet.

        Args:
            programs: what to run.
            flags: more of them, by program ("kube-apiserver", ...); the last of two wins.
            timeout: seconds until it must be ready.
        """
        self._programs = programs
        self._flags = flags or {}
        self._timeout = timeout
        self._token = secrets.token_urlsafe(24)

    def __enter__(self) -> Self:
        """Start it and wait until it is ready.

        Raises:
            NotReadyError: where that takes longer than the timeout.
            ProgramEndedError: where one of the programs gives up.
        """
        self._processes = Processes("fourleaf-plane-")
        self._port = socket.socket()
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def folder(self) -> Path:
        return self._processes.folder

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    def close(self) -> None:
        """End it; a second call does nothing."""
        self._processes.close()
        self._port.close()

    def check(self) -> None:
        """Raise ProgramEndedError if one of its programs has ended."""
        self._processes.check()

    def log(self, name: str) -> str:
        """Return the last lines that a program wrote, by its usual name."""
        return self._processes.log(name)

    def get(self, path: str) -> bytes:
        """Return what the API server answers to a GET as administrator; raises OSError, HTTPError among them."""
        asked = urllib.request.Request(self.server + path, headers={"Authorization": f"Bearer {self._token}"})  # noqa: S310
        trust = ssl.create_default_context(cafile=self._certificate)
        with urllib.request.urlopen(asked, timeout=5, context=trust) as answer:  # noqa: S310
            content: bytes = answer.read()
            return content

    def _start(self) -> None:
        # Bound and not listening, the socket keeps the port from others until the API server shares it.
        self._port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self._port.bind(("127.0.0.1", 0))
        port = self._port.getsockname()[1]
        self.server = f"https://127.0.0.1:{port}"
        self._certificate = self.folder / "pki" / "apiserver.crt"
        (self.folder / "tokens.csv").write_text(f"{self._token},admin,admin,system:masters\n")

        self._run("etcd", self._programs.etcd, _etcd())
        self._run("kube-apiserver", self._programs.apiserver, _apiserver(port))
        self._wait()
        self.kubeconfig.write_text(json.dumps(self._access(), indent=1))
        self._run("kube-scheduler", self._programs.scheduler, _client())
        self._run("kube-controller-manager", self._programs.manager, [*_client(), *_manager()])

    def _run(self, name: str, command: Sequence[str], flags: Sequence[str]) -> None:
        self._processes.start(name, [*command, *flags, *self._flags.get(name, ())])

    def _wait(self) -> None:
        end = time.monotonic() + self._timeout
        while time.monotonic() < end:
            self._processes.check()
            try:
                self.get("/readyz")
            except OSError:  # no certificate yet, nobody listens, or not all parts are ready
                time.sleep(PAUSE)
            else:
                return
        raise NotReadyError(self._timeout, self.log("kube-apiserver"))

    def _access(self) -> Mapping[str, object]:
        cluster = {"server": self.server, "certificate-authority": str(self._certificate)}
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "rehearsal", "cluster": cluster}],
            "users": [{"name": "admin", "user": {"token": self._token}}],
            "contexts": [{"name": "rehearsal", "context": {"cluster": "rehearsal", "user": "admin"}}],
            "current-context": "rehearsal",
        }


def _etcd() -> list[str]:
    # etcd wants a host and a port in each address; for a unix socket, that is the file's name in the working directory.
    client, peer = "unix://client:0", "unix://peer:0"
    return [
        "--name=rehearsal",
        "--data-dir=etcd",
        "--unsafe-no-fsync",
        "--log-level=warn",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=rehearsal={peer}",
    ]


def _apiserver(port: int) -> list[str]:
    return [
        "--etcd-servers=unix://client:0",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        f"--secure-port={port}",
        "--permit-port-sharing",
        # It makes its own certificate there before it reads the key, an RSA one, for the tokens of service accounts.
        "--cert-dir=pki",
        "--service-account-issuer=https://kubernetes.default.svc",
        "--service-account-key-file=pki/apiserver.key",
        "--service-account-signing-key-file=pki/apiserver.key",
        "--token-auth-file=tokens.csv",
        "--authorization-mode=RBAC",
        "--allow-privileged",
        "--endpoint-reconciler-type=none",
        "--service-cluster-ip-range=10.0.0.0/24",
        f"--disable-admission-plugins={','.join(ADMISSION_OFF)}",
    ]


def _client() -> list[str]:
    return ["--kubeconfig=kubeconfig", "--secure-port=0", "--leader-elect=false"]


def _manager() -> list[str]:
    return [
        "--use-service-account-credentials=false",
        "--service-account-private-key-file=pki/apiserver.key",
        f"--controllers={','.join(['*', *(f'-{name}' for name in CONTROLLERS_OFF)])}",
    ]
