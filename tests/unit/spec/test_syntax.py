"""What people write that is not YAML, and what they are told."""

from __future__ import annotations

import pytest

from fourleaf.diag import Diagnostic, Span
from fourleaf.spec.parse import parse

MISTAKES = [
    ("a:\n\tb: 1\n", (2, 1, 2, 2), "a tab indents this line", "indent with spaces"),
    ("a:\n  \t\tb: 1\n", (2, 3, 2, 5), "a tab indents this line", "indent with spaces"),
    ("a: |\n\tx\n", (2, 1, 2, 2), "a tab indents this line", "indent with spaces"),
    ("a:\n-\tb: 1\n", (2, 2, 2, 3), "a tab stands where spaces must", "indent with spaces"),
    ("a: {b: 1\nc: 2\n", (1, 4, 1, 5), "this { is not closed", "write } at its end"),
    ("a: [1, 2\nb: 3\n", (1, 4, 1, 5), "this [ is not closed", "write ] at its end"),
    ("a: {b: 1", (1, 4, 1, 5), "this { is not closed", "write } at its end"),
    ("a: [1}\n", (1, 6, 1, 7), "} closes nothing, ] was expected", "write ]"),
    ("a: [1]]\n", (1, 7, 1, 8), "] closes nothing", "remove it"),
    ("a: {b: 1 c: 2}\n", (1, 10, 1, 11), "a comma or } is missing before this", "separate the entries with commas"),
    ('a: "x\nb: y\n', (1, 4, 1, 5), "this quote is not closed", 'write " at the end of the text'),
    ("a: 'x\nb: y\n", (1, 4, 1, 5), "this quote is not closed", "write ' at the end of the text"),
    ("a: 'it's'\n", (1, 8, 1, 10), "text follows the closing quote", "double each ' within the text, or quote it with \""),
    ('a: "x" y\n', (1, 8, 1, 9), "text follows the closing quote", 'write \\" for each " within the text, or quote it with \''),
    (
        "a:\n    b: 1\n  c: 2\n",
        (3, 1, 3, 7),
        "an indentation of 2 matches no line above that is still open",
        "indent it like its neighbours",
    ),
    (
        "a:\n  - b: 1\n   c: 2\n",
        (3, 1, 3, 8),
        "an indentation of 3 matches no line above that is still open",
        "indent it like its neighbours",
    ),
    ("a: 1\n- b\n", (2, 1, 2, 4), "a list item stands among the fields of a mapping", "indent it below what it belongs to"),
    ("- b\na: 1\n", (2, 1, 2, 5), "a field stands among the items of a list", "indent it below what it belongs to"),
    ("a: 1\n  b: 2\n", (2, 1, 2, 7), "fields cannot stand below a value", "indent it like the line above"),
    ("a: b: c\n", (1, 5, 1, 6), "a second colon makes a second key on this line", 'quote the text that holds it: "b: c"'),
    (
        "a: 1\nb\nc: 2\n",
        (2, 1, 2, 2),
        "this line has no colon after its key",
        "write key: value, or indent the line if it continues the one above",
    ),
    ("a: 1\ncount:8\n", (2, 6, 2, 7), "a space is missing after the colon", "write count: 8"),
    ("count:8\nb: 1\n", (1, 6, 1, 7), "a space is missing after the colon", "write count: 8"),
    ("a: - b\n", (1, 4, 1, 5), "a list item cannot begin on the line of its key", "begin the list on the next line, or write [a, b]"),
    ("a: @b # c\n", (1, 4, 1, 5), "@ cannot begin a text without quotes", 'quote it: "@b"'),
    ("a: `b`\n", (1, 4, 1, 5), "` cannot begin a text without quotes", 'quote it: "`b`"'),
    ("a: *.example.org\n", (1, 4, 1, 5), "* repeats something in YAML, and no name follows", 'quote it if it is a text: "*.example.org"'),
    ("a: & b\n", (1, 4, 1, 5), "& gives something a name in YAML, and no name follows", 'quote it if it is a text: "& b"'),
    ('a: "C:\\d"\n', (1, 7, 1, 9), "\\d is no escape of double quotes here", "use single quotes, or write \\\\ for a backslash"),
    ("{{- if x }}\na: 1\n", (1, 1, 1, 3), "this is a template, not YAML", "render it first"),
    (
        "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> x\n",
        (2, 1, 2, 13),
        "a merge conflict is not resolved here",
        "keep one side and remove the markers",
    ),
    ("a: ,\n", (1, 4, 1, 5), "a value is missing before ,", "write a value, or quote it if it is a text"),
    ("a: |x\n  y\n", (1, 5, 1, 6), "x cannot follow |", "begin the text on the line after |"),
    ("a: 1\n... x\n", (2, 5, 2, 6), "this stands behind the end of the document", "remove it"),
    ("a: &a &b c\n", (1, 7, 1, 8), None, "quote it if it is a text"),
]


@pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "python"])
@pytest.mark.parametrize(("text", "span", "message", "mend"), MISTAKES, ids=[repr(text)[:24] for text, *_ in MISTAKES])
def test_mistakes_are_told_in_plain_words_where_they_are(
    text: str, span: tuple[int, ...], message: str | None, mend: str, pure: bool
) -> None:
    (found,) = parse(text, "f", pure=pure)[1]

    assert (found.rule.code, found.span, found.help) == ("FL001", Span("f", *span), mend)
    assert message is None or found.message == message


def labels(found: Diagnostic) -> list[tuple[str, int, int]]:
    return [(label.message, label.span.line, label.span.column) for label in found.labels if label.span]


def test_an_open_bracket_names_what_was_met_instead_of_its_end() -> None:
    (found,) = parse("a:\n  b: [x, y\n  c: [z]\n", "f")[1]

    assert labels(found) == [("a comma or ] was expected before this", 3, 3)]


def test_a_wrong_indentation_names_the_line_that_it_is_compared_with() -> None:
    (found,) = parse("a:\n    b: 1\n  c: 2\n", "f")[1]

    assert labels(found) == [("the fields of a mapping begin here", 1, 1)]


@pytest.mark.parametrize(
    ("text", "line"),
    [("%FOO\n---\na: 1\n", 1), ("%YAML 2.0\n---\na: 1\n", 1), ("%YAML 1.2\na: 1\n", 1), ("%YAML 1.2\n%YAML 1.2\n---\na: 1\n", 2)],
)
def test_directives_are_refused(text: str, line: int) -> None:
    (found,) = parse(text, "f")[1]

    assert (found.rule.code, found.help) == ("FL010", "remove the line")
    assert found.span is not None
    assert found.span.line == line


@pytest.mark.parametrize("text", ["a: !<x\n", "a: !x!y 1\n"])
def test_tags_that_the_parser_stumbles_over_are_refused_as_tags(text: str) -> None:
    (found,) = parse(text, "f")[1]

    assert (found.rule.code, found.span) == ("FL010", Span("f", 1, 4, 1, 5))
