"""Which profile of a card a word means, and what to write instead where it means none."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from fourleaf.partition.table import Profile, Table, branch, keys, table

NEAREST = 3
"""Names that are offered for one that is not there."""

_NAME = re.compile(r"(\d+)g(?:\.(\d+)gb)?(?:x2)?(.*)")


class Unknown(Struct, frozen=True, kw_only=True):
    """A word that names no profile of this card under this driver."""

    word: str
    card: str
    why: Literal["not-on-card", "driver-too-old", "other-name", "no-name"]
    """Not on the card at all; younger than the driver; named otherwise by the driver; or not known to be there under it."""
    same_slice: str = ""
    """The profile of the same slice here: the one name to write instead, where there is one."""
    nearest: tuple[str, ...] = ()
    """Names that this card has, the likeliest first."""
    since: str = ""
    """The driver branch or version that it takes, where the driver is too old."""
    cards: tuple[str, ...] = ()
    """Cards that do have it, where this one does not."""


def resolve_profile(table: Table, word: str, driver: str = "") -> Profile | Unknown:
    """Return the profile that a word means on a card, with the name that the driver gives it.

    Args:
        word: a family ("1g", "3g", "1g+me", "1gx2") or a name ("1g.10gb").
        driver: "580", "R580" or "580.173.02"; empty where it is not known: then every name that some driver prints will do,
            and `other_names` of the answer says what others print.
    """
    here = table.named(driver)
    profile = table.find(word)
    if profile is None:
        return _not_on_card(here, word)
    now = here.find(profile.family)
    if now is None:
        too_old = bool(branch(driver)) and branch(driver) < profile.since
        since = str(profile.since) if too_old else ""
        return Unknown(word=word, card=table.key, why="driver-too-old" if too_old else "no-name", nearest=_like(here, word), since=since)
    if _older(driver, table.min_driver):
        return Unknown(word=word, card=table.key, why="driver-too-old", since=table.min_driver)
    if word in (profile.family, now.name):
        return now
    if word in now.other_names or not branch(driver):
        names = {now.name, *now.other_names} - {word}
        return replace(now, name=word, other_names=tuple(sorted(names)))
    return Unknown(word=word, card=table.key, why="other-name", same_slice=now.name, nearest=(now.name,))


def _not_on_card(here: Table, word: str) -> Unknown:
    families = _families().get(word, ())
    twins = list(dict.fromkeys(profile.name for family, _ in families for profile in here.profiles if profile.family == family))
    if not twins and (match := _NAME.fullmatch(word)):
        twins = [profile.name for profile in here.profiles if profile.family == f"{match[1]}g{_variant(match)}"]
    return Unknown(
        word=word,
        card=here.key,
        why="not-on-card",
        same_slice=twins[0] if len(twins) == 1 else "",
        nearest=tuple(dict.fromkeys((*twins, *_like(here, word))))[:NEAREST],
        cards=tuple(dict.fromkeys(card for _, card in families)),
    )


def _like(here: Table, word: str) -> tuple[str, ...]:
    """Return names of the card that are like a word: by size where it reads as a profile, else by spelling."""
    from difflib import get_close_matches

    match = _NAME.fullmatch(word)
    if match is None:
        words = {profile.family: profile.name for profile in here.profiles} | {profile.name: profile.name for profile in here.profiles}
        return tuple(dict.fromkeys(words[near] for near in get_close_matches(word, words, n=NEAREST, cutoff=0.5)))
    compute, memory, variant = int(match[1]), int(match[2] or 0), _variant(match)

    def distance(profile: Profile) -> tuple[int, bool, int]:
        own = profile.family.lstrip("0123456789g").removeprefix("x2")
        return abs(profile.compute - compute), own != variant, abs(profile.memory_gib - memory) if memory else profile.memory

    return tuple(profile.name for profile in sorted(here.profiles, key=distance)[:NEAREST])


def _variant(match: re.Match[str]) -> str:
    """Return what follows the size; in names of resources and layouts a dot stands for the plus (`1g.5gb.me`)."""
    return "+" + match[3][1:] if match[3].startswith(".") else match[3]


def _older(driver: str, least: str) -> bool:
    """Tell whether a driver is older than a version, as far as its text goes: "525" is not older than "525.85.12"."""
    if not branch(driver):
        return False
    have = [int(part) if part.isdecimal() else 0 for part in driver.strip().lstrip("rRvV").split(".")]
    want = [int(part) for part in least.split(".")]
    return have < want[: len(have)]


@cache
def _families() -> dict[str, tuple[tuple[str, str], ...]]:
    """Return, by name under any driver, the (family, card) pairs that have it."""
    found: dict[str, list[tuple[str, str]]] = {}
    for key in keys():
        card = table(key)
        for profile in card.profiles:
            for name in dict.fromkeys((profile.name, *(naming.name_of(profile) for naming in card.namings))):
                found.setdefault(name, []).append((profile.family, key))
    found.pop("", None)
    return {name: tuple(pairs) for name, pairs in found.items()}
