"""A YAML document as plain values, and where each of its keys and values stands."""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeAlias

from msgspec import Struct

from fourleaf.diag import Path, Span
from fourleaf.diag.source import lines

Mark: TypeAlias = tuple[int, int, int, int]
"""Line, column, end line, end column of a piece of text, from 0; columns in code points, the end exclusive."""


class Node(Struct):
    """Where a mapping or a list stands, and what is in it. Aliases share the nodes of what they name."""

    mark: Mark
    items: dict[str, Place] | list[Place]
    keys: dict[str, Mark] | None = None
    """Of a mapping."""


Place: TypeAlias = Mark | Node


class Located(Struct, frozen=True, dict=True):
    """One document. Values that aliases repeat are one object: nothing may change them."""

    file: str
    text: str
    """Without byte order mark."""
    value: Any = None
    """Dicts, lists, texts, numbers, booleans, None."""
    root: Place = (0, 0, 0, 0)
    doubtful: frozenset[Path] = frozenset()
    """Values of which a diagnostic says already that they are not what was meant."""

    def span(self, path: Path, on_key: bool = False) -> Span:
        """Return where the value at `path` stands.

        Of a path that leads further than the text does, it is the smallest thing that a reader takes for the rest: the key or the first
        line of the longest prefix that is there.

        Args:
            on_key: the key, not the value; items of lists have none, and are meant themselves.
        """
        place, key, rest = self._walk(path)
        mark = place.mark if isinstance(place, Node) else place
        if on_key and not rest and key:
            mark = key
        elif rest and mark[0] != mark[2]:
            mark = key or _beginning(place)
        line, column, end_line, end_column = mark
        return Span(self.file, line + 1, column + 1, end_line + 1, end_column + 1)

    def beginning(self) -> Span:
        """Return the first key of the document, or where it begins."""
        return self.span(("",)) if isinstance(self.root, Node) else Span(self.file, 1, 1, 1, 1)

    def doubts(self, path: Path) -> bool:
        """Tell whether a diagnostic said already that something at `path`, or above it, is not what was meant."""
        return any(path[:depth] in self.doubtful for depth in range(len(path) + 1))

    def source(self, path: Path) -> str:
        """Return the text of a value as it is written, "" where it takes more than one line."""
        place, _, rest = self._walk(path)
        line, column, end_line, end_column = place.mark if isinstance(place, Node) else place
        if rest or line != end_line:
            return ""
        return self._lines[line][column:end_column]

    @cached_property
    def _lines(self) -> list[str]:
        return lines(self.text)

    def _walk(self, path: Path) -> tuple[Place, Mark | None, Path]:
        """Follow a path: the last place on it, its key if it has one, and the rest of the path."""
        place, key = self.root, None
        for depth, part in enumerate(path):
            if not isinstance(place, Node):
                return place, key, path[depth:]
            if isinstance(place.items, list):
                if not isinstance(part, int) or not 0 <= part < len(place.items):
                    return place, key, path[depth:]
                place, key = place.items[part], None
            else:
                if not isinstance(part, str) or part not in place.items:
                    return place, key, path[depth:]
                key = (place.keys or {}).get(part)
                place = place.items[part]
        return place, key, ()


def _beginning(place: Place) -> Mark:
    """Return the first key of what has no key itself, or else where it begins."""
    while isinstance(place, Node):
        if place.keys:
            return next(iter(place.keys.values()))
        if not isinstance(place.items, list) or not place.items:
            return (*place.mark[:2], *place.mark[:2])
        place = place.items[0]
    return place
