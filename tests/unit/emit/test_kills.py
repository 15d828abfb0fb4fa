"""A run that is killed at any step is completed by the next, which never takes half-written files for somebody's edits."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourleaf.emit import Lock, plan_write, write
from fourleaf.emit.lock import LOCK
from fourleaf.ir import Bundle

EMPTY = Bundle(objects=(), charts=(), asks=(), bindings=(), prerequisites=(), edges=())
STEPS = ("open", "write", "replace", "unlink", "mkdir", "makedirs", "rmdir", "fsync", "sync")
"""Functions of `os` by which a run changes something, or through which it passes while it does."""
KILLED = 9

OLD = {
    "README.md": "old\n",
    "10-a/x.yaml": "x: 1\n",
    "10-a/y.yaml": "y: 1\n",
    "20-b/c/z.yaml": "z: 1\n",
    "turn": "a file\n",
    "turned/f": "in a folder\n",
}
NEW = {
    "README.md": "new, and longer\n",
    "10-a/x.yaml": "x: 1\n",
    "30-d/e/w.yaml": "w: 1\n",
    "turn/g": "in a folder\n",
    "turned": "a file\n",
}
THIRD = {"README.md": "third\n", "10-a/y.yaml": "y: 1\n", "30-d/v.yaml": "v: 1\n", "40-e/u.yaml": "u: 1\n"}
FOREIGN = {"own.txt": "own\n", "10-a/own.yaml": "own\n", "20-b/own.yaml": "own\n"}


@pytest.fixture(autouse=True, scope="module")
def no_waiting_for_the_disk() -> Iterator[None]:
    """What a killed process wrote is in the system's hands; only a loss of power asks for more."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda opened: None)
        yield


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: these tests make some thousands of files."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp(dir=memory))
    yield folder
    shutil.rmtree(folder)


def lock(files: dict[str, str]) -> Lock:
    return Lock.of(files, EMPTY, "plain", repr(files).encode())


def run(out: Path, files: dict[str, str]) -> None:
    changes = plan_write(out, files, lock(files))
    assert changes.conflicts == ()
    assert write(changes) == ()


def run_killed(out: Path, files: dict[str, str], step: int) -> bool:
    """Run in a process that ends without a word at a step; tell whether it came so far.

    At a write, half of the bytes are on the disk already.
    """
    child = os.fork()
    if child:
        status = os.waitpid(child, 0)[1]
        assert os.waitstatus_to_exitcode(status) in (0, KILLED)
        return os.waitstatus_to_exitcode(status) == KILLED
    try:
        passed = count()

        def deadly(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: Any, **options: Any) -> Any:
                if next(passed) == step:
                    if name == "write":
                        real(args[0], args[1][: len(args[1]) // 2])
                    os._exit(KILLED)
                return real(*args, **options)

            return call

        changes = plan_write(out, files, lock(files))
        if changes.conflicts:
            os._exit(1)
        for name in STEPS:
            setattr(os, name, deadly(name, getattr(os, name)))
        os._exit(1 if write(changes) else 0)
    except BaseException:
        os._exit(2)


def tree(out: Path) -> dict[str, str]:
    """Every file of a folder, hidden ones too; an empty folder ends in a slash."""
    found = {}
    for at, folders, names in os.walk(out):
        found |= {str((Path(at) / name).relative_to(out)): (Path(at) / name).read_text() for name in names}
        if not folders and not names and Path(at) != out:
            found[f"{Path(at).relative_to(out)}/"] = ""
    return found


def whole(files: dict[str, str], foreign: dict[str, str]) -> dict[str, str]:
    return {**files, **foreign, LOCK: lock(files).text()}


def lay(out: Path, before: dict[str, str], foreign: dict[str, str]) -> None:
    out.mkdir()
    if before:
        run(out, before)
    for path, text in foreign.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text)


def steps(place: Path, before: dict[str, str], files: dict[str, str], foreign: dict[str, str]) -> Iterator[Path]:
    """Yield a folder for each step at which a run can be killed, after it was."""
    for step in count():
        out = place / f"out-{step}"
        lay(out, before, foreign)
        if not run_killed(out, files, step):
            assert tree(out) == whole(files, foreign)
            return
        yield out


@pytest.mark.parametrize("then", [NEW, OLD, THIRD], ids=["again", "back", "on"])
@pytest.mark.parametrize("before", [{}, OLD], ids=["fresh", "old"])
def test_a_kill_at_any_step_is_mended_by_the_next_run(place: Path, before: dict[str, str], then: dict[str, str]) -> None:
    killed = 0
    for out in steps(place, before, NEW, FOREIGN):
        killed += 1
        assert {path: text for path, text in tree(out).items() if path in FOREIGN} == FOREIGN

        run(out, then)

        assert tree(out) == whole(then, FOREIGN)
    assert killed > 30


def test_two_kills_in_a_row_are_mended_too(place: Path) -> None:
    """The journal of the second run must know what the first had written."""
    source = random.Random(0)
    for number in range(150):
        out = place / f"out-{number}"
        lay(out, source.choice([{}, OLD]), FOREIGN)
        for files in source.sample([OLD, NEW, THIRD], 2):
            run_killed(out, files, source.randrange(80))
        last = source.choice([OLD, NEW, THIRD])

        run(out, last)

        assert tree(out) == whole(last, FOREIGN)


def test_a_file_that_somebody_edits_after_a_kill_is_still_theirs(place: Path) -> None:
    for out in steps(place, OLD, NEW, {}):
        (out / "10-a/x.yaml").write_text("edited\n")
        (out / "30-d/e").mkdir(parents=True, exist_ok=True)
        (out / "30-d/e/w.yaml").write_text("edited\n")

        changes = plan_write(out, NEW, lock(NEW))

        if changes.locked:
            assert changes.edited == ("10-a/x.yaml", "30-d/e/w.yaml")
        else:
            assert (changes.edited, changes.taken) == (("10-a/x.yaml",), ("30-d/e/w.yaml",))


def test_what_a_killed_run_left_goes_even_where_nothing_else_is_to_be_done(place: Path) -> None:
    for out in steps(place, OLD, NEW, {}):
        settled = plan_write(out, OLD, lock(OLD)).settled

        run(out, OLD)

        assert tree(out) == whole(OLD, {})
        assert not any("fourleaf-" in path or "journal" in path for path in tree(out))
        assert settled or not plan_write(out, NEW, lock(NEW)).settled


PATHS = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map("/".join)


@st.composite
def sets(draw: st.DrawFn) -> dict[str, str]:
    """Files of which none stands where another has a folder."""
    made: dict[str, str] = {}
    for path in draw(st.lists(PATHS, max_size=5)):
        if not any(path == other or path.startswith(f"{other}/") or other.startswith(f"{path}/") for other in made):
            made[path] = draw(st.sampled_from(["1", "2"]))
    return made


@given(st.lists(st.tuples(sets(), st.integers(0, 60)), max_size=3), sets())
@settings(max_examples=100, deadline=None)
def test_any_row_of_killed_runs_ends_in_the_last_set(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[dict[str, str], int]], last: dict[str, str]
) -> None:
    out = tmp_path_factory.mktemp("row") / "out"
    lay(out, {}, {"own": "own\n"})
    for files, step in rows:
        run_killed(out, files, step)

    run(out, last)

    assert tree(out) == whole(last, {"own": "own\n"})
