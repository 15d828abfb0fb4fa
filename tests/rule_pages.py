"""Pages of docs/rules as data: their parts, the specs in them, and what is marked in those."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NoReturn, TypeAlias

from fourleaf.diag.render import render
from fourleaf.pipeline import Compilation, run

FOLDER = Path(__file__).parent.parent / "docs" / "rules"
FILE = "cluster.yaml"

Marks: TypeAlias = Counter[tuple[int, str, str]]
"""(line, severity, code) of each diagnostic, and how many there are."""

_SECTION = re.compile(r"^## (.+)\n", re.MULTILINE)
_BLOCK = re.compile(r"^```(yaml|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"# ((?:error|warning|note): FL\d{3}(?:, (?:error|warning|note): FL\d{3})*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    kind: str
    text: str
    start: int
    """Where its text begins in the page, and `end` where the block ends."""
    end: int


@dataclass(frozen=True, slots=True)
class Page:
    path: Path
    text: str
    title: str
    sentence: str
    sections: Mapping[str, str]
    """Heading to text, in the order of the page."""
    failing: tuple[tuple[Block, Block | None], ...]
    """Specs that fail, each with the text that is printed of it, if it is there; none for a rule that no spec can break."""
    passing: tuple[Block, ...]

    @property
    def code(self) -> str:
        return self.path.stem.partition("-")[0]


def pages() -> tuple[Page, ...]:
    return tuple(_page(path) for path in sorted(FOLDER.glob("FL*.md")))


def _page(path: Path) -> Page:
    text = path.read_text(encoding="utf-8")
    head, *rest = _SECTION.split(text)
    title, _, sentence = head.strip().partition("\n\n")
    starts = {match[1]: match.end() for match in _SECTION.finditer(text)}
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    blocks = [*_blocks(sections.get("Fails", ""), starts.get("Fails", 0)), None]
    failing = tuple(
        (spec, said if said and said.kind == "text" else None) for spec, said in pairwise(blocks) if spec and spec.kind == "yaml"
    )
    passing = tuple(_blocks(sections.get("Passes", ""), starts.get("Passes", 0)))
    return Page(path, text, title, sentence, sections, failing, passing)


def _blocks(section: str, at: int) -> list[Block]:
    return [Block(match[1], match[2], at + match.start(2), at + match.end()) for match in _BLOCK.finditer(section)]


def marks(spec: str) -> Marks:
    """Return what the comments of a spec say that is wrong with their lines."""
    found: Marks = Counter()
    for match in _COMMENT.finditer(spec):
        line = spec.count("\n", 0, match.start()) + 1
        found.update((line, *mark.split(": ")) for mark in match[1].split(", "))
    return found


def found(made: Compilation) -> Marks:
    return Counter((one.span.line if one.span else 0, str(one.severity), one.rule.code) for one in made.diagnostics)


def compiled(spec: str) -> Compilation:
    return run(spec, FILE, _nothing_beside)


def _nothing_beside(name: str) -> NoReturn:
    raise FileNotFoundError(2, "No such file or directory", name)


def printed(made: Compilation) -> str:
    return render(made.diagnostics, made.sources)


def renewed(page: Page) -> str:
    """Return the text of a page with what is printed now."""
    text = page.text
    for spec, said in reversed(page.failing):
        block = f"```text\n{printed(compiled(spec.text))}```"
        start, end = (said.start - len("```text\n"), said.end) if said else (spec.end, spec.end)
        text = text[:start] + ("" if said else "\n\n") + block + text[end:]
    return text
