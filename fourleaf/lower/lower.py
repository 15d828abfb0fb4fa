"""The plan becomes a bundle: every component is lowered from the top down, then references get their final names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from fourleaf.diag import Diagnostic
from fourleaf.hardware import Distribution
from fourleaf.ir import Ask, Bundle, Chart, Component, Object, Origin, Part, Plan, Prerequisite, Ref
from fourleaf.lower.link import link
from fourleaf.lower.values import NO_CHART, contradictions, merge, unknown_keys
from fourleaf.lower.workloads import bindings, core
from fourleaf.systems import SYSTEMS
from fourleaf.systems.record import keys

ENFORCE = "pod-security.kubernetes.io/enforce"


def lower(plan: Plan, given: Sequence[Ask] = ()) -> tuple[Bundle, tuple[Diagnostic, ...]]:
    """Lower the whole plan.

    Args:
        given: asks from outside, with final names: what one component is told of another that is not in this plan.
    """
    bound = bindings(plan)
    made: list[Object | Chart | Prerequisite] = []
    asks = [*given]
    for part in core(plan):
        _sort(part, "", made, asks)
    charts: dict[str, Ref] = {}
    found: list[Diagnostic] = []
    for component in reversed(plan.components):
        system = SYSTEMS[component.system]
        taken = [ask for ask in asks if not ask.to and ask.topic in system.takes and ask.pool in ("", *component.pools)]
        mine = {id(ask) for ask in taken}
        asks = [replace(ask, to=component.system) if id(ask) in mine else ask for ask in asks]
        own: list[Chart] = []
        for part in (*_home_of(component, plan.distribution), *system.lower(plan, component, taken)):
            if isinstance(part, Chart):
                found += contradictions(part, component)
                own.append(part)
                charts[component.system] = part.ref
            _sort(merge(part, component) if isinstance(part, Chart) else part, component.system, made, asks)
        found += _raw_values(component, bool(own))
    waits = [(charts[name], charts[below]) for name in charts for below in SYSTEMS[name].needs if below in charts]
    # What a chart's system asked of those below must be answered before the chart goes in.
    answers = {ask.to: ask.by for ask in asks if ask.to and ask.by in charts}
    waits += [
        (charts[answers[part.by]], part.ref)
        for part in made
        if isinstance(part, Object) and part.by in answers and part.kind != "Namespace"
    ]
    return link(made, bound, asks, waits), tuple(found)


def _sort(part: Part, by: str, made: list[Object | Chart | Prerequisite], asks: list[Ask]) -> None:
    match part:
        case Ask():
            asks.append(replace(part, by=by))
        case Prerequisite():
            made.append(part)
        case _:
            made.append(replace(part, by=by))


def _home_of(component: Component, distribution: Distribution) -> Iterator[Object]:
    """Yield the namespace of a component, and what lets its pods be privileged where Pod Security is not all that holds them back."""
    record = SYSTEMS[component.system].record
    if not record.namespace:
        return
    labels = {ENFORCE: record.pod_security} if record.pod_security else {}
    origin = Origin(component.origin.place, f"{component.system} lives in it")
    yield Object(api_version="v1", kind="Namespace", name=record.namespace, labels=labels, keep=True, origin=origin)
    if record.pod_security == "privileged" and "privileged" in distribution.traits:
        yield from _allowed(record.namespace, distribution.traits["privileged"], replace(origin, rule="its pods are privileged"))


def _allowed(namespace: str, thing: str, origin: Origin) -> Iterator[Object]:
    """Let every service account of a namespace use a thing: "group/resource/name"."""
    group, resource, name = thing.split("/")
    role = Object(
        api_version="rbac.authorization.k8s.io/v1",
        kind="Role",
        name="privileged-pods",
        namespace=namespace,
        body={"rules": [{"apiGroups": [group], "resources": [resource], "resourceNames": [name], "verbs": ["use"]}]},
        origin=origin,
    )
    yield role
    subject = {"apiGroup": role.group, "kind": "Group", "name": f"system:serviceaccounts:{namespace}"}
    yield Object(
        api_version=role.api_version,
        kind="RoleBinding",
        name=role.name,
        namespace=namespace,
        body={"roleRef": {"apiGroup": role.group, "kind": role.kind, "name": role.ref}, "subjects": [subject]},
        origin=origin,
    )


def _raw_values(component: Component, charted: bool) -> Iterator[Diagnostic]:
    if not component.values:
        return
    if not charted:
        yield NO_CHART.at(
            component.values_place,
            f"{component.system} is installed as plain objects, it has no chart that takes values",
            help="take `values` out",
        )
        return
    known = keys(component.system, component.version)
    if known:
        yield from unknown_keys(known, component)
