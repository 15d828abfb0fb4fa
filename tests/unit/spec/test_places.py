"""Where keys and values stand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fourleaf.diag import Path, Span
from fourleaf.spec.located import Located
from fourleaf.spec.parse import parse

TEXT = """\
# a comment
name: homelab   # behind
list:
  - one
  -  two
  - key: "quoted"
    other: 'it''s'
flow: {a: [1, 22], b: {c: d}}
empty:
block: |
  first
  second


# between
folded: >-
  x
plain: several
  lines of it
base: &base {x: 1}
again: *base
deep: &deep
  inner:
    leaf: 5

last: *deep
"""


def located(text: str, pure: bool = False) -> Located:
    document, found = parse(text, "f", pure=pure)
    assert found == ()
    assert document is not None
    return document


def cut(text: str, span: Span) -> str:
    """Return what a span covers, with \\n for every line end."""
    lines = text.replace("\r\n", "\n").split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


PLACES: list[tuple[Path, str, str]] = [
    (("name",), "name", "homelab"),
    (("list", 0), "one", "one"),
    (("list", 1), "two", "two"),
    (("list", 2, "key"), "key", '"quoted"'),
    (("list", 2, "other"), "other", "'it''s'"),
    (("list", 2), "key: \"quoted\"\n    other: 'it''s'", "key: \"quoted\"\n    other: 'it''s'"),
    (("list",), "list", "- one\n  -  two\n  - key: \"quoted\"\n    other: 'it''s'"),
    (("flow",), "flow", "{a: [1, 22], b: {c: d}}"),
    (("flow", "a"), "a", "[1, 22]"),
    (("flow", "a", 1), "22", "22"),
    (("flow", "b", "c"), "c", "d"),
    (("empty",), "empty", ""),
    (("block",), "block", "|\n  first\n  second"),
    (("folded",), "folded", ">-\n  x"),
    (("plain",), "plain", "several\n  lines of it"),
    (("base",), "base", "{x: 1}"),
    (("again",), "again", "*base"),
    (("again", "x"), "x", "1"),
    (("deep",), "deep", "inner:\n    leaf: 5"),
    (("last",), "last", "*deep"),
    (("last", "inner", "leaf"), "leaf", "5"),
]


@pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "python"])
@pytest.mark.parametrize(("path", "key", "value"), PLACES, ids=lambda part: str(part)[:30])
def test_spans_cover_exactly_the_key_and_the_value(path: Path, key: str, value: str, pure: bool) -> None:
    document = located(TEXT, pure)

    assert cut(TEXT, document.span(path)) == value
    assert cut(TEXT, document.span(path, on_key=True)) == key


def test_places_below_an_alias_are_where_the_repeated_text_stands() -> None:
    document = located(TEXT)

    assert document.span(("again", "x")) == document.span(("base", "x"))
    assert document.span(("again",)) == Span("f", 21, 8, 21, 13)


def test_an_empty_value_stands_behind_its_colon() -> None:
    assert located("a:\nb: 1\n").span(("a",)) == Span("f", 1, 3, 1, 3)


def test_an_empty_value_with_an_anchor_stands_behind_the_anchor() -> None:
    document = located("a: &x\nb: *x\n")

    assert document.value == {"a": None, "b": None}
    assert document.span(("a",)) == Span("f", 1, 6, 1, 6)


def test_columns_count_characters_and_not_bytes() -> None:
    text = "käse: 1\n日本: {😀: ok}\n"

    assert located(text).span(("日本", "😀")) == Span("f", 2, 9, 2, 11)
    assert located(text).span(("日本", "😀"), on_key=True) == Span("f", 2, 6, 2, 7)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_line_ends_change_no_place(end: str) -> None:
    document, plain = located(TEXT.replace("\n", end)), located(TEXT)

    assert document.value == plain.value
    assert [document.span(path) for path, *_ in PLACES] == [plain.span(path) for path, *_ in PLACES]


def test_a_byte_order_mark_is_no_character_of_the_first_line() -> None:
    document, found = parse(b"\xef\xbb\xbfa: 1\n", "f")

    assert found == ()
    assert document is not None
    assert document.span(("a",)) == Span("f", 1, 4, 1, 5)


def test_the_place_of_what_is_not_there_is_the_key_of_what_should_hold_it() -> None:
    document = located("meta:\n  a: 1\n  b: 2\nflow: {a: 1}\nlist:\n  - x: 1\n    y: 2\n  - [\n    z\n  ]\n")

    assert document.span(("meta", "name")) == document.span(("meta",), on_key=True)
    assert document.span(("flow", "name")) == document.span(("flow",))
    assert document.span(("list", 0, "name")) == document.span(("list", 0, "x"), on_key=True)
    assert document.span(("list", 1, "name")) == document.span(("list", 1, 0))
    assert document.span(("list", 7)) == document.span(("list",), on_key=True)
    assert document.span(("meta", "a", "deeper", 3)) == document.span(("meta", "a"))
    assert document.span(("name",)) == document.span(("meta",), on_key=True)


def test_items_of_lists_have_no_key_and_stand_for_themselves() -> None:
    assert located("a: [x]\n").span(("a", 0), on_key=True) == Span("f", 1, 5, 1, 6)


def test_the_source_of_a_value_is_as_it_was_written() -> None:
    document = located("a: 1.30\nb: [x,  y]\nc: |\n  z\n")

    assert document.source(("a",)) == "1.30"
    assert document.source(("b",)) == "[x,  y]"
    assert document.source(("c",)) == ""
    assert document.source(("d",)) == ""


VALUES = st.recursive(
    st.one_of(st.integers(0, 9999), st.text("abcxyz-./", min_size=1, max_size=9)),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3), st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, min_size=1, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(VALUES, st.booleans(), st.sampled_from([2, 4]))
def test_every_span_of_any_document_reads_as_its_value(value: object, flow: bool, indent: int) -> None:
    import yaml

    text = yaml.safe_dump({"root": value}, default_flow_style=flow, indent=indent, width=60)
    document = located(text)
    todo: list[tuple[Path, object]] = [((), document.value)]
    while todo:
        path, inner = todo.pop()
        read, found = parse(cut(text, document.span(path)), "part")
        # A block that is cut out keeps the indentation of all its lines but the first; those of one line can be read by themselves.
        if document.span(path).line == document.span(path).end_line:
            assert found == ()
            assert read is not None
            assert read.value == inner
        if isinstance(inner, dict):
            for key, below in inner.items():
                assert cut(text, document.span((*path, key), on_key=True)).strip("'") == key
                todo.append(((*path, key), below))
        elif isinstance(inner, list):
            todo += [((*path, index), below) for index, below in enumerate(inner)]


def test_a_value_that_is_left_out_at_the_end_stands_inside_of_the_text() -> None:
    assert located("? a").span(("a",)) == Span("f", 1, 4, 1, 4)
    assert located("a:\n  b:").span(("a", "b")) == Span("f", 2, 5, 2, 5)
