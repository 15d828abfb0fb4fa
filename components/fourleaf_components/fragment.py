"""Arguments become a cluster spec as data, and places in that spec become property paths again.

The declared types of the arguments say which keys are fields of the language (snake_case here, camelCase there) and which are the
user's own words (labels, profiles, chart values), which stay as they are.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NotRequired, get_args, get_origin, is_typeddict

from msgspec import Struct

from fourleaf.diag import Path, show_path
from fourleaf_components.language import CutCards, Driver


class NotPlainError(Exception):
    """An argument that the compiler must see is not known when the program runs.

    Attributes:
        path: the property path of the argument.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(show_path(path))
        self.path = path


class Fragment(Struct, frozen=True, kw_only=True):
    """A spec, and where each of its values came from."""

    tree: dict[str, Any]
    places: Mapping[Path, Path]
    """Place in the spec to property path of the arguments."""

    def shown(self, name: str, place: Path) -> str:
        """Return a place of the spec as a path into the arguments of the component `name`; its name alone where nothing was given."""
        known = next((place[:length] for length in range(len(place), 0, -1) if place[:length] in self.places), None)
        if known is None:
            return name
        rest = (snake(part) if isinstance(part, str) else part for part in place[len(known) :])
        return show_path((name, *self.places[known], *rest))


class Writer:
    """Writes the tree of a spec, and remembers where each value came from."""

    def __init__(self) -> None:
        self.body: dict[str, Any] = {}
        self._places: dict[Path, Path] = {}

    def put(self, place: tuple[str, ...], value: Any, declared: Any, *path: str) -> None:
        """Write a value of the arguments at a place below `spec`; None is a value that was not given.

        Args:
            declared: its type.
            path: its property path.

        Raises:
            NotPlainError: it holds an output.
        """
        if value is None:
            return
        at = self.body
        for part in place[:-1]:
            at = at.setdefault(part, {})
        at[place[-1]] = self._spelt(value, declared, ("spec", *place), path)

    def fragment(self, name: str) -> Fragment:
        """Return what was written, as the spec of a cluster with a name that is like `name`."""
        label = re.sub(r"[^a-z0-9]+", "-", name.lower())[:63].strip("-") or "cluster"
        tree = {"apiVersion": "fourleaf.dev/v1", "kind": "Cluster", "metadata": {"name": label}, "spec": self.body}
        return Fragment(tree=tree, places=self._places)

    def _spelt(self, value: Any, declared: Any, place: Path, path: Path) -> Any:
        self._places[place] = path
        match value:
            case Mapping():
                fields = fields_of(declared) if is_typeddict(declared) else None
                of_each = get_args(declared)[1] if get_origin(declared) is dict else Any
                made = {}
                for key, item in value.items():
                    if item is None:
                        continue
                    name = str(key) if fields is None else camel(str(key))
                    kind = of_each if fields is None else fields.get(snake(str(key)), Any)
                    made[name] = self._spelt(item, kind, (*place, name), (*path, str(key)))
                return _FORMS[declared](made) if declared in _FORMS else made
            case str() | bool() | int():
                return value
            case float():
                # Numbers come over Pulumi's wire without their type.
                return int(value) if value.is_integer() and declared is not float else value
            case Sequence():
                kind = get_args(declared)[0] if get_origin(declared) is list else Any
                return [self._spelt(item, kind, (*place, index), (*path, index)) for index, item in enumerate(value) if item is not None]
        raise NotPlainError(path)


def _driver(made: dict[str, Any]) -> Any:
    """An owner alone is the language's word; beside a version it stays, and the language says that it has no such field."""
    return made["owner"] if [*made] == ["owner"] else made


def _cut(made: dict[str, Any]) -> Any:
    return {"layout": "none", **made}


_FORMS: Mapping[Any, Callable[[dict[str, Any]], Any]] = {Driver: _driver, CutCards: _cut}
"""Types whose fields the language writes in another form."""


@cache
def fields_of(declared: Any) -> Mapping[str, Any]:
    """Return the fields of a TypedDict with their types, whether they must be given or not."""
    # Not typing.get_type_hints: it looks up names inside of pulumi.Input, and does not find them.
    hints = inspect.get_annotations(declared)
    maybe: Any = NotRequired
    return {name: get_args(hint)[0] if get_origin(hint) is maybe else hint for name, hint in hints.items()}


def camel(name: str) -> str:
    """Return a name of Python's as the spec has it: feature_gates, featureGates."""
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name)


def snake(name: str) -> str:
    """Return a name of the spec as Python has it: featureGates, feature_gates."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: f"_{match[1].lower()}", name)
