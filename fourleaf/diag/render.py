"""Diagnostics as people read them: message, excerpt with carets, help; or one line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby

from msgspec import Struct

from fourleaf.diag.diagnostic import Diagnostic, Severity
from fourleaf.diag.excerpt import Mark, excerpt, plain
from fourleaf.diag.sink import count
from fourleaf.diag.source import lines
from fourleaf.diag.span import Span

WIDTH = 140
"""Cells that a line of an excerpt may take, unless the caller knows better."""

_COLOURS = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.NOTE: "1;36"}
_FRAME = "1;34"
_BOLD = "1"


class _Ink(Struct, frozen=True):
    """Colours, or none."""

    on: bool
    severity: Severity

    def of(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on and text else text

    def frame(self, text: str) -> str:
        return self.of(text, _FRAME)

    def loud(self, text: str) -> str:
        return self.of(text, _COLOURS[self.severity])


class _Note(Struct, frozen=True):
    """A span to show: the diagnostic's own or a label's."""

    span: Span
    message: str
    primary: bool


def render(found: Iterable[Diagnostic], sources: Mapping[str, str], *, color: bool = False, width: int = WIDTH) -> str:
    """Return the diagnostics in full, with a blank line between them; each line ends with a line feed.

    Args:
        sources: text by name of file. Of a file that is not among them, the place is named and nothing shown.
        width: cells that a line of an excerpt may take.
    """
    rows = _Rows(sources)
    return "\n".join(_one(item, rows, color, width) for item in found)


def concise(found: Iterable[Diagnostic]) -> str:
    """Return the diagnostics in a line each: `file:line:column: error[FL123]: message`."""
    return "".join(f"{_where(item.span)}{item.severity}[{item.rule.code}]: {plain(item.message)}\n" for item in found)


def summary(found: Iterable[Diagnostic]) -> str:
    """Return how many there are, such as "2 errors, 1 warning"; "no errors" where there is nothing."""
    counts = count(list(found))
    named = ((counts.errors, "error"), (counts.warnings, "warning"), (counts.notes, "note"))
    return ", ".join(f"{number} {name}{'s' * (number != 1)}" for number, name in named if number) or "no errors"


class _Rows:
    """Lines of files, split when first asked for."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._lines: dict[str, list[str]] = {}

    def of(self, file: str) -> list[str]:
        if file not in self._lines:
            self._lines[file] = lines(self._sources[file]) if file in self._sources else []
        return self._lines[file]


def _one(item: Diagnostic, rows: _Rows, color: bool, width: int) -> str:
    ink = _Ink(color, item.severity)
    head = ink.loud(f"{item.severity}[{item.rule.code}]") + ink.of(f": {plain(item.message)}", _BOLD)
    notes = [_Note(item.span, "", True)] if item.span else []
    notes += [_Note(label.span, label.message, False) for label in item.labels if label.span]
    gutter = max((len(str(note.span.line)) for note in notes), default=1)
    out = [head]
    own = item.span.file if item.span else ""
    for file, group in groupby(sorted(notes, key=lambda note: (note.span.file != own, note.span.file)), key=lambda note: note.span.file):
        members = list(group)
        arrow = "-->" if file == own else ":::"
        first = members[0].span
        out.append(" " * gutter + ink.frame(arrow) + f" {plain(file)}:{first.line}:{first.column}")
        out += _excerpts(members, rows.of(file), gutter, ink, width)
    out += [" " * gutter + ink.frame(" = ") + ink.of(f"{word}:", _BOLD) + f" {plain(text)}" for word, text in _tail(item)]
    return "\n".join(out) + "\n"


def _tail(item: Diagnostic) -> Iterable[tuple[str, str]]:
    return ((word, text) for word, text in (("help", item.help), ("note", item.note)) if text)


def _excerpts(notes: list[_Note], rows: list[str], gutter: int, ink: _Ink, width: int) -> list[str]:
    """Return the lines that some spans of one file begin on, each with its marks, in the order of the text."""
    out: list[str] = []
    above = 0
    for number, group in groupby(
        sorted(notes, key=lambda note: (note.span.line, not note.primary, note.span.column)), key=lambda note: note.span.line
    ):
        if not 1 <= number <= len(rows):
            continue
        members = list(group)
        line = rows[number - 1]
        shown, marks = excerpt(line, tuple(_mark(note, line) for note in members), width)
        if above and number > above + 1:
            out.append(ink.frame("..."))
        above = number
        out.append(ink.frame(f"{number:>{gutter}} |") + f" {shown}".rstrip())
        for note, mark in zip(members, marks, strict=True):
            out.append(ink.frame(" " * gutter + " |") + " " + (ink.loud(mark) if note.primary else ink.frame(mark)))
    return out


def _mark(note: _Note, line: str) -> Mark:
    """Return a span's mark in the line that it begins on; of several lines, the first is marked to its end."""
    span = note.span
    end = span.end_column - 1 if span.end_line == span.line else len(line.rstrip())
    return Mark(span.column - 1, max(end, span.column - 1), "^" if note.primary else "-", note.message)


def _where(span: Span | None) -> str:
    return f"{plain(span.file)}:{span.line}:{span.column}: " if span else ""
