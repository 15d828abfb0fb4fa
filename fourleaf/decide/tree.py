"""The decision: the first question that says yes gives the leaf; layers are then decided one by one."""

from __future__ import annotations

from collections.abc import Iterator

from fourleaf.decide.decision import LEAVES, Decision, Layer, LeafId, Step
from fourleaf.decide.facts import NVIDIA, Facts, facts
from fourleaf.decide.questions import OURS, QUESTIONS
from fourleaf.decide.rules import LEAF_CANNOT_HOLD, NO_GPU
from fourleaf.diag import Diagnostic, Path
from fourleaf.resolve.inventory import Inventory
from fourleaf.resolve.rules import NOT_BUILT_YET
from fourleaf.systems import SYSTEMS, answering, words

QUEUEING = "volcano"
"""What `scheduler: auto` is with tenancy."""

ALLOCATION: dict[str, tuple[str, ...]] = {"device-plugin": ("plugin", "operator"), "dra": ("dra",)}
"""Words of `policy.allocation`, and the allocators that each of them means."""

ALONE, MANAGED, BESIDE = ("plugin", "operator", "dra"), ("operator", "dra", "plugin"), ("dra", "plugin", "operator")
"""Allocators, the first that will do is taken: on leaf L1; elsewhere for the vendor whose stack the leaf is; for those beside it."""


def decide(inventory: Inventory) -> tuple[Decision | None, tuple[Diagnostic, ...]]:
    """Decide leaf and layers of a cluster.

    Returns:
        The decision, None only where a diagnostic says why there is none: any other inventory gets a leaf.
    """
    found = facts(inventory)
    if not found.pools:
        where: Path = ("spec", "pools")
        return None, (NO_GPU.at(where, "none of the pools has a GPU", help="give at least one pool `gpus: [{card: ...}]`"),)
    leaf, trace = _leaf(inventory, found)
    problems = [*_cannot_hold(inventory, found, leaf)]
    scheduler = _scheduler(inventory, found, leaf)
    problems += _missing(("spec", "policy", "scheduler"), "scheduler", scheduler)
    allocation: dict[str, str] = {}
    for vendor in found.vendors:
        word = _allocator(inventory, leaf, vendor, inventory.policy.allocation)
        if word:
            allocation[vendor] = word
        else:
            problems.append(_no_allocator(inventory, found, leaf, vendor))
    for pool in found.partitioned:
        if pool.partition:
            for form in pool.partition.forms:
                problems += _missing(pool.partition.origin.place, "partition", form)
    if problems:
        return None, tuple(problems)
    decision = Decision(
        leaf=leaf,
        layers=tuple(_layers(inventory, found, allocation, scheduler)),
        trace=tuple(trace),
        allocation=allocation,
        scheduler=scheduler,
    )
    return decision, ()


def _leaf(inventory: Inventory, found: Facts) -> tuple[LeafId, list[Step]]:
    trace: list[Step] = []
    leaf: LeafId = "L1"
    for question in QUESTIONS:
        step, answer = question(found)
        trace.append(step)
        if answer:
            leaf = answer
            break
    insisted = inventory.policy.leaf
    if insisted != "auto":
        wanted = next(key for key, name in LEAVES.items() if name == insisted)
        trace.append(
            Step(
                question="does policy insist on a leaf?",
                input=f"policy.leaf: {insisted}",
                answer=f"yes: {wanted} instead of {leaf}" if wanted != leaf else f"yes: {wanted}, as found",
                flips="policy.leaf: auto",
                source=OURS,
                silent=True,
            )
        )
        leaf = wanted
    return leaf, trace


def _cannot_hold(inventory: Inventory, found: Facts, leaf: LeafId) -> Iterator[Diagnostic]:
    """Yield what contradicts the leaf that policy insists on."""
    if inventory.policy.leaf == "auto":
        return
    place: Path = ("spec", "policy", "leaf")
    name = LEAVES[leaf]
    if leaf in ("L3", "L4") and not found.nvidia:
        yield LEAF_CANNOT_HOLD.at(
            place, f"leaf {name} is the stack of {NVIDIA} GPUs, the pools have {' and '.join(found.vendors)}", help="write `leaf: auto`"
        )
    if leaf == "L1":
        for pool in found.partitioned:
            if pool.partition and NVIDIA in pool.vendors:
                yield LEAF_CANNOT_HOLD.at(
                    pool.partition.origin.place,
                    f"pool {pool.name} is partitioned ({', '.join(pool.partition.forms)}), leaf {name} has nothing that partitions",
                    help="write `leaf: auto` under policy, or `partition: none` here",
                )
        for pool in found.managed:
            if NVIDIA in pool.vendors and not pool.host.immutable:
                yield LEAF_CANNOT_HOLD.at(
                    pool.driver.origin.place,
                    f"pool {pool.name} leaves its driver to an operator, leaf {name} has none",
                    help="write `leaf: auto` under policy, or `driver: host` here",
                )
    if leaf == "L4" and inventory.policy.scheduler == "default":
        yield LEAF_CANNOT_HOLD.at(
            ("spec", "policy", "scheduler"),
            f"leaf {name} needs a scheduler with queues, policy.scheduler is default",
            help="write `scheduler: auto`, or another leaf",
        )


def _scheduler(inventory: Inventory, found: Facts, leaf: LeafId) -> str:
    if inventory.policy.scheduler != "auto":
        return inventory.policy.scheduler
    return QUEUEING if found.tenancy or leaf == "L4" else "default"


def _allocator(inventory: Inventory, leaf: LeafId, vendor: str, asked: str) -> str:
    """Return the word of the allocator for a vendor's cards, on which their partitions can stand; empty where none at hand will do.

    Args:
        asked: a word of `policy.allocation`.
    """
    order = ALONE if leaf == "L1" else MANAGED if vendor == NVIDIA else BESIDE
    allowed = {*ALLOCATION.get(asked, order)}
    for form in {form for pool in inventory.pools if pool.partition for form in pool.partition.forms}:
        system = answering("partition", form, vendor)
        if system and system.on:
            allowed &= {*system.on}
    return next((word for word in order if word in allowed and answering("allocator", word, vendor)), "")


def _no_allocator(inventory: Inventory, found: Facts, leaf: LeafId, vendor: str) -> Diagnostic:
    """Say that what policy asks for does not give out a vendor's cards, and which of its words would do for all."""
    asked = inventory.policy.allocation
    if asked == "auto":
        return _not_built(_first_card(found, vendor), f"allocation for {vendor}", words("allocator", vendor))
    will_do = [word for word in (*ALLOCATION, "auto") if all(_allocator(inventory, leaf, one, word) for one in found.vendors)]
    mend = f"write {' or '.join(f'`allocation: {word}`' for word in will_do)}" if will_do else ""
    return NOT_BUILT_YET.at(("spec", "policy", "allocation"), f"allocation {asked} for {vendor} is not built yet", help=mend)


def _layers(inventory: Inventory, found: Facts, allocation: dict[str, str], scheduler: str) -> Iterator[Layer]:
    for vendor in found.vendors:
        yield Layer("driver", vendor, _driver(allocation[vendor], vendor))
        yield Layer("allocation", vendor, "dra" if allocation[vendor] == "dra" else "device-plugin")
    for pool in found.pools:
        for form in pool.partition.forms if pool.partition else ("none",):
            yield Layer("partition", pool.name, form)
    yield Layer("tenancy", "cluster", scheduler if scheduler != "default" else "none")
    for turns in inventory.turns:
        yield Layer("turns", turns.pool, turns.name)


def _driver(allocator: str, vendor: str) -> str:
    """Return the system that sees to a vendor's driver: the vendor's own that the allocator needs, else the allocator."""
    system = answering("allocator", allocator, vendor)
    if system is None:
        return ""
    return next((name for name in system.needs if SYSTEMS[name].vendor == vendor), system.name)


def _missing(place: Path, question: str, word: str) -> Iterator[Diagnostic]:
    if question == "scheduler" and not answering("scheduler", word):
        yield _not_built(place, f"scheduler {word}", words("scheduler"))
    if question == "partition" and not answering("partition", word):
        yield _not_built(place, f"partition {word}", ("none", *words("partition")))


def _not_built(place: Path, what: str, there: tuple[str, ...]) -> Diagnostic:
    return NOT_BUILT_YET.at(place, f"{what} is not built yet", help=f"there is: {', '.join(there) or 'none'}")


def _first_card(found: Facts, vendor: str) -> Path:
    return next(pool.at("gpus", index, "card") for pool in found.pools for index, gpu in enumerate(pool.gpus) if gpu.card.vendor == vendor)
