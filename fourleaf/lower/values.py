"""Raw chart values of the spec, merged last."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from fourleaf.diag import Diagnostic, Label, Path, Rule, Severity, nearest
from fourleaf.ir import Chart, Component, Document, Ref, Value

CONTRADICTION = Rule("FL810", "value-contradicts-plan", Severity.ERROR, "a raw chart value contradicts what the compiler set")
UNKNOWN = Rule("FL811", "unknown-chart-value", Severity.ERROR, "the pinned chart has no such value")
NO_CHART = Rule("FL812", "values-without-chart", Severity.ERROR, "raw values for a component that is installed without a chart")

RULES = (CONTRADICTION, UNKNOWN, NO_CHART)


def merge(chart: Chart, component: Component) -> Chart:
    """Return the chart with the component's raw values on top: mappings are merged, everything else is replaced."""
    return replace(chart, values=_merged(chart.values, component.values)) if component.values else chart


def _merged(base: Mapping[str, Value], over: Mapping[str, Value]) -> Mapping[str, Value]:
    made = dict(base)
    for key, value in over.items():
        below = made.get(key)
        made[key] = _merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else _by_name(value)
    return made


def _by_name(value: Value) -> Value:
    """Return a raw value with its mappings by name, those in its lists too: the order of the spec changes nothing."""
    match value:
        case str():
            return value
        case Mapping():
            return {key: _by_name(item) for key, item in sorted(value.items())}
        case Sequence():
            return [_by_name(item) for item in value]
    return value


def contradictions(chart: Chart, component: Component) -> Iterator[Diagnostic]:
    """Yield the raw values that say something else than the compiler, whose own values `chart` still has; or than what it relies on."""
    said = {path: (own, raw) for tree in (chart.relies, chart.values) for path, own, raw in _both(tree, component.values, ())}
    for path, (own, raw) in said.items():
        if _plain(own) != raw:
            place: Path = (*component.values_place, *path)
            yield CONTRADICTION.at(
                place,
                f"{component.system} gets {'.'.join(path)}: {_show(own)} from the plan, this value says {_show(raw)}",
                help="take the value out; say the cause in the spec instead",
                labels=(Label(chart.origin.place, "the plan follows from here"),),
            )


def _both(own: Mapping[str, Value], raw: Mapping[str, Value], at: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Value, Value]]:
    for key, value in raw.items():
        if key not in own:
            continue
        mine = own[key]
        if isinstance(mine, Mapping) and isinstance(value, Mapping):
            yield from _both(mine, value, (*at, key))
        else:
            yield (*at, key), mine, value


def _plain(value: Value) -> Value:
    match value:
        case str():
            return value
        case Mapping():
            return {key: _plain(item) for key, item in value.items()}
        case Sequence():
            return [_plain(item) for item in value]
    return value


def _show(value: Value) -> str:
    match value:
        case Ref():
            return str(value)
        case Document():
            return "a document"
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case None | int() | float():
            return "null" if value is None else str(value)
    shown = json.dumps(_plain(value), default=str)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def unknown_keys(keys: Mapping[str, object], component: Component) -> Iterator[Diagnostic]:
    """Yield the raw values that the pinned chart does not have.

    Args:
        keys: the tree of keys that the chart has; an empty mapping below a key takes anything.
    """
    stack: list[tuple[Mapping[str, object], Mapping[str, Value], tuple[str, ...]]] = [(keys, component.values, ())]
    while stack:
        known, raw, at = stack.pop()
        for key, value in raw.items():
            if key not in known:
                close = nearest(key, known)
                yield UNKNOWN.at(
                    (*component.values_place, *at, key),
                    f"chart of {component.system} {component.version} has no value {'.'.join((*at, key))}",
                    help=f"did you mean {' or '.join(close)}?" if close else f"it has {', '.join(sorted(known)[:8])}",
                    on_key=True,
                )
            else:
                below = known[key]
                if isinstance(value, Mapping) and isinstance(below, Mapping) and below:
                    stack.append((below, value, (*at, key)))
