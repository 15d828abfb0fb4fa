"""The public surface: `fourleaf.compile`, `fourleaf.check` and what they return."""

from __future__ import annotations

import doctest
import inspect
import json
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from support import ROOT

import fourleaf
import fourleaf.api

DGX = ROOT / "stacks" / "dgx.yaml"
MISFIT = ROOT / "tests" / "cli" / "misfit.yaml"


def test_every_public_name_is_there_and_explained() -> None:
    for name in fourleaf.__all__:
        found = getattr(fourleaf, name)
        assert name == "__version__" or inspect.getdoc(found), name
    assert set(fourleaf.__all__) <= set(dir(fourleaf))


def test_another_name_is_not_there() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'complie'"):
        getattr(fourleaf, "complie")  # noqa: B009  what is not there has no type


def test_the_order_of_imports_changes_nothing() -> None:
    program = "import fourleaf.checks, fourleaf.rules; fourleaf.rules.rules(); print(callable(fourleaf.check))"

    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "True\n"


def test_the_examples_in_the_documentation_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    failed, tried = doctest.testmod(fourleaf.api)

    assert tried > 4
    assert not failed


def test_a_path_is_a_text_or_a_path_and_a_spec_is_bytes() -> None:
    made = [fourleaf.compile(source) for source in (str(DGX), DGX, DGX.read_bytes())]

    assert made[0].files == made[1].files == made[2].files != {}
    assert all(one.ok and one.decision and one.decision.leaf == "L3" for one in made)
    assert [name for one in made for name in one.sources] == [str(DGX), str(DGX), "cluster.yaml"]


def test_a_text_has_the_name_and_the_folder_that_it_is_given(tmp_path: Path) -> None:
    text = DGX.read_bytes().replace(b"\nspec:\n", b"\nspec:\n  include: [teams.yaml]\n")
    (tmp_path / "teams.yaml").write_text("apiVersion: fourleaf.dev/v1\nkind: Tenants\nspec: {tenants: [{name: research}]}\n")
    alone = fourleaf.check(text, name="mine.yaml")
    beside = fourleaf.check(text, name="mine.yaml", folder=tmp_path)

    assert [(one.rule.code, one.span and one.span.file) for one in alone.diagnostics] == [("FL012", "mine.yaml")]
    assert beside.ok
    assert set(beside.sources) == {"mine.yaml", "teams.yaml"}


@pytest.mark.parametrize("target", ["plain", "kustomize", "argocd"])
def test_the_target_is_the_callers_choice(target: str) -> None:
    made = fourleaf.compile(DGX, target=target)

    assert made.ok
    assert made.target == target
    assert any(path.startswith("argocd/") for path in made.files) == (target == "argocd")


@pytest.mark.parametrize("call", [fourleaf.check, fourleaf.compile])
def test_a_target_that_is_not_there_is_the_programs_mistake(call: type) -> None:
    with pytest.raises(ValueError, match="there is no target 'helm': argocd, kustomize, plain"):
        call(DGX, target="helm")


def test_a_text_that_is_no_bytes_is_the_programs_mistake() -> None:
    with pytest.raises(ValueError, match="a str is a path"):
        fourleaf.check(DGX.read_text())


@pytest.mark.parametrize("source", [MISFIT, "nowhere.yaml", "/", b"", b"\xff", "\0"])
def test_the_authors_mistakes_are_values(source: str | Path | bytes, tmp_path: Path) -> None:
    found, made = fourleaf.check(source), fourleaf.compile(source)

    assert found.diagnostics == made.diagnostics
    assert not found.ok
    assert not made.ok
    assert made.files == {}
    assert all(one.severity is fourleaf.Severity.ERROR and one.span and one.message for one in found.diagnostics)
    assert made.write(tmp_path / "out").diagnostics == made.compare(tmp_path / "out").diagnostics == found.diagnostics
    assert not made.write(tmp_path / "out").ok
    assert not made.compare(tmp_path / "out").fresh
    assert not (tmp_path / "out").exists()


def test_a_check_makes_no_text_of_files(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("fourleaf.emit.emit", lambda bundle, destination, target: asked.append(target) or {"README.md": "x"})

    assert fourleaf.check(DGX).ok
    assert asked == []
    assert fourleaf.compile(DGX).files == {"README.md": "x"}
    assert asked == ["kustomize"]


def test_findings_are_text_and_data() -> None:
    found = fourleaf.check(MISFIT)
    schema = json.loads((ROOT / "schemas" / "diagnostics.v1.schema.json").read_text())

    assert found.render().startswith("error[FL202]: ")
    assert "\x1b[" in found.render(color=True)
    jsonschema.Draft202012Validator(schema).validate(found.as_dict())
    assert fourleaf.check(DGX).render() == ""


def test_results_say_in_a_line_what_they_are(tmp_path: Path) -> None:
    made = fourleaf.compile(DGX)

    assert repr(made) == f"<Compilation: leaf L3 partitioned, {len(made.files)} files for kustomize>"
    assert repr(fourleaf.compile(b"")) == "<Compilation: 0 files for no target>"
    assert repr(fourleaf.check(MISFIT)) == "<Findings: 1 error>"
    assert repr(made.write(tmp_path)) == "<Written: no errors>"


def test_results_are_not_changed() -> None:
    with pytest.raises(AttributeError):
        fourleaf.check(DGX).diagnostics = ()  # type: ignore[misc]


def test_write_makes_a_folder_hold_the_files_and_compare_tells_before(tmp_path: Path) -> None:
    made = fourleaf.compile(DGX)
    before = made.compare(tmp_path)
    first, second = made.write(tmp_path), made.write(tmp_path)

    assert before.ok
    assert not before.fresh
    assert {*before.missing} == {*made.files, "fourleaf.lock.json"}
    assert first.ok
    assert {*first.written} == {*made.files} == {*second.unchanged}
    assert not second.written
    assert made.compare(tmp_path).fresh
    assert all((tmp_path / path).read_text() == text for path, text in made.files.items())


def test_write_removes_what_is_no_longer_there_and_nothing_of_others(tmp_path: Path) -> None:
    fourleaf.compile(DGX).write(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    plain = fourleaf.compile(DGX, target="plain")
    extra = plain.compare(tmp_path).extra
    done = plain.write(tmp_path)

    assert done.ok
    assert done.removed == extra != ()
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_file_that_somebody_edited_is_written_over_by_force_alone(tmp_path: Path) -> None:
    made = fourleaf.compile(DGX)
    made.write(tmp_path)
    (tmp_path / "README.md").write_text("mine")
    refused, compared = made.write(tmp_path), made.compare(tmp_path)

    assert [one.rule.code for one in refused.diagnostics] == ["FL911"]
    assert (refused.written, compared.stale) == ((), ("README.md",))
    assert (tmp_path / "README.md").read_text() == "mine"
    assert made.write(tmp_path, force=True).written == ("README.md",)


def test_a_folder_that_cannot_be_compared_is_not_fresh(tmp_path: Path) -> None:
    shutil.copy(DGX, tmp_path / "out")
    found = fourleaf.compile(DGX).compare(tmp_path / "out")

    assert [one.rule.code for one in found.diagnostics] == ["FL912"]
    assert not found.ok
    assert not found.fresh


def test_a_warning_goes_along_with_what_is_written(tmp_path: Path) -> None:
    done = fourleaf.compile(ROOT / "stacks" / "homelab.yaml").write(tmp_path)

    assert done.ok
    assert done.written
    assert [str(one.severity) for one in done.diagnostics] == ["warning"]
