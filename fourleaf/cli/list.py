"""`fourleaf list`: what the catalogue has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from fourleaf.cli.output import format_option
from fourleaf.cli.stream import colored, columns, put, put_data
from fourleaf.cli.word import Word

Rows = list[dict[str, Any]]


@click.command("list")
@click.argument("what", type=Word("list of", ["cards", "hosts", "distributions", "charts", "rules"]))
@format_option
def command(what: str, form: str) -> None:
    """List cards, hosts, distributions, charts or rules."""
    rows = _LISTS[what]()
    if form == "json":
        put_data({what: rows})
        return
    cells = [[key.upper() for key in rows[0]], *([_cell(value) for value in row.values()] for row in rows)]
    if colored():
        from fourleaf.cli.terminal import table

        table(cells)
    else:
        put(columns(cells))


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "-"
    return str(value) if value not in ("", None) else "-"


def _cards() -> Rows:
    from fourleaf.hardware.catalogue import cards
    from fourleaf.partition import modes
    from fourleaf.partition import table as partition_table

    return [
        {
            "name": card.name,
            "vendor": card.vendor,
            "memory": f"{card.memory_gib:g}Gi" if card.memory_gib else "host's" if card.integrated else "",
            "mig": [profile.name for profile in partition_table(card.mig).profiles] if card.mig else [],
            "modes": list(modes(card.name)),
            "aliases": list(card.aliases),
        }
        for card in cards().values()
    ]


def _hosts() -> Rows:
    from fourleaf.hardware.catalogue import listed_hosts

    return [
        {"name": host.name, "immutable": host.immutable, "kubernetes": " to ".join(host.kubernetes) if host.kubernetes else "any"}
        for host in listed_hosts()
    ]


def _distributions() -> Rows:
    from fourleaf.hardware.catalogue import distributions, hosts_of

    return [{"name": one.name, "hosts": list(hosts_of(one))} for one in distributions().values()]


def _charts() -> Rows:
    from fourleaf.systems import SYSTEMS

    return [
        {
            "component": name,
            "chart": system.record.chart,
            "version": system.record.version,
            "pins": [f"{host}: {version}" for host, version in system.record.pins.items()],
            "repository": system.record.repository,
        }
        for name, system in SYSTEMS.items()
        if system.record.version
    ]


def _rules() -> Rows:
    from fourleaf.rules import rules

    return [{"code": rule.code, "name": rule.name, "severity": str(rule.severity), "summary": rule.summary} for rule in rules()]


_LISTS: dict[str, Callable[[], Rows]] = {
    "cards": _cards,
    "hosts": _hosts,
    "distributions": _distributions,
    "charts": _charts,
    "rules": _rules,
}
