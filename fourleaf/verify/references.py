"""Everything that is named is there: made, brought by a chart or a person, or Kubernetes' own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fourleaf.diag import Diagnostic, Label, Rule, Severity
from fourleaf.ir import Ref
from fourleaf.verify.fields import named_by, needed_by
from fourleaf.verify.view import Holder, View, defined_by, maker, show

UNRESOLVED = Rule("FL820", "unresolved-reference", Severity.ERROR, "something that the set names is made by nothing in it")

# Made by every API server: https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/#initial-namespaces and
# https://kubernetes.io/docs/tasks/administer-cluster/guaranteed-scheduling-critical-addon-pods/
BUILT_IN = frozenset(
    {
        *(Ref("Namespace", name) for name in ("default", "kube-node-lease", "kube-public", "kube-system")),
        *(Ref("PriorityClass", name) for name in ("system-cluster-critical", "system-node-critical")),
        # https://kubernetes.io/docs/reference/access-authn-authz/rbac/#user-facing-roles
        *(Ref("ClusterRole", name) for name in ("admin", "cluster-admin", "edit", "view")),
    }
)
# In each namespace: https://kubernetes.io/docs/concepts/security/service-accounts/#default-service-accounts and
# https://kubernetes.io/docs/concepts/configuration/configmap/
IN_EVERY_NAMESPACE = frozenset({("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")})


def references(view: View) -> Iterator[Diagnostic]:
    """Yield one diagnostic for each thing that is not there, whoever names it."""
    parts = view.parts()
    there = {*BUILT_IN, *parts, *_defined(view), *_brought(view)}
    wanted: dict[Ref, dict[Ref, None]] = {}
    for who, to in _named(view):
        if to in there:
            continue
        target = view.same(to)
        # What a chart or a person brings may be known by its name alone.
        if target not in there and Ref(target.kind, target.name) not in there and not _native(view, target):
            wanted.setdefault(target, {})[view.same(who if isinstance(who, Ref) else who.ref)] = None
    for target, needers in wanted.items():
        yield _diagnostic(parts, target, list(needers))


def _defined(view: View) -> Iterator[Ref]:
    for made in view.bundle.objects:
        if defined_by(made):
            yield Ref("Definition", defined_by(made))


def _brought(view: View) -> Iterator[Ref]:
    for chart in view.bundle.charts:
        for provided in chart.provides:
            yield view.same(provided.ref)
    for todo in view.bundle.prerequisites:
        if todo.brings:
            yield view.same(todo.brings)


def _named(view: View) -> Iterator[tuple[Ref | Holder, Ref]]:
    yield from view.bundle.edges
    for made in view.bundle.objects:
        for to in named_by(view, made):
            yield made, to
    for chart in view.bundle.charts:
        if chart.namespace:
            yield chart, Ref("Namespace", chart.namespace)
    for binding in view.bundle.bindings:
        for to in needed_by(binding):
            yield binding, to


def _native(view: View, ref: Ref) -> bool:
    """Tell whether Kubernetes itself has something."""
    match ref.kind:
        case "Definition":
            return view.built_in(ref.name)
        case "ClusterRole":
            return ref.name.startswith("system:")
    return (ref.kind, ref.name) in IN_EVERY_NAMESPACE


def _diagnostic(parts: Mapping[Ref, Holder], target: Ref, needers: list[Ref]) -> Diagnostic:
    first = parts.get(needers[0])
    others = [(who, parts[who]) for who in needers[1:4] if who in parts]
    thing = f"the definition of {target.name}" if target.kind == "Definition" else str(target)
    asked = show(first) if first else str(needers[0])
    more = f" and {len(needers) - 1} more need" if len(needers) > 1 else " needs"
    return UNRESOLVED.at(
        first.origin.place if first else (),
        f"{asked}{more} {thing}, which nothing makes or brings",
        note=maker(first) if first else "",
        labels=tuple(Label(part.origin.place, f"{show(part)} needs it too") for _, part in others),
    )
