"""YAML that a spec may be made of, and what of YAML it may not."""

from __future__ import annotations

from typing import Any

import pytest

from fourleaf.diag import Diagnostic, Span
from fourleaf.spec.parse import MAX_ALIASED, parse
from fourleaf.spec.text import MAX_BYTES

PLAIN = [
    "yes", "no", "on", "off", "y", "n", "Yes", "NO", "tRue", "nUll", "<",
    "=", "+", ".", "..", "._1", "0o8", "0b1", "1_000", "12:30:00", "190:20:30", "2026-01-01",
    "2026-11-29T12:00:00Z", "1.2.3", "v1", "64Gi", "500m", "1g.10gb", "inf", "nan", "0x", "1e", "e1",
]  # fmt: skip
"""Texts, whatever YAML 1.1 takes them for."""

PARSERS = pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "python"])


def value_of(text: str, pure: bool = False) -> Any:
    document, found = parse(text, "f", pure=pure)
    assert found == ()
    assert document is not None
    return document.value


def only(data: bytes | str, pure: bool = False) -> Diagnostic:
    (found,) = parse(data, "f", pure=pure)[1]
    return found


# ---- YAML 1.2's core schema


@PARSERS
@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((word, word) for word in PLAIN),
        *((word, True) for word in ("true", "True", "TRUE")),
        *((word, False) for word in ("false", "False", "FALSE")),
        *((word, None) for word in ("", "~", "null", "Null", "NULL")),
        ("0o17", 15), ("0x1F", 31), ("007", 7), ("-12", -12), ("+3", 3),
        ("9223372036854775807", 2**63 - 1), ("-9223372036854775808", -(2**63)),
        ("1.30", 1.3), ("1.", 1.0), (".5", 0.5), ("1e3", 1000.0), ("-1.5E-3", -0.0015), ('"1"', "1"), ("'true'", "true"), ('"<<"', "<<"),
        ("0" * 5000 + "1", 1),
    ],
)  # fmt: skip
def test_plain_scalars_mean_what_yaml_1_2_says(text: str, value: object, pure: bool) -> None:
    read = value_of(f"a: {text}", pure)["a"]

    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize("text", [".inf", "-.INF", ".NaN", "1e999", "9223372036854775808", "0xFFFFFFFFFFFFFFFF", "1" * 5000])
def test_numbers_that_json_cannot_hold_are_refused(text: str) -> None:
    found = only(f"a: {text}")

    assert found.rule.code == "FL006"
    assert found.place == ("a",)
    assert found.span is not None
    assert (found.span.column, found.span.end_column) == (4, 4 + len(text))


def test_anchors_and_aliases_repeat_values() -> None:
    assert value_of("a: &x [1, &y k]\nb: *x\n*y : *y\nc: &x 2\nd: *x\n") == {"a": [1, "k"], "b": [1, "k"], "k": "k", "c": 2, "d": 2}


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n", "---\n...\n", "\ufeff"])
def test_an_empty_file_holds_nothing(text: str) -> None:
    assert value_of(text) is None


@PARSERS
@pytest.mark.parametrize("end", ["---\n", "---", "...\n", "---\n...\n", "---\n# that is all\n", "--- \n\n---\n"])
def test_a_document_with_nothing_in_it_behind_the_spec_is_nothing(end: str, pure: bool) -> None:
    document, found = parse(f"a: 1\n{end}", "f", pure=pure)

    assert document is not None
    assert (document.value, found) == ({"a": 1}, ())


@PARSERS
@pytest.mark.parametrize("start", ["---\n", "---\n---\n", "# c\n---\n# d\n---\n", "---\n...\n---\n"])
def test_documents_with_nothing_in_them_before_the_spec_are_none(start: str, pure: bool) -> None:
    assert value_of(f"{start}a: 1\n", pure) == {"a": 1}


# ---- refused, with a place


@PARSERS
@pytest.mark.parametrize(
    ("text", "code", "place", "span"),
    [
        ("a: 1\nb:\n  c: 2\n  c: 3\n", "FL002", ("b", "c"), (4, 3, 4, 4)),
        ("{a: 1, 'a': 2}", "FL002", ("a",), (1, 8, 1, 11)),
        ("a: 1\n---\nb: 2\n", "FL008", (), (2, 1, 2, 4)),
        ("a: 1\n---\nnull\n", "FL008", (), (2, 1, 2, 4)),
        ("a: 1\n---\n---\nb: 2\n", "FL008", (), (3, 1, 3, 4)),
        ("a: 1\n---\nb: [\n", "FL008", (), (2, 1, 2, 4)),
        ("a: !!str 1\n", "FL010", ("a",), (1, 4, 1, 9)),
        ("a: ! x\n", "FL010", ("a",), (1, 4, 1, 5)),
        ("a: &x !t [b]\n", "FL010", ("a",), (1, 7, 1, 9)),
        ("a: !<tag:yaml.org,2002:int> 1\n", "FL010", ("a",), (1, 4, 1, 28)),
        ("b: &b {x: 1}\na:\n  <<: *b\n", "FL010", ("a",), (3, 3, 3, 5)),
        ("? [a]\n: 1\n", "FL010", (), (1, 3, 1, 6)),
        ("a: {{ .Values.x }}\n", "FL010", ("a",), (1, 5, 1, 18)),
        ("%YAML 1.1\n---\na: yes\n", "FL010", (), (1, 1, 1, 1)),
        ('a: "x\\u0007"\n', "FL010", ("a",), (1, 4, 1, 13)),
        ('"\\x7f": 1\n', "FL010", (), (1, 1, 1, 7)),
        ("labels:\n  1: x\n", "FL005", ("labels",), (2, 3, 2, 4)),
        ("true: x\n", "FL005", (), (1, 1, 1, 5)),
        ("~: x\n", "FL005", (), (1, 1, 1, 2)),
        (": x\n", "FL001", (), (1, 1, 1, 2)),
        ("{: x}\n", "FL001", (), (1, 2, 1, 3)),
        ("a: &x [*x]\n", "FL010", ("a", 0), (1, 8, 1, 10)),
        ("a: *nobody\n", "FL001", ("a",), (1, 4, 1, 11)),
    ],
)
def test_what_a_spec_cannot_hold_is_refused_where_it_stands(
    text: str, code: str, place: tuple[str | int, ...], span: tuple[int, ...], pure: bool
) -> None:
    found = only(text, pure)

    assert (found.rule.code, found.place, found.span) == (code, place, Span("f", *span))
    assert found.help


def test_a_second_key_names_the_first() -> None:
    found = only("a:\n  b: 1\n  b: 2\n")

    assert (found.message, found.help) == ("b is written twice", "keep one of them")
    assert [(label.message, label.span) for label in found.labels] == [("first written here", Span("f", 2, 3, 2, 4))]
    assert found.on_key


def test_the_first_of_two_equal_keys_counts() -> None:
    document, _ = parse("a: 1\na: 2\nb: 3\n", "f")

    assert document is not None
    assert document.value == {"a": 1, "b": 3}


def test_a_number_as_key_is_mended_by_quotes() -> None:
    found = only("labels: {8080: x}\n")

    assert found.message == "the key 8080 is a number, not a text"
    assert [(edit.text, edit.span) for edit in found.edits] == [('"8080"', Span("f", 1, 10, 1, 14))]


def test_a_misspelt_alias_is_told_the_anchors_name() -> None:
    assert only("a: &driver 1\nb: *drivr\n").help == "write *driver"


def test_several_mistakes_are_told_in_one_reading() -> None:
    _, found = parse("a: !t 1\na: 2\n1: 3\nb: .inf\n", "f")

    assert [item.rule.code for item in found] == ["FL010", "FL002", "FL005", "FL006"]


# ---- bytes


@pytest.mark.parametrize(
    ("data", "code", "span", "words"),
    [
        (b"a: 1\nb: \xff\n", "FL012", (2, 4, 2, 5), "byte 0xff is not UTF-8"),
        (b"\xef\xbb\xbfa: \xe9\n", "FL012", (1, 4, 1, 5), "byte 0xe9 is not UTF-8"),
        (b"\xff\xfea\x00", "FL012", (1, 1, 1, 1), "the file is UTF-16 or UTF-32"),
        (b"\x7fELF\x00", "FL010", (1, 1, 1, 2), "U+007F (a control character) cannot stand in a spec"),
        (b"PK\x03\x04", "FL010", (1, 3, 1, 4), "U+0003 (a control character) cannot stand in a spec"),
        (b"a: x\x00y\n", "FL012", (1, 5, 1, 6), "the file is binary: it holds a NUL"),
        ("a: x\u2028y\n", "FL010", (1, 5, 1, 6), "U+2028 (line separator) cannot stand in a spec"),
        ("a: x\ufeffy\n", "FL010", (1, 5, 1, 6), "U+FEFF (zero width no-break space) cannot stand in a spec"),
        ("a: \ud800\n", "FL010", (1, 4, 1, 5), "U+D800 (half of a character) cannot stand in a spec"),
        ("é\r\nb: \x85\r\n", "FL010", (2, 4, 2, 5), "U+0085 (a control character) cannot stand in a spec"),
    ],
)
def test_text_that_is_none_is_refused_at_its_first_odd_byte(data: bytes | str, code: str, span: tuple[int, ...], words: str) -> None:
    found = only(data)

    assert (found.rule.code, found.span, found.message) == (code, Span("f", *span), words)


@pytest.mark.parametrize("text", ["tab\\there", "line\\nfeed", "carriage\\rreturn", "\\u2028", "\\U0001F600", "\\u00a0"])
def test_escapes_that_kubectl_and_kustomize_keep_are_allowed(text: str) -> None:
    assert value_of(f'a: "{text}"')["a"] == text.encode().decode("unicode_escape")


# ---- limits


def test_a_text_beyond_the_limit_is_refused_unread() -> None:
    assert parse(b"#" * MAX_BYTES, "f")[1] == ()
    assert only(b"#" * (MAX_BYTES + 1)).rule.code == "FL009"
    assert only("é" * (MAX_BYTES // 2 + 1)).message == "the file has 8.0 MiB, at most 8 MiB are read"


@PARSERS
@pytest.mark.parametrize(
    "text",
    ["[" * 101, "{a: " * 101, "- " * 101, "a:\n" + "".join(f"{' ' * n}a:\n" for n in range(1, 102))],
    ids=["flow", "maps", "dashes", "block"],
)
def test_nesting_has_a_limit(text: str, pure: bool) -> None:
    found = only(text, pure)

    assert found.rule.code == "FL009"
    assert "100 levels" in found.message


def test_a_hundred_levels_are_allowed() -> None:
    value_of("[" * 100 + "]" * 100)


@pytest.mark.parametrize("text", ["[" * 200_000, "{" * 200_000, "- " * 200_000, "? " * 100_000, "{a: " * 100_000])
def test_absurd_nesting_neither_crashes_nor_takes_long(text: str) -> None:
    assert parse(text, "f")[0] is None


def test_aliases_of_aliases_cannot_multiply() -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))
    found = only(bomb)

    assert found.rule.code == "FL009"
    assert f"{MAX_ALIASED:,}" in found.message
    assert found.span is not None
    assert found.span.line == 6


def test_aliases_cannot_nest_deeper_than_text_can() -> None:
    levels = "a0: &a0 [" + "[" * 60 + "]" * 60 + "]\nb: " + "[" * 60 + "*a0" + "]" * 60

    assert only(levels).rule.code == "FL009"
