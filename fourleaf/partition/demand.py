"""What is asked of cards, and which cards there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from fourleaf.partition.layouts import Layout
from fourleaf.partition.table import WHOLE, Table

Alike: TypeAlias = Literal["card", "node", "pool"]
"""What must be cut alike: nothing (each card as it likes), the cards of a node, or the nodes of a pool (each index over all nodes)."""


class Stock(Struct, frozen=True, kw_only=True):
    """The cards of one model in the nodes of one pool."""

    name: str
    table: Table | None
    """As the pool's driver names the profiles (`Table.named`); None for cards that can only be given away whole."""
    nodes: int
    cards: int
    """In each node."""
    cost: int = 1
    """Of one card, in any unit: fleets of several models are packed at the least cost."""
    alike: Alike = "card"
    present: tuple[tuple[Layout, ...] | None, ...] = ()
    """By node, the layout of each of its cards now; None for a node that has none yet, shorter where the last ones have none."""

    def now(self, node: int) -> tuple[Layout, ...] | None:
        """Return the present layout of a node by its index."""
        return self.present[node] if node < len(self.present) else None


class Ask(Struct, frozen=True, kw_only=True):
    """Slices, or whole cards, that must be there. Which pod gets which is not decided here."""

    name: str
    """Whose they are; also the key in answers."""
    count: int
    accepts: tuple[tuple[str, tuple[str, ...]], ...]
    """By stock, the profiles (or `WHOLE`) of which one unit serves one of the count."""
    together: bool = False
    """All of them must have one name, as the pods of one Deployment ask for one resource; else they may be split over several."""
    growth: bool = False
    """Room for more; what it gets is spare."""


def ask(
    name: str,
    count: int,
    stocks: Iterable[Stock],
    *,
    profile: str = "",
    memory_gib: float = 0,
    portion: float = 0,
    together: bool = False,
) -> Ask:
    """Return an ask of a profile, of an amount of memory or of a part of a card, served by whatever these stocks have of it.

    Profiles that trade engines (+me, +gfx, -me) serve nobody who did not name them.

    Args:
        profile: a family, or a name; on stocks of several cards the same word may mean different slices. `WHOLE` for whole cards.
        memory_gib: as the profiles' names count it.
        portion: of a card, 0 to 1.
    """
    return Ask(
        name=name,
        count=count,
        accepts=tuple((stock.name, names) for stock in stocks if (names := tuple(_serving(stock, profile, memory_gib, portion)))),
        together=together,
    )


def _serving(stock: Stock, profile: str, memory_gib: float, portion: float) -> Iterable[str]:
    if profile == WHOLE:
        return (WHOLE,)
    if stock.table is None:
        return ()
    if profile:
        found = stock.table.find(profile)
        return (found.name,) if found else ()
    return (
        candidate.name
        for candidate in stock.table.profiles
        if candidate.plain and candidate.memory_gib >= memory_gib and candidate.portion >= portion - 1e-9
    )


def with_headroom(asks: Sequence[Ask], percent: int) -> tuple[Ask, ...]:
    """Return asks with room to grow: for all that are served by the same slices together, a percentage more, rounded up.

    Whole cards have none: they are not cut in advance, and one that is idle will do whatever it is to become.
    """
    totals: dict[tuple[tuple[str, tuple[str, ...]], ...], int] = {}
    for one in asks:
        slices = ((stock, tuple(name for name in names if name != WHOLE)) for stock, names in one.accepts)
        accepts = tuple((stock, names) for stock, names in slices if names)
        totals[accepts] = totals.get(accepts, 0) + one.count
    extra = (
        Ask(name=f"headroom {i}", count=-(-total * percent // 100), accepts=accepts, growth=True)
        for i, (accepts, total) in enumerate(totals.items(), 1)
        if accepts and total * percent > 0
    )
    return (*asks, *extra)
