"""The lock and the journal of an output folder: what fourleaf wrote there, and what it was about to write."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from fourleaf import __version__
from fourleaf.ir import Bundle

LOCK = "fourleaf.lock.json"
JOURNAL = ".fourleaf.journal.json"
FORMAT = 1

_STEP = r"(?!\.\.?(?:/|\Z))[^/\\:\x00-\x1f]+"
_INSIDE = re.compile(rf"{_STEP}(?:/{_STEP})*\Z").match


class Fault(Struct, frozen=True):
    """Why a lock or journal cannot be read, as a clause."""

    why: str
    newer: bool = False


class Lock(Struct, frozen=True):
    """What a set was compiled from, and the digest of each of its files."""

    compiler: str
    spec: str
    """Digest of the spec."""
    target: str
    charts: tuple[Mapping[str, str], ...]
    """name, release, namespace, repository, version of each chart."""
    files: Mapping[str, str]

    @classmethod
    def of(cls, files: Mapping[str, str], bundle: Bundle, target: str, spec: bytes) -> Lock:
        """Return the lock of a set.

        Args:
            spec: the text of the cluster spec as it was read; of all its files, one after the other.
        """
        charts = tuple(
            {"name": one.name, "release": one.release, "namespace": one.namespace, "repository": one.repository, "version": one.version}
            for one in sorted(bundle.charts, key=lambda chart: (chart.release, chart.namespace))
        )
        digests = {path: digest(text.encode()) for path, text in sorted(files.items())}
        return cls(compiler=__version__, spec=digest(spec), target=target, charts=charts, files=digests)

    def text(self) -> str:
        """Return it as it stands on disk."""
        head = {"lock": FORMAT, "fourleaf": self.compiler, "spec": self.spec, "target": self.target}
        made = {**head, "charts": self.charts, "files": self.files}
        return json.dumps(made, indent=2) + "\n"

    @classmethod
    def read(cls, data: bytes) -> Lock | Fault:
        """Read a lock; a path in it that leaves the folder is a fault too."""
        tree = _tree(data, "lock")
        if isinstance(tree, Fault):
            return tree
        files, charts = tree.get("files"), tree.get("charts")
        if not isinstance(files, dict) or not isinstance(charts, list) or not all(isinstance(chart, dict) for chart in charts):
            return Fault("it lists no files or no charts")
        for path, value in files.items():
            if not is_inside(path) or not isinstance(value, str):
                return Fault(f"{path!r} is no path in the folder with its digest")
        return cls(str(tree.get("fourleaf")), str(tree.get("spec")), str(tree.get("target")), tuple(charts), files)


class Journal(Struct, frozen=True):
    """What a run was about to do. It lies in the folder from before the first change until after the new lock."""

    token: str
    """Ending of the files that are written beside their targets."""
    files: Mapping[str, tuple[str | None, str | None]]
    """Path to the digests before and after; None where there is no file."""

    def text(self) -> str:
        """Return it as it stands on disk."""
        return json.dumps({"journal": FORMAT, "token": self.token, "files": self.files}, indent=1) + "\n"

    @classmethod
    def read(cls, data: bytes) -> Journal | Fault:
        """Read a journal."""
        tree = _tree(data, "journal")
        if isinstance(tree, Fault):
            return tree
        files, token = tree.get("files"), tree.get("token")
        if not isinstance(files, dict) or not isinstance(token, str) or not token.isalnum():
            return Fault("it lists no files")
        for path, pair in files.items():
            if not is_inside(path) or not isinstance(pair, list) or list(map(type, pair)) not in _PAIRS:
                return Fault(f"{path!r} is no path in the folder with its digests")
        return cls(token, {path: (old, new) for path, (old, new) in files.items()})


_PAIRS = [[old, new] for old in (str, type(None)) for new in (str, type(None))]


def digest(data: bytes) -> str:
    """Return the digest of a file's content."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def is_inside(path: str) -> bool:
    """Tell whether a path stays in the folder, and is neither lock nor journal."""
    return _INSIDE(path) is not None and path not in (LOCK, JOURNAL)


def _tree(data: bytes, kind: str) -> dict[str, Any] | Fault:
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return Fault("it is no JSON")
    if not isinstance(tree, dict) or type(tree.get(kind)) is not int:
        return Fault(f"it has no `{kind}`")
    if tree[kind] > FORMAT:
        return Fault(f"it is of format {tree[kind]}, and this fourleaf reads {FORMAT}", newer=True)
    return tree
