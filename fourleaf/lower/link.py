"""References get their final names, and the edges between parts are recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from fourleaf.ir import Ask, Binding, Bundle, Chart, Object, Prerequisite, Ref, refs_in
from fourleaf.kube.served import built_in
from fourleaf.lower.names import Names, trees


def link(
    made: Sequence[Object | Chart | Prerequisite], bindings: Sequence[Binding], asks: Sequence[Ask], waits: Sequence[tuple[Ref, Ref]]
) -> Bundle:
    """Make the bundle.

    Args:
        waits: what charts wait for without naming it: (chart, what must be there first).
    """
    objects = [part for part in made if isinstance(part, Object)]
    charts = [part for part in made if isinstance(part, Chart)]
    todo = [part for part in made if isinstance(part, Prerequisite)]
    names = Names(objects)
    holders: list[Object | Chart | Binding] = [*objects, *charts, *bindings]
    edges = [(names.of(part.ref), names.of(to)) for part in holders for to in _refers_to(part)]
    return Bundle(
        objects=tuple(replace(names.within(part), name=names.of(part.ref).name) for part in objects),
        charts=tuple(names.within(chart) for chart in charts),
        asks=tuple(replace(ask, value=names.value(ask.value)) for ask in asks),
        bindings=tuple(names.within(binding) for binding in bindings),
        prerequisites=tuple(_once([*todo, *(ask.otherwise for ask in asks if ask.otherwise and not ask.to)])),
        edges=tuple(dict.fromkeys([*edges, *((who, names.of(to)) for who, to in waits)])),
    )


def _refers_to(part: Object | Chart | Binding) -> Iterator[Ref]:
    """Yield what a part refers to: its namespace, the definition of its kind, and every Ref in it."""
    if part.namespace:
        yield Ref("Namespace", part.namespace)
    if isinstance(part, Object) and not built_in(part.group):
        yield Ref("Definition", part.ref.kind)
    for _, tree in trees(part):
        yield from refs_in(tree)


def _once(todo: Sequence[Prerequisite]) -> Iterator[Prerequisite]:
    """Yield each thing to do once, whoever wants it."""
    seen: set[tuple[str, str, str]] = set()
    for one in todo:
        key = (one.what, one.command, one.text)
        if key not in seen:
            seen.add(key)
            yield one
