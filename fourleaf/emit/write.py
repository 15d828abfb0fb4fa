"""The only code that touches the output folder: it looks, says what it would do, and does it so that a kill at any step is mended.

A run first writes a journal with the digests before and after of every file that it will touch, then removes, then writes
each file beside its target and renames it, then replaces the lock, then takes the journal away.
"""

# Descriptors and lstat, not pathlib: no call may follow a symlink, and 5,000 files are read in passing.
# ruff: noqa: PTH102, PTH103, PTH105, PTH106, PTH108, PTH114

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace

from fourleaf.diag import Diagnostic
from fourleaf.emit.changes import Changes, Comparison, Found, comparison, judge
from fourleaf.emit.lock import JOURNAL, LOCK, Fault, Journal, Lock, is_inside
from fourleaf.emit.rules import LOCK_NEWER, LOCK_UNREADABLE, NOT_A_FOLDER, NOT_WRITABLE, PATH_TAKEN, about

_EACH = 32
"""Files up to which each is synced by itself. A disk takes about a millisecond for one, and a third of a second for all there is."""
_FIXED = "lock"
"""Ending of the half-written lock and journal, which no journal lists."""


def compare(folder: Path, files: Mapping[str, str], lock: Lock) -> Comparison:
    """Tell how a folder differs from a set, without writing, and where nobody may write."""
    return comparison(_looked(folder, files, lock, _ground(folder), force=False), files, os.path.lexists(folder / LOCK))


def plan_write(folder: Path, files: Mapping[str, str], lock: Lock, *, force: bool = False) -> Changes:
    """Look at a folder and say what would make it hold a set. Writes nothing.

    Args:
        files: path below the folder to text.
        lock: of the same files.
        force: files that someone edited are written over.

    Raises:
        AssertionError: a path leaves the folder: an error of ours.
    """
    return _looked(folder, files, lock, chain(_ground(folder), _permission(folder)), force=force)


def _looked(folder: Path, files: Mapping[str, str], lock: Lock, obstacles: Iterator[Diagnostic], *, force: bool) -> Changes:
    outside = [path for path in files if not is_inside(path)]
    if outside:
        raise AssertionError(f"paths outside the output folder: {outside}")
    try:
        found = next(obstacles, None)
        if found is not None:
            return Changes(folder=folder, conflicts=(found,))
        look = _Look(folder)
        texts = {name: look.read(name) for name in (LOCK, JOURNAL)}
        held = _state(folder / LOCK, texts[LOCK], Lock.read)
        begun = _state(folder / JOURNAL, texts[JOURNAL], Journal.read)
        if isinstance(held, Diagnostic) or isinstance(begun, Diagnostic):
            return Changes(folder=folder, conflicts=tuple(one for one in (held, begun) if isinstance(one, Diagnostic)))
        half = [_beside(name, _FIXED) for name in (JOURNAL, LOCK)]
        half += [_beside(path, begun.token) for path, (_, new) in begun.files.items() if new] if begun else []
        litter = [path for path in half if isinstance(look.read(path), bytes)]
        changes = judge(folder, files, lock, held, begun, litter, look.read, look.inside, force=force)
        return replace(changes, locked=texts[LOCK] == changes.lock)
    except OSError as error:
        return Changes(folder=folder, conflicts=(_refused(folder, error),))


def write(changes: Changes) -> tuple[Diagnostic, ...]:
    """Carry changes out; return why not: the conflicts, with nothing touched, or what the system refused on the way.

    A run that is killed, or refused something, is completed by the next.
    """
    return write_all([changes])[0]


def write_all(sets: Sequence[Changes]) -> list[tuple[Diagnostic, ...]]:
    """Carry out the changes of several folders, which wait for the disk together; return for each what `write` returns."""
    refused = [changes.conflicts for changes in sets]
    busy = {index: _steps(changes) for index, changes in enumerate(sets) if not (changes.conflicts or changes.settled)}
    while busy:
        reached: dict[int, Callable[[], None]] = {}
        number = 0
        for index, steps in [*busy.items()]:
            with _refusing(sets[index], index, refused, busy):
                step = next(steps, None)
                if step is None:
                    del busy[index]
                else:
                    disk, files = step
                    reached[index], number = partial(disk.sync, files), number + len(files)
        if number > _EACH and hasattr(os, "sync"):
            os.sync()
            continue
        for index, sync in reached.items():
            with _refusing(sets[index], index, refused, busy):
                sync()
    return refused


@contextmanager
def _refusing(changes: Changes, index: int, refused: list[tuple[Diagnostic, ...]], busy: dict[int, Any]) -> Iterator[None]:
    """Leave a folder as it is where the system refuses something; the others go on."""
    try:
        yield
    except OSError as error:
        refused[index] = (_refused(changes.folder, error),)
        del busy[index]


def _steps(changes: Changes) -> Iterator[tuple[_Disk, Sequence[str]]]:
    """Write step by step; yield what must have reached the disk before the next."""
    disk = _Disk(changes.folder, changes.journal.token)
    disk.remove(changes.litter)
    disk.put(JOURNAL, changes.journal.text().encode(), _FIXED)
    yield disk, [JOURNAL]
    disk.remove(changes.remove)
    disk.sweep([*changes.remove, *changes.gone])
    for path, data in changes.write.items():
        disk.put(path, data)
    yield disk, [*changes.write]
    disk.put(LOCK, changes.lock, _FIXED)
    yield disk, [LOCK]
    disk.remove([JOURNAL])
    yield disk, []


def _refused(folder: Path, error: OSError) -> Diagnostic:
    path = Path(os.fsdecode(error.filename)) if isinstance(error.filename, str | bytes) else folder
    reason = (error.strerror or str(error)).lower()
    return about(NOT_WRITABLE, path, f"{path}: {reason}", help="mend that and compile again: what was begun is then completed")


def _ground(folder: Path) -> Iterator[Diagnostic]:
    """Yield why a folder cannot be used at all: what it is, and what leads to it."""
    here = folder.absolute()
    # Links directly below the root are the system's own (macOS: /tmp, /var); all others may lead anywhere.
    for path in (*reversed(here.parents[:-2]), here):
        if path.is_symlink():
            what = f"{folder} is a symlink" if path == here else f"{folder} is reached through {path}, a symlink"
            yield about(NOT_A_FOLDER, folder, what, help=f"name the folder itself: {os.path.realpath(here)}")
            return
        if path.exists() and not path.is_dir():
            what = f"{folder} is no folder" if path == here else f"{folder} lies below {path}, which is no folder"
            yield about(NOT_A_FOLDER, folder, what, help="name a folder")
            return


def _permission(folder: Path) -> Iterator[Diagnostic]:
    """Yield why nothing may be written into a folder."""
    here = folder.absolute()
    nearest = next(path for path in (here, *here.parents) if path.exists())
    if not os.access(nearest, os.W_OK | os.X_OK | (os.R_OK if nearest == here else 0)):
        yield about(NOT_WRITABLE, folder, f"{nearest} cannot be written", help="name a folder that is yours, or change its mode")


State = TypeVar("State", Lock, Journal)


def _state(path: Path, found: Found, read: Callable[[bytes], State | Fault]) -> State | Diagnostic | None:
    """Return the lock or the journal, where there is one that can be read."""
    if found is None:
        return None
    if isinstance(found, str):
        return about(PATH_TAKEN, path, f"{path} is {found}", help="move it away, or compile into another folder")
    state = read(found)
    if not isinstance(state, Fault):
        return state
    if state.newer:
        mend = "compile with the fourleaf that wrote it, or into another folder"
        return about(LOCK_NEWER, path, f"{path} was written by a newer fourleaf: {state.why}", help=mend)
    mend = "restore it, or remove it: what is as compiled is then taken over, and anything else named"
    return about(LOCK_UNREADABLE, path, f"{path} is not what fourleaf writes: {state.why}", help=mend)


def _beside(path: str, token: str) -> str:
    """Return where a file is written before it is renamed."""
    parent, slash, name = path.rpartition("/")
    return f"{parent}{slash}.{name}.fourleaf-{token}"


class _Tree:
    """The folders below the output folder, none of which may be a symlink."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._state: dict[str, str | None] = {"": ""}

    def path(self, path: str) -> str:
        return f"{self._folder}/{path}" if path else self._folder

    def obstacle(self, folder: str) -> str | None:
        """Return what is in the way of a folder, in words: "" for nothing, None where it is not there."""
        if folder in self._state:
            return self._state[folder]
        state = self.obstacle(folder.rpartition("/")[0])
        if state == "":
            try:
                mode = os.lstat(self.path(folder)).st_mode
                state = "" if stat.S_ISDIR(mode) else f"below {self.path(folder)}, {_words(mode)}"
            except FileNotFoundError:
                state = None
        self._state[folder] = state
        return state

    def forget(self) -> None:
        """Look again: something has changed."""
        self._state = {"": ""}


class _Look(_Tree):
    """Reads."""

    def read(self, path: str) -> Found:
        """Return what stands at a path."""
        blocked = self.obstacle(path.rpartition("/")[0])
        if blocked != "":
            return blocked
        try:
            opened = os.open(self.path(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        except OSError:
            mode = os.lstat(self.path(path)).st_mode
            if stat.S_ISREG(mode):
                raise
            return _words(mode)
        try:
            status = os.fstat(opened)
            if not stat.S_ISREG(status.st_mode):
                return _words(status.st_mode)
            text = os.read(opened, status.st_size + 1)
            while len(text) > status.st_size and (more := os.read(opened, 1 << 20)):
                text += more
            return text
        finally:
            os.close(opened)

    def inside(self, folder: str) -> Sequence[str]:
        """Return every file below a folder, by path, and every folder with nothing in it."""
        found: list[str] = []
        for at, folders, names in os.walk(self.path(folder)):
            below = os.path.relpath(at, self._folder).replace(os.sep, "/")
            found += [f"{below}/{name}" for name in names]
            found += [f"{below}/{name}" for name in folders if os.path.islink(f"{at}/{name}")]
            found += [] if folders or names else [below]
        return found


class _Disk(_Tree):
    """Writes. Each call is safe to be the last one."""

    def __init__(self, folder: Path, token: str) -> None:
        super().__init__(folder)
        self._token = token
        os.makedirs(folder, exist_ok=True)

    def put(self, path: str, data: bytes, token: str = "") -> None:
        """Write a file beside its target and rename it."""
        self._make(path.rpartition("/")[0])
        half = self.path(_beside(path, token or self._token))
        opened = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(opened, view) :]
        finally:
            os.close(opened)
        os.replace(half, self.path(path))

    def _make(self, folder: str) -> None:
        state = self.obstacle(folder)
        if state == "":
            return
        if state is not None:
            raise NotADirectoryError(errno.ENOTDIR, f"it is {state}", self.path(folder))
        self._make(folder.rpartition("/")[0])
        os.mkdir(self.path(folder))
        self._state[folder] = ""

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files that are there."""
        for path in paths:
            if self.obstacle(path.rpartition("/")[0]) == "":
                with suppress(FileNotFoundError):
                    os.unlink(self.path(path))

    def sweep(self, paths: Iterable[str]) -> None:
        """Remove the folders of some paths that hold nothing."""
        parents: set[str] = set()
        for path in paths:
            while path := path.rpartition("/")[0]:
                parents.add(path)
        for folder in sorted(parents, key=lambda path: -path.count("/")):
            if self.obstacle(folder) == "":
                with suppress(OSError):
                    os.rmdir(self.path(folder))
        self.forget()

    def sync(self, files: Sequence[str]) -> None:
        """Bring files, and the folders that name them, to the disk itself."""
        for path in [*files, *dict.fromkeys(["", *(path.rpartition("/")[0] for path in files)])]:
            opened = os.open(self.path(path), os.O_RDONLY | os.O_NOFOLLOW)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)


def _words(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a symlink"
    return "a folder" if stat.S_ISDIR(mode) else "a file" if stat.S_ISREG(mode) else "no ordinary file"
