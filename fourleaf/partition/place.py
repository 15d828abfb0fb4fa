"""Whether instances fit on one card, where, and what they run out of where they do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from msgspec import Struct

from fourleaf.partition.table import WHOLE, Profile, Table


class Slot(Struct, frozen=True):
    """One instance on a card: it takes the memory units `start` to `start + size - 1`."""

    name: str
    start: int
    size: int

    @property
    def mask(self) -> int:
        """The memory units that it takes, one bit each."""
        return (1 << self.size) - 1 << self.start


class Placement(Struct, frozen=True):
    """Where the instances go, by start. Instances that were there already are left out."""

    slots: tuple[Slot, ...]


class Budget(Struct, frozen=True):
    """One thing that instances of a card share, and how much of it they would take together."""

    name: str
    """ "compute", "memory", an engine ("NVDEC"), or the name of a profile, whose instances are counted."""
    used: int
    total: int

    @property
    def broken(self) -> bool:
        return self.used > self.total

    def __str__(self) -> str:
        return f"{self.name} {self.used}/{self.total}"


class Misfit(Struct, frozen=True):
    """Instances that do not go on one card together."""

    budgets: tuple[Budget, ...]
    """Compute and memory; where both hold, also the engines and profiles of which there are too many."""
    asked: int
    fit: int
    """How many of those asked for fit, at most: "7 of 9 fit"."""
    best: tuple[tuple[str, int], ...]
    """Such a choice: (profile, instances)."""

    @property
    def broken(self) -> tuple[Budget, ...]:
        """The budgets that break; none where all hold and only the places left do not match."""
        return tuple(budget for budget in self.budgets if budget.broken)

    def __str__(self) -> str:
        return ", ".join(map(str, self.budgets))


def place(table: Table, ask: Mapping[str, int], taken: Sequence[Slot] = ()) -> Placement | Misfit:
    """Return where instances go on one card, or what they run out of.

    On an empty card they fit where no budget breaks; beside others the places must match too (a 4g begins at 0 or nowhere).

    Args:
        ask: instances by profile, each by a family or a name that the table knows.
        taken: instances that are there already and stay where they are.

    Raises:
        KeyError: a profile that the table does not have; `resolve_profile` is for words of the user.
    """
    wanted = _profiles(table, ask)
    fixed = [table.profile(slot.name) for slot in taken]
    mask = sum(slot.mask for slot in taken)
    budgets = _budgets(table, wanted, fixed)
    if not any(budget.broken for budget in budgets):
        slots = _fill(_sequence(wanted), mask)
        if slots is not None:
            return Placement(tuple(sorted(slots, key=lambda slot: slot.start)))
    best = _most(table, wanted, fixed, mask)
    size = budgets[:2]
    others = [] if any(budget.broken for budget in size) else [budget for budget in budgets[2:] if budget.broken]
    return Misfit(
        budgets=(*size, *others),
        asked=sum(wanted.values()),
        fit=sum(best.values()),
        best=tuple((profile.name, count) for profile, count in best.items() if count),
    )


def fits(table: Table, ask: Mapping[str, int], taken: Sequence[Slot] = ()) -> bool:
    """Tell whether instances go on one card together, without the reason where they do not; arguments as for `place`."""
    wanted = _profiles(table, ask)
    budgets = _budgets(table, wanted, [table.profile(slot.name) for slot in taken])
    return not any(budget.broken for budget in budgets) and _fill(_sequence(wanted), sum(slot.mask for slot in taken)) is not None


def offers(cuts: Iterable[tuple[int, Mapping[str, int]]]) -> dict[str, int]:
    """Return what cards have to give after they are cut: instances by profile, and whole cards under `WHOLE`.

    Args:
        cuts: (number of cards, layout of each of them); an empty layout leaves the card whole.
    """
    total: dict[str, int] = {}
    for cards, layout in cuts:
        for name, count in layout.items() if any(layout.values()) else ((WHOLE, 1),):
            if cards * count:
                total[name] = total.get(name, 0) + cards * count
    return total


def _harder(profile: Profile) -> tuple[int, int, int]:
    return profile.memory, -len(profile.starts), profile.compute


def _profiles(table: Table, ask: Mapping[str, int]) -> dict[Profile, int]:
    wanted: dict[Profile, int] = {}
    for word, count in ask.items():
        profile = table.profile(word)
        wanted[profile] = wanted.get(profile, 0) + count
    return wanted


def _budgets(table: Table, wanted: Mapping[Profile, int], fixed: Sequence[Profile]) -> list[Budget]:
    """Return all budgets of a card: compute and memory, engines, then the profiles that are wanted or there."""
    counts = dict(wanted)
    for profile in fixed:
        counts[profile] = counts.get(profile, 0) + 1
    used = [(profile, count, _engines(profile)) for profile, count in counts.items()]
    return [
        Budget("compute", sum(profile.compute * count for profile, count, _ in used), table.compute),
        Budget("memory", sum(profile.memory * count for profile, count, _ in used), table.memory),
        *(Budget(name, sum(engines.get(name, 0) * count for _, count, engines in used), total) for name, total in table.engines),
        *(Budget(profile.name, count, profile.limit) for profile, count, _ in used),
    ]


@cache
def _engines(profile: Profile) -> dict[str, int]:
    return dict(profile.engines)


def _sequence(counts: Mapping[Profile, int]) -> list[Profile]:
    """Return each profile as often as it is wanted, those that are hard to place first."""
    return [profile for profile in sorted(counts, key=_harder, reverse=True) for _ in range(counts[profile])]


def _fill(sequence: list[Profile], mask: int) -> list[Slot] | None:
    """Return a slot for each profile of a sequence, none of them over another; equal profiles stand side by side in it."""
    if not sequence:
        return []
    slots: list[Slot] = []
    choices = [iter(sequence[0].starts)]
    while choices:
        profile = sequence[len(choices) - 1]
        for start in choices[-1]:
            slot = Slot(profile.name, start, profile.memory)
            if mask & slot.mask:
                continue
            slots.append(slot)
            mask |= slot.mask
            break
        else:
            choices.pop()
            if slots:
                mask &= ~slots.pop().mask
            continue
        if len(choices) == len(sequence):
            return slots
        following = sequence[len(choices)]
        # Of equal profiles each begins after the one before it: their order means nothing.
        choices.append(iter([start for start in following.starts if following is not profile or start > slots[-1].start]))
    return None


def _most(table: Table, wanted: Mapping[Profile, int], fixed: Sequence[Profile], mask: int) -> dict[Profile, int]:
    """Return as many of the wanted instances as go on a card together."""
    order = sorted(wanted, key=_harder)
    caps = [min(wanted[profile], profile.limit) for profile in order]
    best: dict[Profile, int] = {}
    chosen: dict[Profile, int] = {}

    def extend(i: int, count: int) -> None:
        nonlocal best
        if count > sum(best.values()):
            best = dict(chosen)
        if i == len(order) or count + sum(caps[i:]) <= sum(best.values()):
            return
        for instances in range(caps[i], -1, -1):
            chosen[order[i]] = instances
            held = not any(budget.broken for budget in _budgets(table, chosen, fixed))
            if held and _fill(_sequence(chosen), mask) is not None:
                extend(i + 1, count + instances)
        del chosen[order[i]]

    extend(0, 0)
    return {profile: best.get(profile, 0) for profile in wanted}
