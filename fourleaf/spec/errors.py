"""What pydantic finds wrong with a document becomes diagnostics in the words of the language."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

from fourleaf.diag import Diagnostic, Edit, Label, Path, Rule, show_path
from fourleaf.diag.nearest import nearest
from fourleaf.spec import fields
from fourleaf.spec.located import Located
from fourleaf.spec.outline import Outline, outline
from fourleaf.spec.rules import (
    FIELDS_EXCLUDE_EACH_OTHER,
    MALFORMED_TEXT,
    MISSING_FIELD,
    UNKNOWN_FIELD,
    UNKNOWN_WORD,
    VALUE_OUT_OF_RANGE,
    WRONG_TYPE,
)

if TYPE_CHECKING:
    from fourleaf.spec.record import Record

_INSTEAD: Mapping[Path, tuple[str, str]] = {
    # NVIDIA/k8s-device-plugin v0.20.0 internal/plugin/mps.go, pull requests 537 and 713
    ("mig", "mps"): ("timeSlicing", "sharing using MPS is not supported for MIG devices"),
}
"""Fields that a mapping cannot have although another has them, by (mapping, field): what to write in their place, and why."""
_TRUE = frozenset(("yes", "on", "y", "true", "1"))
_FALSE = frozenset(("no", "off", "n", "false", "0"))


class _Finding(Struct, frozen=True):
    """One error of pydantic's, with what is known of its place."""

    path: Path
    on_key: bool
    value: Any
    context: Mapping[str, Any]
    document: Located
    wanted: Outline
    model: type[Record]

    @property
    def name(self) -> str:
        """What the value is called: its field, or the item of a list."""
        if not self.path:
            return "the document"
        return show_path(self.path[-2:]) if isinstance(self.path[-1], int) else self.path[-1]

    @property
    def parent(self) -> str:
        return show_path(self.path[:-1]) or "the document"

    def say(self, rule: Rule, message: str, mend: str, text: str = "") -> Diagnostic:
        """Return a diagnostic at this place.

        Args:
            text: what takes the place of the value, where that mends it for certain.
        """
        edits = (Edit(self.document.span(self.path), text),) if text else ()
        return rule.at(self.path, message, help=mend, edits=edits, on_key=self.on_key)

    @property
    def beside(self) -> Mapping[str, Any]:
        """The mapping that the value stands in."""
        holder = self.document.value
        for part in self.path[:-1]:
            holder = holder[part]
        return cast(Mapping[str, Any], holder)

    def example(self) -> str:
        return _flow(self.wanted.examples[0]) if self.wanted.examples else ""


def diagnostics(errors: Iterable[Mapping[str, Any]], document: Located, model: type[Record]) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each error that `model` found in `document`; of a misspelt field that must be there, one and not two.

    Args:
        errors: pydantic's `ValidationError.errors()`.
    """
    misspelt: set[Path] = set()
    for error in sorted(errors, key=lambda error: error["type"] == "missing"):
        loc = tuple(part for part in error["loc"] if not (isinstance(part, str) and part.startswith("<")))
        on_key = loc[-1:] == ("[key]",)
        path = loc[:-1] if on_key else loc
        finding = _Finding(path, on_key, error["input"], error.get("ctx", {}), document, outline(model, path), model)
        if error["type"] == "extra_forbidden":
            misspelt.update((*path[:-1], name) for name in _meant(finding))
        found = _READINGS.get(error["type"], _other)(finding)
        if found is not None and not (error["type"] == "missing" and path in misspelt):
            yield found


def _meant(found: _Finding) -> tuple[str, ...]:
    """Return the field that an unknown one is most like, if any."""
    return nearest(found.name, outline(found.model, found.path[:-1]).fields, limit=1)


def _unknown_field(found: _Finding) -> Diagnostic:
    known = outline(found.model, found.path[:-1]).fields
    instead, why = _INSTEAD.get(found.path[-2:], ("", ""))
    close = (instead,) if instead else _meant(found)
    listed = ", ".join(known)
    twice = bool(close) and close[0] in found.beside
    mend = (
        f"take it out: {close[0]} is there already"
        if twice
        else f"write {close[0]}"
        if close
        else f"its fields are {listed}"
        if known
        else "remove it"
    )
    message = f"{found.parent} has no field {_short(found.name)}" + (f": {why}" if why else "")
    return UNKNOWN_FIELD.at(found.path, message, help=mend, on_key=True)


def _missing(found: _Finding) -> Diagnostic:
    return found.say(MISSING_FIELD, f"{found.parent} has no {found.name}", f"add {found.name}: {found.example() or '...'}")


def _one_of(found: _Finding) -> Diagnostic:
    aliases = {name: field.alias or name for name, field in _choice_fields(found).items()}
    given = [aliases[name] for name in found.context["given"]]
    if given:
        first, second = given[:2]
        labels = (Label((*found.path, first), f"{first} is given here"),)
        message = f"{found.name} has both {first} and {second}"
        mend = f"{_nested(found, first, second)}keep {first} or {second}"
        return FIELDS_EXCLUDE_EACH_OTHER.at((*found.path, second), message, help=mend, labels=labels, on_key=True)
    wanted = list(aliases.values())
    for empty in (name for name in wanted if name in found.value):
        examples = outline(found.model, (*found.path, empty)).examples[-1:]
        mend = f"write a value{''.join(f', such as {_flow(one)}' for one in examples)}"
        return VALUE_OUT_OF_RANGE.at((*found.path, empty), f"{empty} is empty", help=mend)
    example = outline(found.model, (*found.path, wanted[0])).examples[:1]
    mend = "add one of them" + (f", such as {wanted[0]}: {_flow(example[0])}" if example else "")
    return MISSING_FIELD.at((*found.path, wanted[0]), f"{show_path(found.path)} has none of {', '.join(wanted)}", help=mend)


def _nested(found: _Finding, outer: str, inner: str) -> str:
    """Return the mend where the second of two fields can be given in the first, as an alternative to another."""
    fields, (held, holder) = _choice_fields(found), found.context["model"].within
    within = holder == outer and inner == fields[held].alias and isinstance(found.value[outer], dict)
    return f"write `{outer}: {_flow({**found.value[outer], inner: found.value[inner]})}`, or " if within else ""


def _choice_fields(found: _Finding) -> Mapping[str, Any]:
    """Return the fields of which the mapping must have one, by their names in Python."""
    model = found.context["model"]
    return {name: model.model_fields[name] for name in model.one_of}


def _not_text(found: _Finding) -> Diagnostic:
    if found.value is None or isinstance(found.value, list | dict):
        return _wrong_type(found, "a text")
    written = found.document.source(found.path) or _flow(found.value)
    form = fields.FORMS.get(found.wanted.pattern)
    if form is fields.MEMORY:
        mend = f"write {_number(found.value)}Gi, or the unit that is meant"
        return found.say(WRONG_TYPE, f"{found.name} is the number {written}, without a unit", mend)
    if form is fields.PERCENT:
        text = f"{_number(found.value)}%"
        if 0 < found.value < 1:  # a part of one, most likely
            mend = f"write {found.value * 100:g}%, or {text} if that is meant"
            return found.say(WRONG_TYPE, f"{found.name} is the number {written}, not a percentage", mend)
        return found.say(WRONG_TYPE, f"{found.name} is the number {written}, not a percentage", f"write {text}", text)
    kind = "boolean" if isinstance(found.value, bool) else "number"
    text = f'"{written}"' if form and re.match(form.pattern, written) else ""
    if not text:
        return found.say(WRONG_TYPE, f"{found.name} is the {kind} {written}, not a text", f"write a text{_such_as(found)}")
    return found.say(WRONG_TYPE, f"{found.name} is the {kind} {written}, not a text", f"write {text}", text)


def _not_integer(found: _Finding) -> Diagnostic:
    value = found.value
    digits = isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}", value)
    round_number = isinstance(value, float) and value.is_integer() and abs(value) < 1e9
    return _wrong_type(found, "a whole number", str(int(value)) if digits or round_number else "")


def _not_number(found: _Finding) -> Diagnostic:
    value = found.value
    percent = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]+)?)\s*%", value) if isinstance(value, str) else None
    if percent:
        return _wrong_type(found, "a number", str(float(percent.group(1)) / 100))
    plain = isinstance(value, str) and re.fullmatch(r"[0-9]*\.?[0-9]+", value)
    return _wrong_type(found, "a number", str(float(value)) if plain else "")


def _not_boolean(found: _Finding) -> Diagnostic:
    word = str(found.value).lower()
    return _wrong_type(found, "true or false", "true" if word in _TRUE else "false" if word in _FALSE else "")


def _not_list(found: _Finding) -> Diagnostic:
    value = found.value
    if isinstance(value, dict):
        return found.say(WRONG_TYPE, f"{found.name} is a mapping, not a list", "write a dash and a space before each item")
    written = found.document.source(found.path)
    item = "string" if isinstance(value, str) else "integer" if isinstance(value, int) else ""
    one = bool(written) and item in outline(found.model, (*found.path, 0)).types
    return _wrong_type(found, "a list", f"[{written}]" if one else "")


def _not_mapping(found: _Finding) -> Diagnostic:
    return _wrong_type(found, "a mapping")


def _not_word(found: _Finding) -> Diagnostic:
    words = found.wanted.words
    listed = _or([*words, *(["a mapping"] if "object" in found.wanted.types else [])])
    if not isinstance(found.value, str):
        return _wrong_type(found, listed)
    close = nearest(found.value, words, limit=1)
    mend = f"write {close[0] if close else listed}"
    mapping = f", or a mapping with {_or(found.wanted.fields)}" if found.wanted.fields and not close else ""
    return found.say(
        UNKNOWN_WORD, f"{found.name} is {_short(found.value)}, not {listed}", mend if not mapping else f"write {_or(words)}{mapping}"
    )


def _malformed(found: _Finding) -> Diagnostic | None:
    form = fields.FORMS[found.context["pattern"]]
    text = found.value
    if not text:
        return _empty(found)
    better = _corrected(text, form)
    what = f"the key {_short(text)}" if found.on_key else f"{found.name} {_short(text)}"
    return found.say(MALFORMED_TEXT, f"{what} is not {form.what}", f"write {better}" if better else form.help)


def _corrected(text: str, form: fields.Form) -> str:
    """Return what was most likely meant, "" where nothing is likely."""
    if form in (fields.LABEL, fields.NODE):
        folded = re.sub(r"[^a-z0-9.-]+" if form is fields.NODE else r"[^a-z0-9-]+", "-", text.lower()).strip("-.")
        return folded if re.match(form.pattern, folded) and len(folded) <= 63 else ""
    amount = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*([kmgtpe])?i?b?", text.lower()) if form is fields.MEMORY else None
    if amount and amount.group(2) and re.match(form.pattern, f"{amount.group(1)}{amount.group(2).upper()}i"):
        number, unit = amount.group(1), amount.group(2).upper()
        return f"{number}{unit}i (powers of two) or {number}{'k' if unit == 'K' else unit} (powers of ten)"
    return ""


def _empty(found: _Finding) -> Diagnostic:
    if found.on_key:
        return found.say(VALUE_OUT_OF_RANGE, f"a key of {show_path(found.path[-2:-1])} is empty", "write a key, or remove the line")
    rest = ", or remove the line" if found.wanted.has_default else ""
    return found.say(VALUE_OUT_OF_RANGE, f"{found.name} is empty", f"write a value{_such_as(found)}{rest}")


def _too_long(found: _Finding) -> Diagnostic:
    most = found.context["max_length"]
    return found.say(VALUE_OUT_OF_RANGE, f"{found.name} has {len(found.value)} characters, at most {most} are allowed", "shorten it")


def _too_much_memory(found: _Finding) -> Diagnostic:
    return found.say(
        VALUE_OUT_OF_RANGE, f"{found.name} is {_short(found.value)}, less than 8Ei is wanted", f"write another amount{_such_as(found)}"
    )


def _too_short(found: _Finding) -> Diagnostic | None:
    # A tuple is counted behind its items' own errors: one with a wrong item is "too short" for pydantic as well.
    if not isinstance(found.value, list | tuple) or len(found.value) >= found.context["min_length"]:
        return None
    rest = ", or remove the line" if found.wanted.has_default else ""
    return found.say(VALUE_OUT_OF_RANGE, f"{found.name} holds nothing", f"write at least one item{_such_as(found)}{rest}")


def _bound(words: str, key: str) -> Callable[[_Finding], Diagnostic]:
    def read(found: _Finding) -> Diagnostic:
        bound = _number(found.context[key])
        message = f"{found.name} is {_number(found.value)}, {words} {bound} is wanted"
        mend = (
            f"write {bound} or {'more' if key == 'ge' else 'less'}"
            if key in ("ge", "le")
            else f"write {found.example() or 'another number'}"
        )
        return found.say(VALUE_OUT_OF_RANGE, message, mend)

    return read


def _other(found: _Finding) -> Diagnostic:
    return _wrong_type(found, _or(found.wanted.types) or "what stands there")


def _wrong_type(found: _Finding, wanted: str, text: str = "") -> Diagnostic:
    """Say that a value has the wrong type.

    Args:
        text: what to write instead, if that is certain.
    """
    value = found.value
    if value is None:
        rest = ", or remove the line" if found.wanted.has_default else ""
        return found.say(WRONG_TYPE, f"{found.name} is empty, not {wanted}", f"write a value{_such_as(found)}{rest}")
    written = _short(found.document.source(found.path) or _flow(value))
    what = {bool: f"the boolean {written}", str: f"the text {written}", list: "a list", dict: "a mapping"}.get(
        type(value), f"the number {written}"
    )
    mend = f"write {text}" if text else f"write {wanted}{_such_as(found)}"
    return found.say(WRONG_TYPE, f"{found.name} is {what}, not {wanted}", mend, text)


def _such_as(found: _Finding) -> str:
    example = found.example()
    return f", such as {example}" if example else ""


def _or(words: Iterable[str]) -> str:
    *most, last = [*words] or [""]
    return f"{', '.join(most)} or {last}" if most else last


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _flow(value: Any) -> str:
    """Return a value as a line of YAML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z][\w./-]*|[0-9]+[a-zA-Z%][\w.%]*", value):
        return value
    return json.dumps(value, ensure_ascii=False)


_READINGS: dict[str, Callable[[_Finding], Diagnostic | None]] = {
    "extra_forbidden": _unknown_field,
    "missing": _missing,
    "one_of": _one_of,
    "string_type": _not_text,
    "int_type": _not_integer,
    "float_type": _not_number,
    "bool_type": _not_boolean,
    "tuple_type": _not_list,
    "dict_type": _not_mapping,
    "model_type": _not_mapping,
    "literal_error": _not_word,
    "string_pattern_mismatch": _malformed,
    "string_too_long": _too_long,
    "string_too_short": _empty,
    "too_short": _too_short,
    "greater_than_equal": _bound("at least", "ge"),
    "greater_than": _bound("more than", "gt"),
    "less_than": _bound("less than", "lt"),
    "less_than_equal": _bound("at most", "le"),
    "too_much_memory": _too_much_memory,
}
