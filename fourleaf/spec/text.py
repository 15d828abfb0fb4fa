"""Bytes of a file become text, or a diagnostic that says why they are none."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any

from fourleaf.diag import Diagnostic, Path, Span
from fourleaf.diag.source import lines
from fourleaf.spec.rules import FILE_NOT_READABLE, SPEC_TOO_LARGE, UNSUPPORTED_YAML

MAX_BYTES = 8 * 2**20
MAX_DEPTH = 100
"""Levels that values may be nested."""

_UTF16_OR_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

# What YAML 1.2 does not allow in a stream; U+FEFF inside of it; and U+2028 and U+2029, which YAML 1.1 readers take for line ends.
_REFUSED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
# What escapes in double quotes can still bring in. Ran: kustomize 5.5 refuses a document that holds U+007F, U+0080 to U+009F, U+FFFE or
# U+FFFF in any spelling, but for U+0085, which it prints bare, so that YAML 1.1 readers take it for a line end.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def decode(data: bytes | str, file: str) -> tuple[str, Diagnostic | None]:
    """Return the text without a byte order mark, and why it cannot be read, if so; then the text is for excerpts alone."""
    size = len(data) if isinstance(data, bytes) else len(data.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        span = Span(file, 1, 1, 1, 1)
        found = SPEC_TOO_LARGE.at((), f"the file has {size / 2**20:.1f} MiB, at most {MAX_BYTES // 2**20} MiB are read", span=span)
        return "", found
    if isinstance(data, bytes):
        if data.startswith(_UTF16_OR_32):
            span = Span(file, 1, 1, 1, 1)
            return "", FILE_NOT_READABLE.at((), "the file is UTF-16 or UTF-32", help="save it as UTF-8", span=span)
        try:
            text = data.removeprefix(codecs.BOM_UTF8).decode()
        except UnicodeDecodeError as error:
            data = data.removeprefix(codecs.BOM_UTF8)
            before = data[: error.start].decode()
            span = _span(file, before, 1)
            found = FILE_NOT_READABLE.at((), f"byte 0x{data[error.start]:02x} is not UTF-8", help="save the file as UTF-8", span=span)
            return data.decode("utf-8", "replace"), found
    else:
        text = data.removeprefix("\ufeff")
    refused = _REFUSED.search(text)
    if refused is None:
        return text, None
    span = _span(file, text[: refused.start()], 1)
    char = refused.group()
    if char == "\0":
        return text, FILE_NOT_READABLE.at((), "the file is binary: it holds a NUL", help="name a YAML file", span=span)
    mend = f'write it as "\\u{ord(char):04x}", in double quotes' if char in "\u2028\u2029" else "remove it"
    return text, UNSUPPORTED_YAML.at((), f"{show_char(char)} cannot stand in a spec", help=mend, span=span)


def control_character(text: str) -> str:
    """Return the first character of a value that does not survive kubectl and kustomize, or nothing."""
    found = _CONTROL.search(text)
    return found.group() if found else ""


def unwritable(tree: Any) -> Iterator[Diagnostic]:
    """Yield the texts of a tree of data that hold what no text of a spec can bring in."""
    stack: list[tuple[Path, Any]] = [((), tree)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, str) and (char := control_character(value)):
            yield UNSUPPORTED_YAML.at(path, f"{show_char(char)} does not survive kubectl and kustomize", help="remove it")
        elif isinstance(value, dict):
            stack += [((*path, key), item) for key, item in value.items()]
            stack += [((*path, key), key) for key in value]
        elif isinstance(value, list):
            stack += [((*path, index), item) for index, item in enumerate(value)]


def show_char(char: str) -> str:
    """Return a character in words: "U+0007 (a control character)"."""
    from unicodedata import name

    if "\ud800" <= char <= "\udfff":
        what = "half of a character"
    elif _CONTROL.match(char):
        what = "a control character"
    else:
        what = name(char, "a character").lower()
    return f"U+{ord(char):04X} ({what})"


def _span(file: str, before: str, width: int) -> Span:
    """Return the place of what stands after `before`."""
    above = lines(before)
    return Span(file, len(above), len(above[-1]) + 1, len(above), len(above[-1]) + 1 + width)
