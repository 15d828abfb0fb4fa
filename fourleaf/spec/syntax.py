"""What the YAML parser complains about, in words that say what to change."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from fourleaf.diag import Diagnostic, Label, Span
from fourleaf.diag.source import lines
from fourleaf.spec.rules import SPEC_TOO_LARGE, UNSUPPORTED_YAML, YAML_SYNTAX
from fourleaf.spec.text import MAX_DEPTH

_NO_SPACE = re.compile(r"^(\s*(?:- )*[\w./-]+):([^\s/:].*)$")


class _Trouble(Struct, frozen=True):
    """What the parser said, libyaml's or the one in Python, and the text around it."""

    file: str
    lines: list[str]
    problem: str
    context: str
    line: int
    """Of the problem, from 0."""
    column: int
    from_line: int
    """Of what the parser was in the middle of; the problem's own where it names nothing."""
    from_column: int

    @property
    def text(self) -> str:
        """The line of the problem."""
        return self.lines[self.line]

    @property
    def rest(self) -> str:
        return self.text[self.column :].rstrip()

    @property
    def before(self) -> str:
        return self.text[: self.column]

    @property
    def opener(self) -> str:
        return self.lines[self.from_line][self.from_column : self.from_column + 1]

    def span(self, line: int, column: int, width: int = 1) -> Span:
        """Return a span inside of the text, of at most `width` characters."""
        size = len(self.lines[line])
        column = min(column, size)
        return Span(self.file, line + 1, column + 1, line + 1, min(column + width, size) + 1)

    def say(self, message: str, mend: str, at: Span | None = None, label: tuple[Span, str] | None = None) -> Diagnostic:
        labels = (Label((), label[1], label[0]),) if label else ()
        return YAML_SYNTAX.at((), message, help=mend, labels=labels, span=at or self.span(self.line, self.column))


def explain(error: Any, text: str, file: str) -> Diagnostic:
    """Return the diagnostic of an error that PyYAML raised while it read `text`."""
    rows = lines(text)
    mark = getattr(error, "problem_mark", None)
    start = getattr(error, "context_mark", None) or mark
    line, column = _inside(mark, rows)
    from_line, from_column = _inside(start, rows)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    trouble = _Trouble(file, rows, problem, getattr(error, "context", None) or "", line, column, from_line, from_column)
    return next(found for reading in _READINGS if (found := reading(trouble)) is not None)


def _inside(mark: Any, rows: list[str]) -> tuple[int, int]:
    """Return a mark's line and column; the end of the text where it stands behind it."""
    if mark is None:
        return 0, 0
    line = min(mark.line, len(rows) - 1)
    column = mark.column if line == mark.line else len(rows[line])
    if line and not rows[line] and column == 0 and line == len(rows) - 1:
        return line - 1, len(rows[line - 1])
    return line, column


def _depth(seen: _Trouble) -> Diagnostic | None:
    """libyaml 0.2.6 and newer count brackets themselves, and look ahead for a key further than the reader of its events does."""
    if "nesting depth" not in seen.problem:
        return None
    message = f"values are nested more than {MAX_DEPTH} levels deep here"
    return SPEC_TOO_LARGE.at((), message, span=seen.span(seen.line, seen.column))


def _conflict(seen: _Trouble) -> Diagnostic | None:
    for number, line in enumerate(seen.lines):
        if line.startswith("<<<<<<< "):
            return seen.say(
                "a merge conflict is not resolved here", "keep one side and remove the markers", seen.span(number, 0, len(line))
            )
    return None


def _template(seen: _Trouble) -> Diagnostic | None:
    at = seen.text.find("{{")
    if at < 0:
        return None
    return seen.say("this is a template, not YAML", "render it first", seen.span(seen.line, at, 2))


def _tab(seen: _Trouble) -> Diagnostic | None:
    rest = seen.text[seen.column :]
    if not rest.startswith("\t") and "tab character" not in seen.problem:
        return None
    width = max(len(rest) - len(rest.lstrip("\t")), 1)
    what = "a tab stands where spaces must" if seen.before.strip() else "a tab indents this line"
    return seen.say(what, "indent with spaces", seen.span(seen.line, seen.column, width))


def _directive(seen: _Trouble) -> Diagnostic | None:
    number = next((n for n in (seen.line, seen.from_line, 0) if seen.lines[n].startswith("%")), None)
    if number is None:
        return None
    at = seen.span(number, 0, len(seen.lines[number]))
    return UNSUPPORTED_YAML.at((), "directives (%) are not part of the language", help="remove the line", span=at)


def _first_character(seen: _Trouble) -> Diagnostic | None:
    if "cannot start any token" not in seen.problem:
        return None
    char = seen.rest[:1]
    return seen.say(f"{char} cannot begin a text without quotes", f'quote it: "{_word(seen.rest)}"')


def _star(seen: _Trouble) -> Diagnostic | None:
    if not seen.context.endswith(("an alias", "an anchor")):
        return None
    what = "repeats something" if seen.opener == "*" else "gives something a name"
    text = _word(seen.lines[seen.from_line][seen.from_column :])
    at = seen.span(seen.from_line, seen.from_column)
    return seen.say(f"{seen.opener} {what} in YAML, and no name follows", f'quote it if it is a text: "{text}"', at)


def _tag(seen: _Trouble) -> Diagnostic | None:
    if "tag" not in seen.context + seen.problem:
        return None
    at = seen.span(seen.from_line, seen.from_column)
    return UNSUPPORTED_YAML.at((), "tags (!) are not part of the language", help="quote it if it is a text", span=at)


def _escape(seen: _Trouble) -> Diagnostic | None:
    if "escape" not in seen.problem and "hexdecimal" not in seen.problem:
        return None
    start = max(seen.text.rfind("\\", 0, seen.column + 1), 0)
    escape = seen.text[start : start + 2]
    return seen.say(
        f"{escape} is no escape of double quotes here", "use single quotes, or write \\\\ for a backslash", seen.span(seen.line, start, 2)
    )


def _quote(seen: _Trouble) -> Diagnostic | None:
    if "scalar" not in seen.context or seen.opener not in ("'", '"'):
        return None
    at = seen.span(seen.from_line, seen.from_column)
    return seen.say("this quote is not closed", f"write {seen.opener} at the end of the text", at)


def _block_header(seen: _Trouble) -> Diagnostic | None:
    if "block scalar" not in seen.context:
        return None
    return seen.say(f"{seen.rest[:1]} cannot follow {seen.opener}", f"begin the text on the line after {seen.opener}")


def _flow(seen: _Trouble) -> Diagnostic | None:
    if not seen.context.endswith(("flow mapping", "flow sequence")) or seen.opener not in ("{", "["):
        return None
    closer = {"{": "}", "[": "]"}[seen.opener]
    start = seen.span(seen.from_line, seen.from_column)
    found = seen.rest[:1]
    # The parser stumbles over the colon behind a key; what lacks its comma is the key.
    key = re.search(r"[^\s,\[\]{}]+\s*$", seen.before) if found == ":" else None
    column = key.start() if key else seen.column
    if found in ("}", "]"):
        return seen.say(f"{found} closes nothing, {closer} was expected", f"write {closer}", label=(start, f"{seen.opener} opens here"))
    if seen.line > seen.from_line or not found:
        label = (seen.span(seen.line, column), f"a comma or {closer} was expected before this")
        return seen.say(f"this {seen.opener} is not closed", f"write {closer} at its end", start, label)
    at, label = seen.span(seen.line, column), (start, f"{seen.opener} opens here")
    return seen.say(f"a comma or {closer} is missing before this", "separate the entries with commas", at, label)


def _after_quote(seen: _Trouble) -> Diagnostic | None:
    last = seen.before.rstrip()[-1:]
    if not seen.context.startswith("while parsing a block") or last not in ("'", '"') or not seen.before.strip():
        return None
    mend = (
        "double each ' within the text, or quote it with \"" if last == "'" else 'write \\" for each " within the text, or quote it with \''
    )
    return seen.say("text follows the closing quote", mend, seen.span(seen.line, seen.column, len(seen.rest)))


def _closer(seen: _Trouble) -> Diagnostic | None:
    if seen.rest[:1] not in ("}", "]") or not seen.context.startswith("while parsing a block"):
        return None
    return seen.say(f"{seen.rest[0]} closes nothing", "remove it")


def _no_key(seen: _Trouble) -> Diagnostic | None:
    if not seen.rest.startswith(":") or seen.context != "while parsing a block mapping":
        return None
    return seen.say("a key is missing before the colon", "write a key, or quote it if it is a text")


def _indentation(seen: _Trouble) -> Diagnostic | None:
    if seen.before.strip() or seen.context not in ("while parsing a block mapping", "while parsing a block collection"):
        return None
    width = len(seen.rest)
    among = "items of a list" if seen.context.endswith("collection") else "fields of a mapping"
    start = (seen.span(seen.from_line, seen.from_column), f"the {among} begin here")
    if seen.column == seen.from_column:
        what = "a list item" if seen.rest.startswith("-") else "a field"
        return seen.say(
            f"{what} stands among the {among}", "indent it below what it belongs to", seen.span(seen.line, 0, seen.column + width), start
        )
    message = f"an indentation of {seen.column} matches no line above that is still open"
    return seen.say(message, "indent it like its neighbours", seen.span(seen.line, 0, seen.column + width), start)


def _no_space(seen: _Trouble) -> Diagnostic | None:
    """`count:8` is a text, and what the parser reports is the line after it."""
    if "mapping values" not in seen.problem and "simple key" not in seen.context:
        return None
    for number in sorted({seen.from_line, max(seen.line - 1, 0)}, reverse=True):
        match = _NO_SPACE.match(seen.lines[number])
        if match:
            key, value = match.groups()
            return seen.say("a space is missing after the colon", f"write {key.strip()}: {_word(value)}", seen.span(number, len(key)))
    return None


def _second_colon(seen: _Trouble) -> Diagnostic | None:
    if "mapping values" not in seen.problem:
        return None
    match = re.match(r"^\s*(?:- )*(?:\"[^\"]*\"|'[^']*'|[^\s'\"#][^#]*?):\s", seen.before)
    if match:
        text = seen.text[match.end() :].strip()
        return seen.say("a second colon makes a second key on this line", f'quote the text that holds it: "{_word(text)}"')
    above = next((number for number in range(seen.line - 1, -1, -1) if seen.lines[number].strip()), None)
    if above is None:
        return None
    label = (seen.span(above, len(seen.lines[above]) - len(seen.lines[above].lstrip()), len(seen.lines[above])), "this has a value already")
    at = seen.span(seen.line, 0, len(seen.text.rstrip()))
    return seen.say("fields cannot stand below a value", "indent it like the line above", at, label)


def _no_colon(seen: _Trouble) -> Diagnostic | None:
    if "simple key" not in seen.context:
        return None
    at = seen.span(seen.from_line, seen.from_column, len(seen.lines[seen.from_line]))
    return seen.say("this line has no colon after its key", "write key: value, or indent the line if it continues the one above", at)


def _inline_item(seen: _Trouble) -> Diagnostic | None:
    if "sequence entries" not in seen.problem:
        return None
    return seen.say("a list item cannot begin on the line of its key", "begin the list on the next line, or write [a, b]")


def _missing_value(seen: _Trouble) -> Diagnostic | None:
    if "node content" not in seen.problem:
        return None
    return seen.say(f"a value is missing before {seen.rest[:1] or 'the end'}", "write a value, or quote it if it is a text")


def _second_text(seen: _Trouble) -> Diagnostic | None:
    if "<document start>" not in seen.problem:
        return None
    return seen.say("this stands behind the end of the document", "remove it", seen.span(seen.line, seen.column, len(seen.rest)))


def _anything(seen: _Trouble) -> Diagnostic:
    return seen.say(f"this is not YAML: {seen.problem}", "quote it if it is a text")


_READINGS: tuple[Callable[[_Trouble], Diagnostic | None], ...] = (
    _depth,
    _conflict,
    _escape,
    _quote,
    _tab,
    _template,
    _directive,
    _first_character,
    _star,
    _tag,
    _block_header,
    _flow,
    _after_quote,
    _closer,
    _no_key,
    _indentation,
    _no_space,
    _second_colon,
    _no_colon,
    _inline_item,
    _missing_value,
    _second_text,
    _anything,
)


def _word(text: str) -> str:
    """Return a text without its comment, cut where it is long."""
    text = re.sub(r"\s+#.*$", "", text).strip()
    return text if len(text) <= 40 else text[:37] + "..."
