from __future__ import annotations

import pytest

from fourleaf.partition import Profile, Unknown, keys, resolve_profile, table

# NVIDIA/mig-parted config-default.yaml, by card
CARDS = {
    "a100-40gb": "1g.5gb 1g.10gb 2g.10gb 3g.20gb 4g.20gb 7g.40gb",
    "a100-80gb": "1g.10gb 1g.20gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb",
    "h100-80gb": "1g.10gb 1g.20gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb",
    "a30": "1g.6gb 2g.12gb 4g.24gb",
    "h100-94gb": "1g.12gb 1g.24gb 2g.24gb 3g.47gb 4g.47gb 7g.94gb",
    "h200-141gb": "1g.18gb 1g.35gb 2g.35gb 3g.71gb 4g.71gb 7g.141gb",
    "h100-96gb": "1g.12gb 3g.48gb 4g.48gb 7g.96gb",
    "b200-180gb": "1g.23gb 2g.45gb 3g.90gb",
    "gb200": "1g.23gb 1g.47gb 2g.47gb 3g.93gb 4g.93gb 7g.186gb",
    "rtx-pro-6000": "1g.24gb 2g.48gb 4g.96gb 1g.24gb+gfx 1g.24gb-me 2g.48gb+me.all",
}


def known(card: str, word: str, driver: str = "") -> Profile:
    profile = resolve_profile(table(card), word, driver)
    assert isinstance(profile, Profile), profile
    return profile


def unknown(card: str, word: str, driver: str = "") -> Unknown:
    answer = resolve_profile(table(card), word, driver)
    assert isinstance(answer, Unknown), answer
    return answer


@pytest.mark.parametrize(("card", "word"), [(card, word) for card, words in CARDS.items() for word in words.split()])
def test_a_card_has_the_profiles_of_upstreams_default_configuration(card: str, word: str) -> None:
    assert known(card, word).name == word


@pytest.mark.parametrize(
    ("card", "word", "instead"),
    [
        ("a100-80gb", "1g.5gb", "1g.10gb"),  # NVIDIA/gpu-operator#603
        ("a100-80gb", "2g.10gb", "2g.20gb"),  # NVIDIA/mig-parted#18
        ("h200-141gb", "1g.20gb", "1g.35gb"),
        ("h100-80gb", "3g.71gb", "3g.40gb"),
        ("a30", "1g.5gb+me", "1g.6gb+me"),
        ("h100-80gb", "1g.5gb.me", "1g.10gb+me"),
        ("a30", "2g.11gb", "2g.12gb"),
    ],
)
def test_a_profile_of_another_card_is_answered_with_the_same_slice_of_this_one(card: str, word: str, instead: str) -> None:
    answer = unknown(card, word)
    assert (answer.why, answer.same_slice, answer.nearest[0]) == ("not-on-card", instead, instead)


def test_the_cards_that_do_have_it_are_named() -> None:
    assert unknown("a100-80gb", "1g.5gb").cards == ("a100-40gb",)
    assert unknown("a30", "1g.24gb").cards == ("h100-94gb", "h100-96gb", "gb200", "rtx-pro-6000", "rtx-pro-5000")


def test_one_name_is_another_slice_on_another_card() -> None:
    assert known("a100-40gb", "1g.10gb").family == "1gx2"
    assert known("a100-80gb", "1g.10gb").family == "1g"
    assert known("h100-94gb", "1g.24gb").limit == 4
    assert known("rtx-pro-6000", "1g.24gb").memory == 3


def test_a_slice_that_is_on_no_such_card_has_near_names_only() -> None:
    answer = unknown("a30", "7g.40gb")
    assert (answer.same_slice, answer.nearest[0]) == ("", "4g.24gb")


@pytest.mark.parametrize(("word", "near"), [("1g.10bg", "1g.10gb"), ("3g40gb", "3g.40gb"), ("mig-2g.20gb", "2g.20gb")])
def test_a_slip_of_the_pen_is_answered_by_spelling(word: str, near: str) -> None:
    assert unknown("h100-80gb", word).nearest[0] == near


def test_what_resembles_nothing_has_no_near_name() -> None:
    assert unknown("h100-80gb", "balanced").nearest == ()


@pytest.mark.parametrize("key", keys())
def test_families_resolve_to_the_cards_own_names(key: str) -> None:
    for profile in table(key).profiles:
        assert resolve_profile(table(key), profile.family) == table(key).named("").find(profile.family)


def test_a_family_gets_the_name_of_the_driver_branch() -> None:
    assert known("gb300", "3g", "610.43.02").name == "3g.126gb"
    assert known("gb300", "3g", "580.105.08").name == "3g.139gb"


def test_a_name_that_the_driver_branch_does_not_print_is_answered_with_the_one_that_it_does() -> None:
    answer = unknown("gb300", "3g.139gb", "610")
    assert (answer.why, answer.same_slice) == ("other-name", "3g.126gb")
    answer = unknown("gb300", "3g.126gb", "595")
    assert (answer.why, answer.same_slice) == ("other-name", "3g.139gb")


def test_a_family_without_a_known_name_under_the_driver_is_not_guessed() -> None:
    answer = unknown("gb300", "2g", "610")
    assert answer.why == "no-name"
    assert set(answer.nearest) <= {"1g.31gb", "1g.31gb+me", "3g.126gb"}


def test_where_no_branch_is_known_both_names_will_do_and_name_each_other() -> None:
    assert (known("gb200", "3g", "580").name, known("gb200", "3g", "580").other_names) == ("3g.93gb", ("3g.95gb",))
    assert (known("gb200", "3g.95gb", "580").name, known("gb200", "3g.95gb").other_names) == ("3g.95gb", ("3g.93gb",))
    assert known("a100-80gb", "7g.79gb").family == "7g"
    assert known("gb200", "1g.47gb").other_names == ()


def test_a_driver_that_is_too_old_says_since_when() -> None:
    assert unknown("a30", "2g+me", "R470").since == "525"
    assert unknown("a100-40gb", "1g.10gb", "470.57.02").since == "525"
    assert unknown("h100-80gb", "7g", "525.60.13").since == "525.85.12"
    assert known("h100-80gb", "7g", "525").name == "7g.80gb"
