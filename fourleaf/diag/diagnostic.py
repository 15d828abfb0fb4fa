"""Diagnostics are values: a rule, a message, a place in the spec, and the mend."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from fourleaf.diag.span import Span

Path: TypeAlias = tuple[str | int, ...]
"""The way from the root of a spec to a value: ("spec", "pools", 0, "gpus", 0, "card"). Empty: the whole document."""


class Severity(StrEnum):
    """Error: refused by an API, never starts, or two owners fight. Warning: works, surprises. Note: what was decided."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Label(Struct, frozen=True):
    """The other party of a diagnostic, with its fact."""

    place: Path
    message: str
    span: Span | None = None


class Edit(Struct, frozen=True):
    """A change of the source text that mends the defect for certain: `text` takes the place of `span`."""

    span: Span
    text: str


class Diagnostic(Struct, frozen=True, kw_only=True):
    """One finding.

    `place` is a path of the spec. Stages past parse know no spans; the pipeline looks them up and fills `span`.
    """

    rule: Rule
    message: str
    place: Path
    on_key: bool = False
    """The finding is the key at `place`, not its value."""
    help: str = ""
    note: str = ""
    labels: tuple[Label, ...] = ()
    edits: tuple[Edit, ...] = ()
    span: Span | None = None
    severity: Severity


class Rule(Struct, frozen=True):
    """A kind of diagnostic. The code is stable for ever; the name says the defect and reads after "allow"."""

    code: str
    name: str
    severity: Severity
    summary: str
    """One line for lists: what is wrong, lower case, no period."""
    allowable: bool = True
    """Whether `policy.allow` may silence it. False where it guards against harm to a running cluster, or the spec cannot be read."""

    def at(
        self,
        place: Path,
        message: str,
        *,
        help: str = "",
        note: str = "",
        labels: tuple[Label, ...] = (),
        edits: tuple[Edit, ...] = (),
        on_key: bool = False,
        span: Span | None = None,
        severity: Severity | None = None,
    ) -> Diagnostic:
        """Return a diagnostic of this rule.

        Args:
            message: one clause, lower case, no period, with the user's own words and numbers.
            help: one action, with the value to write.
            note: why, or the limit upstream, with its source.
        """
        return Diagnostic(
            rule=self, message=message, place=place, help=help, note=note, labels=labels, edits=edits,
            on_key=on_key, span=span, severity=severity or self.severity,
        )  # fmt: skip


def show_path(path: Path) -> str:
    """Return a path as people write it: `spec.pools[0].gpus[0].card`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
