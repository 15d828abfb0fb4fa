"""`fourleaf compile`: the manifests of a spec, in a folder."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from fourleaf.cli.output import code, counted, format_option, put_findings, strict_option
from fourleaf.cli.spec import compiled, spec_argument, target_option
from fourleaf.cli.stream import put, put_data

if TYPE_CHECKING:
    from fourleaf.api import Compilation, Written


@click.command("compile")
@spec_argument
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="DIR",
    type=click.Path(readable=False),
    help="Folder to write into. Files that fourleaf did not write are left alone.",
)
@target_option
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 with the list where DIR is stale.")
@click.option("--force", is_flag=True, help="Write over files of fourleaf's that somebody edited.")
@format_option
@strict_option
def command(spec: str, output: str, target: str | None, only_check: bool, force: bool, form: str, strict: bool) -> None:
    """Write the manifests of SPEC ("-": standard input) into DIR. With errors nothing is written."""
    from fourleaf.api import Written, result

    if not output:
        raise click.UsageError("DIR is empty: name a folder, `.` for this one")
    stages = compiled(spec, target)
    made = result(stages)
    if only_check:
        sys.exit(_compare(made, output, form, strict))
    barred = code(made.diagnostics, strict)
    done = Written(diagnostics=made.diagnostics, sources=made.sources) if barred else made.write(output, force=force)
    if form == "json":
        put_data({**done.as_dict(), **_paths(done)})
    else:
        put_findings(done.diagnostics, done.sources)
        if code(done.diagnostics, strict):
            put(f"{counted(done.diagnostics)}{', nothing was written' if barred else ''}")
        else:
            name = stages.inventory.name if stages.inventory else ""
            put(_summary(name, made, done, output))
    sys.exit(code(done.diagnostics, strict))


def _paths(done: Written) -> dict[str, list[str]]:
    return {"written": [*done.written], "removed": [*done.removed], "unchanged": [*done.unchanged]}


def _compare(made: Compilation, output: str, form: str, strict: bool) -> int:
    """Say how a folder differs from what would be written; return the exit code."""
    from fourleaf.api import Written

    found = made.compare(output)
    differ = {"stale": found.stale, "missing": found.missing, "extra": found.extra}
    if form == "json":
        unchanged = tuple(path for path in made.files if path not in {*found.stale, *found.missing}) if found.ok else ()
        put_data({**found.as_dict(), **_paths(Written(unchanged=unchanged)), **{word: [*paths] for word, paths in differ.items()}})
    else:
        put_findings(found.diagnostics, found.sources)
        for word, paths in differ.items():
            for path in paths:
                put(f"{word:8} {path}")
        if found.ok:
            put(f"{output} is up to date" if found.fresh else f"{output} is stale: run `fourleaf compile` and commit")
        else:
            put(f"{counted(found.diagnostics)}, nothing was compared")
    return code(found.diagnostics, strict) if found.fresh else 1


def _summary(name: str, made: Compilation, done: Written, output: str) -> str:
    leaf = f"{made.decision.leaf} {made.decision.name}" if made.decision else ""
    counts = f"{len(done.written)} written, {len(done.removed)} removed, {len(done.unchanged)} unchanged"
    return f"{name}: leaf {leaf}, {made.target}: {counts}. Read {output}/README.md"
