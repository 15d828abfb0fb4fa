"""The catalogue: cards, hosts and distributions by the names that people give them. Each file is read when first asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Generic, TypeVar

from msgspec import Struct

from fourleaf.data import load
from fourleaf.diag.nearest import nearest
from fourleaf.hardware.model import Card, Distribution, Host

_ANY = "<version>"
"""What stands for the version of a family that takes any."""
VENDORS = ("nvidia", "amd", "intel")

Item = TypeVar("Item", Card, Host, Distribution)


class Found(Struct, Generic[Item], frozen=True):
    """What a word of the spec means: one record, several that it fits (an error that names them), or none."""

    word: str
    matches: tuple[Item, ...] = ()
    near: tuple[str, ...] = ()
    """Names to suggest where nothing matches, likeliest first."""

    @property
    def one(self) -> Item | None:
        """The record, where the word means exactly one."""
        return self.matches[0] if len(self.matches) == 1 else None

    @property
    def ambiguous(self) -> bool:
        return len(self.matches) > 1


@cache
def cards() -> Mapping[str, Card]:
    """Return every card by its name, in the catalogue's order: by vendor, then from old to new."""
    return {card.name: card for vendor in VENDORS for card in _cards_of(vendor)}


@cache
def hosts() -> Mapping[str, Host]:
    """Return every host whose version the catalogue lists, by its name. A free family has none: ask `find_host`."""
    return {
        name: _host(family, version, limits)
        for family, record in _file("hosts")["families"].items()
        for version, limits in _versions(record)
        for name in [f"{family}-{version}"]
    }


def listed_hosts() -> tuple[Host, ...]:
    """Return every host in the catalogue's order, a free family as one without a number: `flatcar-<version>`."""
    families = _file("hosts")["families"]
    return tuple(
        _host(family, version, limits)
        for family, record in families.items()
        for version, limits in (((_ANY, None),) if record.get("free") else _versions(record))
    )


@cache
def distributions() -> Mapping[str, Distribution]:
    """Return every distribution by its name."""
    data = _file("distributions")
    return {
        name: Distribution(
            name=name, **{**_origin(data), **record, "hosts": tuple(record.get("hosts", ())), "traits": record.get("traits", {})}
        )
        for name, record in data["distributions"].items()
    }


def find_card(word: str) -> Found[Card]:
    """Return the cards that a word names: a name, an alias, or the vendor's product string, whatever its case and separators."""
    return _find(word, _card_index(), cards(), forms=(_fold(word), *_without_vendor(word)))


def find_host(word: str) -> Found[Host]:
    """Return the hosts that a word names; a family without a version fits each of its versions."""
    found = _find(word, _host_index(), hosts(), forms=(_fold(word),))
    return found if found.matches else _free_host(word) or found


def find_distribution(word: str) -> Found[Distribution]:
    """Return the distribution that a word names."""
    return _find(word, {_fold(name): (name,) for name in distributions()}, distributions(), forms=(_fold(word),))


def hosts_of(distribution: Distribution) -> tuple[str, ...]:
    """Return the families of hosts that a distribution runs on, in the catalogue's order."""
    families = tuple(_file("hosts")["families"])
    if distribution.hosts:
        return tuple(family for family in families if family in distribution.hosts)
    tied = _file("distributions")["tied"]
    return tuple(family for family in families if family not in tied)


def _find(word: str, index: Mapping[str, tuple[str, ...]], known: Mapping[str, Item], forms: Iterable[str]) -> Found[Item]:
    for form in forms:
        if names := index.get(form):
            return Found(word, tuple(known[name] for name in names))
    return Found(word, near=nearest(word, known))


def _free_host(word: str) -> Found[Host] | None:
    """Return a host of a family that takes any version, or the form to write where the word names no version."""
    folded = _fold(word)
    for family, record in _file("hosts")["families"].items():
        for name in (family, *record.get("aliases", ())):
            if record.get("free") and folded.startswith(_fold(name)):
                version = folded.removeprefix(_fold(name))
                if re.fullmatch(r"\d+(\.\d+)*", version):
                    return Found(word, (_host(family, version, None),))
                return Found(word, near=(f"{family}-{_ANY}",))
    return None


@cache
def _card_index() -> Mapping[str, tuple[str, ...]]:
    """Map every folded word to the names that it fits. A name is never ambiguous, whatever aliases others have."""
    words = ((_fold(word), card.name) for card in cards().values() for word in _words_of(card))
    return _grouped(words) | {_fold(name): (name,) for name in cards()}


@cache
def _host_index() -> Mapping[str, tuple[str, ...]]:
    synonyms = {family: (family, *record.get("aliases", ())) for family, record in _file("hosts")["families"].items()}
    words = (
        (_fold(word), host.name) for host in hosts().values() for name in synonyms[host.family] for word in (f"{name}-{host.version}", name)
    )
    return _grouped(words) | {_fold(name): (name,) for name in hosts()}


def _words_of(card: Card) -> Iterator[str]:
    for word in (*card.aliases, card.product):
        yield word
        yield from _without_vendor(word)


def _grouped(words: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    groups: dict[str, dict[str, None]] = {}
    for word, name in words:
        groups.setdefault(word, {})[name] = None
    return {word: tuple(names) for word, names in groups.items()}


def _fold(word: str) -> str:
    """Return what is left of a word without case and separators. Dots stay: talos-1.12 is not talos-11.2."""
    return re.sub(r"[^a-z0-9.]", "", word.lower())


def _without_vendor(word: str) -> tuple[str, ...]:
    folded = _fold(word)
    return tuple(folded.removeprefix(vendor) for vendor in VENDORS if folded.startswith(vendor))


def _cards_of(vendor: str) -> Iterator[Card]:
    data = _file(vendor)
    for group in data["groups"]:
        for record in group["cards"]:
            yield Card(
                vendor=data["vendor"],
                architecture=group["architecture"],
                **{
                    **_origin(data),
                    **record,
                    "pci": tuple(record["pci"]),
                    "aliases": (*_families(record["name"]), *record.get("aliases", ())),
                    "traits": {**group.get("traits", {}), **record.get("traits", {})},
                },
            )


def _families(name: str) -> Iterator[str]:
    """Yield the model of a card whose name tells its memory: "h100" fits every h100."""
    if shorter := re.fullmatch(r"(.+)-\d+gb", name):
        yield shorter[1]


def _versions(record: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str] | None]]:
    versions = record.get("versions", ())
    if isinstance(versions, Mapping):
        yield from ((version, (first, last)) for version, (first, last) in versions.items())
    else:
        yield from ((version, None) for version in versions)


def _host(family: str, version: str, kubernetes: tuple[str, str] | None) -> Host:
    data = _file("hosts")
    record = data["families"][family]
    return Host(
        name=f"{family}-{version}",
        family=family,
        version=version,
        kubernetes=kubernetes,
        **{**_origin(data), **{key: value for key, value in record.items() if key not in _OF_THE_FAMILY}},
    )


_OF_THE_FAMILY = ("versions", "free", "aliases")


def _origin(data: Mapping[str, Any]) -> dict[str, str]:
    return {"source": data["source"], "read": data["read"]}


@cache
def _file(name: str) -> Any:
    return load(f"hardware/data/{name}.yaml")
