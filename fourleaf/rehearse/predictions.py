"""Which errors of a spec are predictions about its pods, and so what a rehearsal is to find out, not what keeps it from beginning."""

from __future__ import annotations

from fourleaf.checks import layouts, placement, quota

PREDICTIONS = frozenset(rule.code for rule in (*placement.CHECK.rules, layouts.UNFIT, quota.OVER_CAPACITY, quota.LIMIT_UNREACHABLE))
"""Codes of capacity and placement."""
