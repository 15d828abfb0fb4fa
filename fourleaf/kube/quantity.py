"""Quantities as Kubernetes writes them: "64Gi", "500m", "1e3". Exact: no value passes through a float.

Source: k8s.io/apimachinery v0.36.3 pkg/api/resource, whose rules on rounding and on the form of the text these follow.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil, floor
from typing import Literal, TypeAlias

Form: TypeAlias = Literal["decimal", "binary", "exponent"]

_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_DECIMAL = {"n": -3, "u": -2, "m": -1, "": 0, "k": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_TEXT = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?\d{1,3})?", re.ASCII)
_NANO = 10**9
_LARGEST = 2**63 - 1


def parse_quantity(text: str) -> Fraction:
    """Return the value of a quantity; beyond nine decimal places it is rounded away from zero, as the API server does.

    Raises:
        ValueError: `text` is no quantity, or is beyond 2^63 - 1, which no API server can count.
    """
    return _read(text)[0]


def bytes_of(text: str) -> int:
    """Return the number of bytes, rounded up to a whole one.

    Raises:
        ValueError: as `parse_quantity`, or the amount is negative.
    """
    value = parse_quantity(text)
    if value < 0:
        raise ValueError(f"{text} is negative")
    return ceil(value)


def canonical(text: str) -> str:
    """Return a quantity in the form in which the API server gives it back: "1.5Gi" is "1536Mi", "1000m" is "1".

    Raises:
        ValueError: as `parse_quantity`.
    """
    return show_quantity(*_read(text))


def show_quantity(value: Fraction | int, form: Form = "decimal") -> str:
    """Return the shortest text of a quantity without a fraction, in powers of 1000 or 1024.

    What has no whole number of bytes, or is below 1024, is written in powers of 1000 in any case.

    Raises:
        ValueError: it has more than nine decimal places.
    """
    value = Fraction(value)
    if form == "binary" and abs(value) >= 1024 and value.denominator == 1:
        return _scaled(value.numerator, 1024, {power: suffix for suffix, power in _BINARY.items()} | {0: ""})
    nanos = value * _NANO
    if nanos.denominator != 1:
        raise ValueError(f"{value} has more than nine decimal places")
    if form == "exponent":
        return _scaled(nanos.numerator, 1000, {power + 3: f"e{power * 3}" if power else "" for power in range(-3, 7)})
    return _scaled(nanos.numerator, 1000, {power + 3: suffix for suffix, power in _DECIMAL.items()})


def show_memory(count: int) -> str:
    """Return an amount of memory in bytes as its author most likely wrote it: "64Gi", "100G"."""
    return min(show_quantity(count, "binary"), show_quantity(count, "decimal"), key=len)


def round_memory(count: int) -> str:
    """Return the largest round amount of memory that is no more than some bytes: "24Gi", "3.3Gi", "730Mi"."""
    tenths = count * 10 // 2**30
    return f"{tenths / 10:g}Gi" if tenths >= 10 else f"{count // 2**20}Mi"


def _scaled(number: int, base: int, suffixes: dict[int, str]) -> str:
    power = 0
    while number and number % base == 0 and power + 1 in suffixes:
        number, power = number // base, power + 1
    return f"{number}{suffixes[power]}" if number else "0"


def _read(text: str) -> tuple[Fraction, Form]:
    match = _TEXT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no quantity: write a number and one of n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei")
    sign, digits, suffix = match[1], match[2], match[3] or ""
    form: Form = "decimal"
    value = Fraction(digits.rstrip("."))
    if suffix in _BINARY:
        form, value = "binary", value * 1024 ** _BINARY[suffix]
    elif suffix in _DECIMAL:
        value *= Fraction(1000) ** _DECIMAL[suffix]
    else:
        form, value = "exponent", value * Fraction(10) ** int(suffix[1:])
    value = Fraction(ceil(value * _NANO), _NANO)
    if floor(value) > _LARGEST:
        raise ValueError(f"{text} is more than 2^63 - 1")
    return (-value if sign == "-" else value), form
