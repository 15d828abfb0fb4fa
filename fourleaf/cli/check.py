"""`fourleaf check`: what is wrong, and how to mend it."""

from __future__ import annotations

import sys

import click

from fourleaf.cli.output import code, counted, format_option, put_findings, strict_option
from fourleaf.cli.spec import compiled, shown, spec_argument, target_option
from fourleaf.cli.stream import put, put_data


@click.command("check")
@spec_argument
@target_option
@format_option
@strict_option
def command(spec: str, target: str | None, form: str, strict: bool) -> None:
    """Tell what is wrong with SPEC ("-": standard input), and how to mend it. Nothing is written."""
    found = compiled(spec, target)
    if form == "json":
        from fourleaf.diag.formats import as_json

        put_data(as_json(found.diagnostics))
    else:
        put_findings(found.diagnostics, found.sources)
        put(f"{shown(spec)}: {counted(found.diagnostics)}")
    sys.exit(code(found.diagnostics, strict))
