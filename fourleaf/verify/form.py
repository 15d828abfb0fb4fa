"""What an API server refuses that a schema does not say: scope, names, sizes. And secrets in clear, which it takes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from fourleaf.diag import Diagnostic, Rule, Severity
from fourleaf.ir import Binding, Document, Object, Value
from fourleaf.kube.names import SUBDOMAIN_MAX, label_fault, label_key_fault, label_value_fault, subdomain_fault
from fourleaf.verify.view import View, below, maker, pods, show

SECRET = Rule("FL830", "secret-in-clear", Severity.ERROR, "a Secret carries its data in clear", allowable=False)
SCOPE = Rule(
    "FL831", "scope-mismatch", Severity.ERROR, "an object is in a namespace and must not be, or must be and is not", allowable=False
)
NAME = Rule("FL832", "refused-name", Severity.ERROR, "a name, label or key that an API server refuses", allowable=False)
SIZE = Rule("FL833", "oversized-object", Severity.ERROR, "an object is larger than an API server takes", allowable=False)

SEGMENT = re.compile(r"(?!\.\.?$)[^/%]+")
FILE = re.compile(r"(?!\.\.?$)[-._a-zA-Z0-9]{1,253}")

LABELS = frozenset({("", "Namespace"), ("", "Service"), ("apps", "StatefulSet")})
"""Kinds whose names are DNS labels; those of others may have dots: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/."""

LONGEST: Mapping[tuple[str, str], int] = {
    # A label of its pods carries the name: https://kubernetes.io/docs/concepts/workloads/controllers/job/#writing-a-job-spec
    ("batch", "Job"): 63,
    # Its Jobs get 11 characters more: https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#writing-a-cronjob-spec
    ("batch", "CronJob"): 52,
}

MAX_CONFIG = 1024 * 1024  # https://kubernetes.io/docs/concepts/configuration/configmap/: 1 MiB
MAX_ANNOTATIONS = 262144  # https://kubernetes.io/docs/concepts/overview/working-with-objects/annotations/: 256 KiB


def secrets(view: View) -> Iterator[Diagnostic]:
    """No Secret has data: what fourleaf writes is committed."""
    for made in view.bundle.objects:
        if made.kind == "Secret" and not made.group and (made.body.get("data") or made.body.get("stringData")):
            yield SECRET.at(made.origin.place, f"{show(made)} would stand in the output with its data", note=maker(made))


def scopes(view: View) -> Iterator[Diagnostic]:
    """An object has a namespace exactly when its kind is namespaced."""
    for made in view.bundle.objects:
        scope = view.scope(made.ref.kind)
        if scope == "Cluster" and made.namespace:
            yield SCOPE.at(made.origin.place, f"{show(made)} is in a namespace, and its kind stands in none", note=maker(made))
        elif scope == "Namespaced" and not made.namespace:
            yield SCOPE.at(made.origin.place, f"{show(made)} is in no namespace, and its kind stands in one", note=maker(made))


def names(view: View) -> Iterator[Diagnostic]:
    """Names, labels and keys are of the form that their kinds take. At most one finding a part."""
    for made in view.bundle.objects:
        wrong = next(_wrong(made), "")
        if wrong:
            yield NAME.at(made.origin.place, f"{show(made)}: {wrong}", note=maker(made))
    for binding in view.bundle.bindings:
        wrong = next(_wrong_in_binding(binding), "")
        if wrong:
            yield NAME.at(binding.origin.place, f"{show(binding)}: {wrong}")


def _wrong(made: Object) -> Iterator[str]:
    fault = _name_fault(made)
    if fault:
        yield f'name "{made.name}" {fault}'
    if made.namespace and (fault := label_fault(made.namespace)):
        yield f'namespace "{made.namespace}" {fault}'
    yield from _labels(made.labels)
    yield from _annotations(made.annotations)
    template = pods(made)
    if template is not None:
        yield from _of_pods(below(template, "metadata"))
    for key in _entries(made) if made.kind == "ConfigMap" else ():
        if not FILE.fullmatch(key):
            yield f"key \"{key}\" is not of at most 253 letters, digits, '-', '_' and '.'"


def _of_pods(metadata: Value) -> Iterator[str]:
    for name, check in (("labels", _labels), ("annotations", _annotations)):
        found = below(metadata, name)
        if isinstance(found, Mapping):
            yield from check(found)


def _name_fault(made: Object) -> str:
    kind = (made.group, made.kind)
    if made.group == "rbac.authorization.k8s.io":
        return "" if SEGMENT.fullmatch(made.name) else "is no part of a path"
    longest = LONGEST.get(kind, SUBDOMAIN_MAX)
    if len(made.name) > longest:
        return f"is {len(made.name)} characters long, {longest} are allowed"
    return label_fault(made.name) if kind in LABELS else subdomain_fault(made.name)


def _wrong_in_binding(binding: Binding) -> Iterator[str]:
    for labels in (binding.labels, binding.pod_labels):
        yield from _labels(labels)
    for notes in (binding.annotations, binding.pod_annotations):
        yield from _annotations(notes)


def _labels(labels: Mapping[str, Value]) -> Iterator[str]:
    yield from _keys("label", labels)
    for key, value in labels.items():
        if isinstance(value, str) and (fault := label_value_fault(value)):
            yield f'value "{value}" of label {key} {fault}'


def _annotations(annotations: Mapping[str, Value]) -> Iterator[str]:
    return _keys("annotation", annotations)


def _keys(what: str, keys: Iterable[str]) -> Iterator[str]:
    for key in keys:
        if fault := label_key_fault(key):
            yield f'{what} key "{key}" {fault}'


def sizes(view: View) -> Iterator[Diagnostic]:
    """ConfigMaps and annotations are no larger than an API server takes."""
    for made in view.bundle.objects:
        annotations = sum(_bytes(key) + _bytes(value) for key, value in made.annotations.items())
        if annotations > MAX_ANNOTATIONS:
            said = f"{show(made)} has {annotations} bytes of annotations, {MAX_ANNOTATIONS} are the limit"
            yield SIZE.at(made.origin.place, said, note=maker(made))
        if made.kind == "ConfigMap":
            data = sum(_bytes(value) for value in _entries(made).values())
            if data > MAX_CONFIG:
                yield SIZE.at(made.origin.place, f"{show(made)} has {data} bytes of data, {MAX_CONFIG} are the limit", note=maker(made))


def _entries(made: Object) -> Mapping[str, Value]:
    found = (made.body.get("data"), made.body.get("binaryData"))
    return {key: value for entries in found if isinstance(entries, Mapping) for key, value in entries.items()}


def _bytes(value: Value) -> int:
    """Return the size of a text; of a document, which is text only in the end, that of its JSON with line breaks."""
    if isinstance(value, Document):
        value = json.dumps(value.tree, indent=1, ensure_ascii=False, default=str)
    return len(value.encode()) if isinstance(value, str) else 0
