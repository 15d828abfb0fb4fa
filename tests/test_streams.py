"""How the command line treats terminals, pipes, full disks, signals, missing packages and its own defects."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command import BIN, environment, fourleaf, on_terminal, run
from support import ROOT

from fourleaf import __version__

MISFIT = ROOT / "tests" / "cli" / "misfit.yaml"
DGX = ROOT / "stacks" / "dgx.yaml"
ESCAPE = "\x1b["


# ---- Terminals


@pytest.mark.parametrize("command", [("check", MISFIT), ("explain", DGX), ("list", "rules"), ("rule", "FL350")], ids=lambda it: it[0])
def test_a_terminal_gets_colours_and_a_pipe_gets_none(command: tuple[str | Path, ...]) -> None:
    assert ESCAPE in on_terminal(*command).out
    assert ESCAPE not in fourleaf(*command).out


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
@pytest.mark.parametrize("command", [("check", MISFIT), ("explain", DGX), ("list", "rules"), ("rule", "FL350")], ids=lambda it: it[0])
def test_a_terminal_that_wants_no_colours_gets_none(command: tuple[str | Path, ...], env: dict[str, str]) -> None:
    assert ESCAPE not in on_terminal(*command, env=env).out


def test_no_color_that_is_empty_says_nothing() -> None:
    assert ESCAPE in on_terminal("check", MISFIT, env={"NO_COLOR": ""}).out


@pytest.mark.parametrize("what", ["cards", "rules"])
def test_a_list_fits_the_terminal(what: str) -> None:
    text = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal("list", what, columns=72).out)

    assert max(map(len, text.splitlines())) <= 72
    assert len(text.splitlines()) > len(fourleaf("list", what).out.splitlines())


def test_an_excerpt_fits_the_terminal(tmp_path: Path) -> None:
    spec = tmp_path / "long.yaml"
    spec.write_text(f"kind: Cluster  # {'far ' * 100}\n")
    text = re.sub(r"\x1b\[[0-9;]*m", "", on_terminal("check", spec.name, columns=60, cwd=tmp_path).out)

    assert "1 | kind: Cluster  # far" in text
    assert max(len(line) for line in text.splitlines() if " | " in line) <= 60


def test_a_page_of_a_rule_is_laid_out_on_a_terminal() -> None:
    assert "```" in fourleaf("rule", "FL350").out
    assert "```" not in on_terminal("rule", "FL350").out


# ---- Pipes and disks


@pytest.mark.parametrize(
    ("command", "code"),
    [(("--help",), 0), (("list", "rules"), 0), (("schema",), 0), (("check", MISFIT), 1), (("check", MISFIT, "--format", "json"), 1)],
)
def test_a_reader_that_has_gone_changes_nothing_but_the_output(command: tuple[str | Path, ...], code: int) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    program = [BIN / "fourleaf", *map(str, command)]
    with subprocess.Popen(program, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, env=environment()) as process:
        os.close(writing)
        _, err = process.communicate()

    assert (process.returncode, err) == (code, b"")


def test_compile_finishes_its_work_though_nobody_reads(tmp_path: Path) -> None:
    fourleaf("compile", DGX, "-o", tmp_path / "out", redirect="| true")

    assert fourleaf("compile", DGX, "-o", tmp_path / "out", "--check").code == 0


@pytest.mark.parametrize("command", [("list", "rules"), ("check", MISFIT), ("schema",), ("--help",)], ids=lambda it: it[0])
def test_a_full_disk_is_the_machines_fault(command: tuple[str | Path, ...]) -> None:
    ended = fourleaf(*command, redirect="> /dev/full")

    assert (ended.code, ended.err) == (3, "fourleaf: standard output cannot be written: no space left on device\n")


@pytest.mark.parametrize(("redirect", "code"), [(">&-", 1), ("2>&-", 1), (">&- 2>&-", 1)])
def test_closed_outputs_leave_the_exit_code(redirect: str, code: int) -> None:
    assert fourleaf("check", MISFIT, redirect=redirect).code == code


def test_a_text_that_the_output_cannot_spell_is_escaped(tmp_path: Path) -> None:
    spec = tmp_path / "größe.yaml"
    spec.write_text("kind: Clüster\n", encoding="utf-8")
    ended = fourleaf("check", spec.name, cwd=tmp_path, env={"PYTHONIOENCODING": "koi8-r"})

    assert ended.code == 1
    assert r"kind: Cl\xfcster" in ended.out
    assert not ended.err


def test_a_name_that_is_no_text_is_escaped(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.yaml")).write_text(DGX.read_text())
    ended = fourleaf("check", os.fsdecode(b"\xff.yaml"), cwd=tmp_path)

    assert (ended.code, ended.out, ended.err) == (0, "\\udcff.yaml: no findings\n", "")


def test_standard_input_is_relative_to_the_working_folder(tmp_path: Path) -> None:
    spec = DGX.read_text().replace("  workloads:\n", "  include: [teams.yaml]\n\n  workloads:\n")
    (tmp_path / "teams.yaml").write_text("apiVersion: fourleaf.dev/v1\nkind: Tenants\nspec:\n  tenants: [{name: vision, parent: nobody}]\n")
    ended = fourleaf("check", "-", stdin=spec.encode(), cwd=tmp_path)

    assert ended.code == 1
    assert "teams.yaml:4:" in ended.out


# ---- What ends a command early


def test_an_interrupt_is_quiet(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    process = subprocess.Popen([BIN / "fourleaf", "check", pipe], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    with process, pipe.open("wb"):  # which opens once the command has opened it to read
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()

    assert (process.returncode, out, err) == (130, b"", b"")


def test_a_missing_package_is_the_machines_fault(tmp_path: Path) -> None:
    (tmp_path / "pydantic.py").write_text("raise ModuleNotFoundError(\"No module named 'pydantic'\", name='pydantic')\n")
    ended = fourleaf("check", DGX, env={"PYTHONPATH": str(tmp_path)})

    assert (ended.code, ended.out) == (3, "")
    assert ended.err == "fourleaf: the Python package pydantic is missing: install fourleaf with its dependencies\n"


@pytest.mark.parametrize("error", ["KeyError('desk')", "RecursionError()", "AssertionError('two parts are one')"])
@pytest.mark.parametrize("command", [("check",), ("explain",), ("compile", "-o", "out")], ids=lambda it: it[0])
def test_a_defect_is_told_without_a_traceback(command: tuple[str, ...], error: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        f"import fourleaf.pipeline\ndef run(*args, **more):\n    raise {error}\nfourleaf.pipeline.run = run\n"
    )
    ended = fourleaf(*command, DGX, env={"PYTHONPATH": str(tmp_path)}, cwd=tmp_path)

    assert (ended.code, ended.out) == (70, "")
    assert ended.err.startswith(f"error[FL900]: a defect of fourleaf: {error.partition('(')[0]}")
    assert f"version: {__version__}, Python {sys.version.split()[0]}" in ended.err
    assert "report" in ended.err
    assert "Traceback" not in ended.err
    assert not (tmp_path / "out").exists()


def test_the_command_under_test_runs_the_code_beside_the_tests() -> None:
    ended = run(["python", "-c", "import fourleaf; print(fourleaf.__file__)"], cwd=Path("/"))

    assert ended.out.strip() == str(ROOT / "fourleaf" / "__init__.py")


# ---- What a command costs

MODULES = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); from fourleaf.cli.main import main; main()"


@pytest.mark.parametrize(
    ("command", "spared"),
    [
        (("--help",), {"yaml", "pydantic", "rich", "msgspec", "jsonschema_rs", "json", "fourleaf.diag", "fourleaf.pipeline"}),
        (("compile", "--help"), {"yaml", "pydantic", "rich", "jsonschema_rs", "fourleaf.pipeline"}),
        (("list", "cards"), {"pydantic", "rich", "jsonschema_rs", "fourleaf.pipeline"}),
        (("check", str(MISFIT)), {"rich", "jsonschema_rs", "fourleaf.cli.compile"}),
        (("check", str(DGX)), {"rich", "jsonschema", "hypothesis", "fourleaf.cli.compile"}),
    ],
    ids=lambda it: " ".join(it[:1]) if isinstance(it, tuple) else None,
)
def test_a_command_imports_only_what_it_needs(command: tuple[str, ...], spared: set[str]) -> None:
    ended = run([sys.executable, "-c", MODULES, *command])

    assert "fourleaf.cli.main" in ended.err.split()
    assert not spared & set(ended.err.split())
