"""Kinds of diagnostics about the output folder. Their place is a file of it, not of the spec."""

from __future__ import annotations

from pathlib import Path

from fourleaf.diag import Diagnostic, Rule, Severity, Span


def _rule(code: str, name: str, summary: str) -> Rule:
    """All are errors, and none can be allowed: they guard files that are not fourleaf's."""
    return Rule(code, name, Severity.ERROR, summary, allowable=False)


PATH_TAKEN = _rule("FL910", "output-path-taken", "something that fourleaf did not write stands where it must write")
EDITED = _rule("FL911", "edited-output", "a file was changed after fourleaf wrote it")
NOT_A_FOLDER = _rule("FL912", "output-not-a-folder", "the output path is no folder, or is reached through a symlink")
NOT_WRITABLE = _rule("FL913", "output-not-writable", "the output folder cannot be read or written")
LOCK_UNREADABLE = _rule("FL914", "unreadable-lock", "the lock or journal of the output folder is not what fourleaf writes")
LOCK_NEWER = _rule("FL915", "newer-lock", "the output folder was written by a newer fourleaf")

RULES = (PATH_TAKEN, EDITED, NOT_A_FOLDER, NOT_WRITABLE, LOCK_UNREADABLE, LOCK_NEWER)


def about(rule: Rule, path: Path, message: str, *, help: str = "", note: str = "") -> Diagnostic:
    """Return a diagnostic whose place is a file."""
    return rule.at((), message, help=help, note=note, span=Span(str(path), 1, 1, 1, 1))
