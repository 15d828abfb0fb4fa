"""The public surface: `fourleaf.check` and `fourleaf.compile`, and what they return.

What the author of a spec got wrong is never an exception: it is in `diagnostics`, each with its place and its mend.

>>> import fourleaf
>>> made = fourleaf.compile("stacks/laptop.yaml")
>>> made.ok, made.decision.leaf, made.decision.name, made.target
(True, 'L1', 'bare-plugin', 'kustomize')
>>> [path for path in made.files if path.startswith("bindings/")]
['bindings/lab/notebook.yaml']

A text works as well as a path, when it is given as bytes:

>>> found = fourleaf.check(b"kind: [Cluster")
>>> found.ok
False
>>> print(found.render(), end="")
error[FL001]: this [ is not closed
 --> cluster.yaml:1:7
1 | kind: [Cluster
  |       ^
  |               - a comma or ] was expected before this
  = help: write ] at its end
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from fourleaf.decide import Decision
from fourleaf.diag import Diagnostic, Severity
from fourleaf.reading import NAME, Source, compiled

if TYPE_CHECKING:
    from fourleaf.emit import Changes, Lock
    from fourleaf.pipeline import Compilation as Made


class Findings(Struct, frozen=True, kw_only=True):
    """What was found in a spec, or in an output folder."""

    diagnostics: tuple[Diagnostic, ...] = ()
    """By file, line and column; each has its rule, message, help and span."""
    sources: Mapping[str, str] = {}
    """Text of each file that was read, by name."""

    def __repr__(self) -> str:
        from fourleaf.diag.render import summary

        return f"<{type(self).__name__}: {summary(self.diagnostics)}>"

    @property
    def ok(self) -> bool:
        """There are no errors; warnings and notes are allowed."""
        return not any(one.severity == Severity.ERROR for one in self.diagnostics)

    def render(self, *, color: bool = False) -> str:
        """Return the diagnostics, all of them, as `fourleaf check` prints them: message, excerpt with a caret, help."""
        from fourleaf.diag.render import render

        return render(self.diagnostics, self.sources, color=color)

    def as_dict(self) -> dict[str, Any]:
        """Return the diagnostics as `--format json` has them: {"diagnostics": [...], "summary": {...}}.

        `fourleaf schema diagnostics` prints the schema.
        """
        from fourleaf.diag.formats import as_json

        return as_json(self.diagnostics)


class Written(Findings, frozen=True, kw_only=True):
    """What became of an output folder. Where it is not `ok`, nothing was written, or what was begun is completed by the next write."""

    written: tuple[str, ...] = ()
    """Paths below the folder, sorted."""
    removed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    begun: bool = False
    """Nothing stood in the way of writing. Without it the folder is as it was."""


class Compared(Findings, frozen=True, kw_only=True):
    """How an output folder differs from what would be written. Where it is not `ok`, it could not be compared."""

    stale: tuple[str, ...] = ()
    """Files that have another content. Paths are below the folder, sorted."""
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    """Files that fourleaf wrote and no longer would."""

    @property
    def fresh(self) -> bool:
        """The folder holds what would be written."""
        return self.ok and not (self.stale or self.missing or self.extra)


class Compilation(Findings, frozen=True, kw_only=True):
    """A spec and the files that it becomes."""

    target: str = ""
    """The route that the files are for: "plain", "kustomize", "argocd"."""
    decision: Decision | None = None
    """Leaf, layers and why; None where an error came before the question."""
    files: Mapping[str, str] = {}
    """Path below the output folder, with `/`, to text. Empty where there is an error."""
    lock: Lock | None = None
    """What `write` leaves in the folder to know its own files again."""

    def __repr__(self) -> str:
        leaf = f"leaf {self.decision.leaf} {self.decision.name}, " if self.decision else ""
        return f"<Compilation: {leaf}{len(self.files)} files for {self.target or 'no target'}>"

    def write(self, folder: str | os.PathLike[str], *, force: bool = False) -> Written:
        """Make a folder hold the files, and remove those of an earlier compilation that are no longer among them.

        Files of others are never touched, and none is written where there is an error. Each file is replaced whole, and a
        run that is killed is completed by the next.

        Args:
            force: write over files of fourleaf's that somebody edited.
        """
        return write_all([(self, folder)], force=force)[0]

    def compare(self, folder: str | os.PathLike[str]) -> Compared:
        """Tell how a folder differs from the files, as `fourleaf compile --check` does. Writes nothing."""
        if self.lock is None:
            return Compared(diagnostics=self.diagnostics, sources=self.sources)
        from fourleaf.emit import compare

        found = compare(Path(folder), self.files, self.lock)
        return Compared(
            diagnostics=(*self.diagnostics, *found.conflicts),
            sources=self.sources,
            stale=found.stale,
            missing=found.missing,
            extra=found.extra,
        )


def check(source: Source, *, name: str = NAME, folder: str | os.PathLike[str] | None = None, target: str | None = None) -> Findings:
    """Return what is wrong with a spec, and how to mend it. Every stage runs that can; nothing is written.

    Args:
        source: the path of a spec, or its text as bytes.
        name: what diagnostics call a text.
        folder: that the files which a text includes are relative to; without it, a text can include nothing.
        target: the route to check for, instead of the spec's: "plain", "kustomize" or "argocd".

    Raises:
        ValueError: there is no such target, or a text came as str.
    """
    made = compiled(_path_or_bytes(source), name=name, folder=folder, target=_known(target))
    return Findings(diagnostics=made.diagnostics, sources=made.sources)


def compile(  # noqa: A001  the word of the command line
    source: Source, *, name: str = NAME, folder: str | os.PathLike[str] | None = None, target: str | None = None
) -> Compilation:
    """Return the files that a spec becomes, and all that `check` returns. Nothing is written until `write` is called.

    Takes the arguments of `check`, and raises what it raises.
    """
    return result(compiled(_path_or_bytes(source), name=name, folder=folder, target=_known(target)))


def write_all(sets: Sequence[tuple[Compilation, str | os.PathLike[str]]], *, force: bool = False) -> list[Written]:
    """Write several compilations, each into a folder of its own, as `Compilation.write` does; they wait for the disk together.

    Where something stands in the way in one folder, none is written.
    """
    from fourleaf.emit import plan_write
    from fourleaf.emit import write_all as write

    planned: list[Changes | None] = [
        plan_write(Path(folder), made.files, made.lock, force=force) if made.lock else None for made, folder in sets
    ]
    if any(changes.conflicts for changes in planned if changes):
        return [_written(made, None, changes.conflicts if changes else ()) for (made, _), changes in zip(sets, planned, strict=True)]
    refused = iter(write([changes for changes in planned if changes]))
    return [_written(made, changes, next(refused) if changes else ()) for (made, _), changes in zip(sets, planned, strict=True)]


def _written(made: Compilation, changes: Changes | None, refused: tuple[Diagnostic, ...]) -> Written:
    found = Written(diagnostics=(*made.diagnostics, *refused), sources=made.sources, begun=changes is not None)
    if changes is None or not found.ok:
        return found
    return replace(found, written=tuple(changes.write), removed=changes.remove, unchanged=changes.unchanged)


def result(made: Made) -> Compilation:
    """Return what the stages made as its users see it."""
    return Compilation(
        diagnostics=made.diagnostics,
        sources=made.sources,
        target=made.target,
        decision=made.decision,
        files=made.files,
        lock=made.lock,
    )


def _path_or_bytes(source: Source) -> Source:
    if isinstance(source, str) and "\n" in source:
        raise ValueError("a str is a path: give a text as bytes, text.encode()")
    return source


def _known(target: str | None) -> str | None:
    from fourleaf.emit import EMITTERS

    if target is not None and target not in EMITTERS:
        raise ValueError(f"there is no target {target!r}: {', '.join(EMITTERS)}")
    return target
