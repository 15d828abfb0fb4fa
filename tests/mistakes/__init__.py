"""Single mistakes in clean specs: what is changed, what is said of it and where, and what of the help mends it."""

from mistakes.cards import HOSTS, PARTITIONS
from mistakes.layouts import LAYOUTS
from mistakes.mistake import HEAD, SMALL, Change, Mistake
from mistakes.places import PLACES
from mistakes.policy import POLICY
from mistakes.tenants import TENANTS
from mistakes.text import NAMES, TEXT

__all__ = ["HEAD", "MISTAKES", "SMALL", "Change", "Mistake"]

MISTAKES = (*TEXT, *NAMES, *PARTITIONS, *LAYOUTS, *HOSTS, *PLACES, *TENANTS, *POLICY)
