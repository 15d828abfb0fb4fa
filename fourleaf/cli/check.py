"""`fourleaf check`: what is wrong, and how to mend it."""

from __future__ import annotations

import sys

import click

from fourleaf.cli.output import code, format_option, say, say_json, strict_option
from fourleaf.cli.spec_file import read_spec, reader, shown
from fourleaf.diag import Diagnostic


@click.command("check")
@click.argument("spec")
@click.option("--target", help="Check for this target instead of the spec's.")
@format_option
@strict_option
def command(spec: str, target: str | None, form: str, strict: bool) -> None:
    """Tell what is wrong with SPEC ("-": standard input), and how to mend it. Nothing is written."""
    from fourleaf.pipeline import Compilation, run

    text = read_spec(spec)
    made = Compilation(diagnostics=(text,)) if isinstance(text, Diagnostic) else run(text, shown(spec), reader(spec), target)
    if form == "json":
        say_json(made.diagnostics)
    else:
        say(made.diagnostics, made.sources)
        if not made.diagnostics:
            click.echo(f"{shown(spec)}: no findings")
    sys.exit(code(made.diagnostics, strict))
