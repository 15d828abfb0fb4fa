"""Workloads that take turns on a card."""

from __future__ import annotations

from collections.abc import Iterator

from fourleaf.checks.given import Check, Given
from fourleaf.diag import Diagnostic, Rule, Severity

NOT_SCALABLE = Rule(
    "FL411", "turns-of-unscalable-kind", Severity.ERROR, "a member of an exclusive group is of a kind that cannot rest at 0 replicas"
)

RESTS = ("Deployment", "StatefulSet")


def _turns(given: Given) -> Iterator[Diagnostic]:
    groups = {member: turns for turns in given.inventory.turns for member in turns.members}
    for workload in given.inventory.workloads:
        group = groups.get(workload.name)
        if group and workload.kind not in RESTS:
            yield NOT_SCALABLE.at(
                workload.at("kind"),
                f"workload {workload.name} takes turns in {group.name} and is a {workload.kind}, which cannot rest at 0 replicas",
                help=f"write {RESTS[0]} or {RESTS[1]}, or take it out of {group.name}",
            )


CHECK = Check(_turns, (NOT_SCALABLE,))
