"""What systems ask of each other is taken, falls to a person, and does not contradict itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fourleaf.diag import Diagnostic, Label, Rule, Severity
from fourleaf.ir import Ask, Value
from fourleaf.verify.view import View

UNTAKEN = Rule("FL821", "ask-without-taker", Severity.ERROR, "nobody does what a system needs", allowable=False)
TWO_VALUES = Rule("FL822", "label-with-two-values", Severity.ERROR, "one label of a node is to have two values", allowable=False)


def untaken(view: View) -> Iterator[Diagnostic]:
    """Every ask is taken by a system that stands, or is among the prerequisites."""
    standing = {component.system for component in view.plan.components}
    told = {todo.what for todo in view.bundle.prerequisites}
    for ask in view.bundle.asks:
        if ask.to in standing or (not ask.to and ask.otherwise and ask.otherwise.what in told):
            continue
        where = f" on pool {ask.pool}" if ask.pool else ""
        why = f"{ask.to}, which should see to it, stands on no pool" if ask.to else "nothing takes it"
        yield UNTAKEN.at(ask.origin.place, f"{_who(ask)} needs {ask.topic}{where}, and {why}", note=ask.origin.rule)


def two_values(view: View) -> Iterator[Diagnostic]:
    """No two asks give one label of one pool two values. An ask without a pool holds for every pool."""
    asks = [ask for ask in view.bundle.asks if ask.topic == "node-label" and isinstance(ask.value, Mapping)]
    first: dict[tuple[str, str], tuple[Ask, Value]] = {}
    for ask in sorted(asks, key=lambda ask: bool(ask.pool)):  # those for every pool come first
        for key, value in _labels(ask):
            earlier = first.get(("", key)) or first.setdefault((ask.pool, key), (ask, value))
            if earlier[1] != value:
                where = f"of pool {ask.pool}" if ask.pool else "of every pool"
                yield TWO_VALUES.at(
                    ask.origin.place,
                    f"{_who(ask)} wants label {key}={value} on the nodes {where}, {_who(earlier[0])} wants {key}={earlier[1]}",
                    note=ask.origin.rule,
                    labels=(Label(earlier[0].origin.place, f"{key}={earlier[1]} comes from here"),),
                )


def _labels(ask: Ask) -> Iterator[tuple[str, Value]]:
    if isinstance(ask.value, Mapping):
        yield from ask.value.items()


def _who(ask: Ask) -> str:
    return ask.by or "the plan"
