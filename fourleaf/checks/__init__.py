"""Mistakes visible in the plan, one module a topic; the rules of one system live in its own module."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from fourleaf.checks import host, layouts, memory, placement, pools, quota, stack, turns
from fourleaf.checks.given import Check, Given
from fourleaf.decide import Decision
from fourleaf.diag import Diagnostic
from fourleaf.ir import Plan
from fourleaf.resolve.inventory import Inventory
from fourleaf.systems import SYSTEMS

CHECKS: tuple[Check, ...] = (
    host.CHECK,
    pools.CHECK,
    layouts.CHECK,
    *placement.CHECKS,
    *quota.CHECKS,
    turns.CHECK,
    memory.CHECK,
    stack.CHECK,
)

RULES = tuple(rule for check in CHECKS for rule in check.rules)

__all__ = ["CHECKS", "RULES", "Check", "Given", "check"]


def check(inventory: Inventory, decision: Decision, plan: Plan) -> tuple[Diagnostic, ...]:
    """Run every check, then the rules of each system that stands in the plan."""
    given = Given(inventory=inventory, decision=decision, plan=plan)
    found = [diagnostic for one in CHECKS for diagnostic in one.run(given)]
    for component in plan.components:
        found += SYSTEMS[component.system].check(plan, component)
    return tuple(_as_written(found, plan))


def _as_written(found: Iterable[Diagnostic], plan: Plan) -> Iterator[Diagnostic]:
    """Yield the diagnostics with pools as the spec names them: what is said of each part of a pool is said once."""
    parts = {pool.name: pool.part_of for pool in plan.pools if pool.part_of}
    if not parts:
        yield from found
        return
    named = re.compile(rf"\bpool ({'|'.join(map(re.escape, sorted(parts, key=len, reverse=True)))})(?![-\w])")
    for one in found:
        yield replace(one, message=named.sub(lambda match: f"pool {parts[match[1]]}", one.message))
