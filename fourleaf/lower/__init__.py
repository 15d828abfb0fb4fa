"""The plan becomes objects, charts, bindings, and things for a person to do."""

from fourleaf.lower.lower import lower
from fourleaf.lower.values import RULES

__all__ = ["RULES", "lower"]
