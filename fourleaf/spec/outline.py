"""The shape of the language at a path, read from the JSON Schema of the models: which fields, which words, what for example."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from fourleaf.diag import Path

if TYPE_CHECKING:
    from fourleaf.spec.record import Record

Schema = dict[str, Any]


class Outline(Struct, frozen=True):
    """What may stand at one path: a value of any of the forms."""

    forms: tuple[Schema, ...] = ()
    examples: tuple[Any, ...] = ()
    has_default: bool = False
    """It can be left out."""

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields of a mapping, in the order of the language."""
        return tuple(dict.fromkeys(name for form in self.forms for name in form.get("properties", ())))

    @property
    def words(self) -> tuple[str, ...]:
        """The words, where the field takes no others."""
        return tuple(word for form in self.forms for word in form.get("enum", (form["const"],) if "const" in form else ()))

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys("word" if "enum" in form or "const" in form else form.get("type", "") for form in self.forms))

    @property
    def pattern(self) -> str:
        return next((form["pattern"] for form in self.forms if "pattern" in form), "")


def outline(model: type[Record], path: Path) -> Outline:
    """Return what the language has at a path; an outline of nothing where it has nothing there."""
    return _outline(model, tuple(0 if isinstance(part, int) else part for part in path))


@lru_cache(1024)
def _outline(model: type[Record], path: Path) -> Outline:
    """Return it for a path whose indexes are 0: items of a list are alike."""
    root = _schema(model)
    forms, examples, has_default = _forms(root, root), (), False
    for part in path:
        below: list[Schema] = []
        has_default = True
        for form in forms:
            if isinstance(part, int):
                below += [form["items"]] if "items" in form else []
            elif part in form.get("properties", {}):
                below.append(form["properties"][part])
                has_default = part not in form.get("required", ())
            elif isinstance(form.get("additionalProperties"), dict):
                below.append(form["additionalProperties"])
            elif "patternProperties" in form:
                below += form["patternProperties"].values()
        examples = tuple(example for schema in below for example in schema.get("examples", ()))
        forms = [form for schema in below for form in _forms(schema, root)]
    return Outline(tuple(forms), examples, has_default)


@cache
def _schema(model: type[Record]) -> Schema:
    return model.model_json_schema()


def _forms(schema: Schema, root: Schema) -> list[Schema]:
    """Return the forms of a union, or the one form that there is, with references followed."""
    done: list[Schema] = []
    todo = [schema]
    while todo:
        form = todo.pop(0)
        if "$ref" in form:
            todo.insert(0, root["$defs"][form["$ref"].rpartition("/")[2]])
        elif "anyOf" in form or "oneOf" in form:
            todo = [*form.get("anyOf", ()), *form.get("oneOf", ()), *todo]
        elif form.get("type") != "null":
            done.append(form)
    return done
