"""What the user wrote: text becomes a typed spec, and every mistake in it a diagnostic with its place."""

from fourleaf.spec.load import OutsideError, Read, load, load_data
from fourleaf.spec.loaded import Loaded
from fourleaf.spec.rules import RULES

__all__ = ["RULES", "Loaded", "OutsideError", "Read", "load", "load_data"]
