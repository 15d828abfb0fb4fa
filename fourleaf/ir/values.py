"""Values of manifests before they have their final names: trees with references in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias, Union

from msgspec import Struct

from fourleaf.diag import Path

Value: TypeAlias = Union[bool, int, float, str, "Ref", "Document", Sequence["Value"], Mapping[str, "Value"], None]


class Ref(Struct, frozen=True, order=True):
    """A reference by logical name: a whole value, never a key or a part of a string.

    `lower` replaces it by the final name, wherever it stands.
    """

    kind: str
    """As kubectl qualifies it, without a version: "ConfigMap", "Queue.scheduling.volcano.sh"."""
    name: str
    namespace: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


class Document(Struct, frozen=True):
    """A YAML document that stands as text in another (a ConfigMap's file, a chart value); a tree until emit prints it."""

    tree: Value


class Origin(Struct, frozen=True):
    """Why something is there: the place in the spec that asked for it, and the rule, as a clause."""

    place: Path
    rule: str = ""


def refs_in(value: Value) -> Iterator[Ref]:
    """Yield every reference in a tree."""
    stack = [value]
    while stack:
        item = stack.pop()
        match item:
            case Ref():
                yield item
            case Document():
                stack.append(item.tree)
            case str():
                pass
            case Mapping():
                stack.extend(reversed(list(item.values())))
            case Sequence():
                stack.extend(reversed(item))
