"""`fourleaf explain`: which leaf and why, what pools offer, what happens to workloads; or why an object is there."""

from __future__ import annotations

import json
import sys

import click

from fourleaf.cli.output import code, format_option, say, say_json
from fourleaf.cli.spec_file import read_spec, reader, shown
from fourleaf.diag import Diagnostic


@click.command("explain")
@click.argument("spec")
@click.argument("object_name", metavar="[OBJECT]", required=False)
@click.option("--target", help="Explain for this target instead of the spec's.")
@format_option
def command(spec: str, object_name: str | None, target: str | None, form: str) -> None:
    """Tell which leaf of the tree the cluster of SPEC sits on, why, and what would change the answer.

    With OBJECT, as kubectl writes it (configmap/NAME, or configmap/NAMESPACE/NAME, or the name alone): why it is there.
    """
    from fourleaf.cli.explain_object import of_object
    from fourleaf.cli.explain_views import as_dict, as_text
    from fourleaf.pipeline import Compilation, run

    text = read_spec(spec)
    made = Compilation(diagnostics=(text,)) if isinstance(text, Diagnostic) else run(text, shown(spec), reader(spec), target)
    if made.decision is None or made.plan is None:
        if form == "json":
            say_json(made.diagnostics)
        else:
            say(made.diagnostics, made.sources)
        sys.exit(1)
    if object_name:
        sys.exit(of_object(made, object_name, form))
    if form == "json":
        click.echo(json.dumps(as_dict(made), indent=2, ensure_ascii=False))
    else:
        click.echo(as_text(made))
        if made.diagnostics:
            click.echo("")
            say(made.diagnostics, made.sources)
    sys.exit(code(made.diagnostics, strict=False))
