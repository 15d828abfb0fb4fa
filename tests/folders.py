"""Output folders: two sets of files, how they are written, what stands on disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from fourleaf.diag import Diagnostic
from fourleaf.emit import Changes, Lock, plan_write, write
from fourleaf.emit.lock import LOCK
from fourleaf.ir import Bundle

EMPTY = Bundle(objects=(), charts=(), asks=(), bindings=(), prerequisites=(), edges=())
OLD = {"README.md": "old\n", "10-a/x.yaml": "x: 1\n", "10-a/y.yaml": "y: 1\n", "20-b/c/z.yaml": "z: 1\n"}
NEW = {"README.md": "new\n", "10-a/x.yaml": "x: 1\n", "30-d/w.yaml": "w: 1\n"}


def lock(files: dict[str, str]) -> Lock:
    return Lock.of(files, EMPTY, "plain", repr(files).encode())


def planned(out: Path, files: dict[str, str], **options: Any) -> Changes:
    return plan_write(out, files, lock(files), **options)


def written(out: Path, files: dict[str, str], **options: Any) -> Changes:
    changes = planned(out, files, **options)
    assert write(changes) == ()
    return changes


def tree(out: Path) -> dict[str, str]:
    """Every file of a folder but the lock; an empty folder ends in a slash."""
    found = {}
    for at, folders, names in os.walk(out):
        path = Path(at)
        found |= {str((path / name).relative_to(out)): (path / name).read_text() for name in names if path / name != out / LOCK}
        if not folders and not names and path != out:
            found[f"{path.relative_to(out)}/"] = ""
    return found


def rules(found: tuple[Diagnostic, ...]) -> list[str]:
    return [one.rule.name for one in found]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "out"
