"""Prints YAML that every reader takes for the same: YAML 1.1 (PyYAML), YAML 1.2, and the Go readers of kubectl, kustomize and Helm.

A string stands plain only where none of them could take it for something else. `1e3` is a number to Go and a string to
PyYAML, `12:30` the other way round; kubectl reads `y` as true. No anchors, no tags, no flow but `{}` and `[]`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite, isnan
from typing import Any

from fourleaf.ir import Document, Value

DEPTH = 200
"""Levels of nesting; more is an error of ours, since the spec allows half as many."""

# Begins with a letter (or what no reader gives a meaning), and has neither ": " nor " #" nor two spaces in a row.
_WORD = re.compile(r"(?:[A-Za-z/]|_(?=[A-Za-z]))(?:[A-Za-z0-9_./@+=,()'-]|[: ](?=[A-Za-z0-9_./@+=()'-]))*\Z").match
# Begins with a digit and is a number to none of them: quantities, durations, percentages, versions, MIG profiles, folders.
_AMOUNT = re.compile(
    r"(?:[0-9]+(?:\.[0-9]+)?(?:[KMGTPE]i|[kmMGTP]|ms|s|h|%)"
    r"|[0-9]+\.[0-9]+\.[0-9]+(?:[-.+][A-Za-z0-9.+-]+)?"
    r"|[0-9]+g\.[0-9]+gb(?:[-+.][a-z0-9.]+)*"
    r"|[0-9]+-[a-z-]+)\Z"
).match
# In any case of letters: some reader takes some case of each for a boolean, null or a number.
_RESERVED = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "infinity"))

_SPECIAL = re.compile('[\x00-\x1f"\\\\\x7f-\xa0\xad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ud800-\udfff\ufeff\ufff0-\uffff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
# Text for a literal block: printable, no blank or indented first line, no line that ends in a blank or begins with a tab.
_PRINTED = "\t\n -~\xa1-\xac\xae-\u200a\u2010-\u2027\u2030-\u205f\u2070-\ud7ff\ue000-\ufefe\uff00-\uffef\U00010000-\U0010ffff"
_CLEAN = re.compile(f"(?![ \n])[{_PRINTED}]*\\Z").match
_RAGGED = re.compile(r"[ \t](?:\n|\Z)|(?:^|\n)\t").search
# libyaml and go-yaml look for the colon of a simple key within 1,024 characters.
_KEY = 1000


def dump(value: Value, header: Iterable[str] = ()) -> str:
    """Print a tree with final references as one YAML document. Keys keep their order; a `Document` is printed as text.

    Args:
        header: lines of comment to stand before it.

    Raises:
        TypeError: a value is no part of a manifest, such as a `Ref`: an error of ours.
        ValueError: the tree is deeper than DEPTH, or a string holds half a surrogate pair: an error of ours.
    """
    out: list[str] = [comment(header)]
    tree = _narrow(value)
    if isinstance(tree, dict) and tree:
        _mapping(tree, "", "", out.append)
    elif isinstance(tree, list) and tree:
        _sequence(tree, "", "", out.append)
    else:
        out.append(_leaf(tree, "  ") + "\n")
    return "".join(out)


def comment(lines: Iterable[str]) -> str:
    """Return lines of comment, with what cannot be printed escaped."""
    return "".join(f"# {_SPECIAL.sub(_printable, line)}".rstrip() + "\n" for text in lines for line in text.split("\n"))


def scalar(text: str) -> str:
    """Print a string on one line, plain or in double quotes."""
    if (_WORD(text) and text.lower() not in _RESERVED) or _AMOUNT(text):
        return text
    return '"' + _SPECIAL.sub(_escape, text) + '"'


def _simple_key(text: str) -> str:
    """Print a key with its colon; "" where it is too long for a simple key."""
    printed = scalar(text)
    return f"{printed}:" if len(printed) < _KEY else ""


class _Printed(dict[str, str]):
    """What strings look like: manifests say the same words over and over. (Half the cost of functools' cache.)"""

    def __init__(self, show: Callable[[str], str], limit: int) -> None:
        super().__init__()
        self._show = show
        self._limit = limit

    def __missing__(self, text: str) -> str:
        printed = self._show(text)
        if len(text) < 256:
            if len(self) >= self._limit:
                self.clear()
            self[text] = printed
        return printed


_SCALARS = _Printed(scalar, 1 << 15)
_KEYS = _Printed(_simple_key, 1 << 13)


def _escape(found: re.Match[str]) -> str:
    char = found.group()
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:
        raise ValueError(f"half a surrogate pair: {found.string!r}")
    return _SHORT.get(char) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def _printable(found: re.Match[str]) -> str:
    return found.group() if found.group() in '"\\' else _escape(found)


def _mapping(value: Mapping[str, Any], indent: str, first: str, put: Callable[[str], None]) -> None:
    """Print entries at `indent`, the first of them behind `first` ("- ", where the mapping stands in a list)."""
    deeper = indent + "  "
    if len(deeper) > 2 * DEPTH:
        raise ValueError(f"a tree of more than {DEPTH} levels")
    lead = first or indent
    for name, item in value.items():
        key = _KEYS[name] or f"? {scalar(name)}\n{indent}:"
        kind = type(item)
        if kind is str and "\n" not in item:
            put(f"{lead}{key} {_SCALARS[item]}\n")
        elif kind is int:
            put(f"{lead}{key} {item}\n")
        else:
            if kind is not dict and kind is not list:
                item = _narrow(item)
                kind = type(item)
            if kind is dict and item:
                put(f"{lead}{key}\n")
                _mapping(item, deeper, "", put)
            elif kind is list and item:
                put(f"{lead}{key}\n")
                _sequence(item, indent, "", put)
            else:
                put(f"{lead}{key} {_leaf(item, deeper)}\n")
        lead = indent


def _sequence(value: Sequence[Any], indent: str, first: str, put: Callable[[str], None]) -> None:
    """Print items at `indent`, the first of them behind `first`, where the sequence stands in another."""
    deeper = indent + "  "
    if len(deeper) > 2 * DEPTH:
        raise ValueError(f"a tree of more than {DEPTH} levels")
    lead = (first or indent) + "- "
    for item in value:
        kind = type(item)
        if kind is str and "\n" not in item:
            put(f"{lead}{_SCALARS[item]}\n")
        else:
            if kind is not dict and kind is not list:
                item = _narrow(item)
                kind = type(item)
            if kind is dict and item:
                _mapping(item, deeper, lead, put)
            elif kind is list and item:
                _sequence(item, deeper, lead, put)
            else:
                put(f"{lead}{_leaf(item, deeper)}\n")
        lead = indent + "- "


def _narrow(value: Any) -> Any:
    """Return a value as dict, list, str or what it is, so that the type alone tells what to do."""
    kind = type(value)
    if kind is dict or kind is list or kind is bool or value is None:
        return value
    if kind is tuple:
        return list(value)
    if isinstance(value, Document):
        return dump(value.tree)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return list(value)
    return value


def _leaf(value: Any, indent: str) -> str:
    """Print what has nothing below it; `indent` is where lines of a literal block begin."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return int.__repr__(value)
        case float():
            return _float(value)
        case str():
            return _text(value, indent)
        case {} if not value:
            return "{}"
        case []:
            return "[]"
    raise TypeError(f"no part of a manifest: {value!r}")


def _text(value: str, indent: str) -> str:
    """Print a string as a literal block where that keeps every character of it, else on one line."""
    body = value.rstrip("\n")
    if "\n" not in value or not body or not _CLEAN(body) or _RAGGED(body):
        return scalar(value)
    ends = len(value) - len(body)
    chomp = "-" if ends == 0 else "" if ends == 1 else "+"
    lines = "\n".join(indent + line if line else "" for line in body.split("\n"))
    return f"|{chomp}\n{lines}" + "\n" * (ends - 1)


def _float(value: float) -> str:
    if not isfinite(value):
        return ".nan" if isnan(value) else ".inf" if value > 0 else "-.inf"
    printed = float.__repr__(value)
    # YAML 1.1 knows no exponent without a point.
    return printed.replace("e", ".0e") if "e" in printed and "." not in printed else printed
