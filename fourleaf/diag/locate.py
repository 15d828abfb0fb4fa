"""Places of the spec become pieces of its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from msgspec.structs import replace

from fourleaf.diag.diagnostic import Diagnostic, Path
from fourleaf.diag.span import Span

Lookup: TypeAlias = Callable[[Path, bool], Span]
"""Where the value at a path stands, or its key. A path that leads nowhere has the place of its longest prefix."""


def locate(found: Iterable[Diagnostic], span: Lookup) -> tuple[Diagnostic, ...]:
    """Return the diagnostics with a span each, and on each of their labels; those that have one keep it."""
    return tuple(
        replace(
            item,
            span=item.span or span(item.place, item.on_key),
            labels=tuple(replace(label, span=label.span or span(label.place, False)) for label in item.labels),
        )
        for item in found
    )


def unlocated(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of a spec that has no text: without spans, and without edits, which need them."""
    return tuple(replace(item, span=None, edits=(), labels=tuple(replace(label, span=None) for label in item.labels)) for item in found)
