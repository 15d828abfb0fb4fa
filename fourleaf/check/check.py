"""What a check is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from fourleaf.decide import Decision
from fourleaf.diag import Diagnostic, Rule
from fourleaf.ir import Plan
from fourleaf.resolve.inventory import Inventory


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Everything that is known once the plan stands."""

    inventory: Inventory
    decision: Decision
    plan: Plan


Run: TypeAlias = Callable[[Given], Iterator[Diagnostic]]


@dataclass(frozen=True, slots=True)
class Check:
    """A function over the plan, and the kinds of diagnostics that it yields: at most one a cause, the rest are labels."""

    run: Run
    rules: tuple[Rule, ...]
