"""Pools after their layouts are computed: which nodes are cut alike, and what each group of them is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from fourleaf.ir import Cut, CutNodes, Layouts, Pool
from fourleaf.partition.answer import Answer
from fourleaf.partition.demand import Stock
from fourleaf.plan.demand import Cards
from fourleaf.resolve.inventory import Inventory


def nodes_of(pool: Pool, mine: Sequence[Cards], answer: Answer | None) -> tuple[tuple[CutNodes, ...], list[int]]:
    """Return the nodes of a pool that are cut alike, by their first node, and the indexes of those that must be cut anew."""
    rows: list[dict[int, tuple[tuple[str, int], ...]]] = [{} for _ in range(pool.count)]
    changed: set[int] = set()
    for cards in mine:
        for number, row in enumerate(rows):
            row |= dict(zip(cards.indexes, _padded(cards.stock, cards.stock.now(number) or ()), strict=True))
        for node in answer.nodes if answer else ():
            for number in node.nodes if node.stock == cards.stock.name else ():
                now, then = cards.stock.now(number), _padded(cards.stock, node.layouts)
                rows[number] |= dict(zip(cards.indexes, then, strict=True))
                if now is not None and _padded(cards.stock, now) != then:
                    changed.add(number)
    groups: dict[tuple[Cut, ...], list[int]] = {}
    for number, row in enumerate(rows):
        cuts: dict[tuple[tuple[str, int], ...], list[int]] = {}
        for card, layout in sorted(row.items()):
            cuts.setdefault(tuple(sorted(layout)), []).append(card)
        groups.setdefault(tuple(Cut(tuple(cards), parts) for parts, cards in cuts.items()), []).append(number)
    made = (
        CutNodes(pool=pool.name, nodes=tuple(pool.nodes[node] for node in nodes) if pool.nodes else (), count=len(nodes), cuts=cuts)
        for cuts, nodes in groups.items()
    )
    return tuple(made), sorted(changed)


def _padded(stock: Stock, layouts: Sequence[tuple[tuple[str, int], ...]]) -> list[tuple[tuple[str, int], ...]]:
    return [*layouts, *[()] * (stock.cards - len(layouts))]


def parts_of(inventory: Inventory, layouts: Layouts, taken: set[str]) -> Iterator[Pool]:
    """Yield a pool with its cuts, once for each of its node layouts; nodes that are whole, and were, need no partition.

    Args:
        taken: names of pools, to which those of parts are added.
    """
    pool = next(pool for pool in inventory.pools if pool.name == layouts.pool)
    changed = {*layouts.changed}
    for number, nodes in enumerate(layouts.nodes):
        cut = any(one.parts for one in nodes.cuts) or changed & {*nodes.nodes} or (layouts.changes and not pool.nodes)
        partition = replace(pool.partition, cuts=nodes.cuts) if pool.partition and cut else None
        if len(layouts.nodes) == 1:
            yield replace(pool, partition=partition)
            continue
        name = _free(pool.name, number, taken)
        taken.add(name)
        yield replace(pool, name=name, part_of=pool.name, nodes=nodes.nodes, count=nodes.count, partition=partition)


def _free(name: str, number: int, taken: set[str]) -> str:
    """Return the name of a part, a DNS label that no pool has: `gpu-a`, `gpu-b`, ..., `gpu-aa`."""
    while True:
        suffix, rest = "", number + 1
        while rest:
            rest, letter = divmod(rest - 1, 26)
            suffix = chr(ord("a") + letter) + suffix
        found = f"{name[: 62 - len(suffix)].rstrip('-')}-{suffix}"
        if found not in taken:
            return found
        number += 1


def named(layouts: Layouts, parts: Sequence[Pool]) -> tuple[CutNodes, ...]:
    """Return the nodes of layouts with the names of the pools that they became."""
    return tuple(replace(nodes, pool=part.name) for nodes, part in zip(layouts.nodes, parts, strict=True))
