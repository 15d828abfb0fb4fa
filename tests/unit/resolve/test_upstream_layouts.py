"""Every named layout of NVIDIA's default configuration is accepted on the cards that it is for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from specs import pool, spec
from support import shared

from fourleaf.hardware import Card
from fourleaf.hardware.catalogue import cards
from fourleaf.partition import table
from fourleaf.pipeline import run

EXCEPTIONS = {"all-disabled", "all-enabled"}
"""No layouts: the one undoes MIG, the other turns it on and cuts nothing."""


def _named() -> Iterator[tuple[str, tuple[str, ...], Mapping[str, int]]]:
    """Yield (name, PCI ids of its filter, instances) of each layout."""
    document = json.loads((shared() / "upstream" / "mig-parted-default.json").read_text())
    for name, entries in document["mig-configs"].items():
        for entry in entries:
            said = entry.get("device-filter", ())
            ids = [said] if isinstance(said, str) else said
            yield name, tuple(identity.removeprefix("0x")[:4].lower() for identity in ids), entry.get("mig-devices") or {}


def _cards(ids: tuple[str, ...], layout: Mapping[str, int]) -> list[Card]:
    able = [card for card in cards().values() if card.mig]
    if ids:
        return [card for card in able if {*card.pci} & {*ids}]
    return [card for card in able if all(_has(card, profile, count) for profile, count in layout.items())]


def _has(card: Card, profile: str, count: int) -> bool:
    """Tell whether a card has a profile, and so much memory: boards of 48 and of 96 GB share names, and no filter tells them apart."""
    found = table(card.mig).find(profile)
    return found is not None and (card.memory_gib or 0) >= found.memory_gib * count


def test_layouts_of_upstream_are_accepted_on_the_cards_of_their_filter() -> None:
    refused, tried = [], 0
    for name, ids, layout in _named():
        if name in EXCEPTIONS:
            assert not layout
            continue
        for card in _cards(ids, layout):
            tried += 1
            made = run(json.dumps(spec(pool("gpu", card.name, partition={"mig": {"layout": dict(layout)}}))))
            wrong = [one.message for one in made.diagnostics if one.severity == "error"]
            refused += [(name, card.name, wrong)] if wrong else []

    assert tried > 100
    assert refused == []


def test_every_filter_of_upstream_names_a_card_of_the_catalogue() -> None:
    known = {identity for card in cards().values() for identity in card.pci}

    assert {identity for _, ids, _ in _named() for identity in ids} <= known
