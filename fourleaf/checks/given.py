"""What a check is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from msgspec import Struct

from fourleaf.decide import Decision
from fourleaf.diag import Diagnostic, Rule
from fourleaf.ir import Plan
from fourleaf.resolve.inventory import Inventory


class Given(Struct, frozen=True, kw_only=True):
    """Everything that is known once the plan stands."""

    inventory: Inventory
    decision: Decision
    plan: Plan


Run: TypeAlias = Callable[[Given], Iterator[Diagnostic]]


class Check(Struct, frozen=True):
    """A function over the plan, and the kinds of diagnostics that it yields: at most one a cause, the rest are labels."""

    run: Run
    rules: tuple[Rule, ...]
