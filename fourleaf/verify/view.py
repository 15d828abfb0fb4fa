"""A bundle as the invariants look at it: indexed once, so that each of them is one walk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from fourleaf.ir import Binding, Bundle, Chart, Object, Plan, PodShape, Ref, Value
from fourleaf.kube.definitions import Record, record
from fourleaf.kube.release import Release, Scope, release

Holder: TypeAlias = Object | Chart | Binding


class View(Struct, frozen=True, kw_only=True):
    plan: Plan
    bundle: Bundle
    release: Release
    scopes: Mapping[str, Scope]
    """Of Kubernetes' own kinds."""
    shapes: Mapping[tuple[str, str, str], PodShape]
    """(namespace, name, kind) of a workload to its pods."""

    @classmethod
    def of(cls, plan: Plan, bundle: Bundle) -> View:
        found = release(plan.kubernetes)
        shapes = {(pod.namespace, pod.name, pod.kind): pod for pod in plan.pods}
        return cls(plan=plan, bundle=bundle, release=found, scopes=found.scopes, shapes=shapes)

    def parts(self) -> Mapping[Ref, Holder]:
        """Return everything made, by reference (`same`); of two of one name the first."""
        holders: list[Holder] = [*reversed(self.bundle.objects), *self.bundle.charts, *self.bundle.bindings]
        return {self.same(part.ref): part for part in holders}

    def same(self, ref: Ref) -> Ref:
        """Return a reference with kinds of Kubernetes' own written in one way: their group left out."""
        name, dot, _ = ref.kind.partition(".")
        return Ref(name, ref.name, ref.namespace) if dot and self.built_in(ref.kind) else ref

    def built_in(self, kind: str) -> bool:
        """Tell whether the API server brings a kind itself; `kind` as `Ref.kind`."""
        return kind.partition(".")[2] in self.release.groups

    def custom(self, kind: str) -> Record | None:
        """Return the record of a custom resource, None where there is none or the kind is built in."""
        name, _, group = kind.partition(".")
        return None if group in self.release.groups else record(group, name)

    def scope(self, kind: str) -> Scope | None:
        """Return whether objects of a kind stand in a namespace, None where that is not known."""
        found = self.custom(kind)
        scope: Scope | None = found["scope"] if found else self.scopes.get(kind.partition(".")[0]) if self.built_in(kind) else None
        return scope


def defined_by(made: Object) -> str:
    """Return the kind that an object defines, as `Ref.kind`; "" where it is no definition."""
    if made.kind != "CustomResourceDefinition":
        return ""
    return f"{text(below(made.body, 'spec', 'names', 'kind'))}.{text(below(made.body, 'spec', 'group'))}"


def show(part: Holder) -> str:
    """Return how a message names a part: `ConfigMap gpu-operator/layouts`."""
    match part:
        case Chart():
            return f"chart {part.release}"
        case Object():
            return str(Ref(part.kind, part.name, part.namespace))
        case Binding():
            return f"binding of {Ref(part.kind, part.name, part.namespace)}"


def maker(part: Holder) -> str:
    """Return, as a note, who made a part and why."""
    by = "" if isinstance(part, Binding) else part.by
    return ": ".join(text for text in (f"made by {by}" if by else "", part.origin.rule) if text)


def below(value: Value, *path: str) -> Value:
    """Return what stands at a path of mappings, None where nothing does."""
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def listed(value: Value) -> Sequence[Value]:
    """Return the items of a list, none where it is no list."""
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def text(value: Value) -> str:
    """Return a name that stands as text or as a reference, "" where it is neither."""
    return value if isinstance(value, str) else value.name if isinstance(value, Ref) else ""


POD: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("", "Pod"): (),
    ("apps", "DaemonSet"): ("spec", "template"),
    ("apps", "Deployment"): ("spec", "template"),
    ("apps", "StatefulSet"): ("spec", "template"),
    ("batch", "CronJob"): ("spec", "jobTemplate", "spec", "template"),
    ("batch", "Job"): ("spec", "template"),
}
"""(group, kind) to where the pods stand in an object's body."""


def pods(made: Object) -> Value:
    """Return the template of an object's pods, None where it makes none."""
    path = POD.get((made.group, made.kind))
    return None if path is None else below(made.body, *path)
