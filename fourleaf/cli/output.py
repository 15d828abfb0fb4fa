"""How commands speak: text or JSON on standard output, colour on a terminal, exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import click

from fourleaf.diag import Diagnostic, Severity

Command = TypeVar("Command", bound=Callable[..., Any])

_BESIDE = 8
"""Cells of a line of an excerpt beside the text itself: its number and the frame."""


class LackingError(Exception):
    """This machine lacks or refuses something; the message says what. Exit code 3."""


def format_option(command: Command) -> Command:
    return click.option(
        "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Form of the answer."
    )(command)


def strict_option(command: Command) -> Command:
    return click.option("--strict", is_flag=True, help="Warnings are errors: exit 1.")(command)


def prepare() -> None:
    """Make the streams take every text: what their encoding does not have is escaped."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def colored() -> bool:
    """Tell whether standard output is a terminal that wants colours (https://no-color.org)."""
    return on_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def on_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def put(text: str) -> None:
    """Print a text that has no line feed at its end.

    A reader that has gone (`| head`) ends the printing, not the command: its exit code stays what it would have been.

    Raises:
        LackingError: standard output takes no more, as on a full disk.
    """
    try:
        click.echo(text)
    except BrokenPipeError:
        hush()
    except OSError as error:
        hush()
        raise LackingError(f"standard output cannot be written: {(error.strerror or str(error)).lower()}") from error


def hush() -> None:
    """Throw away what is still to be printed."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def put_data(document: Mapping[str, Any]) -> None:
    """Print a JSON document."""
    import json

    put(json.dumps(document, indent=2))


def put_findings(found: Sequence[Diagnostic], sources: Mapping[str, str]) -> None:
    """Print diagnostics as people read them, on a terminal no wider than it is."""
    if not found:
        return
    from fourleaf.diag.render import WIDTH, render

    width = WIDTH
    if on_terminal():
        import shutil

        width = max(shutil.get_terminal_size().columns - _BESIDE, 40)
    put(render(found, sources, color=colored(), width=width).rstrip("\n"))


def code(diagnostics: Sequence[Diagnostic], strict: bool) -> int:
    """Return the exit code that diagnostics ask for."""
    bad = (Severity.ERROR, Severity.WARNING) if strict else (Severity.ERROR,)
    return int(any(one.severity in bad for one in diagnostics))
