"""What a run would do to an output folder, from what it finds there. Reads nothing itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct, field

from fourleaf.diag import Diagnostic, Rule
from fourleaf.emit.lock import LOCK, Journal, Lock, digest
from fourleaf.emit.rules import EDITED, PATH_TAKEN, about

Found: TypeAlias = bytes | str | None
"""What stands at a path: the content of a file, None for nothing, else in words what it is."""

_NAMED = 20
"""Files of one defect that get a diagnostic of their own."""


class Changes(Struct, frozen=True, kw_only=True):
    """What a run would do to a folder. Paths are below it, sorted."""

    folder: Path
    write: Mapping[str, bytes] = {}
    missing: tuple[str, ...] = ()
    """Those of `write` at which nothing is now."""
    remove: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    """Files that someone changed after fourleaf wrote them; empty when they may be written over."""
    taken: tuple[str, ...] = ()
    """Paths at which something of others stands."""
    conflicts: tuple[Diagnostic, ...] = ()
    """Why nothing can be written."""
    lock: bytes = b""
    locked: bool = False
    """The lock on disk says the same."""
    journal: Journal = field(default_factory=lambda: Journal("", {}))
    """What is to be written down before the first change."""
    interrupted: bool = False
    """A run before this one did not come to its end."""
    litter: tuple[str, ...] = ()
    """Half-written files that it left."""
    gone: tuple[str, ...] = ()
    """Paths of fourleaf's that are no longer needed and not there: their folders may still be."""

    @property
    def settled(self) -> bool:
        """Nothing is to be done."""
        return self.locked and not (self.write or self.remove or self.interrupted or self.litter or self.conflicts)


class Comparison(Struct, frozen=True):
    """How a folder differs from what compile would write."""

    stale: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    """Files that fourleaf wrote and no longer would."""
    conflicts: tuple[Diagnostic, ...]
    """Why the folder could not be compared."""

    @property
    def fresh(self) -> bool:
        return not (self.stale or self.missing or self.extra or self.conflicts)


def comparison(changes: Changes, files: Collection[str], lock_is_there: bool) -> Comparison:
    """Return changes as what differs from the files of a set."""
    lock = set() if changes.locked else {LOCK}
    missing = {*changes.missing, *(set() if lock_is_there else lock)}
    differing = {*changes.write, *changes.taken, *changes.edited}
    stale = {path for path in differing if path in files} | lock
    extra = {path for path in (*changes.remove, *changes.edited) if path not in files}
    other = tuple(one for one in changes.conflicts if one.rule not in (EDITED, PATH_TAKEN))
    return Comparison(tuple(sorted(stale - missing)), tuple(sorted(missing)), tuple(sorted(extra)), other)


def judge(
    folder: Path,
    files: Mapping[str, str],
    lock: Lock,
    held: Lock | None,
    interrupted: Journal | None,
    litter: Sequence[str],
    read: Callable[[str], Found],
    inside: Callable[[str], Sequence[str]],
    *,
    force: bool,
) -> Changes:
    """Tell for every path what is to be done.

    A file is fourleaf's own when the lock on disk, or the journal of a run that did not end, has its digest. One that is as
    it should be is taken over, whoever wrote it.

    Args:
        held: the lock on disk.
        interrupted: the journal on disk, and `litter` the half-written files that it tells of.
        read: what stands at a path.
        inside: every file below a folder, by path, and every folder with nothing in it.
    """
    old = held.files if held else {}
    begun = interrupted.files if interrupted else {}
    notes: dict[str, tuple[str | None, str | None]] = {}
    write: dict[str, bytes] = {}
    remove, gone, unchanged, missing, edited, taken = _lists(6)

    now: str | None
    for path in sorted({*old, *begun} - {*files}):
        found = read(path)
        if found is None:
            gone.append(path)
            notes[path] = (None, None)
        elif isinstance(found, bytes):
            now = digest(found)
            ours = now == old.get(path) or now in begun.get(path, ())
            if ours or (path in old and force):
                remove.append(path)
                notes[path] = (now, None)
            elif path in old:
                edited.append(path)

    leaving = _Leaving([*litter, *remove], gone, inside)
    for path, text in sorted(files.items()):
        data, new = text.encode(), lock.files[path]
        found, now = read(path), None
        if isinstance(found, str) and leaving.frees(path):
            found = None
        if found is None:
            missing.append(path)
        elif isinstance(found, str):
            taken.append(path)
            continue
        elif found == data:
            unchanged.append(path)
            if old.get(path) != new:
                notes[path] = (new, new)
            continue
        else:
            now = digest(found)
            if not (now == old.get(path) or now in begun.get(path, ()) or (path in old and force)):
                (edited if path in old else taken).append(path)
                continue
        write[path] = data
        notes[path] = (now, new)

    locked = lock.text().encode()
    return Changes(
        folder=folder,
        write=write,
        missing=tuple(missing),
        remove=tuple(remove),
        unchanged=tuple(unchanged),
        edited=tuple(sorted(edited)),
        taken=tuple(taken),
        conflicts=(*_conflicts(folder, taken, PATH_TAKEN), *_conflicts(folder, sorted(edited), EDITED)),
        lock=locked,
        journal=Journal(digest(locked)[-8:], notes),
        interrupted=interrupted is not None,
        litter=tuple(litter),
        gone=tuple(gone),
    )


def _lists(count: int) -> Iterator[list[str]]:
    return ([] for _ in range(count))


class _Leaving:
    """What goes away before anything is written, and so is in nobody's way."""

    def __init__(self, remove: Sequence[str], gone: Sequence[str], inside: Callable[[str], Sequence[str]]) -> None:
        self._files = {*remove}
        self._folders = {step for path in (*remove, *gone) for step in _above(path)}
        self._inside = inside

    def frees(self, path: str) -> bool:
        """Tell whether what is in the way of a path goes: a file above it, or a folder with nothing else in it."""
        if any(step in self._files for step in _above(path)):
            return True
        return path in self._folders and all(one in self._files or one in self._folders for one in self._inside(path))


def _above(path: str) -> Iterator[str]:
    """Yield the folders that a path lies in."""
    steps = path.split("/")
    return ("/".join(steps[:end]) for end in range(1, len(steps)))


def _conflicts(folder: Path, paths: Sequence[str], rule: Rule) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each of the first paths; the last tells how many more there are."""
    for number, path in enumerate(paths[:_NAMED], 1):
        place = folder / path
        rest = len(paths) - _NAMED
        note = f"and {rest} more like it" if number == _NAMED and rest > 0 else ""
        if rule is EDITED:
            said = f"{place} was changed after fourleaf wrote it"
            mend = "say it in the cluster spec instead, or compile with --force to write over it"
        else:
            said = f"{place} is needed, and what stands there is not fourleaf's"
            mend = "move it away, or compile into another folder"
        yield about(rule, place, said, help=mend, note=note)
