"""A layout of a card as one line of text, to scale."""

from __future__ import annotations

from collections.abc import Mapping

from fourleaf.partition.place import Misfit, place
from fourleaf.partition.table import Table


def draw(table: Table, layout: Mapping[str, int]) -> str:
    """Return the memory of a card from its first unit to its last, instances in their places, and the budgets.

    `|1g.10gb|1g.10gb|1g.10gb|1g.10gb|3g.40gb                        |  compute 7/7, memory 8/8`

    Units that no instance has are dashes: free, or out of reach where the compute is used up. Where the driver chooses places itself it
    may choose others of the same kind.

    Raises:
        KeyError: a profile that the table does not have.
        ValueError: the layout does not fit; `place` says why.
    """
    placed = place(table, layout)
    if isinstance(placed, Misfit):
        raise ValueError(str(placed))  # noqa: TRY004 - the type is right, the layout is not
    slots = {slot.start: slot for slot in placed.slots}
    width = max([2, *(-(-(len(slot.name) + 1) // slot.size) for slot in placed.slots)])
    text, unit = "|", 0
    while unit < table.memory:
        slot = slots.get(unit)
        if slot is None:
            free = min([start for start in slots if start > unit], default=table.memory) - unit
            text += "-" * (width * free - 1) + "|"
            unit += free
        else:
            text += slot.name.ljust(width * slot.size - 1) + "|"
            unit += slot.size
    counts = [(table.profile(name), count) for name, count in layout.items()]
    compute = sum(profile.compute * count for profile, count in counts)
    memory = sum(profile.memory * count for profile, count in counts)
    return f"{text}  compute {compute}/{table.compute}, memory {memory}/{table.memory}"
