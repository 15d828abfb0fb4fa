"""`fourleaf check`: what is wrong, and how to mend it."""

from __future__ import annotations

import sys

import click

from fourleaf.cli.output import code, counted, format_option, put_findings, strict_option
from fourleaf.cli.spec import compiled, shown, specs_argument, target_option
from fourleaf.cli.stream import put, put_data
from fourleaf.diag import Diagnostic


@click.command("check")
@specs_argument
@target_option
@format_option
@strict_option
def command(specs: tuple[str, ...], target: str | None, form: str, strict: bool) -> None:
    """Tell what is wrong with each SPEC ("-": standard input), and how to mend it. Nothing is written."""
    found: list[Diagnostic] = []
    for spec in specs:
        made = compiled(spec, target)
        found += made.diagnostics
        if form == "text":
            put_findings(made.diagnostics, made.sources)
            put(f"{shown(spec)}: {counted(made.diagnostics)}")
    if form == "json":
        from fourleaf.diag.formats import as_json

        put_data(as_json(found))
    elif len(specs) > 1:
        put(f"{len(specs)} specs: {counted(found)}")
    sys.exit(code(found, strict))
