"""Reads the spec that a command names, and what it includes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from fourleaf.diag import Diagnostic, Span

LIMIT = 8 * 2**20 + 1
"""Bytes to read at most: one more than a spec may have, so that the loader sees that there are more."""

STDIN = "-"


def read_spec(name: str) -> bytes | Diagnostic:
    """Return the bytes of a spec, or the diagnostic that says why there are none.

    Args:
        name: its path, or "-" for standard input.
    """
    if name == STDIN:
        return sys.stdin.buffer.read(LIMIT)
    path = Path(name)
    try:
        if path.is_dir():
            return _unreadable(name, f"{name} is a folder", "name the spec in it")
        with path.open("rb") as file:
            return file.read(LIMIT)
    except FileNotFoundError:
        beside = sorted(other.name for other in path.parent.glob("*.y*ml"))[:5] if path.parent.is_dir() else []
        return _unreadable(name, f"there is no file {name}", f"its folder has {', '.join(beside)}" if beside else "`fourleaf init` writes a spec to start from")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return _unreadable(name, f"{name} cannot be read: {reason.lower()}", "name a file that you may read")


def _unreadable(name: str, message: str, help: str) -> Diagnostic:
    from fourleaf.spec.rules import FILE_NOT_READABLE

    return FILE_NOT_READABLE.at((), message, help=help, span=Span(name, 1, 1, 1, 1))


def shown(name: str) -> str:
    """Return the name of a spec as diagnostics give it."""
    return "<stdin>" if name == STDIN else name


def folder(name: str) -> Path:
    """Return the folder that paths in a spec are relative to."""
    return Path.cwd() if name == STDIN else Path(name).parent


def reader(name: str) -> Callable[[str], bytes]:
    """Return what reads the files that a spec includes; none outside of its repository, symlinks followed."""
    from fourleaf.spec import OutsideError

    base = folder(name).resolve()
    root = next((parent for parent in (base, *base.parents) if (parent / ".git").exists()), base)

    def read(path: str) -> bytes:
        target = (base / path).resolve()
        if not target.is_relative_to(root):
            raise OutsideError(path)
        with target.open("rb") as file:
            return file.read(LIMIT)

    return read
