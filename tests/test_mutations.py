"""A clean spec gives no finding; each single mistake gives its own and no other, where it is to be mended, and the help mends it."""

from __future__ import annotations

import pytest
from mistakes import HEAD, MISTAKES, SMALL, Change, Mistake
from support import STACKS

from fourleaf.diag import Diagnostic, Severity
from fourleaf.pipeline import Compilation, run

CLEAN = {path.stem: path.read_text(encoding="utf-8") for path in STACKS} | {name: HEAD + text for name, text in SMALL.items()}
ACCEPTED = {"homelab": {"FL153"}}
"""Warnings that an example has on purpose."""

MENDED = [one for one in MISTAKES if one.write or one.mend]

each_mistake = pytest.mark.parametrize("mistake", MISTAKES, ids=[one.what for one in MISTAKES])


def _changed(text: str, changes: tuple[Change, ...]) -> str:
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in the spec"
        text = text.replace(old, new)
    return text


def _broken(mistake: Mistake) -> tuple[str, Compilation]:
    text = _changed(CLEAN[mistake.base], mistake.change)
    return text, run(text)


def _finding(mistake: Mistake, made: Compilation) -> Diagnostic:
    (found,) = (one for one in made.diagnostics if one.rule.code == mistake.code)
    return found


def _marked(text: str, found: Diagnostic) -> tuple[int, int]:
    """Return where the piece of text begins and ends that a finding marks; of several lines, the first."""
    assert found.span
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: found.span.line - 1]))
    last = found.span.end_column - 1 if found.span.end_line == found.span.line else len(lines[found.span.line - 1].rstrip())
    return start + found.span.column - 1, start + last


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_spec_gives_no_finding(name: str) -> None:
    made = run(CLEAN[name])

    assert {one.rule.code for one in made.diagnostics} == ACCEPTED.get(name, set())
    assert made.files


@each_mistake
def test_a_mistake_gives_one_finding(mistake: Mistake) -> None:
    _, made = _broken(mistake)

    assert [one.rule.code for one in made.diagnostics if one.rule.code not in ACCEPTED.get(mistake.base, ())] == [mistake.code]


@each_mistake
def test_the_finding_marks_the_smallest_thing_to_change(mistake: Mistake) -> None:
    text, made = _broken(mistake)
    start, end = _marked(text, _finding(mistake, made))

    assert text[start:end] == mistake.at


@pytest.mark.parametrize("mistake", MENDED, ids=[one.what for one in MENDED])
def test_what_the_help_says_mends_it(mistake: Mistake) -> None:
    text, made = _broken(mistake)
    found = _finding(mistake, made)
    start, end = _marked(text, found)
    assert mistake.write in found.help
    after = run(text[:start] + mistake.write + text[end:] if mistake.write else _changed(text, mistake.mend))

    assert not [one for one in after.diagnostics if one.rule.code == mistake.code or one.severity is Severity.ERROR]
    assert after.files


@each_mistake
def test_messages_are_one_clause_in_the_words_of_the_spec(mistake: Mistake) -> None:
    _, made = _broken(mistake)
    found = _finding(mistake, made)

    assert found.help
    assert not found.message.endswith(".")
    assert not found.help.endswith(".")
    assert not {"invalid", "bad", "failed"} & {word.strip(",.:;").lower() for word in found.message.split()}


def test_what_is_allowed_is_gone_and_the_set_is_written() -> None:
    """The limit is above the cluster: an error, until its author says why it stands there."""
    text = _changed(CLEAN["campus"], (("guaranteed: {gpu: 8}, limit: {gpu: 16}", "guaranteed: {gpu: 8}, limit: {gpu: 64}"),))
    allowed = "  policy:\n    allow:\n      - {code: FL505, at: tenants.medicine, reason: the second rack comes in March}\n"

    assert [one.rule.code for one in run(text).diagnostics] == ["FL505"]
    assert not run(text).files
    made = run(text + allowed)

    assert not made.diagnostics
    assert made.files


def test_what_is_allowed_elsewhere_stays() -> None:
    text = _changed(CLEAN["campus"], (("guaranteed: {gpu: 8}, limit: {gpu: 16}", "guaranteed: {gpu: 8}, limit: {gpu: 64}"),))
    allowed = "  policy:\n    allow:\n      - {code: FL505, at: tenants.science, reason: the second rack comes in March}\n"

    assert [one.rule.code for one in run(text + allowed).diagnostics] == ["FL505"]
