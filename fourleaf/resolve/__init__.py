"""Names of the spec become facts of the catalogue."""

from fourleaf.resolve.resolve import resolve
from fourleaf.resolve.rules import RULES

__all__ = ["RULES", "resolve"]
