"""A word of the command line that must be one of some."""

from __future__ import annotations

from collections.abc import Iterable

import click


class Word(click.Choice[str]):
    """One of some words; another is wrong usage, and the answer says which there are."""

    def __init__(self, what: str, words: Iterable[str]) -> None:
        super().__init__([*words])
        self._what = what

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in self.choices:
            return value
        from fourleaf.diag import nearest

        *most, last = self.choices
        close = nearest(value, self.choices, limit=1)
        meant = f" Did you mean {close[0]}?" if close else ""
        raise click.UsageError(f"there is no {self._what} {value}: write {', '.join(most)} or {last}.{meant}", ctx)
