"""The final name behind every reference."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from fourleaf.ir import Binding, Chart, Document, Object, Ref, Value

Holder = TypeVar("Holder", Object, Chart, Binding)


class Names:
    """Final names. A hash is over the body with the references in it already final, so a change below changes the name above."""

    def __init__(self, objects: Iterable[Object]) -> None:
        self._hashed = {made.ref: made for made in objects if made.hashed}
        self._final: dict[Ref, Ref] = {}
        self._busy: set[Ref] = set()

    def of(self, ref: Ref) -> Ref:
        """Return the reference by its final name."""
        if ref not in self._hashed:
            return ref
        if ref not in self._final:
            self._final[ref] = replace(ref, name=f"{ref.name}-{self._digest(ref)}")
        return self._final[ref]

    def value(self, value: Value) -> Value:
        """Return a tree with every reference replaced by its final name."""
        match value:
            case str() | None | bool() | int() | float():
                return value
            case Ref():
                return self.of(value).name
            case Document():
                return Document(self.value(value.tree))
            case Mapping():
                return {key: self.value(item) for key, item in value.items()}
            case Sequence():
                return [self.value(item) for item in value]

    def within(self, part: Holder) -> Holder:
        """Return a part with every reference in it replaced by its final name."""
        final: dict[str, Any] = {name: self.value(value) for name, value in trees(part)}
        return replace(part, **final)

    def _digest(self, ref: Ref) -> str:
        if ref in self._busy:
            raise AssertionError(f"objects with hashed names refer to each other: {sorted(map(str, self._busy))}")
        self._busy.add(ref)
        body = self.value(self._hashed[ref].body)
        text = json.dumps(body, sort_keys=True, default=lambda document: {"document": document.tree})
        return hashlib.sha256(text.encode()).hexdigest()[:8]


def trees(part: Object | Chart | Binding) -> Iterator[tuple[str, Value]]:
    """Yield the fields of a part in which references may stand."""
    for name in _FIELDS[type(part)]:
        value = getattr(part, name)
        if value and not isinstance(value, str):
            yield name, value


_FIELDS: dict[type, tuple[str, ...]] = {
    Object: ("labels", "annotations", "body"),
    Chart: ("values",),
    Binding: ("affinity", "claims", "runtime_class", "labels", "annotations", "pod_labels", "pod_annotations"),
}
