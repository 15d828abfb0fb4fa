"""YAML text to a located document, event by event: nothing here recurses, and everything that can grow has a limit."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any, Protocol

from msgspec import Struct

from fourleaf.diag import Diagnostic, Edit, Label, Path, Rule, Span
from fourleaf.diag.nearest import nearest
from fourleaf.diag.source import lines
from fourleaf.spec.located import Located, Mark, Node, Place
from fourleaf.spec.rules import (
    DUPLICATE_KEY,
    MORE_THAN_ONE_DOCUMENT,
    SPEC_TOO_LARGE,
    UNSUPPORTED_YAML,
    VALUE_OUT_OF_RANGE,
    WRONG_TYPE,
    YAML_SYNTAX,
)
from fourleaf.spec.scalars import NumberError, Scalar, resolve
from fourleaf.spec.text import MAX_DEPTH, control_character, decode, show_char

MAX_ALIASED = 200_000
"""Values that all aliases of a document may stand for together."""


class _Events(Protocol):
    def get_event(self) -> Any: ...
    def peek_event(self) -> Any: ...


class _Stop(Exception):  # noqa: N818  a way out of the loop, after a diagnostic
    """The rest of the document means nothing any more."""


def parse(data: bytes | str, file: str, *, pure: bool = False) -> tuple[Located | None, tuple[Diagnostic, ...]]:
    """Read one YAML document.

    Args:
        pure: use the parser that is written in Python, as where PyYAML comes without libyaml.

    Returns:
        The document, None where its text has no tree; and what is wrong with it, in the order of the text.
    """
    text, refused = decode(data, file)
    if refused is not None:
        return None, (refused,)
    import yaml

    builder = _Builder(file, text)
    try:
        builder.read(_events(text, pure))
    except yaml.YAMLError as error:
        from fourleaf.spec.syntax import explain

        return None, (*builder.found, explain(error, text, file))
    except _Stop:
        return None, tuple(builder.found)
    return Located(file, text, builder.value, builder.root, frozenset(builder.doubtful)), tuple(builder.found)


def _events(text: str, pure: bool) -> _Events:
    if not pure:
        try:
            from yaml.cyaml import CParser  # type: ignore[attr-defined]
        except ImportError:
            pass
        else:
            return CParser(text)
    import yaml

    return yaml.SafeLoader(text)


def _is_nothing(events: _Events) -> bool:
    """Tell whether the document that has just begun is empty, as behind a `---` that closes a file, and take what it has then."""
    import yaml

    try:
        event = events.peek_event()
    except yaml.YAMLError:
        return False
    nothing = type(event) is yaml.ScalarEvent and not (event.value or event.style or event.anchor or event.tag)
    return nothing and events.get_event() is not None


_NO_KEY = object()
_DROP = object()


class _Open(Struct):
    """A mapping or list that is not at its end yet."""

    value: Any
    node: Node
    mapping: bool
    anchor: str | None
    flow: bool
    key: Any = _NO_KEY
    """Of a mapping: the key that waits for its value; _DROP where that value has no place to go."""
    size: int = 1
    """Values so far, itself included; an alias counts as what it stands for."""
    height: int = 1


class _Builder:
    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self.value: Any = None
        self.root: Place = (0, 0, 0, 0)
        self.found: list[Diagnostic] = []
        self.doubtful: set[Path] = set()
        self.open: list[_Open] = []
        self.anchors: dict[str, tuple[Any, Place, int, int]] = {}
        self.aliased = 0
        self._lines: list[str] = []

    def read(self, events: _Events) -> None:
        from yaml import events as kinds

        handlers: dict[type, Callable[[Any], None]] = {
            kinds.ScalarEvent: self.scalar,
            kinds.MappingStartEvent: lambda event: self.begin(event, True),
            kinds.SequenceStartEvent: lambda event: self.begin(event, False),
            kinds.MappingEndEvent: self.end,
            kinds.SequenceEndEvent: self.end,
            kinds.AliasEvent: self.alias,
        }
        documents = 0
        while (event := events.get_event()) is not None:
            handler = handlers.get(type(event))
            if handler is not None:
                handler(event)
            elif type(event) is kinds.DocumentStartEvent:
                documents += not _is_nothing(events)
                if documents > 1:
                    mend = "keep one cluster per file; tenants and workloads can stand in files named in spec.include"
                    self.say(MORE_THAN_ONE_DOCUMENT, _mark(event), "a second document begins here", help=mend)
                    return
                if event.version == (1, 1):
                    start = _mark(event)[:2]
                    mend = "remove the line %YAML 1.1"
                    self.say(UNSUPPORTED_YAML, (*start, *start), "the file asks for YAML 1.1, a spec is YAML 1.2", help=mend)

    def scalar(self, event: Any) -> None:
        mark = _mark(event)
        text: str = event.value
        style: str | None = event.style
        tag, anchor = event.tag, event.anchor
        if tag is not None or anchor is not None or not text:
            mark = self.bare(event, mark)
        value: Scalar = text
        merge = False
        if style == '"':
            char = control_character(text)
            if char:
                self.doubt()
                self.say(UNSUPPORTED_YAML, mark, f"{show_char(char)} does not survive kubectl and kustomize", help="remove it")
        elif style == "|" or style == ">":
            mark = self.block_end(mark)
        elif style != "'" and tag is None:
            merge = text == "<<"
            try:
                value = resolve(text)
            except NumberError as error:
                self.doubt()
                shown = _short(text)
                self.say(VALUE_OUT_OF_RANGE, mark, f"{shown} cannot be kept: {error}", help=f'quote it if it is a text: "{shown}"')
        if anchor is not None:
            self.anchors[anchor] = (value, mark, 1, 0)
        self.put(value, mark, 1, 0, merge)

    def bare(self, event: Any, mark: Mark) -> Mark:
        """Return the mark of a scalar without its anchor and tag; of one that is left out, that of nothing, behind what there is."""
        if event.tag is not None:
            self.tag(mark)
        if event.anchor is not None or event.tag is not None:
            start = self.after_properties(mark) if event.value or event.style else mark[2:]
            mark = (*start, *mark[2:])
        if mark[2] >= len(self.lines):
            # At the end of a text without a last line end, what is left out stands behind the text for libyaml.
            mark = (len(self.lines) - 1, len(self.lines[-1])) * 2
        return mark

    def begin(self, event: Any, mapping: bool) -> None:
        mark = _mark(event)
        if len(self.open) == MAX_DEPTH:
            self.stop(SPEC_TOO_LARGE, mark, f"values are nested more than {MAX_DEPTH} levels deep here")
        if event.tag is not None:
            self.tag(mark)
        if event.anchor is not None or event.tag is not None:
            mark = (*self.after_properties(mark), *mark[2:])
            self.anchors.pop(event.anchor, None)
        node = Node(mark, {}, {}) if mapping else Node(mark, [])
        self.open.append(_Open({} if mapping else [], node, mapping, event.anchor, bool(event.flow_style)))

    def end(self, event: Any) -> None:
        done = self.open.pop()
        node = done.node
        # A block has no end mark of its own: the parser's is that of the next token, behind blank lines and comments.
        node.mark = (*node.mark[:2], *(_mark(event)[2:] if done.flow else self.end_of(node)))
        if done.anchor is not None:
            self.anchors[done.anchor] = (done.value, node, done.size, done.height)
        self.put(done.value, node, done.size, done.height)

    def alias(self, event: Any) -> None:
        mark, anchor = _mark(event), event.anchor
        if any(frame.anchor == anchor for frame in self.open) and anchor not in self.anchors:
            self.stop(UNSUPPORTED_YAML, mark, f"*{anchor} stands inside of what it repeats", help=f"write out what *{anchor} means here")
        if anchor not in self.anchors:
            close = nearest(anchor, islice(self.anchors, 200))
            mend = f"write *{close[0]}" if close else f'quote it if it is a text: "*{anchor}"'
            self.stop(YAML_SYNTAX, mark, f"*{anchor} repeats &{anchor}, which is not above it", help=mend)
        value, place, size, height = self.anchors[anchor]
        self.aliased += size
        if self.aliased > MAX_ALIASED:
            self.stop(
                SPEC_TOO_LARGE,
                mark,
                f"aliases up to here stand for more than {MAX_ALIASED:,} values",
                help="write fewer aliases of aliases",
            )
        if len(self.open) + height > MAX_DEPTH:
            self.stop(SPEC_TOO_LARGE, mark, f"values are nested more than {MAX_DEPTH} levels deep in what *{anchor} repeats")
        self.put(value, Node(mark, place.items, place.keys) if isinstance(place, Node) else mark, size, height)

    def put(self, value: Any, place: Place, size: int, height: int, merge: bool = False) -> None:
        """Give a finished value to what it stands in: as a key, a value, an item or the document."""
        if not self.open:
            self.value, self.root = value, place
            return
        top = self.open[-1]
        top.size += size
        if height >= top.height:
            top.height = height + 1
        items: Any = top.node.items
        if not top.mapping:
            top.value.append(value)
            items.append(place)
        elif top.key is _NO_KEY:
            self.key(top, value, place, merge)
        else:
            if top.key is not _DROP:
                top.value[top.key] = value
                items[top.key] = place
            top.key = _NO_KEY

    def key(self, top: _Open, value: Any, place: Place, merge: bool) -> None:
        mark = place.mark if isinstance(place, Node) else place
        if type(value) is str and not merge and value not in top.value and top.node.keys is not None:
            top.key = value
            top.node.keys[value] = mark
            return
        top.key = _DROP
        if isinstance(place, Node):
            kind = "a mapping" if isinstance(value, dict) else "a list"
            template = self.line(mark[0])[max(mark[1] - 1, 0) :].startswith("{{")
            mend = "render the template first" if template else "write a text as key"
            self.doubt()
            self.say(UNSUPPORTED_YAML, mark, f"{kind} cannot be a key", help=mend)
        elif merge:
            self.doubt()
            self.say(UNSUPPORTED_YAML, mark, "merge keys (<<) are not part of YAML 1.2", help="write out the fields that it merges")
        elif not isinstance(value, str):
            written = self.line(mark[0])[mark[1] : mark[3]]
            if not written:
                self.say(YAML_SYNTAX, mark, "a key is missing before the colon", help="write a key, or quote it if it is a text")
                return
            kind = {bool: "a boolean", type(None): "null"}.get(type(value), "a number")
            edits = (Edit(self.span(mark), f'"{written}"'),)
            self.say(WRONG_TYPE, mark, f"the key {written} is {kind}, not a text", help=f'write "{written}"', edits=edits)
        else:
            first = (top.node.keys or {})[value]
            labels = (Label((*self.path(), value), "first written here", self.span(first)),)
            self.say(DUPLICATE_KEY, mark, f"{value} is written twice", help="keep one of them", labels=labels, key=value)

    def tag(self, mark: Mark) -> None:
        """Refuse a tag; the scalar under it stays a text, and is not looked at any further."""
        line = self.line(mark[0])
        start = max(line.find("!", mark[1]), mark[1])
        stops = ">" if line.startswith("!<", start) else " \t,"
        end = next((i + (stops == ">") for i in range(start, len(line)) if line[i] in stops), len(line))
        self.doubt()
        self.say(
            UNSUPPORTED_YAML, (mark[0], start, mark[0], end), f"tags ({line[start:end]}) are not part of the language", help="remove it"
        )

    def after_properties(self, mark: Mark) -> tuple[int, int]:
        """Return where a value begins behind its anchor and tag."""
        number, column = mark[:2]
        while number < len(self.lines):
            line = self.lines[number]
            while column < len(line):
                if line[column] in "&!":
                    column = next((i for i in range(column, len(line)) if line[i] in " \t,[]{}"), len(line))
                elif line[column] in " \t":
                    column += 1
                else:
                    break
            if column < len(line) and line[column] != "#":
                return number, column
            number, column = number + 1, 0
        return mark[:2]

    def block_end(self, mark: Mark) -> Mark:
        """Return the mark of a block scalar without the blank lines behind it."""
        line, column, end, end_column = mark
        end -= end_column == 0
        while end > line and not self.line(end).strip():
            end -= 1
        return line, column, end, len(self.line(end).rstrip())

    @staticmethod
    def end_of(node: Node) -> tuple[int, int]:
        """Return the end of the last thing in a block."""
        last: list[Place] = [*islice(reversed(node.items if isinstance(node.items, list) else node.items.values()), 1)]
        last += islice(reversed(node.keys.values()), 1) if node.keys else ()
        return max(((place.mark if isinstance(place, Node) else place)[2:] for place in last), default=node.mark[:2])

    @property
    def lines(self) -> list[str]:
        if not self._lines:
            self._lines = lines(self.text)
        return self._lines

    def line(self, number: int) -> str:
        return self.lines[number] if number < len(self.lines) else ""

    def path(self) -> Path:
        """Return the path of the innermost open mapping or list."""
        above = self.open[:-1]
        return tuple(
            len(frame.value) if isinstance(frame.value, list) else frame.key if isinstance(frame.key, str) else "" for frame in above
        )

    def here(self) -> Path:
        """Return the path of the value that comes next."""
        if not self.open:
            return ()
        top = self.open[-1]
        if isinstance(top.value, list):
            return (*self.path(), len(top.value))
        return (*self.path(), top.key) if isinstance(top.key, str) else self.path()

    def doubt(self) -> None:
        self.doubtful.add(self.here())

    def span(self, mark: Mark) -> Span:
        return Span(self.file, mark[0] + 1, mark[1] + 1, mark[2] + 1, mark[3] + 1)

    def say(
        self,
        rule: Rule,
        mark: Mark,
        message: str,
        *,
        help: str = "",
        labels: tuple[Label, ...] = (),
        edits: tuple[Edit, ...] = (),
        key: str = "",
    ) -> None:
        place = (*self.here(), key) if key else self.here()
        self.found.append(rule.at(place, message, help=help, labels=labels, edits=edits, span=self.span(mark), on_key=bool(key)))

    def stop(self, rule: Rule, mark: Mark, message: str, *, help: str = "") -> None:
        self.say(rule, mark, message, help=help)
        raise _Stop


def _mark(event: Any) -> Mark:
    start, end = event.start_mark, event.end_mark
    return start.line, start.column, end.line, end.column


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
