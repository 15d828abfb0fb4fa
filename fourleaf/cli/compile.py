"""`fourleaf compile`: the manifests of a spec, in a folder."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from fourleaf.cli.output import code, counted, format_option, put_findings, strict_option
from fourleaf.cli.spec import compiled, specs_argument, target_option
from fourleaf.cli.stream import put, put_data

if TYPE_CHECKING:
    from fourleaf.api import Compared, Compilation, Findings, Written

WORDS = ("written", "removed", "unchanged")
DIFFERENCES = ("stale", "missing", "extra")


class _Set(Struct, frozen=True):
    """What one spec becomes, and where."""

    made: Compilation
    name: str
    """Of the cluster; empty where the spec does not get as far."""
    below: str = ""
    """Path of its folder below the output folder, with a slash at its end; empty where it is that folder itself."""

    def folder(self, output: str) -> str:
        return f"{output.rstrip('/')}/{self.below}".rstrip("/") if self.below else output


@click.command("compile")
@specs_argument
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="DIR",
    type=click.Path(readable=False),
    help="Folder to write into. Files that fourleaf did not write are left alone.",
)
@click.option("--each", is_flag=True, help="A folder for each cluster, of its name, below DIR: needed for several specs.")
@target_option
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 with the list where DIR is stale.")
@click.option("--force", is_flag=True, help="Write over files of fourleaf's that somebody edited.")
@format_option
@strict_option
def command(
    specs: tuple[str, ...], output: str, each: bool, target: str | None, only_check: bool, force: bool, form: str, strict: bool
) -> None:
    """Write the manifests of SPEC ("-": standard input) into DIR. With errors in any spec or folder nothing is written."""
    if not output:
        raise click.UsageError("DIR is empty: name a folder, `.` for this one")
    if len(specs) > 1 and not each:
        raise click.UsageError(f"{len(specs)} specs and one folder: add --each, and each cluster gets a folder of its name below {output}")
    sets = _sets(specs, target, each)
    sys.exit(_compare(sets, output, form, strict) if only_check else _write(sets, output, force, form, strict))


def _sets(specs: Sequence[str], target: str | None, each: bool) -> list[_Set]:
    from fourleaf.api import result

    taken: dict[str, str] = {}
    sets = []
    for spec in specs:
        stages = compiled(spec, target)
        name = stages.inventory.name if stages.inventory else ""
        if name and taken.setdefault(name, spec) != spec and each:
            raise click.UsageError(f"{taken[name]} and {spec} are both cluster {name}: give one of them another `metadata.name`")
        sets.append(_Set(result(stages), name, f"{name}/" if each else ""))
    return sets


def _write(sets: Sequence[_Set], output: str, force: bool, form: str, strict: bool) -> int:
    from fourleaf.api import Written, write_all

    if any(code(one.made.diagnostics, strict) for one in sets):
        done = [Written(diagnostics=one.made.diagnostics, sources=one.made.sources) for one in sets]
    else:
        done = write_all([(one.made, one.folder(output)) for one in sets], force=force)
    exit_code = max(code(one.diagnostics, strict) for one in done)
    if form == "json":
        _put_data(sets, done, WORDS)
        return exit_code
    for one, wrote in zip(sets, done, strict=True):
        put_findings(wrote.diagnostics, wrote.sources)
        if wrote.begun and not code(wrote.diagnostics, strict):
            put(_summary(one, wrote, output))
    if exit_code:
        found = [item for one in done for item in one.diagnostics]
        put(f"{counted(found)}{'' if any(one.begun for one in done) else ', nothing was written'}")
    return exit_code


def _compare(sets: Sequence[_Set], output: str, form: str, strict: bool) -> int:
    """Say how folders differ from what would be written; return the exit code."""
    found = [one.made.compare(one.folder(output)) for one in sets]
    exit_code = max(code(one.diagnostics, strict) if one.fresh else 1 for one in found)
    if form == "json":
        _put_data(sets, found, (*WORDS, *DIFFERENCES))
        return exit_code
    for one, differs in zip(sets, found, strict=True):
        put_findings(differs.diagnostics, differs.sources)
        folder = one.folder(output)
        for word in DIFFERENCES:
            for path in getattr(differs, word):
                put(f"{word:8} {one.below}{path}")
        if differs.ok:
            put(f"{folder} is up to date" if differs.fresh else f"{folder} is stale: run `fourleaf compile` and commit")
        else:
            put(f"{counted(differs.diagnostics)}, nothing was compared")
    return exit_code


def _put_data(sets: Sequence[_Set], found: Sequence[Written | Compared], words: Sequence[str]) -> None:
    """Print what was found of all specs as one answer; paths are below the output folder."""
    from fourleaf.diag.formats import as_json

    paths = {
        word: sorted(f"{one.below}{path}" for one, its in zip(sets, found, strict=True) for path in _paths(one, its, word))
        for word in words
    }
    put_data({**as_json([item for one in found for item in one.diagnostics]), **paths})


def _paths(one: _Set, found: Findings, word: str) -> Sequence[str]:
    if word == "unchanged" and not hasattr(found, word):
        differ = {*getattr(found, "stale", ()), *getattr(found, "missing", ())}
        return tuple(path for path in one.made.files if path not in differ) if found.ok else ()
    return getattr(found, word, ())


def _summary(one: _Set, done: Written, output: str) -> str:
    made = one.made
    leaf = f"{made.decision.leaf} {made.decision.name}" if made.decision else ""
    counts = f"{len(done.written)} written, {len(done.removed)} removed, {len(done.unchanged)} unchanged"
    return f"{one.name}: leaf {leaf}, {made.target}: {counts}. Read {one.folder(output)}/README.md"
