"""Diagnostics of all stages in the order in which they are shown, none twice, and how many there are."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from fourleaf.diag.diagnostic import Diagnostic, Severity


class Counts(Struct, frozen=True):
    errors: int = 0
    warnings: int = 0
    notes: int = 0


def in_order(found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return each diagnostic once, by file, line, column and code; what has no place in a file comes first."""
    once: dict[tuple[object, ...], Diagnostic] = {}
    for item in found:
        once.setdefault((item.rule.code, item.span, item.place if item.span is None else (), item.message), item)
    return tuple(sorted(once.values(), key=_order))


def count(found: Iterable[Diagnostic]) -> Counts:
    severities = [item.severity for item in found]
    return Counts(*(severities.count(severity) for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE)))


def has_errors(found: Iterable[Diagnostic]) -> bool:
    return any(item.severity is Severity.ERROR for item in found)


def _order(item: Diagnostic) -> tuple[str, int, int, str, str]:
    span = item.span
    return (span.file, span.line, span.column, item.rule.code, item.message) if span else ("", 0, 0, item.rule.code, item.message)
