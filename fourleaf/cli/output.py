"""How commands speak of findings: options, text and exit codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from fourleaf.cli.stream import colored, on_terminal, put
from fourleaf.cli.word import Word
from fourleaf.diag import Diagnostic, Severity

Command = TypeVar("Command", bound=Callable[..., Any])

_BESIDE = 8
"""Cells of a line of an excerpt beside the text itself: its number and the frame."""


MOST = 200
"""Findings that are printed as text. More scroll away unread, and each takes an excerpt."""


def format_option(command: Command) -> Command:
    return click.option(
        "--format", "form", type=Word("format", ["text", "json"]), default="text", show_default=True, help="Form of the answer."
    )(command)


def strict_option(command: Command) -> Command:
    return click.option("--strict", is_flag=True, help="Warnings are errors: exit 1.")(command)


def put_findings(found: Sequence[Diagnostic], sources: Mapping[str, str]) -> None:
    """Print diagnostics as people read them, on a terminal no wider than it is; a blank line follows them.

    Of more than `MOST`, the gravest are printed, in their order, and how many there are besides.
    """
    if not found:
        return
    from fourleaf.diag.render import WIDTH, render

    width = WIDTH
    if on_terminal():
        import shutil

        width = max(shutil.get_terminal_size().columns - _BESIDE, 40)
    put(render(_gravest(found), sources, color=colored(), width=width))
    if len(found) > MOST:
        put(f"and {len(found) - MOST:,} more; `--format json` has them all\n")


def _gravest(found: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
    if len(found) <= MOST:
        return found
    ranks = {severity: rank for rank, severity in enumerate(Severity)}
    kept = sorted(range(len(found)), key=lambda index: ranks[found[index].severity])[:MOST]
    return [found[index] for index in sorted(kept)]


def counted(found: Sequence[Diagnostic]) -> str:
    """Return how many there are of each severity, in words."""
    from fourleaf.diag.render import summary

    return summary(found) if found else "no findings"


def code(diagnostics: Sequence[Diagnostic], strict: bool) -> int:
    """Return the exit code that diagnostics ask for."""
    bad = (Severity.ERROR, Severity.WARNING) if strict else (Severity.ERROR,)
    return int(any(one.severity in bad for one in diagnostics))
