"""A Pulumi project under the real engine: its own folder, state and home; the plugins that `make engine` built."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LIMIT = 120
"""Seconds for one command; a provider that waits for pods nobody runs would take ten minutes."""
NOWHERE = {
    "apiVersion": "v1",
    "kind": "Config",
    "clusters": [{"name": "nowhere", "cluster": {"server": "https://127.0.0.1:1"}}],
    "users": [{"name": "nobody", "user": {"token": "none"}}],
    "contexts": [{"name": "nowhere", "context": {"cluster": "nowhere", "user": "nobody"}}],
    "current-context": "nowhere",
}
"""A cluster that nobody serves."""


class Project:
    """A project with one stack, `dev`; its commands run without a network.

    Attributes:
        folder: where Pulumi.yaml and the program lie.
        engine: the home of the built programs.
        kubeconfig: the cluster that the provider talks to; at first one that is not there.
    """

    def __init__(self, root: Path, engine: Path, python: Path) -> None:
        self.folder = root / "project"
        self.kubeconfig = root / "nowhere.json"
        self.kubeconfig.write_text(json.dumps(NOWHERE))
        self.engine = engine
        self._python = python
        self._home = root / "home"
        self._state = root / "state"
        for folder in (self.folder, self._home, self._state):
            folder.mkdir()
        (self._home / "plugins").symlink_to(engine / "pulumi" / "plugins")
        self._more: dict[str, str] = {}

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the environment of its commands; nothing of the caller's Pulumi or cluster reaches them."""
        return {
            "PATH": f"{self.engine / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self._home),
            "KUBECONFIG": str(self.kubeconfig),
            "FOURLEAF_ENGINE_PYTHON": str(self._python),
            "PULUMI_HOME": str(self._home),
            "PULUMI_BACKEND_URL": f"file://{self._state}",
            "PULUMI_CONFIG_PASSPHRASE": "",
            "PULUMI_CREDENTIAL_STORE": "plaintext",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_DISABLE_REGISTRY_RESOLVE": "true",
            "PULUMI_IGNORE_AMBIENT_PLUGINS": "true",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            **self._more,
        }

    def use(self, **environment: str) -> None:
        """Set variables of its commands."""
        self._more.update(environment)

    def write(self, files: Mapping[str, str]) -> None:
        """Write files of the project, by path."""
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a pulumi command."""
        command = ["pulumi", *arguments, "--non-interactive", "--color=never"]
        return subprocess.Popen(
            command, cwd=self.folder, env=dict(self.environment), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def run(self, *arguments: str, code: int = 0) -> str:
        """Return what a pulumi command prints; another exit code than the one told is the test's failure."""
        with self.start(*arguments) as process:
            try:
                said, complained = process.communicate(timeout=LIMIT)
            except subprocess.TimeoutExpired:
                process.terminate()
                raise
        assert process.returncode == code, said + complained
        return said + complained

    def preview(self, *arguments: str) -> Any:
        """Return the engine's digest of a preview: steps, diagnostics, changeSummary."""
        return json.loads(self.run("preview", "--json", "--suppress-progress", *arguments).split("\n}", 1)[0] + "\n}")

    def up(self) -> None:
        self.run("up", "--yes", "--skip-preview")

    def destroy(self) -> None:
        self.run("destroy", "--yes", "--skip-preview")

    def outputs(self) -> Any:
        return json.loads(self.run("stack", "output", "--json"))
