"""How cards are cut, and the layouts that are computed."""

from __future__ import annotations

from msgspec import Struct

from fourleaf.ir.values import Origin


class Cut(Struct, frozen=True):
    """Cards of a node, by index, and what each of them is cut into: (profile, how many), none where they stay whole."""

    cards: tuple[int, ...]
    parts: tuple[tuple[str, int], ...]


class CutNodes(Struct, frozen=True, kw_only=True):
    """Nodes whose cards are cut alike."""

    pool: str
    """Their pool in the plan."""
    nodes: tuple[str, ...] = ()
    """Their names; empty for all nodes of a pool without names."""
    count: int
    cuts: tuple[Cut, ...]
    """All cards of a node, whole ones too."""


class Alternative(Struct, frozen=True):
    """What the demand would take if it was met another way."""

    way: str
    """One of "one-profile-a-card", "first-fit", "from-scratch"."""
    gpus: int


class Layouts(Struct, frozen=True, kw_only=True):
    """The computed layouts of one pool of the spec, and how good they are."""

    pool: str
    gpus: int
    """Cards in use: cut, or asked for whole."""
    lower_bound: int
    """No fewer cards of this pool will do, with those of other pools that share its demand as they are."""
    proven: bool
    """The layouts are proven the best: unmet demand, nodes to re-partition, cards."""
    distinct: tuple[tuple[tuple[tuple[str, int], ...], int], ...] = ()
    """(layout, cards that have it), the most frequent first."""
    nodes: tuple[CutNodes, ...] = ()
    changed: tuple[str, ...] = ()
    """Nodes that have another layout now, so that they must be drained and cut anew."""
    changes: int = 0
    """How many they are, where they have no names either."""
    known: int = 0
    """Nodes of which the present layout is known."""
    alternatives: tuple[Alternative, ...] = ()
    """Of all pools that share the demand, where the pools of `beside` are more."""
    beside: tuple[str, ...] = ()
    """Pools that share the demand, this one among them."""
    total: int = 0
    """Cards in use in all of them."""
    headroom: int = 0
    """Percent asked for."""
    has_headroom: bool = True
    workloads: tuple[tuple[str, str], ...] = ()
    """(namespace, name) of those that ask for these cards; said of the first pool of `beside` alone."""
    lacking: int = 0
    """Units that they ask for and that no layouts of these cards have, in sum."""
    needed: int = 0
    """Cards that would do for all pods, where there are too few; 0: not known."""
    several: int = 0
    """How many node layouts would do where one, all that a pool without names of nodes can carry, will not."""
    origin: Origin
