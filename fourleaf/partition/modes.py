"""Cards that are partitioned by modes: each pair of a compute and a memory mode makes a card so many equal parts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from fourleaf.data import load


class Mode(Struct, frozen=True):
    """One way to partition a card, all of it."""

    name: str
    """Compute and memory mode, in lower case: "cpx_nps4"."""
    parts: int
    """Equal parts that a card becomes, of compute and of memory."""
    validated: bool
    """Its vendor says that it has validated the mode on this card."""

    @property
    def compute(self) -> str:
        return self.name.partition("_")[0]

    @property
    def memory(self) -> str:
        return self.name.partition("_")[2]


@cache
def modes(card: str) -> Mapping[str, Mode]:
    """Return the modes of a card by name, from the fewest parts to the most; empty where it has none."""
    data = _data()
    found = data["cards"].get(card)
    if found is None:
        return {}
    parts, validated = data["dies"][found["dies"]], {"spx_nps1", *found.get("validated", ())}
    return {name: Mode(name, parts[name.partition("_")[0]], name in validated) for name in found["modes"]}


def cards_with_modes() -> tuple[str, ...]:
    """Return the names of all cards that have modes, in the catalogue's order."""
    return tuple(_data()["cards"])


@cache
def _data() -> Any:
    return load("partition/data/modes.yaml")
