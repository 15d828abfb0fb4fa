"""The layouts that one card can have, and those that nothing can be added to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TypeAlias

from fourleaf.partition.table import Profile, Table

Layout: TypeAlias = tuple[tuple[str, int], ...]
"""What one card is cut into: (profile, instances), in the table's order, none of them 0. Empty: the card stays whole."""

Counts: TypeAlias = tuple[int, ...]
"""Instances of each profile, in the table's order."""


def layout(table: Table, ask: Mapping[str, int]) -> Layout:
    """Return instances by family or name as a layout: the card's names, in its order.

    Raises:
        KeyError: a profile that the table does not have.
    """
    counts: dict[Profile, int] = {}
    for word, count in ask.items():
        profile = table.profile(word)
        counts[profile] = counts.get(profile, 0) + count
    return tuple((profile.name, counts[profile]) for profile in table.profiles if counts.get(profile))


def maximal_layouts(table: Table) -> tuple[Layout, ...]:
    """Return the layouts of a card that no instance can be added to: 44 for seven-of-eight, all that a packing needs to know."""
    names = [profile.name for profile in table.profiles]
    return tuple(tuple((name, count) for name, count in zip(names, counts, strict=True) if count) for counts in maximal(table))


@cache
def maximal(table: Table) -> tuple[Counts, ...]:
    """Return the same as counts, those with few large instances first."""
    every = _every(table)
    size = range(len(table.profiles))
    return tuple(counts for counts in sorted(every) if not any((*counts[:i], counts[i] + 1, *counts[i + 1 :]) in every for i in size))


def _every(table: Table) -> set[Counts]:
    """Return all layouts of a card.

    Instances are added family by family. With each set of counts goes the set of all unions of places that they can take; it is
    empty where they cannot be placed.
    """
    totals = [table.compute, *(total for _, total in table.engines)]
    found: dict[Counts, tuple[list[int], frozenset[int]]] = {(): (totals, frozenset({0}))}
    for profile in table.profiles:
        engines = dict(profile.engines)
        takes = [profile.compute, *(engines.get(name, 0) for name, _ in table.engines)]
        places = [(1 << profile.memory) - 1 << start for start in profile.starts]
        longer: dict[Counts, tuple[list[int], frozenset[int]]] = {}
        for counts, (left, masks) in found.items():
            for count in range(profile.limit + 1):
                longer[(*counts, count)] = left, masks
                left = [have - take for have, take in zip(left, takes, strict=True)]
                if min(left) < 0:
                    break
                masks = frozenset(mask | place for mask in masks for place in places if not mask & place)
                if not masks:
                    break
        found = longer
    return set(found)
