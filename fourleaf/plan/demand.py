"""What workloads ask of cards that are yet to be cut, once pools whose cards are as they are have served what they can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from fourleaf.ir import ONE_A_NODE, Cut, Partition, Pool, Supply, Want
from fourleaf.partition import WHOLE, Profile, table
from fourleaf.partition.demand import Stock
from fourleaf.plan.pods import Kind, choose
from fourleaf.plan.stacks import supplies
from fourleaf.resolve.inventory import Inventory, Workload


class Cards(Struct, frozen=True, kw_only=True):
    """The cards of one model in a pool whose layouts are computed, and what each way to cut them would offer."""

    pool: Pool
    indexes: tuple[int, ...]
    """Their indexes in a node."""
    stock: Stock
    offers: Mapping[str, Supply]
    """Profile, or WHOLE, to what a pod would find."""


class Demand(Struct, frozen=True, kw_only=True):
    """Pods that want units of one kind: those of a workload, or of an exclusive group whose members can take turns on one unit."""

    name: str
    members: tuple[Workload, ...]
    pods: int
    count: int
    """Units a pod."""
    pool: str = ""
    """The pool of the spec that they are confined to."""
    only: Kind | None = None
    """What they must ask for, where it is settled: that is so of a DaemonSet, whose pods in each pool are a demand of their own."""

    def fits(self, supply: Supply) -> bool:
        return all(workload.want.fits(supply) for workload in self.members)

    @property
    def alike(self) -> tuple[object, ...]:
        """Return what demands have in common that the same units serve."""
        wants = (workload.want for workload in self.members)
        return self.pool, self.count, tuple((one.units, one.traits, one.memory_bytes, one.portion) for one in wants)

    @property
    def want(self) -> Want:
        return self.members[0].want

    @property
    def by_size(self) -> bool:
        return any(workload.want.memory_bytes or workload.want.portion for workload in self.members)


def cards_of(pool: Pool) -> Iterator[Cards]:
    """Yield the cards of a pool by model. A node with several models has all of one cut alike: an index could mean either."""
    start = 0
    partition = pool.partition
    if partition is None or partition.auto is None:
        return
    cuts = dict(partition.auto.present)
    nodes = pool.nodes or ("",) * pool.count
    mixed = len({gpu.card.name for gpu in pool.gpus}) > 1
    for number, gpu in enumerate(pool.gpus):
        indexes = tuple(range(start, start + gpu.count))
        start += gpu.count
        known = table(gpu.card.mig).named(pool.driver.version) if gpu.card.mig else None
        yield Cards(
            pool=pool,
            indexes=indexes,
            stock=Stock(
                name=f"{pool.name}/{number}",
                table=known,
                nodes=pool.count,
                cards=gpu.count,
                cost=partition.auto.cost,
                alike="pool" if not pool.nodes else "node" if mixed else "card",
                present=tuple(_now(cuts[node], indexes, known.profiles if known else ()) if node in cuts else None for node in nodes),
            ),
            offers=dict(_offers(pool, partition, gpu.card.name, indexes, known.profiles if known else ())),
        )


def _now(cuts: Sequence[Cut], indexes: Sequence[int], profiles: Sequence[Profile]) -> tuple[tuple[tuple[str, int], ...], ...]:
    """Return the layouts that some cards of a node have, in the names and the order of their table."""
    by_card = {card: dict(cut.parts) for cut in cuts for card in cut.cards}
    families = {name: profile for profile in profiles for name in (profile.name, *profile.other_names)}
    layouts = []
    for index in indexes:
        counts = {families[name].name: count for name, count in by_card.get(index, {}).items() if name in families}
        layouts.append(tuple((profile.name, counts[profile.name]) for profile in profiles if profile.name in counts))
    return tuple(layouts)


def _offers(
    pool: Pool, partition: Partition, card: str, indexes: tuple[int, ...], profiles: Sequence[Profile]
) -> Iterator[tuple[str, Supply]]:
    """Yield what the systems of a pool would make of its cards, whole and cut in each way."""
    whole = [supply for supply in supplies(replace(pool, partition=replace(partition, cuts=()))) if supply.unit == "card"]
    own = [supply for supply in whole if len(whole) == 1 or ("card", card) in supply.traits]
    yield from ((WHOLE, supply) for supply in own)
    for profile in profiles:
        cut = replace(pool, partition=replace(partition, cuts=(Cut(indexes, ((profile.name, 1),)),)))
        yield from ((profile.name, supply) for supply in supplies(cut) if supply.unit == "slice")


def demands(inventory: Inventory, fits: Fits, fixed: Sequence[Supply]) -> tuple[Demand, ...]:
    """Return who wants units: each workload, by namespace and name, then the exclusive groups.

    Args:
        fixed: what pools offer whose cards are as they are.

    Members of an exclusive group take turns on the same units where some unit serves each of them; else each has its own.
    """
    turns = {member: group for group in inventory.turns for member in group.members}
    grouped: list[Demand] = []
    for group in inventory.turns:
        members = tuple(workload for workload in inventory.workloads if workload.name in group.members)
        whole = _demand(f"exclusive {group.name}", members, group.pool) if members else None
        alone = [_demand(f"{one.namespace}/{one.name}", (one,), group.pool) for one in members]
        mine = [cards for cards in fits.fleet if cards.pool.name == group.pool]
        shared = whole is not None and any(fits.names(whole, cards) for cards in mine)
        grouped += [whole] if whole and (shared or not mine) else alone
    free: list[Demand] = []
    for workload in inventory.workloads:
        if workload.name not in turns:
            one = _demand(f"{workload.namespace}/{workload.name}", (workload,), "")
            free += _on_each_node(one, fits, fixed) if workload.kind == ONE_A_NODE else [one]
    return (*free, *grouped)


def _on_each_node(demand: Demand, fits: Fits, fixed: Sequence[Supply]) -> Iterator[Demand]:
    """Yield what a DaemonSet wants of each pool: a pod a node, all of the one kind that most nodes can have."""
    offers = [cards.offers[name] for cards in fits.fleet for name in fits.names(demand, cards)]
    offers += [supply for supply in fixed if demand.fits(supply)]
    pools: dict[Kind, dict[str, int]] = {}
    for supply in offers:
        pools.setdefault(supply.kind, {})[supply.pool] = supply.nodes
    most = max((sum(nodes.values()) for nodes in pools.values()), default=0)
    widest = [replace(supply, per_node=demand.count) for supply in offers if sum(pools[supply.kind].values()) == most]
    for chosen in choose(demand.want, widest)[:1]:
        for pool, nodes in pools[chosen.kind].items():
            yield replace(demand, name=f"{demand.name} on {pool}", pods=nodes, pool=pool, only=chosen.kind)


def _demand(name: str, members: tuple[Workload, ...], pool: str) -> Demand:
    return Demand(
        name=name, members=members, pods=max(one.replicas for one in members), count=max(one.want.count for one in members), pool=pool
    )


class Fits:
    """What of some cards serves which demand. Workloads are many and alike, so each distinct one is looked up once."""

    def __init__(self, fleet: Sequence[Cards]) -> None:
        self.fleet = fleet
        self._known: dict[tuple[object, ...], tuple[str, ...]] = {}

    def names(self, demand: Demand, cards: Cards) -> tuple[str, ...]:
        """Return the profiles, or WHOLE, of which one unit serves a demand."""
        key = (*demand.alike, cards.stock.name)
        if key not in self._known:
            self._known[key] = _names(demand, cards)
        return self._known[key]

    def kinds(self, demand: Demand) -> dict[Kind, Supply]:
        """Return what a demand could be given, with a supply of each."""
        return {cards.offers[name].kind: cards.offers[name] for cards in self.fleet for name in self.names(demand, cards)}

    def accepts(self, demand: Demand, fleet: Sequence[Cards], only: Kind | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the same as an ask has it.

        Args:
            only: the one kind that will do, where its pods have begun with it.
        """
        found = ((cards, [name for name in self.names(demand, cards) if only in (None, cards.offers[name].kind)]) for cards in fleet)
        return tuple((cards.stock.name, tuple(names)) for cards, names in found if names)


def _names(demand: Demand, cards: Cards) -> tuple[str, ...]:
    """Return the names that `Fits` looks up.

    An ask by size gets the smallest that will do: nothing larger saves a card. What nodes have already will do too, if it is large
    enough. Where only a whole card is large enough, it stays whole.
    """
    if demand.pool not in ("", cards.pool.name):
        return ()
    fitting = {name: supply for name, supply in cards.offers.items() if demand.fits(supply)}
    if not demand.by_size:
        return tuple(fitting)
    profiles = cards.stock.table.profiles if cards.stock.table else ()
    parts = [profile.name for profile in profiles if profile.name in fitting and profile.plain and profile.portion < 1]
    if not parts:
        return (WHOLE,) if WHOLE in fitting else ()
    smallest = choose(demand.want, [fitting[name] for name in parts])
    there = {name for layouts in cards.stock.present if layouts for layout in layouts for name, _ in layout}
    return tuple(name for name in parts if fitting[name] in smallest or name in there)


class Served(Struct, frozen=True):
    """What pools whose cards are as they are do for a demand."""

    pods: int = 0
    kind: Kind | None = None
    """What its pods ask for there; the rest of them, if any, must ask for the same."""


class Serving:
    """The pools whose cards are as they are: they serve workloads in their order, each from the units that suit it best."""

    def __init__(self, fixed: Sequence[Supply]) -> None:
        self._left = {supply: supply.nodes * supply.per_node for supply in fixed}

    def serve(self, demand: Demand, kinds: Mapping[Kind, Supply]) -> Served:
        """Give a demand what there is for it.

        Args:
            kinds: what it could be given of cards that are yet to be cut, with a supply of each.
        """
        fitting = [
            supply
            for supply in self._left
            if demand.fits(supply) and demand.pool in ("", supply.pool) and demand.only in (None, supply.kind)
        ]
        units = demand.want.units
        if demand.by_size:  # whole cards are for those who need one, or for whom there is nothing else
            fitting = [supply for supply in fitting if supply.unit != "card"] or ([] if kinds else fitting)
        else:
            best = min((units.index(supply.unit) for supply in (*fitting, *kinds.values())), default=0)
            fitting = [supply for supply in fitting if units.index(supply.unit) == best]
        held: Counter[Kind] = Counter()
        for supply in fitting:
            held[supply.kind] += self._pods(supply, demand.count)
        enough = [supply for supply in fitting if held[supply.kind] >= demand.pods]
        some = [supply for supply in fitting if held[supply.kind] and (supply.kind in kinds or not kinds)]
        chosen = choose(demand.want, enough or some)
        if not chosen:
            return Served()
        pods = left = min(demand.pods, held[chosen[0].kind])
        for supply in chosen:
            here = min(left, self._pods(supply, demand.count))
            self._left[supply] -= here * demand.count
            left -= here
        return Served(pods, chosen[0].kind)

    def _pods(self, supply: Supply, count: int) -> int:
        return min(supply.nodes * min(supply.per_node // count, supply.max_pods), self._left[supply] // count)
