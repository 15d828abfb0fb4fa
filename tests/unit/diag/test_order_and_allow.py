"""Diagnostics in order, with places, and without what the author accepts."""

from __future__ import annotations

import pytest

from fourleaf.diag import Diagnostic, Label, Path, Rule, Severity, Span
from fourleaf.diag.allow import Allowance, apply
from fourleaf.diag.locate import locate
from fourleaf.diag.sink import Counts, count, has_errors, in_order

TAINT = Rule("FL412", "untolerated-taint", Severity.WARNING, "x")
QUOTA = Rule("FL501", "queue-over-guaranteed", Severity.ERROR, "x")
HARM = Rule("FL801", "reference-to-nothing", Severity.ERROR, "x", allowable=False)
ALL = (TAINT, QUOTA, HARM)
NAMES = {("spec", "pools", 0): "gpu", ("spec", "pools", 1): "gpu-large", ("spec", "tenants", 0): "a.b"}


def named(path: Path) -> tuple[str, ...]:
    return tuple(NAMES.get(path[: depth + 1], str(part)) for depth, part in enumerate(path))[1:]


def lookup(path: Path, on_key: bool) -> Span:
    return Span("f", len(path) + 1, 1 + on_key, len(path) + 1, 9)


# ---- places


def test_places_become_spans_on_diagnostics_and_labels() -> None:
    (made,) = locate([TAINT.at(("a",), "m", on_key=True, labels=(Label(("a", "b"), "l"),))], lookup)

    assert made.span == Span("f", 2, 2, 2, 9)
    assert made.labels[0].span == Span("f", 3, 1, 3, 9)


def test_a_span_that_is_there_stays() -> None:
    own = Span("other", 7, 7, 7, 8)
    (made,) = locate([TAINT.at(("a",), "m", span=own, labels=(Label((), "l", own),))], lookup)

    assert (made.span, made.labels[0].span) == (own, own)


# ---- order


def at(rule: Rule, line: int, column: int = 1, file: str = "f", message: str = "m") -> Diagnostic:
    return rule.at((), message, span=Span(file, line, column, line, column + 1))


def test_order_is_by_file_line_column_and_code_whatever_came_first() -> None:
    wanted = [QUOTA.at((), "no place"), at(QUOTA, 9, file="a"), at(TAINT, 2), at(QUOTA, 2), at(TAINT, 2, 5), at(TAINT, 10)]

    assert in_order(reversed(wanted)) == tuple(wanted)
    assert in_order([*wanted[3:], *wanted[:3]]) == tuple(wanted)


def test_the_same_finding_is_shown_once() -> None:
    assert in_order([at(TAINT, 2), at(TAINT, 2), at(TAINT, 2, message="other"), at(TAINT, 3)]) == (
        at(TAINT, 2),
        at(TAINT, 2, message="other"),
        at(TAINT, 3),
    )


def test_findings_are_counted_by_severity() -> None:
    found = [at(TAINT, 1), at(QUOTA, 1), at(QUOTA, 2), TAINT.at((), "m", severity=Severity.NOTE)]

    assert count(found) == Counts(errors=2, warnings=1, notes=1)
    assert has_errors(found)
    assert not has_errors(found[:1])


# ---- policy.allow

POOL = TAINT.at(("spec", "pools", 0, "taints", 0), "gpu is tainted")
LARGE = TAINT.at(("spec", "pools", 1), "gpu-large is tainted")


def allowed(*entries: Allowance, found: tuple[Diagnostic, ...] = (POOL, LARGE), complete: bool = True) -> list[str]:
    return [f"{item.rule.code} {item.message}" for item in apply(found, entries, named, ALL, complete=complete)]


def entry(code: str = "FL412", at: str = "") -> Allowance:
    return Allowance(code=code, at=at, place=("spec", "policy", "allow", 0))


@pytest.mark.parametrize(
    "at", ["pools.gpu", "spec.pools.gpu", "pools[0]", "pools.0", "spec.pools[0].taints", "pools.gpu.taints.0", "pools.gpu.taints[0]"]
)
def test_what_is_accepted_at_a_place_is_dropped_there_and_below(at: str) -> None:
    assert allowed(entry(at=at)) == ["FL412 gpu-large is tainted"]


@pytest.mark.parametrize("at", ["", "spec", "pools"])
def test_a_wider_place_accepts_more(at: str) -> None:
    assert allowed(entry(at=at)) == []


def test_names_with_dots_can_be_written_as_they_are() -> None:
    assert allowed(entry(at="tenants.a.b"), found=(TAINT.at(("spec", "tenants", 0, "quota"), "m"),)) == []


def test_errors_can_be_accepted_too() -> None:
    assert allowed(entry("FL501"), found=(QUOTA.at(("spec", "pools", 0), "m"),)) == []


def test_an_entry_that_hides_nothing_is_a_warning() -> None:
    assert allowed(entry("FL501", "pools.gpu"), found=()) == ["FL014 FL501 (queue-over-guaranteed) does not occur at pools.gpu"]
    assert allowed(entry("FL501"), found=()) == ["FL014 FL501 (queue-over-guaranteed) does not occur"]


def test_an_entry_at_the_wrong_place_is_told_the_right_one() -> None:
    found = apply([LARGE], [entry(at="pools.gpu")], named, ALL)

    assert [(item.rule.code, item.message, item.help, item.place) for item in found] == [
        ("FL412", "gpu-large is tainted", "", ("spec", "pools", 1)),
        (
            "FL014",
            "FL412 does not occur at pools.gpu",
            "write at: pools.gpu-large, or remove the entry",
            ("spec", "policy", "allow", 0, "at"),
        ),
    ]


def test_a_code_that_no_rule_has_is_a_warning() -> None:
    assert allowed(entry("FL999"), found=()) == ["FL014 no rule has the code FL999"]


def test_places_are_named_once_for_each_finding_however_many_entries_there_are() -> None:
    asked: list[Path] = []

    def counted(path: Path) -> tuple[str, ...]:
        asked.append(path)
        return named(path)

    entries = [entry(at=f"pools.gpu.taints[{index}]") for index in range(9)]
    apply([POOL, LARGE], entries, counted, ALL, complete=False)

    assert len(asked) == 2


def test_where_a_stage_did_not_run_nothing_is_said_to_hide_nothing() -> None:
    assert allowed(entry("FL501"), found=(), complete=False) == []


def test_a_rule_that_guards_against_harm_cannot_be_accepted() -> None:
    harm = HARM.at(("spec", "pools", 0), "nothing there")
    found = apply([harm], [entry("FL801")], named, ALL)

    assert [item.rule.code for item in found] == ["FL801", "FL015"]
    assert found[1].message == "FL801 (reference-to-nothing) cannot be allowed"
    assert found[1].severity is Severity.ERROR
    assert found[1].place == ("spec", "policy", "allow", 0, "code")


def test_two_entries_may_hide_the_same_finding() -> None:
    assert allowed(entry(at="pools.gpu"), entry(at="pools")) == []
