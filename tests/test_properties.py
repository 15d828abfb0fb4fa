"""What holds for every spec, whatever is in it: the examples, the specs of the rules' pages, and mutants of both."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
import yaml
from command import run as run_program
from hypothesis import given, settings
from hypothesis import strategies as st
from mutants import EXAMPLES, TREES, Tree, mutant, text_of

from fourleaf.diag import Diagnostic, Span
from fourleaf.diag.formats import as_json
from fourleaf.diag.render import render
from fourleaf.diag.source import lines
from fourleaf.emit import EMITTERS, folders, manifest
from fourleaf.ir import Bundle, Origin
from fourleaf.pipeline import Compilation, run

FILE = "spec.yaml"
SEEDS = st.integers(0, 2**32)
GOOD = [path for path in EXAMPLES if run(path.read_bytes()).ok]


def compiled(tree: Tree, target: str | None = None) -> Compilation:
    return run(text_of(tree), FILE, None, target)


# ---- The same bytes


@pytest.mark.parametrize("target", EMITTERS)
@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem if path.stem != "cluster" else path.parent.name)
def test_two_compilations_are_the_same_to_the_byte(path: Any, target: str) -> None:
    first, second = (run(path.read_bytes(), FILE, None, target) for _ in range(2))

    assert first.lock
    assert second.lock
    assert list(first.files.items()) == list(second.files.items())
    assert first.lock.text() == second.lock.text()
    assert render(first.diagnostics, first.sources) == render(second.diagnostics, second.sources)


DIGEST = """
import hashlib, sys
from pathlib import Path
from fourleaf.diag.render import render
from fourleaf.pipeline import run
seen = hashlib.sha256()
for path in map(Path, sys.argv[1:]):
    for target in ("argocd", "kustomize", "plain"):
        made = run(path.read_bytes(), path.name, None, target)
        seen.update(repr((list(made.files.items()), made.lock and made.lock.text(), render(made.diagnostics, made.sources))).encode())
print(seen.hexdigest())
"""


def test_the_order_of_hashes_changes_nothing() -> None:
    digests = {
        run_program([sys.executable, "-c", DIGEST, *map(str, EXAMPLES)], env={"PYTHONHASHSEED": seed}).out for seed in ("0", "1", "4711")
    }

    assert len(digests) == 1
    assert len(digests.pop().strip()) == hashlib.sha256().digest_size * 2


# ---- The order of the spec


def shuffled(value: Any, random: Random, path: tuple[str, ...] = ()) -> Any:
    """Return a spec with the keys of each mapping, and the items of the lists of names, in another order."""
    if isinstance(value, dict):
        keys = random.sample(list(value), len(value))
        return {key: shuffled(value[key], random, (*path, key)) for key in keys}
    if isinstance(value, list):
        items = [shuffled(item, random, (*path, "")) for item in value]
        return random.sample(items, len(items)) if path in UNORDERED else items
    return value


UNORDERED = {("spec", name) for name in ("pools", "tenants", "workloads", "exclusive")}


def said(made: Compilation) -> Counter[tuple[str, ...]]:
    """Return all that is said, without its places: which of two is to blame hangs on which is written last, and the mend on that."""
    return Counter((item.rule.code, str(item.severity), re.sub(r"\[\d+\]", "[]", item.message)) for item in made.diagnostics)


@pytest.mark.parametrize("number", range(len(TREES)))
def test_the_order_of_a_spec_changes_nothing_but_places(number: int) -> None:
    tree = TREES[number]
    before = compiled(tree)
    for seed in range(4):
        after = compiled(shuffled(tree, Random(seed)))

        assert said(after) == said(before)
        assert list(after.files.items()) == list(before.files.items())


@settings(max_examples=150)
@given(SEEDS, SEEDS)
def test_the_order_of_a_mutant_changes_nothing_but_places(seed: int, order: int) -> None:
    tree = mutant(seed, most=2)
    before, after = compiled(tree), compiled(shuffled(tree, Random(order)))

    assert said(after) == said(before)
    assert list(after.files.items()) == list(before.files.items())


# ---- No text is a defect, and every place is one


def inside(span: Span | None, sources: dict[str, list[str]]) -> bool:
    if span is None:
        return False
    rows = sources[span.file]
    return (
        (1, 1) <= (span.line, span.column) <= (span.end_line, span.end_column)
        and span.end_line <= len(rows)
        and span.column <= len(rows[span.line - 1]) + 1
        and span.end_column <= len(rows[span.end_line - 1]) + 1
    )


def check_places(made: Compilation) -> None:
    sources = {file: lines(text) for file, text in made.sources.items()}
    for item in made.diagnostics:
        assert all(inside(span, sources) for span in spans_of(item)), item
        assert item.message
    assert render(made.diagnostics, made.sources) or not made.diagnostics
    json.dumps(as_json(made.diagnostics))
    assert made.ok == (made.lock is not None) == bool(made.files)


def spans_of(item: Diagnostic) -> Iterator[Span | None]:
    yield item.span
    yield from (label.span for label in item.labels)
    yield from (edit.span for edit in item.edits)


@settings(max_examples=400)
@given(SEEDS, st.sampled_from([None, *EMITTERS]))
def test_no_mutant_is_a_defect_and_each_finding_has_its_place(seed: int, target: str | None) -> None:
    check_places(compiled(mutant(seed), target))


@settings(max_examples=200)
@given(st.sampled_from(EXAMPLES), st.data())
def test_no_text_is_a_defect_and_each_finding_has_its_place(path: Any, data: st.DataObject) -> None:
    text = path.read_text()
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.integers(0, 12))
        text = text[:start] + data.draw(st.text(max_size=4)) + text[start + gone :]

    check_places(run(text, FILE))


@pytest.mark.parametrize("number", range(len(TREES)))
def test_each_finding_of_an_example_has_its_place(number: int) -> None:
    check_places(compiled(TREES[number]))


# ---- What is written


def objects_of(bundle: Bundle) -> dict[str, dict[str, Any]]:
    """Return each object as plain data, by its path."""
    return {f"{folder.name}/{name}.yaml": manifest(made) for folder in folders(bundle) for name, made in folder.objects}


def check_texts(made: Compilation) -> None:
    """Every object that is written reads back as what was meant; Argo CD's route adds annotations alone."""
    assert made.bundle
    for path, wanted in objects_of(made.bundle).items():
        read = yaml.safe_load(made.files[path])
        if made.target == "argocd":
            read["metadata"].pop("annotations", None)
            wanted["metadata"].pop("annotations", None)
        assert read == wanted
    for path, text in made.files.items():
        if path.endswith(".yaml"):
            assert isinstance(yaml.safe_load(text), dict)


@pytest.mark.parametrize("target", EMITTERS)
@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem if path.stem != "cluster" else path.parent.name)
def test_what_is_written_reads_back_as_what_was_meant(path: Any, target: str) -> None:
    check_texts(run(path.read_bytes(), FILE, None, target))


@settings(max_examples=150)
@given(SEEDS, st.sampled_from([*EMITTERS]))
def test_what_is_written_of_a_mutant_reads_back_as_what_was_meant(seed: int, target: str) -> None:
    made = compiled(mutant(seed, most=2), target)
    if made.ok:
        check_texts(made)
        check_origins(made, json.loads(made.sources[FILE]))


def check_origins(made: Compilation, tree: Any) -> None:
    """Every part of a set leads to a value of the spec."""
    assert made.bundle
    parts = (*made.bundle.objects, *made.bundle.charts, *made.bundle.bindings, *made.bundle.asks, *made.bundle.prerequisites)
    for part in parts:
        assert leads(part.origin, tree), part
        assert part.origin.rule, part


def leads(origin: Origin, tree: Any) -> bool:
    for step in origin.place:
        try:
            tree = tree[step]
        except (KeyError, IndexError, TypeError):
            return False
    return bool(origin.place)


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem if path.stem != "cluster" else path.parent.name)
def test_every_part_of_a_set_leads_to_a_place_in_the_spec(path: Any) -> None:
    check_origins(run(path.read_bytes(), FILE), yaml.safe_load(path.read_text()))


# ---- Size


def calls(tree: Tree) -> tuple[int, Compilation]:
    """Return how many functions a compilation calls, of Python and of C, and what it made."""
    count = 0

    def seen(frame: Any, event: str, arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    compiled(tree)
    sys.setprofile(seen)
    try:
        made = compiled(tree)
    finally:
        sys.setprofile(None)
    return count, made


@pytest.mark.parametrize("card", ["rtx-4090", "mi300x", "arc-b580"])
def test_the_number_of_nodes_costs_nothing(card: str) -> None:
    """100,000 nodes take as many steps as 10 do; a few more digits are read and written."""

    def cluster(nodes: int) -> Tree:
        pool = {"name": "gpu", "count": nodes, "os": "ubuntu-24.04", "gpus": [{"card": card, "count": 8}]}
        work = {"name": "serve", "namespace": "apps", "replicas": nodes * 8, "gpu": {"card": card}}
        head = {"apiVersion": "fourleaf.dev/v1", "kind": "Cluster", "metadata": {"name": "big"}}
        return {**head, "spec": {"kubernetes": {"version": "1.35"}, "pools": [pool], "workloads": [work]}}

    few, small = calls(cluster(10))
    many, big = calls(cluster(100_000))

    assert small.ok
    assert big.ok
    assert many <= few * 1.02
    assert big.files.keys() == small.files.keys()
    assert big.plan
    assert big.plan.predictions[0].pods == 800_000
