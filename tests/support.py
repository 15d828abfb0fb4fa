"""What several test modules need: specs, compilations, trees as nested mappings."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
STACKS = sorted(path for path in (ROOT / "stacks").glob("*.yaml") if not path.name.startswith("Pulumi."))


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
