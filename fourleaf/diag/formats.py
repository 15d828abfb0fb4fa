"""Diagnostics as programs read them. `schemas/diagnostics.v1.schema.json` describes the form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fourleaf.diag.diagnostic import Diagnostic
from fourleaf.diag.sink import count
from fourleaf.diag.span import Span


def as_json(found: Iterable[Diagnostic]) -> dict[str, Any]:
    """Return the diagnostics as a JSON document, in the order in which they come."""
    found = list(found)
    counts = count(found)
    return {
        "diagnostics": [_diagnostic(item) for item in found],
        "summary": {"errors": counts.errors, "warnings": counts.warnings, "notes": counts.notes},
    }


def _diagnostic(item: Diagnostic) -> dict[str, Any]:
    return {
        "code": item.rule.code,
        "name": item.rule.name,
        "severity": item.severity.value,
        "message": item.message,
        "help": item.help,
        **_place(item.span),
        "labels": [{**_place(label.span), "message": label.message} for label in item.labels],
    }


def _place(span: Span | None) -> dict[str, Any]:
    """Return a span's fields: lines and columns from 1, columns in code points, ends exclusive; null where there is no place."""
    if span is None:
        return dict.fromkeys(("file", "line", "column", "endLine", "endColumn"))
    return {"file": span.file, "line": span.line, "column": span.column, "endLine": span.end_line, "endColumn": span.end_column}
