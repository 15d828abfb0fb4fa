"""Diagnostics as people read them, to the character."""

from __future__ import annotations

from typing import Any

import pytest

from fourleaf.diag import Diagnostic, Label, Rule, Severity, Span
from fourleaf.diag.render import concise, render, summary

ERROR = Rule("FL501", "queue-over-guaranteed", Severity.ERROR, "x")
WARNING = Rule("FL131", "pin-unused", Severity.WARNING, "x")
NOTE = Rule("FL700", "decided", Severity.NOTE, "x")
TEXT = """\
spec:
  tenants:
    - {name: vision, gpu: 30}
    - {name: speech, gpu: 30}
    - name: science
      gpu: 4
      weight: 2

last: line
"""


def span(line: int, column: int, end_column: int, end_line: int = 0, file: str = "c.yaml") -> Span:
    return Span(file, line, column, end_line or line, end_column)


def shown(item: Diagnostic, text: str = TEXT, **options: Any) -> str:
    return render([item], {"c.yaml": text}, **options)


def test_an_error_shows_its_line_with_carets_under_exactly_the_span() -> None:
    item = ERROR.at((), "queues guarantee 60 cards, the cluster has 56", help="lower a guarantee by 4", span=span(4, 22, 29))

    assert shown(item) == (
        "error[FL501]: queues guarantee 60 cards, the cluster has 56\n"
        " --> c.yaml:4:22\n"
        "4 |     - {name: speech, gpu: 30}\n"
        "  |                      ^^^^^^^\n"
        "  = help: lower a guarantee by 4\n"
    )


def test_labels_are_underlined_in_the_order_of_the_text_with_their_facts() -> None:
    labels = (Label((), "vision is guaranteed 30", span(3, 22, 29)), Label((), "the file ends", span(9, 1, 5)))
    item = ERROR.at((), "too much", help="lower one", note="a guarantee is held back", labels=labels, span=span(4, 22, 29))

    assert shown(item) == (
        "error[FL501]: too much\n"
        " --> c.yaml:4:22\n"
        "3 |     - {name: vision, gpu: 30}\n"
        "  |                      ------- vision is guaranteed 30\n"
        "4 |     - {name: speech, gpu: 30}\n"
        "  |                      ^^^^^^^\n"
        "...\n"
        "9 | last: line\n"
        "  | ---- the file ends\n"
        "  = help: lower one\n"
        "  = note: a guarantee is held back\n"
    )


def test_a_label_in_the_line_of_the_error_gets_an_underline_of_its_own() -> None:
    item = ERROR.at((), "both", labels=(Label((), "named here", span(3, 8, 12)),), span=span(3, 22, 25))

    assert shown(item) == (
        "error[FL501]: both\n"
        " --> c.yaml:3:22\n"
        "3 |     - {name: vision, gpu: 30}\n"
        "  |                      ^^^\n"
        "  |        ---- named here\n"
    )  # fmt: skip


def test_a_label_in_another_file_follows_with_its_place() -> None:
    other = Label((), "first here", Span("teams.yaml", 12, 3, 12, 6))
    item = ERROR.at((), "twice", labels=(other,), span=span(3, 14, 20))

    assert render([item], {"c.yaml": TEXT, "teams.yaml": "\n" * 11 + "  abc\n"}) == (
        "error[FL501]: twice\n"
        "  --> c.yaml:3:14\n"
        " 3 |     - {name: vision, gpu: 30}\n"
        "   |              ^^^^^^\n"
        "  ::: teams.yaml:12:3\n"
        "12 |   abc\n"
        "   |   --- first here\n"
    )


def test_a_span_of_several_lines_is_marked_to_the_end_of_its_first() -> None:
    item = WARNING.at((), "odd", span=span(5, 7, 16, end_line=7))

    assert shown(item) == "warning[FL131]: odd\n --> c.yaml:5:7\n5 |     - name: science\n  |       ^^^^^^^^^^^^^\n"


@pytest.mark.parametrize(("start", "end"), [(3, 3), (11, 11)])
def test_a_place_without_width_gets_one_caret(start: int, end: int) -> None:
    rows = shown(ERROR.at((), "empty", span=span(2, start, end))).split("\n")

    assert rows[3] == "  | " + " " * (start - 1) + "^"


def test_tabs_wide_and_combining_characters_keep_carets_in_line() -> None:
    text = "a:\t日本e\u0301 x\n"

    assert shown(ERROR.at((), "m", span=span(1, 4, 6)), text).split("\n")[2:4] == ["1 | a:    日本e\u0301 x", "  |       ^^^^"]
    assert shown(ERROR.at((), "m", span=span(1, 9, 10)), text).split("\n")[3] == "  | " + " " * 12 + "^"


def test_long_lines_are_cut_around_the_span() -> None:
    text = "key: [" + ", ".join(f"item-{n:03}" for n in range(100)) + "]\n"
    start = text.index("item-050") + 1
    rows = shown(ERROR.at((), "m", span=span(1, start, start + 8)), text, width=60).split("\n")

    assert rows[2] == "1 | ...em-048, item-049, item-050, item-051, item-052, item-0..."
    assert rows[3] == "  | " + " " * rows[2][4:].index("item-050") + "^" * 8
    assert len(rows[2]) <= 64


def test_a_span_longer_than_the_line_shown_is_cut_with_it() -> None:
    rows = shown(ERROR.at((), "m", span=span(1, 6, 505)), "abcd " + "x" * 500, width=40).split("\n")

    assert rows[2].endswith("x...")
    assert rows[3].count("^") == rows[2].count("x")


def test_the_end_of_a_long_line_is_shown_when_the_span_is_there() -> None:
    rows = shown(ERROR.at((), "m", span=span(1, 200, 201)), "y" * 199 + "z", width=40).split("\n")

    assert rows[2].startswith("1 | ...y")
    assert rows[2].endswith("yz")
    assert rows[3].rstrip("^") == "  | " + " " * rows[2][4:].index("z")


def test_nothing_in_a_text_can_steer_the_terminal() -> None:
    item = ERROR.at((), "named \x1b[31m\u202e\n", help="write \x07", span=span(1, 1, 3))

    assert shown(item, "a\x1b[2J\u202eb\x00\n") == (
        "error[FL501]: named \\x1b[31m\\u202e\\n\n --> c.yaml:1:1\n1 | a\ufffd[2J\ufffdb\ufffd\n  | ^^\n  = help: write \\x07\n"
    )


def test_colours_are_added_around_the_same_text() -> None:
    item = ERROR.at((), "too much", help="lower one", labels=(Label((), "here", span(3, 8, 12)),), span=span(4, 22, 29))
    colored = shown(item, color=True)

    assert colored.startswith("\x1b[1;31merror[FL501]\x1b[0m\x1b[1m: too much\x1b[0m\n")
    plain = colored
    for code in ("1;31", "1;34", "1", "0"):
        plain = plain.replace(f"\x1b[{code}m", "")
    assert plain == shown(item)


@pytest.mark.parametrize("text", ["", "one line"])
def test_a_place_behind_the_text_is_named_and_not_shown(text: str) -> None:
    assert shown(ERROR.at((), "gone", span=span(7, 1, 2)), text) == "error[FL501]: gone\n --> c.yaml:7:1\n"


def test_without_a_source_or_a_place_the_message_stands_alone() -> None:
    assert render([ERROR.at((), "gone", span=span(1, 1, 2, file="x"))], {}) == "error[FL501]: gone\n --> x:1:1\n"
    assert render([NOTE.at((), "no place", help="none")], {}) == "note[FL700]: no place\n  = help: none\n"


def test_several_are_parted_by_a_blank_line() -> None:
    assert render([NOTE.at((), "a"), NOTE.at((), "b")], {}) == "note[FL700]: a\n\nnote[FL700]: b\n"
    assert render([], {}) == ""


def test_the_concise_form_is_a_line_that_stands_alone() -> None:
    found = [ERROR.at((), "too much", help="x", span=span(4, 22, 29)), NOTE.at((), "no place")]

    assert concise(found) == "c.yaml:4:22: error[FL501]: too much\nnote[FL700]: no place\n"


@pytest.mark.parametrize(
    ("rules", "text"),
    [([], "no errors"), ([ERROR], "1 error"), ([ERROR, ERROR, WARNING], "2 errors, 1 warning"), ([NOTE, NOTE], "2 notes")],
)
def test_the_summary_counts(rules: list[Rule], text: str) -> None:
    assert summary(rule.at((), "m") for rule in rules) == text


def test_the_severity_of_the_finding_counts_and_not_that_of_its_rule() -> None:
    assert summary([ERROR.at((), "m", severity=Severity.NOTE)]) == "1 note"
