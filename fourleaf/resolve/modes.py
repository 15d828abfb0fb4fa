"""Compute and memory modes of the spec become cuts of cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fourleaf.diag import Diagnostic, Path, nearest
from fourleaf.hardware import Card
from fourleaf.ir import Cut, Gpu
from fourleaf.partition import Mode, cards_with_modes, modes
from fourleaf.resolve.rules import MEMORY_MODES, MODES_COUNT, NO_MODES, UNKNOWN_MODE


def modes_of(pool: str, given: str | Mapping[str, int], where: Path, gpus: Sequence[Gpu], found: list[Diagnostic]) -> Iterator[Cut]:
    """Yield how the cards of a node are partitioned; what cannot be goes to `found`.

    Args:
        given: one mode for all cards, or how many cards have which.
        where: the place of `given`.
        gpus: the pool's cards; indexes count over them in this order.
    """
    cards = [gpu.card for gpu in gpus for _ in range(gpu.count)]
    before = len(found)
    found += [_without(card, where) for card in {card.name: card for card in cards}.values() if not modes(card.name)]
    if len(found) > before:
        return
    asked = {given: len(cards)} if isinstance(given, str) else dict(sorted(given.items(), key=lambda item: item[0].lower()))
    chosen: list[Mode] = []
    for word, count in asked.items():
        spot = where if isinstance(given, str) else (*where, word)
        for card in cards[len(chosen) : len(chosen) + count] or cards[-1:]:
            mode = modes(card.name).get(word.lower())
            if mode is None:
                found.append(_unknown(card, word, spot, on_key=not isinstance(given, str)))
                break
            chosen.append(mode)
    if len(found) > before:
        return
    total = sum(asked.values())
    if total != len(cards):
        said = " and ".join(f"{count} x {word}" for word, count in asked.items())
        cards_there = f"{len(cards)} card{'' if len(cards) == 1 else 's'}"
        found.append(
            MODES_COUNT.at(
                where,
                f"pool {pool} has {cards_there} in each node, and {said} {'is' if total == 1 else 'are'} {total}",
                help=f"write modes for {cards_there}; `spx_nps1` leaves a card whole",
                on_key=True,
            )
        )
        return
    memory = sorted({mode.memory for mode in chosen})
    if len(memory) > 1:
        found.append(
            MEMORY_MODES.at(
                where,
                f"the cards of a node in pool {pool} cannot have {' and '.join(memory)} at once",
                help=f"write modes of one memory mode, such as {chosen[0].compute}_{memory[0]}",
                on_key=True,
            )
        )
        return
    first = 0
    for number, (mode, card) in enumerate(zip(chosen, cards, strict=True)):
        last = number + 1 == len(cards) or chosen[number + 1] != mode or cards[number + 1] != card
        if last:
            yield Cut(tuple(range(first, number + 1)), ((mode.name, mode.parts),))
            first = number + 1


def _without(card: Card, where: Path) -> Diagnostic:
    return NO_MODES.at(
        where,
        f"{card.name} has no compute and memory modes that the catalogue knows",
        help="write `partition: none`",
        note=f"there are modes of {', '.join(cards_with_modes())}",
        on_key=True,
    )


def _unknown(card: Card, word: str, where: Path, *, on_key: bool) -> Diagnostic:
    there = modes(card.name)
    near = nearest(word, there, limit=1)
    return UNKNOWN_MODE.at(
        where,
        f"{card.name} has no mode {word}",
        help=(f"did you mean {near[0]}? " if near else "") + f"it has {', '.join(there)}",
        on_key=on_key,
    )
