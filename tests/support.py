"""What several test modules need: specs, compilations, trees as nested mappings."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NoReturn

import pytest

ROOT = Path(__file__).parent.parent
STACKS = sorted(path for path in (ROOT / "stacks").glob("*.yaml") if not path.name.startswith("Pulumi."))

GOLDEN = {path.stem: path for path in STACKS} | {
    path.parent.name: path for path in sorted((ROOT / "tests" / "golden").glob("*/cluster.yaml"))
}
"""Every example and golden case: name to its spec."""


def nest(files: dict[str, str]) -> dict[str, Any]:
    """Return paths with slashes as nested mappings, as pytest-snapshot wants them."""
    tree: dict[str, Any] = {}
    for path, text in files.items():
        *folders, name = path.split("/")
        at = tree
        for folder in folders:
            at = at.setdefault(folder, {})
        at[name] = text
    return tree


def shared() -> Path:
    """Return the folder with upstream's own schemas; skip where it is not there, fail where it must be."""
    named = os.environ.get("FOURLEAF_SHARED")
    if not named:
        pytest.skip("FOURLEAF_SHARED names no folder with upstream's schemas")
    path = Path(named)
    assert path.is_dir(), f"FOURLEAF_SHARED is {named}, and that is no folder"
    return path


def lacking(what: str) -> NoReturn:
    """Skip for want of a program that `make engine` builds; fail where FOURLEAF_ENGINE=required says that it must be there."""
    if os.environ.get("FOURLEAF_ENGINE") == "required":
        pytest.fail(f"FOURLEAF_ENGINE=required, and {what}", pytrace=False)
    pytest.skip(what)
