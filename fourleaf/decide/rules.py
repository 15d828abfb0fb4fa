"""Kinds of diagnostics that a decision yields."""

from __future__ import annotations

from fourleaf.diag import Rule, Severity

NO_GPU = Rule("FL100", "cluster-without-gpu", Severity.ERROR, "no pool has a GPU", allowable=False)
LEAF_CANNOT_HOLD = Rule(
    "FL101", "leaf-cannot-hold", Severity.ERROR, "the leaf that policy insists on cannot hold what the spec asks for", allowable=False
)

RULES = (NO_GPU, LEAF_CANNOT_HOLD)
