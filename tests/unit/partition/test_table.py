from __future__ import annotations

import re

import pytest

from fourleaf.partition import keys, table

KEYS = [
    *("a100-40gb", "a100-80gb", "h100-80gb", "h100-94gb", "h100-96gb", "h100-64gb", "h200-141gb", "gh200-144gb"),
    *("b200-180gb", "gb200", "b300", "gb300", "a30", "rtx-pro-6000", "rtx-pro-5000", "rtx-pro-4500"),
]
NAMES_OF_GB300_ON_61X = ["1g.31gb", "1g.31gb+me", "3g.126gb", "4g.126gb", "7g.251gb"]


def test_every_card_that_can_be_cut_has_a_table() -> None:
    assert list(keys()) == KEYS


def test_a_card_without_a_table_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        table("rtx-5070-ti")


@pytest.mark.parametrize("key", KEYS)
def test_every_instance_lies_on_the_card_at_each_of_its_starts(key: str) -> None:
    card = table(key)
    for profile in card.profiles:
        assert profile.starts
        assert all(0 <= start <= card.memory - profile.memory for start in profile.starts)
        assert 0 < profile.compute <= card.compute
        assert 0 < profile.limit <= len(profile.starts)
        assert all(0 < count <= dict(card.engines)[engine] for engine, count in profile.engines)


@pytest.mark.parametrize("key", KEYS)
def test_a_name_says_the_compute_units_and_the_variant(key: str) -> None:
    for card in (table(key), table(key).named("610"), table(key).named("580")):
        for profile in card.profiles:
            match = re.fullmatch(r"(\d)g\.\d+gb((?:[+-][a-z.]+)?)", profile.name)
            assert match
            assert int(match[1]) == profile.compute
            assert profile.family.replace("x2", "") == f"{match[1]}g{match[2]}"


@pytest.mark.parametrize("key", KEYS)
def test_names_grow_with_the_memory_that_they_stand_for(key: str) -> None:
    card = table(key)
    full = max(profile.memory_gib for profile in card.profiles)
    for profile in card.profiles:
        exact = full * profile.memory / card.memory
        assert abs(profile.memory_gib - exact) <= 0.02 * full, profile


@pytest.mark.parametrize("key", KEYS)
def test_a_word_means_one_profile_of_a_card(key: str) -> None:
    card = table(key)
    meanings: dict[str, set[str]] = {}
    for profile in card.profiles:
        for word in {profile.family, profile.name, *(naming.name_of(profile) for naming in card.namings)} - {""}:
            meanings.setdefault(word, set()).add(profile.family)
    assert {word: families for word, families in meanings.items() if len(families) > 1} == {}
    assert all(card.find(word) is card.find(family) for word, (family,) in meanings.items())


def test_only_the_two_slot_grid_rests_on_an_assumption() -> None:
    assert [key for key in keys() if table(key).assumed] == ["rtx-pro-5000", "rtx-pro-4500"]


def test_a_driver_that_is_too_young_for_nothing_knows_all_profiles() -> None:
    for key in keys():
        known = {profile.family for profile in table(key).named("595").profiles}
        assert known == {profile.family for profile in table(key).profiles}


def test_names_follow_the_driver_branch() -> None:
    assert [profile.name for profile in table("gb300").named("610.43.02").profiles] == NAMES_OF_GB300_ON_61X
    assert [profile.name for profile in table("gb300").named("580").profiles][-1] == "7g.278gb"
    assert [profile.family for profile in table("a100-40gb").named("R470").profiles] == ["1g", "1g+me", "2g", "3g", "4g", "7g"]


def test_portion_says_how_many_fill_a_card() -> None:
    card = table("h100-80gb")
    sizes = {profile.family: profile.limit for profile in card.profiles if profile.plain}
    assert {family: int(1 / card.find(family).portion + 1e-9) for family in sizes} == {**sizes, "4g": 1}  # type: ignore[union-attr]
