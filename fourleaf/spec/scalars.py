"""Plain scalars of YAML 1.2's core schema: what `yes`, `0o17`, `1.30` and `~` are."""

from __future__ import annotations

import re
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER = re.compile(
    r"(?P<int>[-+]?[0-9]+)|0o(?P<octal>[0-7]+)|0x(?P<hex>[0-9a-fA-F]+)"
    r"|(?P<float>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<special>[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))"
)
_STARTS = frozenset("+-.0123456789")
_INT64 = range(-(2**63), 2**63)


class NumberError(ValueError):
    """A number of YAML that has no place in JSON: its argument says why."""


def resolve(text: str) -> Scalar:
    """Return what a scalar without quotes stands for.

    Raises:
        NumberError: it is infinite, no number at all, or an integer beyond 64 bits.

    Source: YAML 1.2.2, section 10.3.2.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _STARTS:
        return text
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    kind = match.lastgroup
    if kind == "special":
        raise NumberError("JSON has no such number")
    if kind == "float":
        number = float(text)
        if number in (float("inf"), float("-inf")):
            raise NumberError("it is beyond what 64 bits hold")
        return number
    digits = match.group(kind or 0)
    # Python refuses to read more than 4,300 digits, in quadratic time; 30 are beyond 64 bits in every base but where they are zeros.
    digits = re.sub(r"^([-+]?)0+(?=.)", r"\1", digits)
    if len(digits) > 30:
        raise NumberError("it is beyond what 64 bits hold")
    integer = int(digits, {"octal": 8, "hex": 16}.get(kind or "", 10))
    if integer not in _INT64:
        raise NumberError("it is beyond what 64 bits hold")
    return integer
