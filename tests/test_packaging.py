"""The wheel: what is in it, and that it works where there is no checkout."""

from __future__ import annotations

import ast
import json
import re
import site
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from importlib.metadata import version
from pathlib import Path

import pytest
from command import Ended, environment
from support import ROOT

import fourleaf

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DISTRIBUTIONS = {"yaml": "pyyaml", "jsonschema_rs": "jsonschema-rs", "pydantic_core": "pydantic", "urllib3": "kubernetes"}
"""Name of a package to that of the distribution which brings it, where they differ."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built with the build backend that the tests' environment has."""
    folder = tmp_path_factory.mktemp("wheel")
    _done([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT])
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def away(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment that has the wheel, and what it depends on from this one, but not the checkout."""
    folder = tmp_path_factory.mktemp("away")
    _done([sys.executable, "-m", "venv", "--without-pip", folder / "venv"])
    python = folder / "venv" / "bin" / "python"
    _done([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel])
    packages = next((folder / "venv" / "lib").glob("python*/site-packages"))
    # Paths that a .pth file adds come last, and their own .pth files, of which one leads to the checkout, are not read.
    (packages / "dependencies.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    return python.parent


def _done(command: list[str | Path]) -> None:
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, cwd=ROOT)
    assert ended.returncode == 0, ended.stderr


def run(away: Path, *args: str | Path, cwd: Path) -> Ended:
    env = {**environment(), "PYTHONPATH": ""}  # not the code of the checkout
    ended = subprocess.run([away / args[0], *args[1:]], cwd=cwd, env=env, capture_output=True, text=True, timeout=60, check=False)
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def test_the_wheel_holds_code_data_schemas_and_pages(wheel: Path) -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    homes = {"fourleaf/": "fourleaf/", "docs/rules/": "fourleaf/_rules/", "schemas/": "fourleaf/_schemas/"}
    wanted = {
        home + path.removeprefix(start)
        for path in tracked
        for start, home in homes.items()
        if path.startswith(start) and (ROOT / path).is_file() and not (start == "schemas/" and path.endswith(".py"))
    }

    assert len(wanted) > 150
    assert wanted <= names(wheel)
    assert "fourleaf/py.typed" in names(wheel)


def test_the_wheel_holds_nothing_else(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in names(wheel)}

    assert tops == {"fourleaf", "fourleaf_components", f"fourleaf-{fourleaf.__version__}.dist-info"}
    assert not [name for name in names(wheel) if re.search(r"__pycache__|\.pyc$|_schemas/.*\.py$|/tests?/", name)]


def test_the_version_is_the_same_everywhere(wheel: Path, away: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = message_from_bytes(archive.read(f"fourleaf-{fourleaf.__version__}.dist-info/METADATA"))
    run(away, "fourleaf", "compile", ROOT / "stacks" / "laptop.yaml", "-o", "out", cwd=tmp_path)
    changelog = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)

    assert changelog
    assert {
        metadata["Version"],
        changelog[1],
        version("fourleaf"),
        run(away, "fourleaf", "--version", cwd=tmp_path).out.split()[1],
        json.loads((tmp_path / "out" / "fourleaf.lock.json").read_text())["fourleaf"],
    } == {fourleaf.__version__}


def test_the_wheel_is_what_runs(away: Path, tmp_path: Path) -> None:
    said = run(away, "python", "-c", "import fourleaf, sys; print(fourleaf.__file__, *sys.path)", cwd=tmp_path).out

    assert said.startswith(str(away.parent))
    assert str(ROOT) not in said.split()


def test_every_command_works_without_a_checkout(away: Path, tmp_path: Path) -> None:
    cwd = tmp_path
    written = run(away, "fourleaf", "init", cwd=cwd)
    checked = run(away, "fourleaf", "check", "cluster.yaml", cwd=cwd)
    compiled = run(away, "fourleaf", "compile", "cluster.yaml", "-o", "out", cwd=cwd)

    assert (written.code, checked.out, compiled.code) == (0, "cluster.yaml: no findings\n", 0)
    assert (cwd / "cluster.v1.schema.json").read_text() == run(away, "fourleaf", "schema", cwd=cwd).out
    assert run(away, "fourleaf", "rule", "FL202", cwd=cwd).out == (ROOT / "docs" / "rules" / "FL202-layout-does-not-fit.md").read_text()
    assert run(away, "fourleaf", "compile", "cluster.yaml", "-o", "out", "--check", cwd=cwd).code == 0
    for words in (("explain", "cluster.yaml"), ("list", "cards"), ("list", "charts"), ("list", "rules"), ("completion", "bash")):
        ended = run(away, "fourleaf", *words, cwd=cwd)
        assert (ended.code, ended.err) == (0, "")
        assert ended.out


@pytest.mark.parametrize("stack", ["homelab", "dgx", "campus"])
def test_the_wheel_compiles_the_same_bytes(stack: str, away: Path, tmp_path: Path) -> None:
    spec = ROOT / "stacks" / f"{stack}.yaml"
    assert run(away, "fourleaf", "compile", spec, "-o", "out", "--target", "argocd", cwd=tmp_path).code == 0
    here = fourleaf.compile(spec, target="argocd")

    assert here.compare(tmp_path / "out").fresh


def test_the_public_surface_works_without_a_checkout(away: Path, tmp_path: Path) -> None:
    program = "import fourleaf; made = fourleaf.compile('cluster.yaml'); print(made.ok, made.write('out').ok, fourleaf.check(b'').ok)"
    run(away, "fourleaf", "init", cwd=tmp_path)

    assert run(away, "python", "-c", program, cwd=tmp_path).out == "True True False\n"


def test_what_is_imported_is_declared_and_what_is_declared_is_imported() -> None:
    imported = set()
    for path in (ROOT / "fourleaf").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.partition(".")[0])
    others = {DISTRIBUTIONS.get(name, name) for name in imported - {*sys.stdlib_module_names, "fourleaf"}}
    declared = {re.split(r"[<>=!~ ]", line)[0].lower() for line in PROJECT["dependencies"]}
    extras = {re.split(r"[<>=!~ ]", line)[0].lower() for lines in PROJECT["optional-dependencies"].values() for line in lines}

    assert declared <= others <= declared | extras
