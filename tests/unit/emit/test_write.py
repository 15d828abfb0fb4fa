"""The output folder: what is fourleaf's is kept up, what is not is never touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from folders import NEW, OLD, lock, out, planned, rules, tree, written

from fourleaf.diag import Span
from fourleaf.emit import write
from fourleaf.emit.lock import LOCK

__all__ = ["out"]


def test_a_folder_is_made_with_all_files_and_a_lock(out: Path) -> None:
    changes = written(out, OLD)

    assert tree(out) == OLD
    assert changes.missing == tuple(sorted(OLD))
    assert (out / LOCK).read_text() == lock(OLD).text()


def test_the_next_set_replaces_removes_and_leaves_what_is_the_same(out: Path) -> None:
    written(out, OLD)
    before = (out / "10-a/x.yaml").stat()

    changes = written(out, NEW)

    assert tree(out) == NEW
    assert (sorted(changes.write), changes.remove, changes.unchanged) == (
        ["30-d/w.yaml", "README.md"],
        ("10-a/y.yaml", "20-b/c/z.yaml"),
        ("10-a/x.yaml",),
    )
    after = (out / "10-a/x.yaml").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_set_that_is_there_is_not_touched_at_all(out: Path) -> None:
    written(out, OLD)
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}

    changes = written(out, OLD)

    assert changes.settled
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before


def test_files_of_others_are_never_touched(out: Path) -> None:
    written(out, OLD)
    others = {"10-a/own.yaml": "own\n", "20-b/c/own.txt": "own\n", "own/": ""}
    (out / "10-a/own.yaml").write_text("own\n")
    (out / "20-b/c/own.txt").write_text("own\n")
    (out / "own").mkdir()

    written(out, NEW)

    assert tree(out) == {**NEW, **others}


def test_a_folder_without_a_lock_is_taken_where_nothing_collides(out: Path) -> None:
    out.mkdir(parents=True)
    (out / "own.txt").write_text("own\n")
    (out / "README.md").write_text(OLD["README.md"])

    changes = written(out, OLD)

    assert tree(out) == {**OLD, "own.txt": "own\n"}
    assert changes.unchanged == ("README.md",)


@pytest.mark.parametrize("force", [False, True])
def test_a_file_of_others_on_a_needed_path_stops_everything(out: Path, force: bool) -> None:
    out.mkdir(parents=True)
    (out / "README.md").write_text("own\n")

    changes = planned(out, OLD, force=force)

    assert rules(changes.conflicts) == ["output-path-taken"]
    assert changes.conflicts[0].message == f"{out / 'README.md'} is needed, and what stands there is not fourleaf's"
    assert changes.conflicts[0].span == Span(str(out / "README.md"), 1, 1, 1, 1)
    assert changes.conflicts[0].place == ()
    assert changes.taken == ("README.md",)
    assert write(changes) == changes.conflicts
    assert tree(out) == {"README.md": "own\n"}


def test_an_edited_file_stops_everything_unless_forced(out: Path) -> None:
    written(out, OLD)
    (out / "README.md").write_text("edited\n")

    changes = planned(out, NEW)

    assert rules(changes.conflicts) == ["edited-output"]
    assert "--force" in changes.conflicts[0].help
    assert write(changes) == changes.conflicts
    assert tree(out) == {**OLD, "README.md": "edited\n"}
    written(out, NEW, force=True)
    assert tree(out) == NEW


def test_an_edited_file_that_is_no_longer_needed_is_not_thrown_away_unless_forced(out: Path) -> None:
    written(out, OLD)
    (out / "10-a/y.yaml").write_text("edited\n")

    assert rules(planned(out, NEW).conflicts) == ["edited-output"]
    written(out, NEW, force=True)
    assert tree(out) == NEW


def test_a_file_that_was_edited_to_what_is_now_wanted_is_no_conflict(out: Path) -> None:
    written(out, OLD)
    (out / "README.md").write_text(NEW["README.md"])

    assert written(out, NEW).unchanged == ("10-a/x.yaml", "README.md")


def test_a_file_that_somebody_removed_comes_back(out: Path) -> None:
    written(out, OLD)
    (out / "README.md").unlink()

    assert written(out, OLD).missing == ("README.md",)
    assert tree(out) == OLD


def test_a_lost_lock_is_made_anew_from_what_is_as_compiled(out: Path) -> None:
    written(out, OLD)
    (out / LOCK).unlink()

    assert written(out, OLD).unchanged == tuple(sorted(OLD))
    assert (out / LOCK).read_text() == lock(OLD).text()


def test_many_conflicts_are_named_up_to_a_number_and_counted(out: Path) -> None:
    files = {f"f{number:02}": "new" for number in range(30)}
    out.mkdir(parents=True)
    for path in files:
        (out / path).write_text("own")

    found = planned(out, files).conflicts

    assert len(found) == 20
    assert found[-1].note == "and 10 more like it"


def test_a_file_gives_way_to_a_folder_and_a_folder_to_a_file(out: Path) -> None:
    written(out, {"a": "1", "b/c/d": "2", "b/e": "3"})

    written(out, {"a/x/y": "1", "b": "2"})
    assert tree(out) == {"a/x/y": "1", "b": "2"}

    written(out, {"a": "1", "b/c/d": "2"})
    assert tree(out) == {"a": "1", "b/c/d": "2"}


def test_a_folder_with_something_of_others_gives_way_to_no_file(out: Path) -> None:
    written(out, {"b/c": "1"})
    (out / "b/own").mkdir()

    changes = planned(out, {"b": "2"})

    assert rules(changes.conflicts) == ["output-path-taken"]


# ---- what is in the way
