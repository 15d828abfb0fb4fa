"""Finds the programs of a control plane on this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

KUBERNETES = "https://kubernetes.io/releases/download"
SOURCES: Mapping[str, str] = {
    "etcd": "https://github.com/etcd-io/etcd/releases",
    "kube-apiserver": KUBERNETES,
    "kube-scheduler": KUBERNETES,
    "kube-controller-manager": KUBERNETES,
}
"""The programs that a control plane needs, and where each can be had."""
MULTICALL = "controlplane"
"""The binary of engines/controlplane, which is all of them: its first argument names the one to be."""

Command = tuple[str, ...]


class MissingProgramsError(Exception):
    """Programs of the control plane are not on this machine.

    Attributes:
        missing: name of each, and where it can be had.
        looked: the folders that were searched, or the file that is none of them.
    """

    def __init__(self, missing: Mapping[str, str], looked: tuple[Path, ...]) -> None:
        super().__init__(f"there is no {', '.join(missing)} in {', '.join(map(str, looked))}")
        self.missing = missing
        self.looked = looked


class Programs(Struct, frozen=True):
    """How each program is called: its path, or the path of the multi-call binary and the name. `kubectl` is a courtesy."""

    etcd: Command
    apiserver: Command
    scheduler: Command
    manager: Command
    kubectl: Command | None = None


def find(assets: Path | None = None) -> Programs:
    """Return the programs of one place; those of two places need not fit each other.

    Args:
        assets: a folder with the programs under their usual names, or the multi-call binary (or a folder with it). None looks in
            the project's cache of built programs, then on PATH.

    Raises:
        MissingProgramsError: where no place has them all.
    """
    if assets is not None and assets.is_file():
        binary = str(assets.resolve())
        return _programs(lambda name: (binary, name))
    places = [assets] if assets is not None else [engine_home() / MULTICALL, *_path()]
    best: Mapping[str, str] = SOURCES
    for place in places:
        found = {name: command for name in (*SOURCES, "kubectl") if (command := _in_folder(place, name))}
        missing = {name: source for name, source in SOURCES.items() if name not in found}
        if not missing:
            return _programs(found.get)
        best = min(best, missing, key=len)
    raise MissingProgramsError(best, tuple(places))


def engine_home() -> Path:
    """Return the folder that `make engine` builds into."""
    named = os.environ.get("FOURLEAF_ENGINE_HOME")
    return Path(named) if named else Path.home() / ".cache" / "fourleaf" / "engine"


def _programs(command: Callable[[str], Command | None]) -> Programs:
    etcd, apiserver, scheduler, manager = (command(name) or () for name in SOURCES)
    return Programs(etcd, apiserver, scheduler, manager, command("kubectl"))


def _path() -> list[Path]:
    first = shutil.which("kube-apiserver")
    return [Path(first).parent] if first else []


def _in_folder(folder: Path, name: str) -> Command | None:
    usual, multicall = folder / name, folder / MULTICALL
    if os.access(usual, os.X_OK):
        return (str(usual.absolute()),)  # not resolved: a link of that name is how the multi-call binary knows
    if os.access(multicall, os.X_OK):
        return (str(multicall.absolute()), name)
    return None
