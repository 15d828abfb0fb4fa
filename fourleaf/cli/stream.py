"""Standard output: text or JSON, colour on a terminal, quiet when its reader has gone."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import click


class LackingError(Exception):
    """This machine lacks or refuses something; the message says what. Exit code 3."""


def prepare() -> None:
    """Make the streams take every text: what their encoding does not have is escaped."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def on_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def colored() -> bool:
    """Tell whether standard output is a terminal that wants colours (https://no-color.org)."""
    return on_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def put(text: str) -> None:
    """Print a text and a line feed.

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
    """Throw away what is still to be printed, also what is buffered."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def put_data(document: Mapping[str, Any]) -> None:
    """Print a JSON document; every character beyond ASCII is escaped, so that any encoding carries it."""
    import json

    put(json.dumps(document, indent=2))


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as columns of text."""
    if not rows:
        return ""
    widths = [max(len(row[number]) for row in rows) for number in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
