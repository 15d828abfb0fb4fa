"""The command line, as transcripts of sessions (`make golden` writes them anew) and in what a transcript does not show."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from command import fourleaf, run
from pytest_snapshot.plugin import Snapshot
from support import ROOT, STACKS
from transcripts import commands, replay, replay_page

from fourleaf.cli.main import COMMANDS
from fourleaf.emit import EMITTERS

CLI = ROOT / "tests" / "cli"
GUIDE = ROOT / "docs" / "guide"
SESSIONS = sorted(CLI.glob("*.txt"))
PAGES = sorted(GUIDE.glob("*.md"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder named lab, with the example specs and those beside the transcripts."""
    lab = tmp_path / "lab"
    lab.mkdir()
    for spec in (*STACKS, *CLI.glob("*.yaml")):
        shutil.copy(spec, lab)
    return lab


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_session(path: Path, folder: Path, snapshot: Snapshot) -> None:
    snapshot.snapshot_dir = CLI
    snapshot.assert_match(replay(path.read_text(), folder), path.name)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_guide_tells_what_happens(path: Path, tmp_path: Path, snapshot: Snapshot) -> None:
    (tmp_path / "lab").mkdir()
    snapshot.snapshot_dir = GUIDE
    snapshot.assert_match(replay_page(path.read_text(), tmp_path / "lab"), path.name)


def test_every_command_has_a_session() -> None:
    said = " ".join(command for path in SESSIONS for command in commands(path.read_text()))

    assert not [name for name in COMMANDS if f"fourleaf {name} " not in f"{said} "]


# ---- The forms of JSON


def judged(text: str) -> dict[str, Any]:
    """Return a document after the schema of diagnostics had its say."""
    document: dict[str, Any] = json.loads(text)
    schema = json.loads((ROOT / "schemas" / "diagnostics.v1.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(document)
    return document


@pytest.mark.parametrize("path", STACKS, ids=lambda path: path.stem)
def test_json_of_check_is_diagnostics_and_their_summary(path: Path) -> None:
    ended = fourleaf("check", path, "--format", "json")

    assert ended.code == 0
    assert set(judged(ended.out)) == {"diagnostics", "summary"}


def test_json_counts_what_it_lists(folder: Path) -> None:
    document = judged(fourleaf("check", "misspelt.yaml", "--format", "json", cwd=folder).out)

    assert len(document["diagnostics"]) == sum(document["summary"].values()) == document["summary"]["errors"] > 1


def test_of_many_findings_the_gravest_are_printed_and_all_are_counted(tmp_path: Path) -> None:
    short = "".join(f"    - {{name: w{index}, namespace: lab, gpu: {{vendor: nvidia}}}}\n" for index in range(1000))
    bare = (STACKS[0].parent / "laptop.yaml").read_text().partition("  workloads:")[0]
    (tmp_path / "many.yaml").write_text(f"{bare}  workloads:\n{short}    - {{name: last, namespace: lab, gpu: {{card: h100-80gb}}}}\n")
    text = fourleaf("check", "many.yaml", cwd=tmp_path).out
    summary = judged(fourleaf("check", "many.yaml", "--format", "json", cwd=tmp_path).out)["summary"]
    found = summary["errors"] + summary["warnings"]

    assert text.count("warning[FL404]") == 199
    assert "error[FL401]: " in text
    assert text.endswith(f"and {found - 200} more; `--format json` has them all\n\nmany.yaml: 1 error, {found - 1} warnings\n")


def test_json_of_compile_adds_what_happened_to_each_file(folder: Path) -> None:
    first = judged(fourleaf("compile", "dgx.yaml", "-o", "out", "--format", "json", cwd=folder).out)
    second = judged(fourleaf("compile", "dgx.yaml", "-o", "out", "--format", "json", "--target", "plain", cwd=folder).out)
    on_disk = {path.relative_to(folder / "out").as_posix() for path in (folder / "out").rglob("*") if path.is_file()}

    assert set(first) == set(second) == {"diagnostics", "summary", "written", "removed", "unchanged"}
    assert first["removed"] == first["unchanged"] == []
    assert all(path.endswith("kustomization.yaml") for path in second["removed"])
    assert {*second["written"], *second["unchanged"], "fourleaf.lock.json"} == on_disk
    assert {*second["written"], *second["unchanged"], *second["removed"]} == {*first["written"]}


def test_json_of_compile_check_lists_what_differs(folder: Path) -> None:
    stale = fourleaf("compile", "dgx.yaml", "-o", "out", "--check", "--format", "json", cwd=folder)
    fourleaf("compile", "dgx.yaml", "-o", "out", cwd=folder)
    fresh = fourleaf("compile", "dgx.yaml", "-o", "out", "--check", "--format", "json", cwd=folder)
    lists = ("written", "removed", "unchanged", "stale", "missing", "extra")

    assert (stale.code, fresh.code) == (1, 0)
    assert set(judged(stale.out)) == set(judged(fresh.out)) == {"diagnostics", "summary", *lists}
    assert "fourleaf.lock.json" in judged(stale.out)["missing"]
    assert [name for name in lists if judged(fresh.out)[name]] == ["unchanged"]


@pytest.mark.parametrize("command", [("compile", "-o", "out"), ("compile", "-o", "out", "--check"), ("check",), ("explain",)], ids=" ".join)
def test_json_of_a_spec_with_errors_has_its_diagnostics(command: tuple[str, ...], folder: Path) -> None:
    ended = fourleaf(*command, "misfit.yaml", "--format", "json", cwd=folder)

    assert ended.code == 1
    assert [found["code"] for found in judged(ended.out)["diagnostics"]] == ["FL202"]
    assert not (folder / "out").exists()


STEP = {"question", "input", "answer", "flips", "source", "silent"}
POOL = {"name", "nodes", "os", "cards", "systems", "advertises"}
WORKLOAD = {
    "namespace", "name", "kind", "wanted", "placed", "atLeast", "atMost", "pools", "resource", "count", "shortOf", "shortBy", "never",
    "queue", "group",
}  # fmt: skip


@pytest.mark.parametrize("path", STACKS, ids=lambda path: path.stem)
def test_json_of_explain_has_leaf_layers_trace_pools_and_workloads(path: Path) -> None:
    ended = fourleaf("explain", path, "--format", "json")
    document = json.loads(ended.out)

    assert ended.code == 0
    assert list(document) == ["leaf", "name", "layers", "trace", "pools", "partitions", "workloads"]
    assert document["trace"]
    assert all(set(step) == STEP for step in document["trace"])
    assert all(set(layer) == {"layer", "of", "answer"} for layer in document["layers"])
    assert all(set(pool) >= POOL for pool in document["pools"])
    assert all(set(workload) == WORKLOAD for workload in document["workloads"])


def test_json_of_explain_leaves_findings_to_standard_error(folder: Path) -> None:
    ended = fourleaf("explain", "homelab.yaml", "--format", "json", cwd=folder)

    assert json.loads(ended.out)["leaf"] == "L2"
    assert ended.err.startswith("homelab.yaml:18:11: warning[FL153]: ")


@pytest.mark.parametrize("what", ["cards", "hosts", "distributions", "charts", "rules"])
def test_lists_are_the_same_as_text_and_as_json(what: str) -> None:
    rows = json.loads(fourleaf("list", what, "--format", "json").out)[what]
    text = fourleaf("list", what).out.splitlines()

    assert [key.upper() for key in rows[0]] == text[0].split()
    assert [line.split()[0] for line in text[1:]] == [next(iter(row.values())) for row in rows]


def test_a_rule_is_the_same_as_text_and_as_json() -> None:
    page = fourleaf("rule", "FL350").out
    document = json.loads(fourleaf("rule", "FL350", "--format", "json").out)

    assert document["page"] == page == (ROOT / "docs" / "rules" / "FL350-dra-not-served.md").read_text()
    assert (document["code"], document["name"], document["severity"]) == ("FL350", "dra-not-served", "error")


# ---- Explain


@pytest.mark.parametrize("target", EMITTERS)
def test_explain_finds_each_object_of_a_set_by_its_place_in_the_spec(target: str, folder: Path) -> None:
    fourleaf("compile", "dgx.yaml", "-o", "out", "--target", target, cwd=folder)
    lines = len((folder / "dgx.yaml").read_text().splitlines())
    for word in ("configmap", "namespace/research", "chart/gpu-operator", "job/train", "nodefeaturerule/fourleaf", "serve"):
        name = word if word != "configmap" else next((folder / "out").rglob("configmap-*")).stem.replace("-", "/", 1)
        (answer,) = json.loads(fourleaf("explain", "dgx.yaml", name, "--target", target, "--format", "json", cwd=folder).out)["objects"]

        assert 1 <= answer["line"] <= lines
        assert answer["because"]
        assert (folder / "out" / answer["path"]).is_file()


# ---- Completion


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("fourleaf co", {"compile", "completion"}),
        ("fourleaf compile x.yaml --target ", {"argocd", "kustomize", "plain"}),
        ("fourleaf list c", {"cards", "charts"}),
        ("fourleaf rule dra-", {"dra-not-served", "dra-switched-off"}),
    ],
)
def test_a_shell_completes(words: str, wanted: set[str]) -> None:
    said = fourleaf(env={"_FOURLEAF_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}).out

    assert {line.partition(",")[2] for line in said.splitlines()} == wanted


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_of_the_shell(shell: str) -> None:
    script = fourleaf("completion", shell).out

    assert f"_FOURLEAF_COMPLETE={shell}_complete" in script
    if shell == "bash":
        assert run(["bash", "-n"], stdin=script.encode()).code == 0
