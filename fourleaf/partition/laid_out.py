"""What a solution of the program means: nodes with layouts, and who gets what of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from fourleaf.partition.answer import NodeLayout, Use
from fourleaf.partition.layouts import Layout
from fourleaf.partition.model import Item, Model, units_of
from fourleaf.partition.nodes import spread
from fourleaf.partition.place import offers
from fourleaf.partition.table import WHOLE


class Fleet(Struct, frozen=True, kw_only=True):
    """The parts of an answer that come straight from a solution; fields as there."""

    cards: int
    nodes: tuple[NodeLayout, ...]
    layouts: tuple[tuple[Layout, int], ...]
    served: tuple[Use, ...]
    spare: tuple[Use, ...]
    unmet: tuple[tuple[str, int], ...]


def laid_out(made: Model, values: Sequence[int]) -> Fleet:
    """Return the fleet that the columns' values describe."""
    supply: Counter[Item] = Counter()
    distinct: Counter[Layout] = Counter()
    nodes: list[NodeLayout] = []
    cards = 0
    for i, stock in enumerate(made.stocks):
        mine = [(choice, values[column]) for column, choice in made.choices.items() if choice.stock == i and values[column]]
        cut = {choice.layout: number for choice, number in mine if choice.keeps is None and choice.layout}
        whole = sum(number for choice, number in mine if choice.keeps is None and not choice.layout)
        keeps = {choice.keeps: number for choice, number in mine if choice.keeps}
        layouts = spread(stock, cut, whole, keeps)
        nodes += layouts
        for one in layouts:
            for layout in one.layouts:
                distinct[layout] += len(one.nodes)
        given = offers((len(one.nodes), dict(layout)) for one in layouts for layout in one.layouts if layout)
        supply.update({(i, name): number for name, number in given.items()})
        supply[i, WHOLE] = whole * units_of(stock)[1] + sum(number for choice, number in mine if choice.keeps == ())
        cards += supply[i, WHOLE] + sum(len(one.nodes) for one in layouts for layout in one.layouts if layout)
    served, unmet = _served(made, values, supply)
    return Fleet(
        cards=cards,
        nodes=tuple(nodes),
        layouts=tuple(sorted(((layout, count) for layout, count in distinct.items() if layout), key=lambda item: (-item[1], item[0]))),
        served=served,
        spare=tuple(Use(stock=made.stocks[i].name, name=name, count=number) for (i, name), number in supply.items() if number),
        unmet=unmet,
    )


def _served(made: Model, values: Sequence[int], supply: Counter[Item]) -> tuple[tuple[Use, ...], tuple[tuple[str, int], ...]]:
    """Take from the supply what each ask gets; return that, and what is left unserved."""
    served: list[Use] = []
    unmet: list[tuple[str, int]] = []
    for i, one in enumerate(made.asks):
        rest = one.count
        for flow in made.flows:
            if flow.ask != i or one.growth:
                continue
            number = one.count - values[flow.column] * flow.size if flow.rest else values[flow.column] * flow.size
            rest -= number
            for item in sorted(flow.items):
                taken = min(number, supply[item])
                if taken:
                    supply[item] -= taken
                    number -= taken
                    served.append(Use(stock=made.stocks[item[0]].name, name=item[1], count=taken, ask=one.name))
        if rest and not one.growth:
            unmet.append((one.name, rest))
    return tuple(served), tuple(unmet)
