"""The layouts of a fleet for a demand, with the proof that fewer cards will not do and what simpler ways would cost."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from fourleaf.partition.layouts import Layout

Way: TypeAlias = Literal["one-profile-a-card", "first-fit", "from-scratch"]


class NodeLayout(Struct, frozen=True, kw_only=True):
    """Nodes of one stock whose cards are laid out alike."""

    stock: str
    nodes: tuple[int, ...]
    """By index."""
    layouts: tuple[Layout, ...]
    """By index of the card; an empty one leaves the card whole."""
    changed: tuple[int, ...] = ()
    """Those of the nodes that have another layout now, so that their cards must be drained and cut anew."""


class Use(Struct, frozen=True, kw_only=True):
    """How many units of one name an ask gets from a stock, or how many cards of it have a layout."""

    stock: str
    name: str
    """A profile, or `WHOLE`."""
    count: int
    ask: str = ""
    """Empty: nobody has asked for them."""


class Certificate(Struct, frozen=True, kw_only=True):
    """Why no solution costs less. Give every unit of an ask its price.

    No layout of any card is worth more than the card costs, but for a rent on the cards of a stock that all are used; so
    what is asked for is worth its bound at least. `lower_bound` adds it up from the tables alone.
    """

    by: Literal["prices", "search"]
    """The prices prove the cost; or they prove less, and the rest was searched through."""
    prices: tuple[tuple[str, int], ...]
    """(ask, price): what one unit of it is worth, in 1 / scale of the unit of cost."""
    scale: int
    bound: int
    """What the prices prove."""


class Alternative(Struct, frozen=True, kw_only=True):
    """What the same demand would take if it was met another way."""

    way: Way
    cards: int
    cost: int


class Answer(Struct, frozen=True, kw_only=True):
    """Layouts that meet a demand, by the fewest re-partitioned nodes, then the least cost, then the fewest distinct layouts."""

    cards: int
    """Cards in use: cut, or asked for whole."""
    cost: int
    bound: int
    """No other layouts that meet the demand with as few changes cost less."""
    proven: bool
    """All of it is proven the best: unmet, changes and cost. Never true without a proof; false where the search ran out of work."""
    certificate: Certificate
    nodes: tuple[NodeLayout, ...]
    """By stock; nodes without cards in use are left out, unless they keep a layout that they have."""
    layouts: tuple[tuple[Layout, int], ...]
    """(distinct layout, cards that have it), the most frequent first."""
    layouts_bound: int
    """No answer of this cost that keeps the same nodes has fewer distinct layouts; equal to their number where that is proven."""
    served: tuple[Use, ...]
    spare: tuple[Use, ...]
    """Slices beyond the demand, the headroom's among them."""
    unmet: tuple[tuple[str, int], ...] = ()
    """(ask, units) that the fleet has no room for: where proven, the least there can be in sum."""
    changes: int = 0
    """Nodes to re-partition, those in `changed` of `nodes`: where proven, the least there can be."""
    headroom: bool = True
    """The headroom asked for is there. Where it is not, the present layouts hold without it, or the fleet has no room for it."""
    alternatives: tuple[Alternative, ...] = ()
    """Those that the fleet has room for."""

    def alternative(self, way: Way) -> Alternative | None:
        return next((other for other in self.alternatives if other.way == way), None)
