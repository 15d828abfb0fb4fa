"""How a card can be cut into instances: its grid, its profiles, and the names that drivers give them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from fourleaf.data import load

WHOLE = "whole"
"""Stands among profiles for a card that is not cut."""


class Profile(Struct, frozen=True, kw_only=True):
    """One kind of instance of one card. Its size is counted in the grid's units."""

    family: str
    """The name without the memory, the same on every card of the grid: "1g", "1g+me", "1gx2" (double memory)."""
    name: str
    """As the driver names it: "1g.10gb+me"."""
    compute: int
    memory: int
    starts: tuple[int, ...]
    """Memory units, from 0, at which it may begin."""
    limit: int
    """Instances that one card can have."""
    engines: tuple[tuple[str, int], ...]
    """What it takes of the card's engines, in the table's order; those that it does not take are left out."""
    portion: float
    """Part of the card that it is, of compute or memory, whichever is more: 1 / portion of them fill a card."""
    since: int = 0
    """The driver branch that brought it; 0: every one that cuts the card."""
    other_names: tuple[str, ...] = ()
    """Names that it has under drivers that cannot be ruled out."""

    @property
    def memory_gib(self) -> int:
        """Memory as its name says it, rounded by the driver. What a pod can use is a little less (19.5 GiB of a "20gb")."""
        return int(self.name.partition(".")[2].partition("gb")[0])

    @property
    def plain(self) -> bool:
        """It is no variant that trades engines (+me, +gfx, +me.all, -me)."""
        return not any(mark in self.family for mark in "+-")


class Naming(Struct, frozen=True, kw_only=True):
    """What some drivers call the families of a card; an empty name: they are not known to have it."""

    names: tuple[tuple[str, str], ...]
    """(family, name); a family that is left out has its usual name."""
    first: int = 0
    last: int = 0
    """Driver branches that name them so, both included; 0 and 0: nobody has written down which."""

    def name_of(self, profile: Profile) -> str:
        return dict(self.names).get(profile.family, profile.name)


class Table(Struct, frozen=True, kw_only=True):
    """The partition table of one card, for one driver or for any."""

    key: str
    """The card's key: "h100-80gb"."""
    grid: str
    compute: int
    memory: int
    engines: tuple[tuple[str, int], ...]
    """Units that the whole card has of each engine that instances do not share."""
    profiles: tuple[Profile, ...]
    min_driver: str
    namings: tuple[Naming, ...]
    """What other drivers call them; `profiles` has the usual names."""
    assumed: str = ""
    """What of the grid is an assumption, where the vendor does not publish it."""
    source: str = ""
    read: str = ""

    def find(self, word: str) -> Profile | None:
        """Return the profile that a family or a name of any driver means, None where the card has none."""
        return _index(self).get(word)

    def profile(self, word: str) -> Profile:
        """Return the profile that a word means.

        Raises:
            KeyError: the card has none; `resolve_profile` is for words of the user.
        """
        found = self.find(word)
        if found is None:
            raise KeyError(f"{self.key} has no profile {word}")
        return found

    def named(self, driver: str) -> Table:
        """Return the table as a driver has it: its names, without what it is too old for or not known to have.

        Args:
            driver: "580", "R580" or "580.173.02"; empty: not known, the usual names.
        """
        return _named(self, branch(driver))


def branch(driver: str) -> int:
    """Return the branch of a driver version ("580.173.02": 580), 0 where the text has none."""
    digits = driver.strip().lstrip("rRvV").partition(".")[0]
    return int(digits) if digits.isdecimal() and len(digits) <= 4 else 0


def keys() -> tuple[str, ...]:
    """Return the keys of all cards that can be cut, in the catalogue's order."""
    return tuple(_data()[1]["cards"])


@cache
def table(key: str) -> Table:
    """Return the partition table of a card.

    Raises:
        KeyError: no card that can be cut has this key.
    """
    grids, cards = _data()
    card = cards["cards"][key]
    grid, engines = grids["grids"][card["grid"]], grids["engines"][card["engines"]]
    since = card.get("since", {})
    profiles = tuple(
        Profile(
            family=family,
            name=name,
            compute=size["compute"],
            memory=size["memory"],
            starts=tuple(size["starts"]),
            limit=size["limit"],
            engines=tuple(engines["uses"].get(family, {}).items()),
            portion=max(size["compute"] / grid["compute"], size["memory"] / grid["memory"]),
            since=since.get(family, 0),
        )
        for (family, size), name in zip(grid["families"].items(), card["names"], strict=True)
        if name
    )
    return Table(
        key=key,
        grid=card["grid"],
        compute=grid["compute"],
        memory=grid["memory"],
        engines=tuple(engines["totals"].items()),
        profiles=profiles,
        min_driver=card["minDriver"],
        namings=tuple(_naming(item) for item in card.get("alternatives", ())),
        assumed=grid.get("assumed", ""),
        source=cards["source"],
        read=str(cards["read"]),
    )


def _naming(data: Mapping[str, Any]) -> Naming:
    first, last = data.get("branches", (0, 0))
    return Naming(names=tuple((family, name or "") for family, name in data["names"].items()), first=first, last=last)


@cache
def _data() -> tuple[Any, Any]:
    return load("partition/data/grids.yaml"), load("partition/data/cards.yaml")


@cache
def _index(table: Table) -> dict[str, Profile]:
    words = {naming.name_of(profile): profile for naming in table.namings for profile in table.profiles}
    words |= {profile.family: profile for profile in table.profiles} | {profile.name: profile for profile in table.profiles}
    words.pop("", None)
    return words


@cache
def _named(table: Table, driver: int) -> Table:
    active = next((naming for naming in table.namings if naming.first <= driver <= naming.last and driver), None)
    profiles = []
    for profile in table.profiles:
        name = active.name_of(profile) if active else profile.name
        if not name or 0 < driver < profile.since:
            continue
        others = {naming.name_of(profile) for naming in table.namings if not naming.first or not driver} - {name, ""}
        profiles.append(replace(profile, name=name, other_names=tuple(sorted(others))))
    return replace(table, profiles=tuple(profiles))
