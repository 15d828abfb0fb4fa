"""What looks better on a terminal that wants colours. The only module that imports rich, and only then."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table


def page(text: str) -> None:
    """Show a page of Markdown."""
    Console().print(Markdown(text, code_theme="ansi_dark"))


def table(rows: Sequence[Sequence[str]]) -> None:
    """Show rows as columns, the first row bold; a cell that is too wide for the terminal takes several lines."""
    shown = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for heading in rows[0]:
        shown.add_column(heading, overflow="fold")
    for row in rows[1:]:
        shown.add_row(*row)
    Console(highlight=False, markup=False).print(shown)
