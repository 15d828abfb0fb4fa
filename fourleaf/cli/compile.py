"""`fourleaf compile`: the manifests of a spec, in a folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fourleaf.cli.output import code, format_option, say, say_json, strict_option
from fourleaf.cli.spec_file import read_spec, reader, shown
from fourleaf.diag import Diagnostic

if TYPE_CHECKING:
    from fourleaf.emit import Lock
    from fourleaf.pipeline import Compilation


@click.command("compile")
@click.argument("spec")
@click.option("-o", "--output", required=True, metavar="DIR", help="Folder to write into. Files that fourleaf did not write are left alone.")
@click.option("--target", help="plain, kustomize or argocd; by default what the spec says, else kustomize.")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 with the list where DIR is stale.")
@click.option("--force", is_flag=True, help="Write over files of fourleaf's that somebody edited.")
@format_option
@strict_option
def command(spec: str, output: str, target: str | None, only_check: bool, force: bool, form: str, strict: bool) -> None:
    """Write the manifests of SPEC ("-": standard input) into DIR. With errors nothing is written."""
    from fourleaf.pipeline import Compilation, run

    text = read_spec(spec)
    made = Compilation(diagnostics=(text,)) if isinstance(text, Diagnostic) else run(text, shown(spec), reader(spec), target)
    if only_check and made.lock:
        _stale(made, made.lock, output, form, strict)
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    found = made.diagnostics
    if not code(found, strict) and made.lock:
        from fourleaf.emit import plan_write, write

        changes = plan_write(Path(output), made.files, made.lock, force=force)
        found = (*found, *write(changes))
        if not code(found, strict):
            written, removed, unchanged = tuple(changes.write), changes.remove, changes.unchanged
    if form == "json":
        say_json(found, written=list(written), removed=list(removed), unchanged=list(unchanged))
    else:
        say(found, made.sources)
        if not code(found, strict):
            click.echo(_summary(made, output, len(written), len(removed), len(unchanged)))
    sys.exit(code(found, strict))


def _stale(made: Compilation, lock: Lock, output: str, form: str, strict: bool) -> None:
    """Compare the folder with what would be written, and end."""
    from fourleaf.emit import compare

    result = compare(Path(output), made.files, lock)
    found = (*made.diagnostics, *result.conflicts)
    if form == "json":
        say_json(found, stale=list(result.stale), missing=list(result.missing), extra=list(result.extra))
    else:
        say(found, made.sources)
        for word, paths in (("stale", result.stale), ("missing", result.missing), ("extra", result.extra)):
            for path in paths:
                click.echo(f"{word:8} {path}")
        click.echo(f"{output} is up to date" if result.fresh else f"{output} is stale: run `fourleaf compile` and commit")
    sys.exit(code(found, strict) if result.fresh else 1)


def _summary(made: Compilation, output: str, written: int, removed: int, unchanged: int) -> str:
    leaf = f"{made.decision.leaf} {made.decision.name}" if made.decision else ""
    name = made.inventory.name if made.inventory else ""
    counts = f"{written} written, {removed} removed, {unchanged} unchanged"
    return f"{name}: leaf {leaf}, {made.target}: {counts}. Read {output}/README.md"
