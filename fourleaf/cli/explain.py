"""`fourleaf explain`: which leaf and why, what pools offer, what happens to workloads; or why an object is there."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from fourleaf.cli.output import code, counted, format_option, put_findings
from fourleaf.cli.spec import compiled, shown, spec_argument, target_option
from fourleaf.cli.stream import colored, put, put_data

if TYPE_CHECKING:
    from fourleaf.pipeline import Compilation


@click.command("explain")
@spec_argument
@click.argument("object_name", metavar="[OBJECT]", required=False)
@target_option
@format_option
def command(spec: str, object_name: str | None, target: str | None, form: str) -> None:
    """Tell which leaf of the tree the cluster of SPEC sits on, why, and what would change the answer.

    With OBJECT, as kubectl writes it (configmap/NAME, or configmap/NAMESPACE/NAME, or the name alone): why it is there.
    """
    made = compiled(spec, target)
    if made.decision is None or made.plan is None or (object_name and made.bundle is None):
        if form == "json":
            from fourleaf.diag.formats import as_json

            put_data(as_json(made.diagnostics))
        else:
            put_findings(made.diagnostics, made.sources)
            put(f"{shown(spec)}: {counted(made.diagnostics)}")
        sys.exit(1)
    if object_name:
        sys.exit(_object(made, object_name, form))
    if form == "json":
        from fourleaf.cli.explain_data import as_dict
        from fourleaf.diag.render import concise

        put_data(as_dict(made.decision, made.plan))
        click.echo(concise(made.diagnostics), nl=False, err=True)
    else:
        from fourleaf.cli.explain_text import as_text

        put(as_text(made.decision, made.plan, colored()))
        if made.diagnostics:
            put("")
            put_findings(made.diagnostics, made.sources)
            put(f"{shown(spec)}: {counted(made.diagnostics)}")
    sys.exit(code(made.diagnostics, strict=False))


def _object(made: Compilation, word: str, form: str) -> int:
    from fourleaf.cli.explain_object import as_text, close_to, named

    answers = named(made, word)
    if not answers:
        close = close_to(made, word)
        click.echo(f"the set has no {word}." + (f" Did you mean {' or '.join(close)}?" if close else ""), err=True)
        return 1
    if form == "json":
        put_data({"objects": answers})
    else:
        put("\n\n".join(map(as_text, answers)))
    return 0
