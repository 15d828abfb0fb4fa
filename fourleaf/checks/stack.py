"""Entries of `stack` that change nothing, or more than is known."""

from __future__ import annotations

from collections.abc import Iterator

from fourleaf.checks.given import Check, Given
from fourleaf.diag import Diagnostic, Rule, Severity
from fourleaf.ir import Plan
from fourleaf.plan.stacks import usual_version
from fourleaf.resolve.inventory import Pin
from fourleaf.systems.record import known_versions, release

UNUSED = Rule("FL131", "pin-of-absent-component", Severity.WARNING, "stack pins a component that this cluster does not get")
UNKNOWN = Rule("FL132", "pin-of-unknown-version", Severity.WARNING, "stack pins a version that the catalogue does not know")


def _pins(given: Given) -> Iterator[Diagnostic]:
    for pin in given.inventory.stack:
        if not given.plan.stands(pin.component):
            yield UNUSED.at(
                pin.place,
                f"this cluster gets no {pin.component}, so what stack says of it changes nothing",
                help="take the entry out",
                note="`fourleaf explain` shows what the cluster gets, and why",
                on_key=True,
            )
        elif pin.version:
            yield from _unknown(given.plan, pin)


def _unknown(plan: Plan, pin: Pin) -> Iterator[Diagnostic]:
    pools = next(plan.pools_of(component) for component in plan.components if component.system == pin.component)
    usual = usual_version(pin.component, pools)
    if pin.version == usual or pin.version in (known := known_versions(pin.component)):
        return
    oldest = known[-1]
    before = (
        "the known version before it brings" if release(oldest) <= release(pin.version) else f"{oldest} brings, the oldest that is known"
    )
    meant = next((version for version in known if release(version) == release(pin.version)), usual)
    yield UNKNOWN.at(
        (*pin.place, "version"),
        f"the catalogue does not know {pin.component} {pin.version}, it has {', '.join(known)}",
        help=f"write {meant}, or accept it under `policy.allow`",
        note=f"raw values are not checked against it, and it is taken to bring what {before}",
    )


CHECK = Check(_pins, (UNUSED, UNKNOWN))
