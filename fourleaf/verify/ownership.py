"""Everything has one owner: no two objects of one name, none that a chart brings, nothing from two charts."""

from __future__ import annotations

from collections.abc import Iterator

from fourleaf.diag import Diagnostic, Label, Rule, Severity
from fourleaf.ir import Chart, Object, Ref
from fourleaf.verify.view import View, defined_by, maker, show

TWO_OWNERS = Rule("FL829", "object-with-two-owners", Severity.ERROR, "two sides make one object and would fight over it", allowable=False)


def two_owners(view: View) -> Iterator[Diagnostic]:
    """Each (group, kind, namespace, name) comes from one side, and each release of a chart is installed once."""
    owners: dict[Ref, Object | Chart] = {}
    for part, ref in _owned(view):
        earlier = owners.setdefault(ref, part)
        if earlier is not part:
            # What no system made has its name from the spec, so that is where another can be given.
            mine, other = (earlier, part) if not earlier.by and part.by else (part, earlier)
            yield TWO_OWNERS.at(
                mine.origin.place,
                f"{ref} is made by {_who(mine)} and by {_who(other)}",
                help="" if mine.by else "give it another name here",
                note=maker(mine) if mine.by else "",
                labels=(Label(other.origin.place, f"the other comes from here: {other.origin.rule or _who(other)}"),),
            )


def _owned(view: View) -> Iterator[tuple[Object | Chart, Ref]]:
    for chart in view.bundle.charts:
        yield chart, chart.ref
        for provided in chart.provides:
            ref = view.same(provided.ref)
            # Records do not say the namespace of what a chart puts beside itself.
            beside = not ref.namespace and view.scope(provided.ref.kind) == "Namespaced"
            yield chart, Ref(ref.kind, ref.name, chart.namespace) if beside else ref
    for made in view.bundle.objects:
        yield made, view.same(made.ref)
        if defined_by(made):
            yield made, Ref("Definition", defined_by(made))


def _who(part: Object | Chart) -> str:
    if isinstance(part, Chart):
        return show(part)
    return part.by or f"the plan ({part.origin.rule})"
