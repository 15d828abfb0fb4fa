"""One name of the spec against what there is: the same words for every kind of mistake."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from fourleaf.diag import Diagnostic, Path, Rule, nearest
from fourleaf.resolve.rules import UNKNOWN_NAME


def suggestion(close: Iterable[str], known: Iterable[str] = ()) -> str:
    """Return the help for a name that nothing has: what is near, else what there is."""
    near = list(close)
    if near:
        return f"did you mean {' or '.join(near)}?"
    there = list(known)
    return f"there is: {', '.join(there[:12])}{', ...' if len(there) > 12 else ''}" if there else ""


def unknown(rule: Rule, place: Path, kind: str, word: str, close: Iterable[str], see: str) -> Diagnostic:
    """Return the diagnostic for a word that the catalogue does not have.

    Args:
        see: the command that lists what there is.
    """
    meant = suggestion(close)
    return rule.at(place, f"no {kind} is called {word}", help=f"{meant} `{see}` lists them" if meant else f"`{see}` lists them")


def unknown_name(place: Path, kind: str, word: str, known: frozenset[str]) -> Diagnostic:
    """Return the diagnostic for a reference to something that the spec does not have.

    Args:
        known: one set for all references to these names, so that it is put in order once.
    """
    close = nearest(word, known)
    return UNKNOWN_NAME.at(
        place, f"the spec has no {kind} {word}", help=suggestion(close, () if close else _listed(known)) or f"add it under `{kind}s`"
    )


@lru_cache(8)
def _listed(known: frozenset[str]) -> list[str]:
    return sorted(known)
