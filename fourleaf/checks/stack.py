"""Entries of `stack` that change nothing."""

from __future__ import annotations

from collections.abc import Iterator

from fourleaf.checks.given import Check, Given
from fourleaf.diag import Diagnostic, Rule, Severity

UNUSED = Rule("FL131", "pin-of-absent-component", Severity.WARNING, "stack pins a component that this cluster does not get")


def _unused(given: Given) -> Iterator[Diagnostic]:
    for pin in given.inventory.stack:
        if not given.plan.stands(pin.component):
            yield UNUSED.at(
                pin.place,
                f"this cluster gets no {pin.component}, so what stack says of it changes nothing",
                help="take the entry out",
                note="`fourleaf explain` shows what the cluster gets, and why",
                on_key=True,
            )


CHECK = Check(_unused, (UNUSED,))
