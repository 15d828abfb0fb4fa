"""A spec in several files: tenants and workloads that stand beside it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fourleaf.diag import Span
from fourleaf.spec import Loaded, OutsideError, load

CLUSTER = """\
apiVersion: fourleaf.dev/v1
kind: Cluster
metadata: {name: campus}
spec:
  kubernetes: {version: "1.35"}
  pools:
    - {name: gpu, nodes: [gpu-1]}
  tenants:
    - {name: own}
  include: [teams.yaml, jobs/train.yaml]
"""
TEAMS = """\
apiVersion: fourleaf.dev/v1
kind: Tenants
spec:
  tenants:
    - {name: vision, weight: 2}
    - {name: speech}
"""
JOBS = """\
apiVersion: fourleaf.dev/v1
kind: Workloads
spec:
  workloads:
    - {name: train, gpu: {card: h100-80gb}}
"""


def loaded(cluster: str = CLUSTER, **files: str | bytes | OSError) -> Loaded:
    held: dict[str, str | bytes | OSError] = {"teams.yaml": TEAMS, "jobs/train.yaml": JOBS}
    held.update({name.replace("__", "/") + ".yaml": text for name, text in files.items()})

    def read(path: str) -> bytes:
        text = held.get(path, FileNotFoundError())
        if isinstance(text, OSError):
            raise text
        return text.encode() if isinstance(text, str) else text

    return load(cluster, "stacks/campus.yaml", read)


def test_items_of_all_files_are_merged_in_the_order_of_the_include() -> None:
    made = loaded()

    assert made.diagnostics == ()
    assert made.spec is not None
    assert [tenant.name for tenant in made.spec.spec.tenants] == ["own", "vision", "speech"]
    assert [workload.name for workload in made.spec.spec.workloads] == ["train"]
    assert list(made.sources) == ["stacks/campus.yaml", "stacks/teams.yaml", "stacks/jobs/train.yaml"]


def test_places_of_included_items_name_their_file() -> None:
    made = loaded()

    assert made.span(("spec", "tenants", 0, "name")) == Span("stacks/campus.yaml", 9, 14, 9, 17)
    assert made.span(("spec", "tenants", 1, "weight"), on_key=True) == Span("stacks/teams.yaml", 5, 22, 5, 28)
    assert made.span(("spec", "tenants", 2, "parent")) == Span("stacks/teams.yaml", 6, 7, 6, 21)
    assert made.span(("spec", "workloads", 0, "gpu", "card")) == Span("stacks/jobs/train.yaml", 5, 33, 5, 42)
    assert made.source(("spec", "tenants", 1, "weight")) == "2"


def test_paths_are_named_through_all_files() -> None:
    made = loaded()

    assert made.named(("spec", "tenants", 1, "weight")) == ("tenants", "vision", "weight")
    assert made.named(("spec", "workloads", 0, "gpu")) == ("workloads", "train", "gpu")
    assert made.named(("spec", "pools", 0, "gpus", 3, "card")) == ("pools", "gpu", "gpus", "3", "card")


def test_a_mistake_in_an_included_file_has_its_place_there_and_in_the_whole() -> None:
    (found,) = loaded(teams=TEAMS.replace("weight: 2", "wait: 2")).diagnostics

    assert (found.rule.code, found.place) == ("FL003", ("spec", "tenants", 1, "wait"))
    assert found.span == Span("stacks/teams.yaml", 5, 22, 5, 26)


def test_mistakes_of_all_files_are_told_at_once() -> None:
    made = loaded(CLUSTER.replace('"1.35"', "1.35"), teams=TEAMS.replace("weight: 2", "weight: 0"), jobs__train="a: [")

    assert made.spec is None
    assert [(item.rule.code, item.span.file) for item in made.diagnostics if item.span] == [
        ("FL005", "stacks/campus.yaml"),
        ("FL001", "stacks/jobs/train.yaml"),
        ("FL006", "stacks/teams.yaml"),
    ]


def test_a_name_that_two_files_use_is_told_with_both_places() -> None:
    (found,) = loaded(teams=TEAMS.replace("speech", "own")).diagnostics

    assert (found.rule.code, found.message) == ("FL011", "tenant own is there twice")
    assert found.span == Span("stacks/teams.yaml", 6, 14, 6, 17)
    assert [label.span for label in found.labels] == [Span("stacks/campus.yaml", 9, 14, 9, 17)]


@pytest.mark.parametrize(
    ("trouble", "code", "message"),
    [
        (FileNotFoundError(), "FL012", "teams.yaml cannot be read: it is not there"),
        (IsADirectoryError(), "FL012", "teams.yaml cannot be read: it is a folder"),
        (PermissionError(), "FL012", "teams.yaml cannot be read: the system does not permit it"),
        (OSError(36, "File name too long"), "FL012", "teams.yaml cannot be read: file name too long"),
        (OutsideError(), "FL013", "teams.yaml is outside of the repository of the spec"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_where_it_is_included(trouble: OSError, code: str, message: str) -> None:
    (found,) = loaded(teams=trouble).diagnostics

    assert (found.rule.code, found.message) == (code, message)
    assert found.span == Span("stacks/campus.yaml", 10, 13, 10, 23)


def test_without_a_folder_nothing_can_be_included() -> None:
    found = load(CLUSTER, "c.yaml").diagnostics

    assert [item.message for item in found] == [
        "teams.yaml cannot be read: the spec came without its folder",
        "jobs/train.yaml cannot be read: the spec came without its folder",
    ]


def refuse(path: str) -> bytes:
    raise AssertionError(path)


@pytest.mark.parametrize("path", ["/etc/passwd", "~/teams.yaml", "C:/teams.yaml", "\\\\host\\teams.yaml"])
def test_an_absolute_path_is_not_even_read(path: str) -> None:
    read: Callable[[str], bytes] = refuse
    (found,) = load(CLUSTER.replace("[teams.yaml, jobs/train.yaml]", f"['{path}']"), "c.yaml", read).diagnostics

    assert found.rule.code == "FL013"


@pytest.mark.parametrize("include", ["[teams.yaml, ./teams.yaml]", "[teams.yaml, jobs/../teams.yaml]", "[campus.yaml]"])
def test_a_file_is_included_once(include: str) -> None:
    (found,) = loaded(CLUSTER.replace("[teams.yaml, jobs/train.yaml]", include)).diagnostics

    assert found.rule.code == "FL011"
    assert "included twice" in found.message


@pytest.mark.parametrize("text", ["", "- a\n", "kind: Pod\n", CLUSTER, TEAMS.replace("v1", "v2")])
def test_an_included_file_of_another_kind_is_told_in_that_file(text: str) -> None:
    (found,) = loaded(teams=text).diagnostics

    assert found.rule.code == "FL007"
    assert found.place == ("spec", "include", 0)
    assert found.span is not None
    assert found.span.file == "stacks/teams.yaml"


def test_an_included_file_without_its_list_says_so_there() -> None:
    (found,) = loaded(teams="apiVersion: fourleaf.dev/v1\nkind: Tenants\nspec: {}\n").diagnostics

    assert found.message == "spec has no tenants"
    assert found.span == Span("stacks/teams.yaml", 3, 7, 3, 9)


def test_bytes_that_are_no_text_are_told_in_their_file() -> None:
    (found,) = loaded(teams=b"kind: Tenants\n\xff").diagnostics

    assert (found.rule.code, found.span) == ("FL012", Span("stacks/teams.yaml", 2, 1, 2, 2))
