"""How cards are cut into instances: partition tables, what fits on a card and where, and the fewest cards for a demand."""

from fourleaf.partition.draw import draw
from fourleaf.partition.layouts import Layout, layout, maximal_layouts
from fourleaf.partition.modes import Mode, cards_with_modes, modes
from fourleaf.partition.names import Unknown, resolve_profile
from fourleaf.partition.place import Budget, Misfit, Placement, Slot, fits, offers, place
from fourleaf.partition.table import WHOLE, Profile, Table, keys, table

__all__ = [
    "WHOLE",
    "Budget",
    "Layout",
    "Misfit",
    "Mode",
    "Placement",
    "Profile",
    "Slot",
    "Table",
    "Unknown",
    "cards_with_modes",
    "draw",
    "fits",
    "keys",
    "layout",
    "maximal_layouts",
    "modes",
    "offers",
    "place",
    "resolve_profile",
    "table",
]
