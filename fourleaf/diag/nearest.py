"""Which of the known words somebody may have meant."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache

_CUTOFF = 0.6
_LONGEST = 64  # comparing takes quadratic time
_MANY = 200
_BESIDE = 16
"""Of many words, so many before and behind the wanted one are looked at, in each order."""


def nearest(word: str, known: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Return the known words that are most like `word`, the best first; none where nothing is like it.

    Case and separators do not count: `RTX-5070-Ti`, `rtx5070ti` and `rtx_5070_ti` all mean `rtx-5070-ti`. A word that begins with
    `word` is like it: `h100` means `h100-80gb` and `h100-94gb`.

    Args:
        known: a frozenset that is asked again and again costs nothing to look through the second time.
    """
    return _nearest(word, frozenset(known), limit)


@lru_cache(1024)
def _nearest(word: str, known: frozenset[str], limit: int) -> tuple[str, ...]:
    wanted = _fold(word)
    if not 0 < len(wanted) <= _LONGEST:
        return ()
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    scored: list[tuple[float, str]] = []
    for folded, candidate in _around(wanted, known):
        if folded == wanted:
            score = 2.0
        elif len(wanted) > 1 and folded.startswith(wanted):
            score = 1.0 + len(wanted) / len(folded)
        else:
            matcher.set_seq1(folded)
            if matcher.real_quick_ratio() < _CUTOFF or matcher.quick_ratio() < _CUTOFF:
                continue
            score = matcher.ratio()
        if score >= _CUTOFF:
            scored.append((-score, candidate))
    return tuple(candidate for _, candidate in sorted(scored)[:limit])


def _around(wanted: str, known: frozenset[str]) -> Iterable[tuple[str, str]]:
    """Return the known words to compare, folded and as they are: of many, those that begin or end most like the wanted one."""
    rising, backwards = _sorted(known)
    if len(rising) <= _MANY:
        return rising
    begin, end = bisect_left(rising, (wanted,)), bisect_left(backwards, (wanted[::-1],))
    ends_alike = ((folded[::-1], word) for folded, word in backwards[max(end - _BESIDE, 0) : end + _BESIDE])
    return {*rising[max(begin - _BESIDE, 0) : begin + _BESIDE], *ends_alike}


@lru_cache(8)
def _sorted(known: frozenset[str]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return words behind their folded forms, in order; and behind those forms from back to front, where they are many."""
    rising = sorted((_fold(word), word) for word in known)
    return rising, sorted((folded[::-1], word) for folded, word in rising) if len(rising) > _MANY else []


def _fold(word: str) -> str:
    return "".join(char for char in word.lower() if char.isalnum())
