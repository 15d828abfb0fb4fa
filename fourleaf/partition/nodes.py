"""Which node of a stock gets which layouts: full nodes of one layout first, nodes that have theirs already left alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from fourleaf.partition.answer import NodeLayout
from fourleaf.partition.demand import Stock
from fourleaf.partition.layouts import Layout

Group = tuple[tuple[Layout, ...], int]
"""(layouts by index of the card, nodes that get them)."""


def spread(stock: Stock, cut: Mapping[Layout, int], whole: int, keeps: Mapping[tuple[Layout, ...], int]) -> tuple[NodeLayout, ...]:
    """Return the layouts of all nodes of a stock, each node once; nodes that are laid out alike are one entry.

    Args:
        cut: units (of what must be cut alike) that get a layout anew.
        whole: units that are given away whole.
        keeps: nodes that keep their present layouts.
    """
    given: dict[int, tuple[Layout, ...]] = {}
    if stock.alike == "pool":
        kept = next(iter(keeps), None)
        row = [layout for layout, units in _by_number(cut) for _ in range(units)]
        alike = kept if kept is not None else _align(tuple(row) + ((),) * (stock.cards - len(row)), _usual(stock))
        given = dict.fromkeys(range(stock.nodes), alike)
    else:
        left = Counter(keeps)
        free: list[int] = []
        for node in range(stock.nodes):
            now = stock.now(node)
            if now is not None and left[now]:
                left[now] -= 1
                given[node] = now
            else:
                free.append(node)
        groups = _nodes(stock, cut, whole)
        given |= _assign(stock, free, groups)
    found: dict[tuple[Layout, ...], list[int]] = {}
    for node in range(stock.nodes):
        found.setdefault(given[node], []).append(node)
    return tuple(
        NodeLayout(
            stock=stock.name,
            nodes=tuple(nodes),
            layouts=layouts,
            changed=tuple(node for node in nodes if stock.now(node) not in (None, layouts)),
        )
        for layouts, nodes in found.items()
    )


def _by_number(cut: Mapping[Layout, int]) -> list[tuple[Layout, int]]:
    return sorted(cut.items(), key=lambda item: (-item[1], item[0]))


def _nodes(stock: Stock, cut: Mapping[Layout, int], whole: int) -> list[Group]:
    """Return as few nodes as hold the units; at most one less than there are layouts is mixed, whole cards stand at the end."""
    if stock.alike == "node":
        return [((layout,) * stock.cards, units) for layout, units in [*_by_number(cut), ((), whole)] if units]
    groups: list[Group] = []
    rest: list[Layout] = []
    for layout, units in [*_by_number(cut), ((), whole)]:
        if units >= stock.cards:
            groups.append(((layout,) * stock.cards, units // stock.cards))
        rest += [layout] * (units % stock.cards)
    for i in range(0, len(rest), stock.cards):
        mixed = tuple(rest[i : i + stock.cards])
        groups.append((mixed + ((),) * (stock.cards - len(mixed)), 1))
    return groups


def _assign(stock: Stock, free: Sequence[int], groups: Sequence[Group]) -> dict[int, tuple[Layout, ...]]:
    """Return the layouts of the nodes that keep nothing: new nodes first, then those with present layouts, each close to what it has."""
    left = dict(groups)
    new = [node for node in free if stock.now(node) is None]
    known = [node for node in free if stock.now(node) is not None]
    needed = sum(number for _, number in groups)
    idle = ((),) * stock.cards
    given: dict[int, tuple[Layout, ...]] = {}
    for node in known:
        now = stock.now(node) or idle
        if needed <= len(new) or not left:
            given[node] = now
            continue
        best = max(left, key=lambda layouts: _common(layouts, now))
        given[node] = _align(best, now)
        needed -= 1
        left[best] -= 1
        if not left[best]:
            del left[best]
    queue = iter([layouts for layouts, number in left.items() for _ in range(number)])
    return given | {node: next(queue, idle) for node in new}


def _common(one: Sequence[Layout], other: Sequence[Layout]) -> int:
    return sum((Counter(one) & Counter(other)).values())


def _align(layouts: tuple[Layout, ...], now: tuple[Layout, ...]) -> tuple[Layout, ...]:
    """Return layouts in an order that leaves as many cards as can be as they are."""
    rest = Counter(layouts)
    placed: list[Layout | None] = []
    for layout in now:
        same = rest[layout] > 0
        rest[layout] -= same
        placed.append(layout if same else None)
    others = (+rest).elements()
    return tuple(next(others) if layout is None else layout for layout in placed)


def _usual(stock: Stock) -> tuple[Layout, ...]:
    """Return the present layouts that most nodes of a stock have."""
    known = Counter(now for node in range(stock.nodes) if (now := stock.now(node)) is not None)
    return known.most_common(1)[0][0] if known else ((),) * stock.cards
