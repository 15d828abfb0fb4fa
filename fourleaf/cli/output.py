"""How commands speak: diagnostics as text or JSON, colour on a terminal, exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from fourleaf.diag import Diagnostic, Severity

Command = TypeVar("Command", bound=Callable[..., Any])


def format_option(command: Command) -> Command:
    return click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Form of the answer.")(command)


def strict_option(command: Command) -> Command:
    return click.option("--strict", is_flag=True, help="Warnings are errors: exit 1.")(command)


def colored() -> bool:
    """Tell whether standard output is a terminal that wants colours (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def say(diagnostics: Sequence[Diagnostic], sources: Mapping[str, str]) -> None:
    """Print diagnostics as people read them."""
    from fourleaf.diag.render import render

    text = render(diagnostics, sources, color=colored())
    if text:
        click.echo(text, nl=not text.endswith("\n"))


def say_json(diagnostics: Sequence[Diagnostic], **more: Any) -> None:
    """Print diagnostics as one JSON document, with further members."""
    from fourleaf.diag.formats import to_json

    click.echo(to_json(diagnostics, **more), nl=False)


def code(diagnostics: Sequence[Diagnostic], strict: bool) -> int:
    """Return the exit code that diagnostics ask for."""
    bad = (Severity.ERROR, Severity.WARNING) if strict else (Severity.ERROR,)
    return int(any(one.severity in bad for one in diagnostics))
