from __future__ import annotations

from functools import cache
from itertools import combinations

import pytest

from fourleaf.partition import WHOLE, Misfit, Placement, Slot, Table, fits, keys, offers, place, table

GRIDS = ("a100-40gb", "h100-80gb", "b200-180gb", "a30", "rtx-pro-6000", "rtx-pro-5000", "rtx-pro-4500")
"""One card for each grid and set of engines."""


@cache
def exhaustive(card: Table) -> frozenset[tuple[int, ...]]:
    """Return every multiset of profiles that some set of instances, each at one of its starts, realises on an empty card.

    Written from the definition alone: all sets of (profile, start), kept where no two overlap, engines suffice and no profile
    is there too often.
    """
    singles = [(i, sum(1 << unit for unit in range(start, start + p.memory))) for i, p in enumerate(card.profiles) for start in p.starts]
    found: set[tuple[int, ...]] = set()
    sets: list[tuple[int, int, tuple[int, ...]]] = [(0, 0, (0,) * len(card.profiles))]
    while sets:
        first, mask, counts = sets.pop()
        found.add(counts)
        for j in range(first, len(singles)):
            i, units = singles[j]
            more = tuple(count + (k == i) for k, count in enumerate(counts))
            if not mask & units and within_totals(card, more):
                sets.append((j + 1, mask | units, more))
    return frozenset(found)


def within_totals(card: Table, counts: tuple[int, ...]) -> bool:
    several = list(zip(card.profiles, counts, strict=True))
    return (
        all(count <= profile.limit for profile, count in several)
        and sum(profile.compute * count for profile, count in several) <= card.compute
        and all(sum(dict(p.engines).get(engine, 0) * count for p, count in several) <= total for engine, total in card.engines)
    )


def as_ask(card: Table, counts: tuple[int, ...]) -> dict[str, int]:
    return {profile.name: count for profile, count in zip(card.profiles, counts, strict=True) if count}


def one_more(counts: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [tuple(count + (i == j) for j, count in enumerate(counts)) for i in range(len(counts))]


@pytest.mark.parametrize("key", GRIDS)
def test_every_multiset_is_judged_as_exhaustive_enumeration_judges_it(key: str) -> None:
    """All that respect the maxima, and all that are one instance beyond; a multiset that holds one that does not fit cannot fit."""
    card = table(key)
    right = exhaustive(card)
    wrong = []
    frontier = [(0,) * len(card.profiles)]
    judged = set(frontier)
    while frontier:
        counts = frontier.pop()
        for more in one_more(counts):
            if more in judged:
                continue
            judged.add(more)
            if fits(card, as_ask(card, more)) != (more in right):
                wrong.append(more)
            if len(card.profiles) > 8:
                frontier += [more] if more in right else []
            elif all(count <= profile.limit for profile, count in zip(card.profiles, more, strict=True)):
                frontier.append(more)
    assert wrong == []
    assert right <= judged


@pytest.mark.parametrize(("key", "layouts"), [("h100-80gb", 127), ("a100-40gb", 127), ("a30", 19), ("rtx-pro-6000", 114)])
def test_the_number_of_layouts_is_that_of_the_facts(key: str, layouts: int) -> None:
    assert len(exhaustive(table(key))) - 1 == layouts


@pytest.mark.parametrize("key", GRIDS)
def test_a_placement_lies_where_the_table_allows_and_nothing_overlaps(key: str) -> None:
    card = table(key)
    for counts in exhaustive(card):
        ask = as_ask(card, counts)
        answer = place(card, ask)
        assert isinstance(answer, Placement)
        names = [slot.name for slot in answer.slots]
        assert {name: names.count(name) for name in names} == ask
        for slot in answer.slots:
            profile = card.find(slot.name)
            assert profile is not None
            assert slot.start in profile.starts
            assert slot.size == profile.memory
        assert not any(one.mask & other.mask for one, other in combinations(answer.slots, 2))


@pytest.mark.parametrize("key", GRIDS)
def test_on_an_empty_card_a_misfit_breaks_a_budget_and_its_best_part_is_the_largest(key: str) -> None:
    card = table(key)
    right = exhaustive(card)
    near = {more for counts in right for more in one_more(counts)} - right
    for counts in sorted(near)[::3]:
        answer = place(card, as_ask(card, counts))
        assert isinstance(answer, Misfit)
        assert answer.broken
        parts = [part for part in right if all(a <= b for a, b in zip(part, counts, strict=True))]
        assert answer.fit == max(map(sum, parts))
        assert tuple(dict(answer.best).get(profile.name, 0) for profile in card.profiles) in parts
        assert sum(dict(answer.best).values()) == answer.fit


@pytest.mark.parametrize(
    ("card", "ask", "said"),
    [
        ("a100-40gb", {"3g.20gb": 2, "1g.5gb": 1}, "compute 7/7, memory 9/8"),
        ("h100-80gb", {"4g.40gb": 1, "1g.10gb": 4}, "compute 8/7, memory 8/8"),
        ("h100-80gb", {"1g.10gb": 9}, "compute 9/7, memory 9/8"),
        ("h100-80gb", {"2g.20gb": 1, "1gx2": 4}, "compute 6/7, memory 10/8"),
        ("h100-80gb", {"1g.10gb+me": 2}, "compute 2/7, memory 2/8, OFA 2/1, 1g.10gb+me 2/1"),
        ("a30", {"2g.12gb": 2, "1g.6gb": 1}, "compute 5/4, memory 5/4"),
        ("rtx-pro-6000", {"1g+me.all": 1, "1g": 1}, "compute 2/4, memory 6/12, NVDEC 5/4, NVENC 5/4, JPEG 5/4"),
    ],
)
def test_a_misfit_says_both_budgets_and_what_else_breaks_where_they_hold(card: str, ask: dict[str, int], said: str) -> None:
    assert str(place(table(card), ask)) == said


@pytest.mark.parametrize(
    ("card", "ask"),
    [
        ("h100-80gb", {"1g.10gb": 4, "3g.40gb": 1}),
        ("a100-80gb", {"2g.20gb": 3, "1g.10gb": 1}),
        ("a100-80gb", {"4g.40gb": 1, "3g.40gb": 1}),
        ("a100-80gb", {"1g.10gb": 5, "2g.20gb": 1}),
        ("a30", {"2g.12gb": 1, "1g.6gb": 2}),
        ("rtx-pro-6000", {"1g+me.all": 1, "1g-me": 3}),
    ],
)
def test_layouts_that_people_use_fit(card: str, ask: dict[str, int]) -> None:
    assert fits(table(card), ask)


def test_seven_of_nine_fit() -> None:
    answer = place(table("h100-80gb"), {"1g.10gb": 9})
    assert isinstance(answer, Misfit)
    assert (answer.fit, answer.asked, answer.best) == (7, 9, (("1g.10gb", 7),))


def test_a_large_ask_costs_no_more_than_a_small_one() -> None:
    answer = place(table("h100-80gb"), {"1g.10gb": 10**9, "2g.20gb": 10**9})
    assert isinstance(answer, Misfit)
    assert (answer.fit, answer.asked) == (7, 2 * 10**9)


def test_beside_instances_that_are_there_only_the_places_left_count() -> None:
    card = table("h100-80gb")
    low = Slot("1g.10gb", 0, 1)
    assert place(card, {"3g": 1}, [low]) == Placement((Slot("3g.40gb", 4, 4),))
    answer = place(card, {"4g": 1}, [low])
    assert isinstance(answer, Misfit)
    assert (answer.broken, answer.fit) == ((), 0)
    assert str(answer) == "compute 5/7, memory 5/8"
    assert fits(card, {"4g": 1}, [Slot("3g.40gb", 4, 4)])


def test_families_and_names_of_one_profile_are_counted_together() -> None:
    assert not fits(table("h100-80gb"), {"3g": 1, "3g.40gb": 2})


def test_a_profile_that_the_card_does_not_have_is_a_bug_of_the_caller() -> None:
    with pytest.raises(KeyError):
        place(table("h100-80gb"), {"1g.5gb": 1})


def test_nothing_fits_every_card() -> None:
    assert all(place(table(key), {}) == Placement(()) for key in keys())


def test_what_a_node_offers_is_the_sum_of_its_cards() -> None:
    assert offers([(2, {"1g.10gb": 4, "3g.40gb": 1}), (1, {"1g.10gb": 7}), (1, {})]) == {"1g.10gb": 15, "3g.40gb": 2, WHOLE: 1}
