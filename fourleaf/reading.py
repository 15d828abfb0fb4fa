"""Reads the spec that somebody names, and the files that it includes; then it goes through the stages."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import IO, TypeAlias

from fourleaf.diag import Diagnostic, Span
from fourleaf.pipeline import Compilation, run
from fourleaf.spec.text import MAX_BYTES

Source: TypeAlias = "str | os.PathLike[str] | bytes"
"""A path, or the text of a spec as bytes."""

NAME = "cluster.yaml"
"""What diagnostics call a text that came without a name."""

_LIMIT = MAX_BYTES + 1
"""Bytes to read at most: one more than a spec may have, which tells that there are more."""


def compiled(
    source: Source,
    *,
    name: str = NAME,
    folder: str | os.PathLike[str] | None = None,
    target: str | None = None,
    past: frozenset[str] = frozenset(),
) -> Compilation:
    """Take what somebody names through every stage. Nothing is written.

    Args:
        source: a path, or a text as bytes.
        name: of a text, in diagnostics.
        folder: that the paths in a text are relative to; without it, a text can include nothing.
        target: instead of the one that the spec says.
        past: codes of errors that close no barrier.
    """
    if isinstance(source, bytes):
        return run(source, name, _reader(Path(folder)) if folder is not None else None, target, past)
    path = Path(source)
    shown = os.fspath(source)
    data = _content(path, shown)
    if isinstance(data, Diagnostic):
        return Compilation(diagnostics=(data,))
    return run(data, shown, _reader(path.parent), target, past)


def from_stream(
    stream: IO[bytes] | None, name: str, folder: Path, target: str | None = None, past: frozenset[str] = frozenset()
) -> Compilation:
    """Take what a stream holds through every stage, as `compiled`.

    Args:
        stream: None where it is closed.
    """
    if stream is None:
        return Compilation(diagnostics=(_unreadable(name, "standard input is closed", "name a file, or pipe a spec in"),))
    try:
        data = stream.read(_LIMIT)
    except OSError as error:
        return Compilation(diagnostics=(_unreadable(name, f"standard input cannot be read: {_reason(error)}", "name a file"),))
    if len(data) > MAX_BYTES:
        return Compilation(
            diagnostics=(_too_large(name, f"standard input holds more than {MAX_BYTES // 2**20} MiB, the most that is read"),)
        )
    return run(data, name, _reader(folder), target, past)


def _content(path: Path, shown: str) -> bytes | Diagnostic:
    """Return the bytes of a spec, or the diagnostic that says why there are none."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            data = b"" if size > MAX_BYTES else file.read(_LIMIT)
    except FileNotFoundError:
        return _unreadable(shown, f"there is no file {shown}", _beside(path))
    except IsADirectoryError:
        return _unreadable(shown, f"{shown} is a folder", _within(path))
    except (OSError, ValueError) as error:
        return _unreadable(shown, f"{shown} cannot be read: {_reason(error)}", "name a file that you may read")
    if max(size, len(data)) > MAX_BYTES:
        held = f"{size / 2**20:.1f} MiB" if size > MAX_BYTES else f"more than {MAX_BYTES // 2**20} MiB"
        return _too_large(shown, f"{shown} has {held}, at most {MAX_BYTES // 2**20} MiB are read")
    return data


def _beside(path: Path) -> str:
    """Return where the spec may be instead."""
    there = _specs(path.parent)
    return f"its folder has {', '.join(there)}" if there else "`fourleaf init` writes a spec to start from"


def _within(path: Path) -> str:
    there = _specs(path)
    return f"name the spec in it: {', '.join(there)}" if there else "name the spec"


def _specs(folder: Path) -> list[str]:
    try:
        return sorted(other.name for other in folder.iterdir() if other.suffix in (".yaml", ".yml"))[:5]
    except (OSError, ValueError):
        return []


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


def _unreadable(name: str, message: str, help: str) -> Diagnostic:
    from fourleaf.spec.rules import FILE_NOT_READABLE

    return FILE_NOT_READABLE.at((), message, help=help, span=Span(name, 1, 1, 1, 1))


def _too_large(name: str, message: str) -> Diagnostic:
    from fourleaf.spec.rules import SPEC_TOO_LARGE

    mend = "name a cluster spec; tenants and workloads can stand in files of their own (spec.include)"
    return SPEC_TOO_LARGE.at((), message, help=mend, span=Span(name, 1, 1, 1, 1))


def _reader(folder: Path) -> Callable[[str], bytes]:
    """Return what reads the files that a spec includes; none outside of its repository, symlinks followed."""
    from fourleaf.spec import OutsideError

    base = folder.resolve()
    root = next((parent for parent in (base, *base.parents) if (parent / ".git").exists()), base)

    def read(path: str) -> bytes:
        try:
            target = (base / path).resolve()
        except (ValueError, RuntimeError) as error:  # a NUL in it; symlinks in a circle, before Python 3.13
            raise OSError(str(error)) from error
        if not target.is_relative_to(root):
            raise OutsideError(path)
        if target.exists() and not target.is_dir() and not stat.S_ISREG(target.stat().st_mode):
            raise OSError("it is no ordinary file")
        with target.open("rb") as file:
            return file.read(_LIMIT)

    return read
