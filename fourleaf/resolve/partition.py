"""Partitions: forms of the spec become cuts of cards, in the names that their drivers know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from fourleaf.diag import Diagnostic, Path
from fourleaf.ir import Auto, Cut, Gpu, Origin, Partition
from fourleaf.partition import Misfit, Unknown, place, resolve_profile, table
from fourleaf.resolve.modes import modes_of
from fourleaf.resolve.rules import MISFIT, NO_MIG, NO_SLICES, NOT_BUILT_YET, NOT_COVERED, OTHER_VENDOR, UNKNOWN_PROFILE
from fourleaf.systems import answering

if TYPE_CHECKING:
    from fourleaf.spec.pools import Mig, MigLayouts
    from fourleaf.spec.pools import Partition as PartitionSpec
    from fourleaf.spec.pools import Pool as PoolSpec

Layout = Mapping[str, int] | Literal["none"]
SHARES = "timeSlicing"
"""The form that slices can be shared by."""


def partition(pool: PoolSpec, at: Path, gpus: Sequence[Gpu], driver: str, found: list[Diagnostic]) -> Partition | None:
    """Return how a pool's cards are cut or shared; what cannot be goes to `found`.

    Layouts that are computed have no cuts yet, and the wishes of the spec without the present layouts (`computed`).

    Args:
        gpus: the pool's cards; indexes count over them in this order.
        driver: version of the kernel driver, empty where it is not known.
    """
    given = pool.partition
    if given == "none" or given == "auto":
        return None
    where = (*at, "partition")
    form = next(form for form, value in _forms(given).items() if value)
    system = answering("partition", form)
    mine = [gpu for gpu in gpus if system is None or gpu.card.vendor == system.vendor]
    if system and (not mine or len(mine) != len(gpus)):
        others = sorted({gpu.card.name for gpu in gpus if gpu not in mine}) or ["no GPUs"]
        found.append(
            OTHER_VENDOR.at(
                (*where, form),
                f"partition {form} is for cards of {system.vendor}, pool {pool.name} has {', '.join(others)}",
                help="write `partition: none`",
                on_key=True,
            )
        )
        return None
    sharing = given.time_slicing or given.mps
    if sharing:
        return Partition(forms=(form,), replicas=sharing.replicas, origin=Origin((*where, form), f"partition: {form}"))
    origin = Origin((*where, form), f"partition: {form}")
    if given.modes:
        return Partition(forms=(form,), cuts=tuple(modes_of(pool.name, given.modes, (*where, form), mine, found)), origin=origin)
    shares = given.mig.time_slicing if given.mig and given.mig != "auto" else None
    if given.mig == "auto" or given.mig is None or given.mig.auto:
        if not any(gpu.card.mig for gpu in mine):
            found.append(_no_mig(mine[0], (*where, "mig"), on_key=True))
            return None
        if shares:
            found.append(_shares_of_computed((*where, "mig", SHARES)))
        return Partition(forms=(form,), auto=Auto(), origin=origin)
    before = len(found)
    cuts = tuple(_cuts(pool.name, given.mig, (*where, "mig"), mine, driver, found))
    if not shares:
        return Partition(forms=(form,), cuts=cuts, origin=origin)
    if len(found) == before and not any(cut.parts for cut in cuts):
        found.append(_shares_of_none(pool.name, shares.replicas, (*where, "mig", SHARES)))
    return Partition(forms=(form, SHARES), cuts=cuts, replicas=shares.replicas, origin=origin)


def _forms(given: PartitionSpec) -> Mapping[str, object]:
    return {"mig": given.mig, "timeSlicing": given.time_slicing, "mps": given.mps, "modes": given.modes}


def _cuts(pool: str, mig: Mig, where: Path, gpus: Sequence[Gpu], driver: str, found: list[Diagnostic]) -> Iterator[Cut]:
    cards = [gpu for gpu in gpus for _ in range(gpu.count)]
    if mig.layouts:
        found += _missing(pool, mig.layouts, where, len(cards))
        yield from cuts_of(pool, mig.layouts, where, gpus, driver, found)
        return
    everyone = list(range(len(cards)))
    if mig.layout:
        yield from _each(everyone, cards, mig.layout, (*where, "layout"), driver, found)
    else:
        yield from _each(everyone, cards, {mig.profile: 0}, (*where, "profile"), driver, found)


def cuts_of(
    pool: str, layouts: Sequence[MigLayouts], where: Path, gpus: Sequence[Gpu], driver: str, found: list[Diagnostic]
) -> Iterator[Cut]:
    """Yield how a list of layouts cuts the cards of a node; cards that none of them names are left out.

    Args:
        where: the place of what has the list as its `layouts`.
    """
    cards = [gpu for gpu in gpus for _ in range(gpu.count)]
    found += _indexes(pool, layouts, where, len(cards))
    for index, one in enumerate(layouts):
        spot = (*where, "layouts", index, "layout")
        yield from _each([card for card in one.gpus if card < len(cards)], cards, one.layout, spot, driver, found)


def _each(indexes: Sequence[int], cards: Sequence[Gpu], layout: Layout, where: Path, driver: str, found: list[Diagnostic]) -> Iterator[Cut]:
    """Cut some cards of a node alike; cards of different models get the names of their own. A count of 0: as many as there is room for."""
    by_model: dict[str, list[int]] = {}
    for index in indexes:
        by_model.setdefault(cards[index].card.name, []).append(index)
    for mine in by_model.values():
        parts = () if layout == "none" else _parts(cards[mine[0]], layout, where, driver, found)
        if parts is not None:
            yield Cut(tuple(sorted(mine)), parts)


def _parts(gpu: Gpu, layout: Mapping[str, int], where: Path, driver: str, found: list[Diagnostic]) -> tuple[tuple[str, int], ...] | None:
    card = gpu.card
    if not card.mig:
        found.append(_no_mig(gpu, where))
        return None
    named = table(card.mig)
    parts: dict[str, int] = {}
    before = len(found)
    for word, count in layout.items():
        spot = (*where, word) if count else where
        profile = resolve_profile(named, word, driver)
        if isinstance(profile, Unknown):
            found.append(_unknown_profile(card.name, profile, spot, driver, on_key=bool(count)))
        else:
            parts[profile.name] = parts.get(profile.name, 0) + (count or profile.limit)
    if len(found) > before:
        return None
    fit = place(named, parts)
    if isinstance(fit, Misfit):
        found.append(_misfit(card.name, parts, fit, where))
        return None
    return tuple(sorted(parts.items()))


def _shares_of_computed(where: Path) -> Diagnostic:
    return NOT_BUILT_YET.at(
        where,
        "sharing the slices of a computed layout is not built yet",
        help="write the layout that you want (`layout: {...}` in place of `auto`), or take `timeSlicing` out",
        on_key=True,
    )


def _shares_of_none(pool: str, replicas: int, where: Path) -> Diagnostic:
    return NO_SLICES.at(
        where,
        f"no card of pool {pool} is cut, so there are no slices to share",
        help=f"write `partition: {{timeSlicing: {{replicas: {replicas}}}}}`, which shares the cards",
        on_key=True,
    )


def _no_mig(gpu: Gpu, where: Path, *, on_key: bool = False) -> Diagnostic:
    return NO_MIG.at(
        where,
        f"{gpu.card.name} cannot be cut into MIG slices",
        help="write `partition: {timeSlicing: {replicas: 4}}`, or `partition: none`",
        on_key=on_key,
    )


def _unknown_profile(card: str, unknown: Unknown, where: Path, driver: str, *, on_key: bool) -> Diagnostic:
    if unknown.why == "driver-too-old":
        return UNKNOWN_PROFILE.at(
            where,
            f"driver {driver} does not know profile {unknown.word} of {card}",
            help=f"take driver {unknown.since} or newer",
            on_key=on_key,
        )
    if unknown.why == "other-name":
        return UNKNOWN_PROFILE.at(
            where,
            f"driver {driver} calls profile {unknown.word} of {card} {unknown.same_slice}",
            help=f"write {unknown.same_slice}, or its family",
            on_key=on_key,
        )
    mend = unknown.same_slice or (unknown.nearest[0] if unknown.nearest else "")
    others = f"; {', '.join(unknown.cards[:4])} {'have' if len(unknown.cards) > 1 else 'has'} it" if unknown.cards else ""
    rest = [name for name in unknown.nearest if name != mend]
    return UNKNOWN_PROFILE.at(
        where,
        f"{card} has no MIG profile {unknown.word}{others}",
        help=(f"write {mend}" + (f" (there are also {', '.join(rest)})" if rest else ""))
        if mend
        else "`fourleaf list cards` shows what it has",
        on_key=on_key,
    )


def _misfit(card: str, parts: Mapping[str, int], misfit: Misfit, where: Path) -> Diagnostic:
    asked = ", ".join(f"{count} x {name}" for name, count in sorted(parts.items()))
    best = ", ".join(f"{name}: {count}" for name, count in misfit.best)
    return MISFIT.at(
        where,
        f"{asked} do not fit one {card}: {misfit}",
        help=f"{misfit.fit} of {misfit.asked} fit, for example {{{best}}}" if best else "ask for less",
        note="used/total of the card, in slices of compute and of memory",
    )


def _indexes(pool: str, layouts: Sequence[MigLayouts], where: Path, cards: int) -> Iterator[Diagnostic]:
    """Yield the cards that are not there, and those that are named twice."""
    seen: set[int] = set()
    for index, one in enumerate(layouts):
        for spot, card in enumerate(one.gpus):
            at = (*where, "layouts", index, "gpus", spot)
            if card >= cards:
                yield NOT_COVERED.at(
                    at, f"pool {pool} has {cards} cards a node, there is no card {card}", help=f"write an index from 0 to {cards - 1}"
                )
            elif card in seen:
                yield NOT_COVERED.at(at, f"card {card} of pool {pool} is named twice", help="take it out of one of the two")
            seen.add(card)


def _missing(pool: str, layouts: Sequence[MigLayouts], where: Path, cards: int) -> Iterator[Diagnostic]:
    seen = {card for one in layouts for card in one.gpus}
    missing = [card for card in range(cards) if card not in seen]
    if missing:
        noun, verb = ("card", "is") if len(missing) == 1 else ("cards", "are")
        yield NOT_COVERED.at(
            (*where, "layouts"),
            f"{noun} {', '.join(map(str, missing))} of pool {pool} {verb} in no layout",
            help=f"add `- {{gpus: {missing}, layout: none}}`",
            on_key=True,
            note="the MIG manager refuses a configuration that leaves a card of the node out",
        )
