"""Which fields of which objects name other objects, whether or not a system wrote a reference there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fourleaf.ir import Binding, Object, Ref, Value
from fourleaf.verify.view import View, below, listed, pods, text


def named_by(view: View, made: Object) -> Iterator[Ref]:
    """Yield what an object needs, as its own fields say it: its namespace, its definition, what its pods mount and run as, ..."""
    yield from _namespace(made.namespace)
    if made.group not in view.release.groups:
        kind = made.ref.kind
        yield Ref("Definition", kind)
        yield from _custom(view, made)
    template = pods(made)
    if template is not None:
        yield from _pod(below(template, "spec"), made.namespace)
    match made.kind:
        case "RoleBinding" | "ClusterRoleBinding":
            yield from _bound(made)
        case "ResourceClaim":
            yield from _classes(below(made.body, "spec"))
        case "ResourceClaimTemplate":
            yield from _classes(below(made.body, "spec", "spec"))
        case "ValidatingAdmissionPolicyBinding":
            yield from _ref("ValidatingAdmissionPolicy", below(made.body, "spec", "policyName"))


def needed_by(binding: Binding) -> Iterator[Ref]:
    """Yield what a workload's pods need: their namespace, claim templates, runtime class."""
    yield from _namespace(binding.namespace)
    for template in binding.claims.values():
        yield from _ref("ResourceClaimTemplate", template, binding.namespace)
    yield from _ref("RuntimeClass", binding.runtime_class)


def _namespace(name: str) -> Iterator[Ref]:
    if name:
        yield Ref("Namespace", name)


def _ref(kind: str, value: Value, namespace: str = "") -> Iterator[Ref]:
    if text(value):
        yield Ref(kind, text(value), namespace)


def _custom(view: View, made: Object) -> Iterator[Ref]:
    """What is namespaced is named in the namespace of who names it."""
    record = view.custom(made.ref.kind)
    fields: Mapping[str, str] = record.get("references", {}) if record else {}
    for path, target in fields.items():
        home = made.namespace if view.scope(target) == "Namespaced" else ""
        yield from _ref(target, below(made.body, *path.split(".")), home)


def _pod(spec: Value, namespace: str) -> Iterator[Ref]:
    yield from _ref("PriorityClass", below(spec, "priorityClassName"))
    yield from _ref("RuntimeClass", below(spec, "runtimeClassName"))
    yield from _ref("ServiceAccount", below(spec, "serviceAccountName"), namespace)
    for claim in listed(below(spec, "resourceClaims")):
        yield from _ref("ResourceClaim", below(claim, "resourceClaimName"), namespace)
        yield from _ref("ResourceClaimTemplate", below(claim, "resourceClaimTemplateName"), namespace)
    for source in _sources(spec):
        if below(source, "optional") is not True:
            yield from _ref("ConfigMap", below(source, "name"), namespace)


def _sources(spec: Value) -> Iterator[Value]:
    """Yield every place of a pod that names a ConfigMap."""
    for volume in listed(below(spec, "volumes")):
        yield below(volume, "configMap")
        for source in listed(below(volume, "projected", "sources")):
            yield below(source, "configMap")
    for container in (*listed(below(spec, "initContainers")), *listed(below(spec, "containers"))):
        for source in listed(below(container, "envFrom")):
            yield below(source, "configMapRef")
        for variable in listed(below(container, "env")):
            yield below(variable, "valueFrom", "configMapKeyRef")


def _classes(spec: Value) -> Iterator[Ref]:
    """Yield the classes of a claim: v1 and v1beta2 have them under `exactly`, v1beta1 in the request itself."""
    for request in listed(below(spec, "devices", "requests")):
        for one in (request, below(request, "exactly"), *listed(below(request, "firstAvailable"))):
            yield from _ref("DeviceClass", below(one, "deviceClassName"))


def _bound(made: Object) -> Iterator[Ref]:
    kind = text(below(made.body, "roleRef", "kind"))
    yield from _ref(kind, below(made.body, "roleRef", "name"), made.namespace if kind == "Role" else "")
    for subject in listed(below(made.body, "subjects")):
        if below(subject, "kind") == "ServiceAccount":
            yield from _ref("ServiceAccount", below(subject, "name"), text(below(subject, "namespace")))
