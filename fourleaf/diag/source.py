"""Lines of a source text, counted as the YAML parser and editors count them."""

from __future__ import annotations

import re

_BREAK = re.compile("\r\n|\n|\r")


def lines(text: str) -> list[str]:
    """Return the lines without their ends; the last is empty where the text ends with one."""
    return _BREAK.split(text)
