"""The lock says what fourleaf wrote, and a lock that could lead elsewhere is not believed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fourleaf import __version__
from fourleaf.emit import Lock
from fourleaf.emit.lock import FORMAT, Fault, Journal, digest, is_inside
from fourleaf.ir import Bundle


def test_it_holds_compiler_spec_target_charts_and_a_digest_a_file(bundle: Bundle) -> None:
    lock = Lock.of({"b.yaml": "b\n", "a.yaml": "a\n"}, bundle, "plain", b"spec")

    tree = json.loads(lock.text())

    assert tree["fourleaf"] == __version__
    assert tree["spec"] == digest(b"spec")
    assert tree["target"] == "plain"
    assert list(tree["files"].items()) == [("a.yaml", digest(b"a\n")), ("b.yaml", digest(b"b\n"))]
    assert tree["charts"][1] == {
        "name": "gpu-operator",
        "release": "gpu-operator",
        "namespace": "gpu-operator",
        "repository": "https://charts.example.org/stable",
        "version": "v1.2.3",
    }
    assert Lock.read(lock.text().encode()) == lock


def test_a_journal_reads_what_it_wrote() -> None:
    journal = Journal("0a1b", {"a": (None, "sha256:1"), "b/c": ("sha256:2", None)})

    assert Journal.read(journal.text().encode()) == journal


@pytest.mark.parametrize("path", ["a", "a/b.yaml", "20-config/x..y.yaml", ".hidden", "...", "é/b c"])
def test_paths_in_the_folder_are_inside(path: str) -> None:
    assert is_inside(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "..",
        "../a",
        "a/../b",
        "a/..",
        ".",
        "./a",
        "a//b",
        "a/",
        "a\\b",
        "C:/a",
        "a\0",
        "a\nb",
        "fourleaf.lock.json",
        ".fourleaf.journal.json",
    ],
)
def test_paths_that_leave_the_folder_or_are_its_own_books_are_not(path: str) -> None:
    assert not is_inside(path)


def lock_with(**fields: Any) -> bytes:
    return json.dumps({"lock": FORMAT, "fourleaf": "0", "spec": "s", "target": "plain", "charts": [], "files": {}, **fields}).encode()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"[]", "no `lock`"),
        (b"{}", "no `lock`"),
        (lock_with(lock=True), "no `lock`"),
        (lock_with(lock="1"), "no `lock`"),
        (lock_with(files=[]), "no files"),
        (lock_with(charts=None), "no files or no charts"),
        (lock_with(files={"../../etc/passwd": digest(b"")}), "'../../etc/passwd' is no path in the folder"),
        (lock_with(files={"/etc/passwd": digest(b"")}), "'/etc/passwd' is no path in the folder"),
        (lock_with(files={"a": 1}), "'a' is no path in the folder with its digest"),
    ],
)
def test_a_broken_lock_is_a_fault(data: bytes, why: str) -> None:
    fault = Lock.read(data)

    assert isinstance(fault, Fault)
    assert why in fault.why
    assert not fault.newer


def test_a_lock_of_a_newer_format_is_told_apart() -> None:
    fault = Lock.read(lock_with(lock=FORMAT + 1, files="of another shape"))

    assert fault == Fault(f"it is of format {FORMAT + 1}, and this fourleaf reads {FORMAT}", newer=True)


@pytest.mark.parametrize(
    "tree",
    [
        {"token": "a", "files": {}},
        {"journal": FORMAT, "token": "../x", "files": {}},
        {"journal": FORMAT, "token": "", "files": {}},
        {"journal": FORMAT, "token": "a", "files": {"../a": [None, None]}},
        {"journal": FORMAT, "token": "a", "files": {"a": [None]}},
        {"journal": FORMAT, "token": "a", "files": {"a": [1, 2]}},
        {"journal": FORMAT, "token": "a", "files": {"a": "ab"}},
    ],
)
def test_a_broken_journal_is_a_fault(tree: dict[str, Any]) -> None:
    assert isinstance(Journal.read(json.dumps(tree).encode()), Fault)
