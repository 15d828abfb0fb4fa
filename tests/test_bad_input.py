"""Whatever somebody names as a spec: a finding with its place, exit code 1, the old output untouched, little memory, an end."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import Ended, fourleaf, measured, run
from support import ROOT

LAPTOP = (ROOT / "stacks" / "laptop.yaml").read_text()
MEMORY = 150 * 2**20
"""Bytes that a command may hold: Python and what a compile imports take 45 MiB; the rest is for 10,000 findings."""
BIG = 100 * 2**20

HEAD = "apiVersion: fourleaf.dev/v1\nkind: Cluster\nmetadata: {name: lab}\n"
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{below}'] * 9)}]\n" for below, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def _text(content: str | bytes) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        path = folder / "spec.yaml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return make


def _folder(folder: Path) -> Path:
    (folder / "spec.yaml").mkdir()
    return folder / "spec.yaml"


def _sparse(folder: Path) -> Path:
    path = folder / "spec.yaml"
    with path.open("wb") as file:
        file.truncate(BIG)
    return path


def _link(to: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / "spec.yaml").symlink_to(to)
        return folder / "spec.yaml"

    return make


INPUTS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "a name that is not there": (lambda folder: folder / "spec.yaml", "FL012"),
    "a name below a file": (lambda folder: Path(sys.executable) / "spec.yaml", "FL012"),
    "a name too long for any file": (lambda folder: folder / ("a" * 5000), "FL012"),
    "a link to nowhere": (_link("nowhere"), "FL012"),
    "a link to itself": (_link("spec.yaml"), "FL012"),
    "a folder": (_folder, "FL012"),
    "a file that nobody may read": (lambda folder: Path("/proc/self/mem"), "FL012"),
    "a device without an end": (lambda folder: Path("/dev/zero"), "FL009"),
    "a program": (lambda folder: Path("/bin/sh"), "FL012"),
    "100 MiB of nothing": (_sparse, "FL009"),
    "an empty file": (_text(""), "FL007"),
    "blank lines and a comment": (_text("\n\n# nothing\n"), "FL007"),
    "not UTF-8": (_text(HEAD.encode() + b"# gr\xf6\xdfe\n"), "FL012"),
    "UTF-16": (_text(LAPTOP.encode("utf-16")), "FL012"),
    "half a character at the end": (_text(LAPTOP.encode() + b"# \xc3"), "FL012"),
    "a control character": (_text(LAPTOP + "# \x07\n"), "FL010"),
    "a text": (_text("hello\n"), "FL007"),
    "a list": (_text("- a\n- b\n"), "FL007"),
    "JSON that is cut": (_text('{"apiVersion": "fourleaf.dev/v1", "kind": "Clu'), "FL001"),
    "two documents": (_text(f"{LAPTOP}---\n{LAPTOP}"), "FL008"),
    "another kind": (_text("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1}\n"), "FL007"),
    "tenants alone": (_text("apiVersion: fourleaf.dev/v1\nkind: Tenants\nspec: {tenants: [{name: a}]}\n"), "FL007"),
    "another version": (_text(LAPTOP.replace("fourleaf.dev/v1", "fourleaf.dev/v9")), "FL007"),
    "a bomb of aliases": (_text(f"{HEAD}spec: &s\n  pools: *s\n"), "FL010"),
    "a billion laughs": (_text(BOMB), "FL009"),
    "100,000 brackets": (_text(f"{HEAD}spec: {'[' * 100_000}"), "FL009"),
    "100,000 levels of a block": (_text("".join(f"{' ' * depth}a:\n" for depth in range(2_000))), "FL009"),
    "a merge conflict": (_text(f"<<<<<<< ours\n{LAPTOP}=======\n{LAPTOP}>>>>>>> theirs\n"), "FL001"),
    "a template": (_text("kind: {{ .Values.kind }}\n"), "FL010"),
    "a line of 4 MiB": (_text(f"{HEAD}spec: {{kubernetes: {'x' * 2**22}}}\n"), "FL005"),
    "a key of 1 MiB": (_text(f"{LAPTOP}{'k' * 2**20}: 1\n"), "FL001"),
    "10,000 unknown fields": (_text(LAPTOP + "".join(f"key{number}: 1\n" for number in range(10_000))), "FL003"),
    "10,000 times one key": (_text(LAPTOP + "kind: Cluster\n" * 10_000), "FL002"),
    "10,000 pools of one name": (_text(f"{HEAD}spec:\n  pools:\n" + "    - {name: a}\n" * 10_000), "FL004"),
}


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """An output folder that an earlier compile wrote, and its digest."""
    folder = tmp_path_factory.mktemp("old") / "out"
    fourleaf("compile", "stacks/campus.yaml", "-o", folder)
    return folder, _digest(folder)


def _digest(folder: Path) -> str:
    """Return a digest of every path below a folder, with content and times."""
    seen = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        seen.update(f"{path} {state.st_mode} {state.st_mtime_ns} {state.st_ino}\n".encode())
        seen.update(path.read_bytes() if path.is_file() else b"")
    return seen.hexdigest()


@pytest.mark.parametrize(("make", "code"), INPUTS.values(), ids=INPUTS)
def test_a_finding_with_its_place_and_the_old_output_untouched(
    make: Callable[[Path], Path], code: str, old: tuple[Path, str], tmp_path: Path
) -> None:
    out, before = old
    spec = make(tmp_path)
    ended = fourleaf("compile", spec, "-o", out, "--format", "json", env=measured(tmp_path / "peak"))

    _is_refused(ended, str(spec), code)
    assert _digest(out) == before
    assert int((tmp_path / "peak").read_text()) < MEMORY


@pytest.mark.parametrize(
    ("redirect", "code"),
    [
        ("<&-", "FL012"),
        ("< /dev/null", "FL007"),
        ("< /dev/zero", "FL009"),
        (f"< <(head -c {BIG} /dev/zero | tr '\\0' '#')", "FL009"),
        ("< <(printf 'kind: [')", "FL001"),
    ],
)
def test_standard_input_is_read_with_the_same_care(redirect: str, code: str, old: tuple[Path, str], tmp_path: Path) -> None:
    out, before = old
    ended = fourleaf("compile", "-", "-o", out, "--format", "json", redirect=redirect, env=measured(tmp_path / "peak"))

    _is_refused(ended, "<stdin>", code)
    assert _digest(out) == before
    assert int((tmp_path / "peak").read_text()) < MEMORY


def _is_refused(ended: Ended, name: str, code: str) -> None:
    assert ended.code == 1, ended.err
    assert ended.err == ""
    found = json.loads(ended.out)["diagnostics"]
    assert code in {one["code"] for one in found if one["severity"] == "error"}
    for one in found:
        assert one["file"] == name
        assert 1 <= one["line"] <= one["endLine"]
        assert one["column"] >= 1
        assert one["message"]


@pytest.mark.parametrize(
    ("included", "code"),
    [
        ("teams.yaml", "FL012"),
        ("/etc/passwd", "FL013"),
        ("../../../../../../etc/passwd", "FL013"),
        ("link.yaml", "FL013"),
        ("pipe.yaml", "FL012"),
        ("folder", "FL012"),
        ("loop.yaml", "FL012"),
        ("big.yaml", "FL009"),
        ("a\\0b.yaml", "FL010"),
        ("spec.yaml", "FL011"),
    ],
)
def test_an_included_file_is_read_with_the_same_care(included: str, code: str, tmp_path: Path) -> None:
    (tmp_path / "link.yaml").symlink_to("/etc/hostname")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "folder").mkdir()
    (tmp_path / "big.yaml").write_bytes(b"#" * (9 * 2**20))
    os.mkfifo(tmp_path / "pipe.yaml")
    spec = tmp_path / "spec.yaml"
    spec.write_text(LAPTOP.replace("\nspec:\n", f'\nspec:\n  include: ["{included}"]\n'))
    ended = fourleaf("check", "spec.yaml", "--format", "json", cwd=tmp_path)

    assert ended.code == 1, ended.err
    assert code in {one["code"] for one in json.loads(ended.out)["diagnostics"]}


@pytest.mark.parametrize(
    "output", ["spec.yaml", "spec.yaml/out", "link", "link/out", "/dev/null", "/proc/out", "a\udcff/out", "loop", "x" * 300]
)
def test_an_output_that_is_no_folder_is_left_alone(output: str, tmp_path: Path) -> None:
    (tmp_path / "spec.yaml").write_text(LAPTOP)
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "loop").symlink_to("loop")
    ended = fourleaf("compile", "spec.yaml", "-o", output, "--format", "json", cwd=tmp_path)

    if output.startswith("a"):
        assert (ended.code, ended.err) == (0, ""), "any name that the file system takes is good"
        return
    assert ended.code == 1, ended.err
    assert {one["code"] for one in json.loads(ended.out)["diagnostics"]} <= {"FL910", "FL912", "FL913"}
    assert not any((tmp_path / "real").iterdir())
    assert (tmp_path / "spec.yaml").read_text() == LAPTOP


# ---- Permissions, which root has all: of a command that root runs, those are taken away

UNPRIVILEGED = (
    ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
)


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("check", "closed.yaml"), "FL012"),
        (("explain", "closed.yaml"), "FL012"),
        (("compile", "closed.yaml", "-o", "out"), "FL012"),
        (("check", "closed/spec.yaml"), "FL012"),
        (("compile", "spec.yaml", "-o", "closed"), "FL913"),
        (("compile", "spec.yaml", "-o", "closed/out"), "FL913"),
        (("compile", "spec.yaml", "-o", "readonly"), "FL913"),
        (("compile", "spec.yaml", "-o", "readonly/out"), "FL913"),
        (("compile", "spec.yaml", "-o", "closed", "--check"), "FL913"),
    ],
    ids=lambda it: " ".join(it) if isinstance(it, tuple) else None,
)
def test_what_is_not_permitted_is_a_finding(args: tuple[str, ...], code: str, tmp_path: Path) -> None:
    for name in ("spec.yaml", "closed.yaml"):
        (tmp_path / name).write_text(LAPTOP)
    for name in ("closed", "readonly"):
        (tmp_path / name).mkdir()
    for name, mode in (("closed", 0o000), ("readonly", 0o555), ("closed.yaml", 0o000)):
        (tmp_path / name).chmod(mode)
    ended = run([*UNPRIVILEGED, "fourleaf", *args, "--format", "json"], cwd=tmp_path)
    (tmp_path / "closed").chmod(0o755)

    assert (ended.code, ended.err) == (1, "")
    (found,) = json.loads(ended.out)["diagnostics"]
    assert found["code"] == code
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["closed", "closed.yaml", "readonly", "spec.yaml"]


def test_a_command_of_these_tests_has_no_more_permissions_than_a_user(tmp_path: Path) -> None:
    (tmp_path / "closed").write_text("")
    (tmp_path / "closed").chmod(0)

    assert run([*UNPRIVILEGED, "cat", "closed"], cwd=tmp_path).code == 1


def test_a_folder_that_is_only_read_can_be_compared(tmp_path: Path) -> None:
    (tmp_path / "spec.yaml").write_text(LAPTOP)
    fourleaf("compile", "spec.yaml", "-o", "out", cwd=tmp_path)
    for path in (tmp_path / "out", *(tmp_path / "out").rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222)
    ended = run([*UNPRIVILEGED, "fourleaf", "compile", "spec.yaml", "-o", "out", "--check"], cwd=tmp_path)

    assert (ended.code, ended.out) == (0, "out is up to date\n")
