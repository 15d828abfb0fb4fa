"""Folders in which something stands in the way: links, pipes, other people's rights, broken books."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from folders import NEW, OLD, lock, out, planned, rules, tree, written

from fourleaf.emit import RULES, compare, write
from fourleaf.emit.lock import JOURNAL, LOCK

__all__ = ["out"]


def is_a_file(out: Path) -> None:
    out.parent.mkdir(parents=True)
    out.write_text("own\n")


def is_a_symlink(out: Path) -> None:
    (out.parent / "elsewhere").mkdir(parents=True)
    out.symlink_to("elsewhere")


def is_a_dead_symlink(out: Path) -> None:
    out.parent.mkdir(parents=True)
    out.symlink_to("nowhere")


def lies_below_a_symlink(out: Path) -> None:
    (out.parent.parent / "elsewhere").mkdir(parents=True)
    out.parent.symlink_to("elsewhere")


def lies_below_a_file(out: Path) -> None:
    out.parent.write_text("own\n")


@pytest.mark.parametrize(
    ("lay", "message"),
    [
        (is_a_file, "{out} is no folder"),
        (is_a_symlink, "{out} is a symlink"),
        (is_a_dead_symlink, "{out} is a symlink"),
        (lies_below_a_symlink, "{out} is reached through {out.parent}, a symlink"),
        (lies_below_a_file, "{out} lies below {out.parent}, which is no folder"),
    ],
)
def test_the_output_must_be_a_folder_that_no_symlink_leads_to(out: Path, lay: Callable[[Path], None], message: str) -> None:
    lay(out)
    before = sorted(out.parent.parent.rglob("*"))

    changes = planned(out, OLD, force=True)

    assert rules(changes.conflicts) == ["output-not-a-folder"]
    assert changes.conflicts[0].message == message.format(out=out)
    assert changes.conflicts[0].help
    assert write(changes) == changes.conflicts
    assert sorted(out.parent.parent.rglob("*")) == before


def test_a_relative_path_through_a_symlink_is_refused_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to("elsewhere")
    monkeypatch.chdir(tmp_path)

    assert rules(planned(Path("link/out"), OLD).conflicts) == ["output-not-a-folder"]
    assert rules(planned(Path("link/../out"), OLD).conflicts) == ["output-not-a-folder"]
    assert planned(Path("out"), OLD).conflicts == ()
    assert planned(Path(), OLD).conflicts == ()


@pytest.mark.parametrize("path", ["README.md", "10-a"])
def test_a_symlink_below_the_folder_is_not_followed(out: Path, tmp_path: Path, path: str) -> None:
    """Neither to write through it nor to remove what it leads to."""
    elsewhere = tmp_path / "elsewhere"
    written(elsewhere, OLD)
    before = tree(elsewhere)
    out.mkdir(parents=True)
    (out / path).symlink_to(elsewhere / path)

    changes = planned(out, OLD, force=True)
    assert {*rules(changes.conflicts)} == {"output-path-taken"}

    (out / LOCK).write_text(lock(OLD).text())
    written(out, {"other": "1"}, force=True)
    assert tree(elsewhere) == before
    assert (out / path).is_symlink()


def test_a_symlink_that_comes_between_the_look_and_the_write_is_not_followed(out: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    changes = planned(out, OLD)
    out.mkdir(parents=True)
    (out / "10-a").symlink_to(elsewhere)

    found = write(changes)

    assert rules(found) == ["output-not-writable"]
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("name", [LOCK, JOURNAL])
def test_lock_and_journal_are_no_symlinks(out: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere").write_text("{}")
    out.mkdir(parents=True)
    (out / name).symlink_to(tmp_path / "elsewhere")

    changes = planned(out, OLD, force=True)

    assert rules(changes.conflicts) == ["output-path-taken"]
    assert changes.conflicts[0].message == f"{out / name} is a symlink"


@pytest.mark.parametrize("path", ["README.md", LOCK])
def test_a_pipe_in_the_way_does_not_block(out: Path, path: str) -> None:
    out.mkdir(parents=True)
    os.mkfifo(out / path)

    assert rules(planned(out, OLD).conflicts) == ["output-path-taken"]


@pytest.mark.parametrize("name", [LOCK, JOURNAL])
def test_broken_books_are_named_and_nothing_is_done(out: Path, name: str) -> None:
    written(out, OLD)
    (out / name).write_text("{")

    changes = planned(out, NEW, force=True)

    assert rules(changes.conflicts) == ["unreadable-lock"]
    assert changes.conflicts[0].message == f"{out / name} is not what fourleaf writes: it is no JSON"
    assert write(changes) == changes.conflicts


def test_a_lock_of_a_newer_fourleaf_is_respected(out: Path) -> None:
    written(out, OLD)
    (out / LOCK).write_text(json.dumps({"lock": 2, "fourleaf": "9.9"}))

    assert rules(planned(out, NEW, force=True).conflicts) == ["newer-lock"]


def test_a_lock_that_names_paths_outside_removes_nothing(out: Path, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/victim").write_text("old\n")
    books = json.loads(lock({"victim": "old\n"}).text())
    books["files"] = {"../victim": books["files"]["victim"]}
    out.mkdir()
    (out / LOCK).write_text(json.dumps(books))

    assert rules(planned(out, NEW, force=True).conflicts) == ["unreadable-lock"]
    assert (tmp_path / "deep/victim").exists()


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", LOCK, JOURNAL])
def test_a_path_outside_the_folder_is_an_error_of_ours(out: Path, path: str) -> None:
    with pytest.raises(AssertionError, match="outside"):
        planned(out, {path: "x"})


def as_nobody(act: Callable[[], list[str]]) -> list[str]:
    """Run something in a process without root's rights, and return what it says."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        said = ["?"]
        try:
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            said = act()
        finally:
            os.write(writer, json.dumps(said).encode())
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        return list(json.loads(pipe.read()))


@pytest.fixture
def open_to_all(tmp_path: Path) -> Path:
    for path in (tmp_path, *tmp_path.parents[:2]):
        path.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize(
    ("mode", "refused"),
    [(0o555, ["closed", "closed/out"]), (0o000, ["closed", "closed/out"]), (0o333, ["closed"]), (0o777, [])],
)
def test_a_folder_that_may_not_be_read_or_written_is_named(open_to_all: Path, mode: int, refused: list[str]) -> None:
    closed = open_to_all / "closed"
    closed.mkdir()
    closed.chmod(mode)

    def act() -> list[str]:
        found = {name: rules(planned(open_to_all / name, OLD).conflicts) for name in ("closed", "closed/out")}
        return [name for name, said in found.items() if said == ["output-not-writable"]]

    assert as_nobody(act) == refused


def test_a_file_that_may_not_be_read_is_named(open_to_all: Path) -> None:
    out = open_to_all / "out"
    written(out, OLD)
    out.chmod(0o777)
    (out / "README.md").chmod(0)

    assert as_nobody(lambda: [one.message for one in planned(out, OLD).conflicts]) == [f"{out / 'README.md'}: permission denied"]


def test_what_the_system_refuses_on_the_way_is_named_and_mended_later(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(out, OLD)
    changes = planned(out, NEW)

    def full(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        found = write(changes)

    assert rules(found) == ["output-not-writable"]
    assert "no space left on device" in found[0].message
    written(out, NEW)
    assert tree(out) == NEW


# ---- check


def test_compare_tells_stale_missing_and_extra_and_writes_nothing(out: Path) -> None:
    written(out, OLD)
    (out / "10-a/x.yaml").unlink()
    before = tree(out)

    result = compare(out, NEW, lock(NEW))

    assert not result.fresh
    assert result.stale == ("README.md", LOCK)
    assert result.missing == ("10-a/x.yaml", "30-d/w.yaml")
    assert result.extra == ("10-a/y.yaml", "20-b/c/z.yaml")
    assert result.conflicts == ()
    assert tree(out) == before


def test_compare_finds_a_fresh_folder_fresh(out: Path) -> None:
    written(out, OLD)

    assert compare(out, OLD, lock(OLD)).fresh


def test_compare_counts_edited_files_and_files_of_others_as_stale(out: Path) -> None:
    written(out, OLD)
    (out / "README.md").write_text("edited\n")
    (out / "10-a/y.yaml").write_text("edited\n")
    (out / "30-d").mkdir()
    (out / "30-d/w.yaml").write_text("own\n")

    result = compare(out, NEW, lock(NEW))

    assert result.stale == ("30-d/w.yaml", "README.md", LOCK)
    assert result.extra == ("10-a/y.yaml", "20-b/c/z.yaml")


def test_compare_does_not_make_the_folder(out: Path) -> None:
    result = compare(out, OLD, lock(OLD))

    assert result.missing == tuple(sorted([*OLD, LOCK]))
    assert not out.exists()


def test_compare_says_why_it_could_not(out: Path) -> None:
    is_a_file(out)

    result = compare(out, OLD, lock(OLD))

    assert rules(result.conflicts) == ["output-not-a-folder"]
    assert not result.fresh


def test_rules_are_errors_that_nobody_can_allow() -> None:
    assert {rule.code: rule.name for rule in RULES} == {
        "FL910": "output-path-taken",
        "FL911": "edited-output",
        "FL912": "output-not-a-folder",
        "FL913": "output-not-writable",
        "FL914": "unreadable-lock",
        "FL915": "newer-lock",
    }
    assert not any(rule.allowable for rule in RULES)
