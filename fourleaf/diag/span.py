"""A piece of a source text."""

from __future__ import annotations

from msgspec import Struct


class Span(Struct, frozen=True, order=True):
    """Where something stands: lines and columns count from 1, columns in code points; the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
