"""No text makes the loader raise, and what it says lies inside of the text."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from fourleaf.diag import Severity
from fourleaf.diag.formats import as_json
from fourleaf.diag.render import render
from fourleaf.diag.source import lines
from fourleaf.spec import load
from fourleaf.spec.parse import parse

FULL = (Path(__file__).parent / "full.yaml").read_text()
PIECES = st.sampled_from(
    [
        *"{}[]:-#&*|>!%?@`,~=\\'\"\n\t 1x",
        *(
            "- ",
            ": ",
            "\n  ",
            "\r\n",
            "\r",
            "&a ",
            "*a",
            "<<",
            "---\n",
            "...",
            "0x",
            "1e999",
            "yes",
            "null",
            "{{",
            "gpu",
            "name: ",
            "!!str ",
        ),
        *("é", "😀", "\u2028", "\u0000", "\u0007", "\ufeff", "\ud800", "%YAML 1.1\n"),
    ]
)
PLACES = [
    ("kind",),
    ("metadata",),
    ("spec", "kubernetes"),
    ("spec", "pools"),
    ("spec", "pools", 0, "partition"),
    ("spec", "workloads", 0),
    ("spec", "policy"),
    ("spec", "stack"),
    ("spec", "include"),
]
FUZZ = settings(max_examples=150, deadline=None)


def check(data: bytes | str) -> None:
    loaded = load(data, "f", lambda path: data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
    assert (loaded.spec is None) == any(item.severity is Severity.ERROR for item in loaded.diagnostics)
    for item in loaded.diagnostics:
        assert item.message == item.message.strip() != ""
        for span in (item.span, *(label.span for label in item.labels)):
            assert span is not None
            rows = lines(loaded.sources[span.file])
            assert (span.line, span.column) <= (span.end_line, span.end_column)
            assert 1 <= span.column <= len(rows[span.line - 1]) + 1
            assert 1 <= span.end_column <= len(rows[span.end_line - 1]) + 1
    assert "\x07" not in render(loaded.diagnostics, loaded.sources)
    assert len(as_json(loaded.diagnostics)["diagnostics"]) == len(loaded.diagnostics)
    parse(data, "f", pure=True)


@FUZZ
@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    check(text)


@FUZZ
@given(st.binary())
def test_no_bytes_make_it_raise(data: bytes) -> None:
    check(data)


@FUZZ
@given(st.lists(PIECES, max_size=40).map("".join))
def test_no_heap_of_yaml_makes_it_raise(text: str) -> None:
    check(text)


@settings(max_examples=250, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, len(FULL)), st.integers(0, 12), st.lists(PIECES, max_size=3).map("".join)), min_size=1, max_size=4)
)
def test_no_change_of_a_good_spec_makes_it_raise(changes: list[tuple[int, int, str]]) -> None:
    text = FULL
    for start, size, new in changes:
        text = text[:start] + new + text[start + size :]
    check(text)


LINES = FULL.split("\n")


@FUZZ
@given(st.permutations(range(len(LINES))), st.integers(1, 8))
def test_no_exchange_of_lines_makes_it_raise(order: list[int], count: int) -> None:
    rows = list(LINES)
    for first, second in zip(order[:count], order[count : 2 * count], strict=True):
        rows[first], rows[second] = rows[second], rows[first]
    check("\n".join(rows))


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text("ab-. \n"),
        st.sampled_from(["auto", "gpu-1", "64Gi"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["name", "nodes", "count", "mig", "gpu", "auto", "layout"]), inner, max_size=3),
    ),
    max_leaves=6,
)


@FUZZ
@given(st.sampled_from(PLACES), VALUES)
def test_no_value_in_any_place_makes_it_raise(path: tuple[str | int, ...], value: object) -> None:
    import json

    document, _ = parse(FULL, "f")
    assert document is not None
    holder = document.value
    for part in path[:-1]:
        holder = holder[part]
    holder[path[-1]] = value
    check(json.dumps(document.value, ensure_ascii=False))
