"""Lines of a source with marks under them, as they appear in a terminal."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from msgspec import Struct

TAB = "    "
"""What a tab is shown as, wherever it stands."""
_ELLIPSIS = "..."


class Mark(Struct, frozen=True):
    """Something to underline in a line, and what to say about it."""

    start: int
    """Column from 0, in code points."""
    end: int
    """Exclusive."""
    sign: str
    """ "^" for what a diagnostic is about, "-" for the other parties."""
    message: str = ""


def excerpt(line: str, marks: tuple[Mark, ...], width: int) -> tuple[str, tuple[str, ...]]:
    """Return a line as it is shown, and one line of underlines for each mark.

    Args:
        width: cells that a line may take. A longer one is cut around its first mark.
    """
    shown = [display(char) for char in line]
    edges = [0]
    for text in shown:
        edges.append(edges[-1] + cells(text))
    first, last = _window(edges, marks[0].start if marks else 0, width)
    before = _ELLIPSIS if first else ""
    after = _ELLIPSIS if last < len(line) else ""

    def cell(column: int) -> int:
        return len(before) + edges[min(max(column, first), last)] - edges[first]

    rows = []
    for mark in marks:
        start, end = cell(min(mark.start, len(line))), cell(min(mark.end, len(line)))
        message = f" {plain(mark.message)}" if mark.message else ""
        rows.append(" " * start + mark.sign * max(end - start, 1) + message)
    return before + "".join(shown[first:last]).rstrip() + after, tuple(rows)


def _window(edges: list[int], column: int, width: int) -> tuple[int, int]:
    """Return the columns to show of a line: all, or as many as fit, with `column` in the first third."""
    size = len(edges) - 1
    if edges[-1] <= width:
        return 0, size
    room = max(width - 2 * len(_ELLIPSIS), 10)
    first = min(column, size)
    while first > 0 and edges[min(column, size)] - edges[first - 1] <= room // 3:
        first -= 1
    last = first
    while last < size and edges[last + 1] - edges[first] <= room:
        last += 1
    while last == size and first > 0 and edges[last] - edges[first - 1] <= room:
        first -= 1
    return first, last


def display(char: str) -> str:
    """Return what a character is shown as: itself, unless a terminal would do something else with it."""
    if char == "\t":
        return TAB
    return char if char.isprintable() else "\N{REPLACEMENT CHARACTER}"


def plain(text: str) -> str:
    """Return a text of one line in which nothing moves the cursor, colours the terminal or turns the direction of writing."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def cells(text: str) -> int:
    """Return how many cells of a terminal a text takes: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)
