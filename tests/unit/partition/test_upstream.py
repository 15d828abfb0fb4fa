"""Upstream's default configuration, layout by layout, on the cards of its device filters."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fourleaf.hardware.catalogue import cards
from fourleaf.partition import Misfit, Unknown, keys, place, resolve_profile, table

NO_LAYOUT = {"all-disabled", "all-enabled"}
"""MIG mode without any instance: off, or on and left to whoever comes next."""

WRITTEN_BEFORE = {"rtx-pro-5000", "rtx-pro-4500"}
"""Cards that no filter of the file names: what it has for their namesakes on larger cards does not fit them."""


def configuration() -> dict[str, list[dict[str, Any]]]:
    shared = os.environ.get("FOURLEAF_SHARED", "")
    if not shared:
        pytest.skip("FOURLEAF_SHARED names no folder with upstream's configuration")
    path = Path(shared) / "upstream" / "mig-parted-default.json"
    content: dict[str, list[dict[str, Any]]] = json.loads(path.read_text())["mig-configs"]
    return content


def tables_of(ids: list[str]) -> list[str]:
    """Return the tables of the cards with these filters, 0x<device>10DE each."""
    wanted = {one.removeprefix("0x").removesuffix("10DE").lower() for one in ids}
    found = {device: card.mig for card in cards().values() for device in card.pci if device in wanted}
    assert set(found) == wanted
    return sorted(set(found.values()))


def entries() -> Iterator[tuple[str, str, dict[str, int]]]:
    """Yield (layout, card, instances): the cards of the filter, without one those that have all of its profiles."""
    for name, several in configuration().items():
        for one in several:
            ids = one.get("device-filter", [])
            layout = one.get("mig-devices", {})
            named = tables_of([ids] if isinstance(ids, str) else ids)
            for key in named or [key for key in keys() if all(table(key).find(profile) for profile in layout)]:
                yield name, key, layout


def test_every_layout_is_accepted_on_its_cards() -> None:
    refused = {
        (name, key): str(answer) for name, key, layout in entries() for answer in [place(table(key), layout)] if isinstance(answer, Misfit)
    }
    assert {key for _, key in refused} <= WRITTEN_BEFORE
    assert refused == {
        ("all-1g.24gb", "rtx-pro-5000"): "compute 4/2, memory 4/2",
        ("all-1g.24gb.gfx", "rtx-pro-5000"): "compute 4/2, memory 4/2",
        ("all-1g.24gb-me", "rtx-pro-5000"): "compute 4/2, memory 4/2",
        ("all-2g.48gb", "rtx-pro-5000"): "compute 4/2, memory 4/2",
        ("all-2g.48gb.gfx", "rtx-pro-5000"): "compute 4/2, memory 4/2",
    }


def test_every_name_is_known_to_its_cards() -> None:
    unknown = [
        (name, key, profile)
        for name, key, layout in entries()
        for profile in layout
        if isinstance(resolve_profile(table(key), profile), Unknown)
    ]
    assert unknown == []


def test_every_layout_but_the_two_without_instances_is_on_some_card() -> None:
    seen = {name for name, _, layout in entries() if layout}
    assert set(configuration()) - seen == NO_LAYOUT


def test_no_layout_can_have_one_instance_more_of_its_own() -> None:
    """Those of one profile have as many as a card can have, except where a name is another slice on a larger card."""
    short = set()
    for name, key, layout in entries():
        for profile in layout if len(layout) == 1 and key not in WRITTEN_BEFORE else ():
            if not isinstance(place(table(key), {profile: layout[profile] + 1}), Misfit):
                short.add((name, key))
    assert short == {("all-1g.24gb", "gb200")}
