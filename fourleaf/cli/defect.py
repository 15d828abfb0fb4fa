"""What to say when fourleaf itself is at fault."""

from __future__ import annotations

import platform
import traceback
from pathlib import Path

import click

from fourleaf import __version__


def report(error: BaseException) -> None:
    """Say on standard error what to report: version, place in the code, what went wrong. Nothing of the spec is in it but the message."""
    frames = traceback.extract_tb(error.__traceback__)
    where = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames if "fourleaf" in frame.filename][-4:]
    click.echo(
        f"error[FL900]: a defect of fourleaf: {type(error).__name__}: {error}\n"
        f"  = version: {__version__}, Python {platform.python_version()}\n"
        f"  = where: {' > '.join(where)}\n"
        "  = help: please report it with these lines and the spec, if you can share it",
        err=True,
    )
