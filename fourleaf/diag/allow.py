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
    codes = {entry.code for entry in allowances}
    first: dict[str, Diagnostic] = {}
    places: list[set[tuple[str, str]]] = []
    """Of each finding, the entries that would accept it."""
    for item in found:
        code = item.rule.code
        places.append({(code, at) for at in _beginnings(item.place, named)} if code in codes else set())
        first.setdefault(code, item)
    there = set().union(*places)
    accepted: set[tuple[str, str]] = set()
    said: list[Diagnostic] = []
    for entry in allowances:
        rule = kinds.get(entry.code)
        if rule is not None and not rule.allowable:
            mend = "remove the entry and mend what it was for"
            said.append(NOT_ALLOWABLE.at((*entry.place, "code"), f"{entry.code} ({rule.name}) cannot be allowed", help=mend))
            continue
        what = (entry.code, _wanted(entry.at))
        accepted.add(what)
        if what not in there and complete:
            said.append(_hides_nothing(entry, rule, first.get(entry.code), named))
    return (*(item for item, at in zip(found, places, strict=True) if not at & accepted), *said)


def _hides_nothing(entry: Allowance, rule: Rule | None, elsewhere: Diagnostic | None, named: Named) -> Diagnostic:
    if rule is None:
        return HIDES_NOTHING.at((*entry.place, "code"), f"no rule has the code {entry.code}", help="remove the entry")
    if elsewhere:
        where = ".".join(named(elsewhere.place))
        return HIDES_NOTHING.at(
            (*entry.place, "at"), f"{entry.code} does not occur at {entry.at}", help=f"write at: {where}, or remove the entry"
        )
    where = f" at {entry.at}" if entry.at else ""
    return HIDES_NOTHING.at(entry.place, f"{entry.code} ({rule.name}) does not occur{where}", help="remove the entry")


def _wanted(at: str) -> str:
    """Return the place of an entry in the form of `_beginnings`."""
    dotted = _dotted(at).removeprefix("spec.").strip(".")
    return "" if dotted == "spec" else dotted


def _beginnings(place: Path, named: Named) -> set[str]:
    """Return every place that holds a finding: all there is, and what leads to it, with items by name or by index."""
    texts = (".".join(named(place)), _dotted(show_path(place)).removeprefix("spec."))
    return {"", *(text[:end] for text in texts for end in (*(dot.start() for dot in re.finditer(r"\.", text)), len(text)))}


def _dotted(path: str) -> str:
    return re.sub(r"\[(\d+)\]", r".\1", path)
