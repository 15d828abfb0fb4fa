"""Layouts that are computed: workloads and cards go to the solver, its answer becomes cuts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct
from msgspec.structs import replace

from fourleaf.ir import Alternative, Layouts, Pool, Supply
from fourleaf.partition import WHOLE
from fourleaf.partition.answer import Answer
from fourleaf.partition.demand import Ask, Stock
from fourleaf.partition.optimise import layouts_for
from fourleaf.plan.cut_pools import named, nodes_of, parts_of
from fourleaf.plan.demand import Cards, Demand, Fits, Served, Serving, cards_of, demands
from fourleaf.plan.pods import Kind, choose, pods
from fourleaf.plan.predict import predict
from fourleaf.plan.stacks import supplies
from fourleaf.resolve.inventory import Inventory

APART = 12
"""Workloads that could each get one of several kinds of slices, for which all is tried; of more, the kinds are settled beforehand."""
ROUNDS = 4
"""How often more is asked for where pods of several units do not find theirs on one node."""


class LaidOut(Struct, frozen=True, kw_only=True):
    """The pools with their cuts, and what the layouts count on."""

    pools: tuple[Pool, ...]
    """By name; those that were split stand as their parts."""
    kinds: Mapping[tuple[str, str], Kind]
    """(namespace, workload) to what its pods must ask for."""
    layouts: tuple[Layouts, ...]


def lay_out(inventory: Inventory, standing: Sequence[Pool]) -> LaidOut:
    """Compute the layouts of all pools that want it.

    Pools whose cards are as they are serve what they can first, workload by workload; the rest is asked of the cards that are yet to be
    cut. Pools that could serve the same workload are laid out together.

    Args:
        standing: the pools with their systems.
    """
    auto = [pool for pool in standing if pool.partition and pool.partition.auto]
    fleet = [cards for pool in auto for cards in cards_of(pool)]
    fixed = [supply for pool in standing if pool not in auto for supply in supplies(pool)]
    serving, fits = Serving(fixed), Fits(fleet)
    wanting: list[_Wanting] = []
    kinds: dict[tuple[str, str], Kind] = {}
    for demand in demands(inventory, fits, fixed):
        possible = fits.kinds(demand)
        served = serving.serve(demand, possible)
        kind = demand.only or served.kind
        if kind and (possible or len(demand.members) == 1):
            kinds |= {(one.namespace, one.name): kind for one in demand.members}
        if possible and served.pods < demand.pods:
            wanting.append(_Wanting(demand, served, only=demand.only))
    found = [_Fleet(inventory, fits, group, asking) for group, asking in _together(fits, wanting)]
    layouts: list[Layouts] = []
    for one in found:
        one.settle(fixed, kinds)
        kinds |= one.kinds()
        layouts += one.layouts()
    taken = {pool.name for pool in standing}
    parts = {one.pool: tuple(parts_of(inventory, one, taken)) for one in layouts}
    pools = (part for pool in inventory.pools for part in parts.get(pool.name, (pool,)))
    layouts = [replace(one, nodes=named(one, parts[one.pool])) for one in layouts]
    return LaidOut(
        pools=tuple(sorted(pools, key=lambda pool: pool.name)), kinds=kinds, layouts=tuple(sorted(layouts, key=lambda one: one.pool))
    )


@dataclass(slots=True)
class _Wanting:
    """A demand that cards must be cut, or kept whole, for."""

    demand: Demand
    served: Served
    more: int = 0
    """Units beyond what its pods need, since not all of them can be used."""
    only: Kind | None = None

    @property
    def units(self) -> int:
        return (self.demand.pods - self.served.pods) * self.demand.count + self.more


def _together(fits: Fits, wanting: Sequence[_Wanting]) -> Iterator[tuple[list[Cards], list[_Wanting]]]:
    """Yield the cards that share demands, with those: pools that no workload connects are laid out by themselves."""
    fleet = fits.fleet
    leader = {cards.pool.name: cards.pool.name for cards in fleet}

    def find(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    home: list[str] = []
    for one in wanting:
        mine = sorted({find(cards.pool.name) for cards in fleet if fits.names(one.demand, cards)})
        for name in mine:
            leader[name] = mine[0]
        home.append(mine[0])
    for name in sorted({find(cards.pool.name) for cards in fleet}):
        group = [cards for cards in fleet if find(cards.pool.name) == name]
        yield group, [one for one, at in zip(wanting, home, strict=True) if find(at) == name]


@dataclass(slots=True)
class _Fleet:
    """Cards that share demands, and the best layouts for them so far."""

    inventory: Inventory
    fits: Fits
    cards: list[Cards]
    wanting: list[_Wanting]
    answer: Answer | None = None
    groups: dict[str, list[_Wanting]] = field(default_factory=dict)
    """Name of an ask to those that it is for."""
    bound: int = 0
    coarse: bool = False
    """The workloads that could get several kinds of slices are too many to try all: `bound` is that of pods which may differ."""
    afresh: bool = False
    """No node keeps what it has."""
    needed: int = 0
    """Cards that would do for all, where there are too few."""
    several: dict[str, int] = field(default_factory=dict)
    """Pool to the node layouts that would do, where one will not."""

    def asks(self, *, split: bool = False) -> list[Ask]:
        """Return what is asked for: one ask for all that the same units serve, and one for each workload that could get several kinds.

        Args:
            split: pods of one workload may ask for different things: easier to serve, and so a bound.
        """
        alike: dict[tuple[object, ...], list[_Wanting]] = {}
        for one in self.wanting:
            several = len(self.kinds_of(one)) > 1 and not split
            alike.setdefault((self.accepts(one), one.demand.name if several else ""), []).append(one)
        self.groups = {mine[0].demand.name: mine for mine in alike.values()}
        return [
            Ask(
                name=name,
                count=sum(one.units for one in mine),
                accepts=self.accepts(mine[0]),
                together=len(self.kinds_of(mine[0])) > 1 and not split,
            )
            for name, mine in self.groups.items()
        ]

    def accepts(self, one: _Wanting) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return self.fits.accepts(one.demand, self.cards, one.only or one.served.kind)

    def kinds_of(self, one: _Wanting) -> set[Kind]:
        only = one.only or one.served.kind
        return {only} if only else {*self.fits.kinds(one.demand)}

    def share_out(self) -> None:
        """Settle the kind of each workload that could get several, where they are too many to try all: as if their pods could differ.

        The largest first, each gets the kind of which most is left.
        """
        free = layouts_for(self.asks(split=True), self.stocks(), headroom=self.headroom)
        self.bound, self.coarse = free.bound, True
        offers = {cards.stock.name: cards.offers for cards in self.cards}
        for name, mine in self.groups.items():
            if len(self.kinds_of(mine[0])) == 1:
                continue
            left: Counter[Kind] = Counter()
            for use in free.served:
                if use.ask == name:
                    left[offers[use.stock][use.name].kind] += use.count
            for one in sorted(mine, key=lambda one: one.units, reverse=True):
                one.only = max(left or self.kinds_of(one), key=lambda kind: (left[kind], kind))
                left[one.only] -= one.units

    def stocks(self) -> list[Stock]:
        """Return the cards. Nodes that a DaemonSet wants a pod on are cut alike, so that it finds as much on each."""
        level = {one.demand.pool for one in self.wanting if one.demand.only}
        stocks = [replace(cards.stock, present=()) if self.afresh else cards.stock for cards in self.cards]
        return [
            replace(stock, alike="pool", present=stock.present if len({*stock.present}) == 1 else ()) if cards.pool.name in level else stock
            for cards, stock in zip(self.cards, stocks, strict=True)
        ]

    def solve(self) -> Answer | None:
        asks = self.asks()
        return layouts_for(asks, self.stocks(), headroom=self.headroom) if asks else None

    @property
    def headroom(self) -> int:
        return max(cards.pool.partition.auto.headroom for cards in self.cards if cards.pool.partition and cards.pool.partition.auto)

    def unmet(self) -> set[str]:
        """Return the demands of which something is unmet."""
        return {one.demand.name for name, _ in (self.answer.unmet if self.answer else ()) for one in self.groups[name]}

    def settle(self, fixed: Sequence[Supply], kinds: Mapping[tuple[str, str], Kind]) -> None:
        """Find the layouts. Where pods of several units do not find them on one node, more is asked for, as long as that helps."""
        if sum(len(self.kinds_of(one)) > 1 for one in self.wanting) > APART:
            self.share_out()
        self.answer = self.solve()
        if self.answer is None:
            return
        unmet = self.unmet()
        if unmet:  # what must be of one kind is all or nothing to the solver; of the smallest kind it may be some
            for one in self.wanting:
                if one.demand.name in unmet and one.served.kind is None and one.only is None:
                    offers = self.fits.kinds(one.demand).values()
                    one.only = choose(one.demand.want, [replace(supply, per_node=one.demand.count) for supply in offers])[0].kind
            self._look_further()
            self.answer = self.solve() or self.answer
        self.bound = self.bound if self.coarse else self.answer.bound
        if not self._gather(fixed, kinds) and any(cards.stock.present for cards in self.cards):
            before = self.answer
            self.afresh = True
            self.answer = self.solve() or before
            if not self._gather(fixed, kinds):
                self.answer, self.afresh = before, False

    def _gather(self, fixed: Sequence[Supply], kinds: Mapping[tuple[str, str], Kind]) -> bool:
        """Ask for more where pods of several units do not find them on one node, as long as that helps; tell whether all do then."""
        before = self.answer
        for _ in range(ROUNDS):
            short = self._short(fixed, kinds)
            if not short:
                return True
            for one in self.wanting:
                one.more += sum(short.get((member.namespace, member.name), 0) for member in one.demand.members[:1])
            after = self.solve()
            if after is None or before is None or sum(dict(after.unmet).values()) > sum(dict(before.unmet).values()):
                break
            self.answer = after
        self.answer = before
        for one in self.wanting:
            one.more = 0
        return False

    def _look_further(self) -> None:
        """See what is lacking: cards, or no more than a second layout for the nodes of a pool that is given by its count."""
        asks, stocks = self.asks(split=True), self.stocks()
        counted = {stock.name for stock in stocks if stock.alike == "pool"} - {c.stock.name for c in self.cards if c.pool.nodes}
        if not counted and any(one.demand.only for one in self.wanting):
            return  # each node more is a pod more of a DaemonSet
        if not counted:
            first, *others = [replace(stock, present=()) for stock in stocks]
            plenty = layouts_for(asks, [replace(first, nodes=first.nodes + sum(one.count for one in asks)), *others])
            self.needed = 0 if plenty.unmet else plenty.cards
            return
        free = layouts_for(asks, [replace(stock, alike="card") if stock.name in counted else stock for stock in stocks])
        for cards in self.cards if not free.unmet else ():
            number = sum(1 for node in free.nodes if node.stock == cards.stock.name)
            if cards.stock.name in counted and number > 1:
                self.several[cards.pool.name] = max(number, self.several.get(cards.pool.name, 0))

    def _short(self, fixed: Sequence[Supply], kinds: Mapping[tuple[str, str], Kind]) -> dict[tuple[str, str], int]:
        """Return, by (namespace, workload), the units that pods of several lack although the solver has given them all."""
        unmet = self.unmet()
        several = {
            (member.namespace, member.name)
            for one in self.wanting
            for member in one.demand.members
            if one.demand.count > 1 and one.demand.name not in unmet
        }
        if not several:
            return {}
        split = [part for one in self.layouts() for part in parts_of(self.inventory, one, set())]
        pools = tuple(replace(pool, systems=self._systems(pool)) for pool in split)
        offered = [*fixed, *(supply for pool in pools for supply in supplies(pool))]
        inventory = replace(self.inventory, pools=pools)
        found = predict(pods(inventory, offered, {}, {**kinds, **self.kinds()}), offered, (), gangs=False)
        return {key: one.short_by for one in found if (key := (one.namespace, one.workload)) in several and one.short_by}

    def _systems(self, pool: Pool) -> tuple[str, ...]:
        return next(cards.pool.systems for cards in self.cards if cards.pool.name == (pool.part_of or pool.name))

    def kinds(self) -> dict[tuple[str, str], Kind]:
        """Return what the pods of each workload must ask for, so that each finds what is there for it."""
        if self.answer is None:
            return {}
        offers = {cards.stock.name: cards.offers for cards in self.cards}
        asked = {use.ask: offers[use.stock][use.name].kind for use in self.answer.served}
        given = {one.demand.name: kind for name, kind in asked.items() for one in self.groups[name]}
        return {
            (workload.namespace, workload.name): one.served.kind or given[one.demand.name]
            for one in self.wanting
            if one.served.kind or one.demand.name in given
            for workload in one.demand.members
        }

    def layouts(self) -> list[Layouts]:
        """Return the layouts of each pool, with their proof and what other ways would take."""
        pools = {cards.pool.name: cards.pool for cards in self.cards}
        made = [self._of(pool) for pool in pools.values()]
        total = sum(one.gpus for one in made)
        others = tuple(Alternative(one.way, one.cards) for one in self.answer.alternatives) if self.answer else ()
        workloads = tuple(dict.fromkeys((member.namespace, member.name) for one in self.wanting for member in one.demand.members))
        lacking = max(0, sum(dict(self.answer.unmet).values()) - sum(one.more for one in self.wanting)) if self.answer else 0
        return [
            replace(
                one,
                total=total,
                alternatives=others,
                beside=tuple(pools),
                workloads=workloads if number == 0 else (),
                lacking=lacking,
                needed=self.needed,
            )
            for number, one in enumerate(made)
        ]

    def _of(self, pool: Pool) -> Layouts:
        mine = [cards for cards in self.cards if cards.pool is pool]
        names = {cards.stock.name for cards in mine}
        answer = self.answer
        whole = sum(use.count for use in (*answer.served, *answer.spare) if use.name == WHOLE and use.stock in names) if answer else 0
        nodes, changed = nodes_of(pool, mine, answer)
        distinct: dict[tuple[tuple[str, int], ...], int] = {}
        for node in nodes:
            for cut in node.cuts:
                if cut.parts:
                    distinct[cut.parts] = distinct.get(cut.parts, 0) + len(cut.cards) * node.count
        gpus = whole + sum(distinct.values())
        cost = mine[0].stock.cost
        elsewhere = (answer.cost if answer else 0) - gpus * cost
        auto = pool.partition.auto if pool.partition else None
        return Layouts(
            pool=pool.name,
            gpus=gpus,
            lower_bound=max(0, -(-(self.bound - elsewhere) // cost)) if answer else gpus,
            proven=(answer.proven or self.coarse) and answer.cost == self.bound if answer else True,
            distinct=tuple(sorted(distinct.items(), key=lambda item: (-item[1], item[0]))),
            nodes=nodes,
            changed=tuple(pool.nodes[node] for node in changed) if pool.nodes else (),
            changes=len(changed),
            known=sum(mine[0].stock.now(node) is not None for node in range(pool.count)),
            headroom=auto.headroom if auto else 0,
            has_headroom=answer.headroom if answer else True,
            several=self.several.get(pool.name, 0),
            origin=pool.partition.origin if pool.partition else pool.origin,
        )
