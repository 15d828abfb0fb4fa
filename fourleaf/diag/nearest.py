"""Which of the known words somebody may have meant."""

from __future__ import annotations

from collections.abc import Iterable

_CUTOFF = 0.6
_LONGEST = 64  # comparing takes quadratic time


def nearest(word: str, known: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Return the known words that are most like `word`, the best first; none where nothing is like it.

    Case and separators do not count: `RTX-5070-Ti`, `rtx5070ti` and `rtx_5070_ti` all mean `rtx-5070-ti`. A word that begins with
    `word` is like it: `h100` means `h100-80gb` and `h100-94gb`.
    """
    wanted = _fold(word)
    if not 0 < len(wanted) <= _LONGEST:
        return ()
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)
    scored: list[tuple[float, str]] = []
    for candidate in dict.fromkeys(known):
        folded = _fold(candidate)
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


def _fold(word: str) -> str:
    return "".join(char for char in word.lower() if char.isalnum())
