"""Ways to break one thing in a plan and its bundle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec.structs import replace

from fourleaf.ir import Ask, Bundle, Object, Plan, Provided, Ref

Broken: TypeAlias = tuple[Plan, Bundle]
Break: TypeAlias = Callable[[Plan, Bundle], Broken]

TEMPLATE = ("spec", "template", "spec")
"""Where the pods stand in a body."""

BETA = "resource.k8s.io/v1beta1"


def edit(kind: str, change: Callable[[Object], Object], name: str = "") -> Break:
    """Change the objects of one kind."""

    def broken(plan: Plan, bundle: Bundle) -> Broken:
        hit = [made for made in bundle.objects if made.kind == kind and name in ("", made.name)]
        assert len(hit) == 1
        return plan, replace(bundle, objects=tuple(change(made) if made is hit[0] else made for made in bundle.objects))

    return broken


def body(kind: str, *path: str | int, to: Any, name: str = "") -> Break:
    """Set one value in the body of an object."""
    return edit(kind, lambda made: replace(made, body=put(made.body, path, to)), name)


def put(value: Any, path: tuple[str | int, ...], to: Any) -> Any:
    if not path:
        return to
    if isinstance(value, Mapping):
        return {**value, path[0]: put(value.get(path[0]), path[1:], to)}
    if value is None:
        return {path[0]: put(None, path[1:], to)}
    assert isinstance(path[0], int)
    return [put(item, path[1:], to) if index == path[0] else item for index, item in enumerate(value)]


def without(kind: str, name: str) -> Break:
    def broken(plan: Plan, bundle: Bundle) -> Broken:
        left = tuple(made for made in bundle.objects if (made.kind, made.name) != (kind, name))
        assert len(left) == len(bundle.objects) - 1
        return plan, replace(bundle, objects=left)

    return broken


def both(one: Break, other: Break) -> Break:
    return lambda plan, bundle: other(*one(plan, bundle))


def like(kind_: str, **fields: Any) -> Break:
    """Add a changed copy of an object."""

    def broken(plan: Plan, bundle: Bundle) -> Broken:
        first = next(made for made in bundle.objects if made.kind == kind_)
        return plan, replace(bundle, objects=(*bundle.objects, replace(first, **fields)))

    return broken


def edge(to: Ref) -> Break:
    who = Ref("DaemonSet", "plugin", "plugin")
    return lambda plan, bundle: (plan, replace(bundle, edges=(*bundle.edges, (who, to))))


def chart(index: int, **fields: Any) -> Break:
    def broken(plan: Plan, bundle: Bundle) -> Broken:
        charts = tuple(replace(one, **fields) if place == index else one for place, one in enumerate(bundle.charts))
        return plan, replace(bundle, charts=charts)

    return broken


def provides(index: int, *provided: Provided) -> Break:
    return lambda plan, bundle: chart(index, provides=(*bundle.charts[index].provides, *provided))(plan, bundle)


def bindings(index: int, **fields: Any) -> Break:
    def broken(plan: Plan, bundle: Bundle) -> Broken:
        changed = tuple(replace(one, **fields) if place == index else one for place, one in enumerate(bundle.bindings))
        return plan, replace(bundle, bindings=changed)

    return broken


def asks(index: int, **fields: Any) -> Break:
    def broken(plan: Plan, bundle: Bundle) -> Broken:
        changed = tuple(replace(one, **fields) if place == index else one for place, one in enumerate(bundle.asks))
        return plan, replace(bundle, asks=changed)

    return broken


def ask(value: dict[str, Any], pool: str) -> Break:
    def broken(plan: Plan, bundle: Bundle) -> Broken:
        one: Ask = replace(bundle.asks[0], value=value, pool=pool, by="other")
        return plan, replace(bundle, asks=(*bundle.asks, one))

    return broken


def planned(**fields: Any) -> Break:
    return lambda plan, bundle: (replace(plan, **fields), bundle)


def supplies(**fields: Any) -> Break:
    """Add a changed copy of the first pool's supply to the plan."""
    return lambda plan, bundle: (replace(plan, supplies=(*plan.supplies, replace(plan.supplies[0], **fields))), bundle)


def untold(plan: Plan, bundle: Bundle) -> Broken:
    return plan, replace(bundle, prerequisites=bundle.prerequisites[1:])
