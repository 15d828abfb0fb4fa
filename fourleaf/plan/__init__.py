"""Inventory and decision become the plan, the compiler's centre."""

from fourleaf.plan.build import plan
from fourleaf.plan.tenancy import unit

__all__ = ["plan", "unit"]
