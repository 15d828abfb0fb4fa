"""Invariants over everything lowered, whoever made it. A finding is a bug of ours, or a contradiction in raw values of the spec."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fourleaf.diag import Diagnostic, Rule
from fourleaf.ir import Bundle, Plan
from fourleaf.verify import asks, form, ownership, placement, references, schemas, versions
from fourleaf.verify.view import View

__all__ = ["INVARIANTS", "RULES", "verify"]

INVARIANTS: tuple[Callable[[View], Iterator[Diagnostic]], ...] = (
    references.references,
    asks.untaken,
    asks.two_values,
    placement.untolerated,
    placement.two_schedulers,
    placement.two_allocators,
    versions.unserved,
    schemas.mismatched,
    ownership.two_owners,
    form.secrets,
    form.scopes,
    form.names,
    form.sizes,
)

RULES: tuple[Rule, ...] = (
    references.UNRESOLVED,
    asks.UNTAKEN,
    asks.TWO_VALUES,
    placement.UNTOLERATED,
    placement.SCHEDULERS,
    placement.ALLOCATORS,
    versions.UNSERVED,
    schemas.MISMATCH,
    schemas.UNKNOWN,
    ownership.TWO_OWNERS,
    form.SECRET,
    form.SCOPE,
    form.NAME,
    form.SIZE,
)


def verify(plan: Plan, bundle: Bundle) -> tuple[Diagnostic, ...]:
    """Return what is wrong in a bundle, in the order of INVARIANTS; nothing where it can be handed out."""
    view = View.of(plan, bundle)
    return tuple(found for invariant in INVARIANTS for found in invariant(view))
