"""What the author of a spec accepts: `policy.allow`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct

from fourleaf.diag.diagnostic import Diagnostic, Path, Rule, Severity, show_path

Named: TypeAlias = Callable[[Path], tuple[str, ...]]
"""Turns a path into the form that people write: items of lists by their names, where they have one."""

HIDES_NOTHING = Rule(
    "FL014",
    "allow-hides-nothing",
    Severity.WARNING,
    "an entry of policy.allow accepts what is not there",
    allowable=False,
)
NOT_ALLOWABLE = Rule(
    "FL015", "allow-not-possible", Severity.ERROR, "an entry of policy.allow names a rule that cannot be accepted", allowable=False
)

RULES = (HIDES_NOTHING, NOT_ALLOWABLE)


class Allowance(Struct, frozen=True, kw_only=True):
    """An entry of `policy.allow`."""

    code: str
    at: str = ""
    """A path below `spec`, dotted, items of lists by name or index: "pools.gpu". Empty: everywhere."""
    place: Path
    """Where the entry stands."""


def apply(
    found: Sequence[Diagnostic], allowances: Sequence[Allowance], named: Named, rules: Iterable[Rule], *, complete: bool = True
) -> tuple[Diagnostic, ...]:
    """Drop the diagnostics that are accepted, and add those about the acceptances themselves.

    Args:
        rules: every rule there is.
        complete: all stages ran, so that an entry which hides nothing now hides nothing at all.
    """
    kinds = {rule.code: rule for rule in rules}
    by_code: dict[str, list[int]] = {}
    for index, item in enumerate(found):
        by_code.setdefault(item.rule.code, []).append(index)
    dropped: set[int] = set()
    said: list[Diagnostic] = []
    for entry in allowances:
        rule = kinds.get(entry.code)
        if rule is not None and not rule.allowable:
            mend = "remove the entry and mend what it was for"
            said.append(NOT_ALLOWABLE.at((*entry.place, "code"), f"{entry.code} ({rule.name}) cannot be allowed", help=mend))
            continue
        same = by_code.get(entry.code, [])
        hidden = [index for index in same if _holds(entry.at, found[index].place, named)]
        dropped.update(hidden)
        if not hidden and complete:
            said.append(_hides_nothing(entry, rule, [found[index] for index in same], named))
    return (*(item for index, item in enumerate(found) if index not in dropped), *said)


def _hides_nothing(entry: Allowance, rule: Rule | None, elsewhere: Sequence[Diagnostic], named: Named) -> Diagnostic:
    if rule is None:
        return HIDES_NOTHING.at((*entry.place, "code"), f"no rule has the code {entry.code}", help="remove the entry")
    if elsewhere:
        where = ".".join(named(elsewhere[0].place))
        return HIDES_NOTHING.at(
            (*entry.place, "at"), f"{entry.code} does not occur at {entry.at}", help=f"write at: {where}, or remove the entry"
        )
    where = f" at {entry.at}" if entry.at else ""
    return HIDES_NOTHING.at(entry.place, f"{entry.code} ({rule.name}) does not occur{where}", help="remove the entry")


def _holds(at: str, place: Path, named: Named) -> bool:
    """Tell whether a place is `at` or below it."""
    wanted = re.sub(r"\[(\d+)\]", r".\1", at).removeprefix("spec.").strip(".")
    if wanted in ("", "spec"):
        return True
    indexed = re.sub(r"\[(\d+)\]", r".\1", show_path(place)).removeprefix("spec.")
    return any(text == wanted or text.startswith(wanted + ".") for text in (".".join(named(place)), indexed))
