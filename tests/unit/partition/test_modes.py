import pytest

from fourleaf.hardware.catalogue import cards
from fourleaf.partition import cards_with_modes, modes


def test_modes_are_of_cards_of_the_catalogue() -> None:
    assert {cards()[name].vendor for name in cards_with_modes()} == {"amd"}


@pytest.mark.parametrize("card", cards_with_modes())
def test_every_card_comes_whole_and_has_its_modes_from_few_parts_to_many(card: str) -> None:
    found = modes(card)
    assert next(iter(found)) == "spx_nps1"
    assert found["spx_nps1"].parts == 1
    assert found["spx_nps1"].validated
    assert [mode.parts for mode in found.values()] == sorted(mode.parts for mode in found.values())


@pytest.mark.parametrize("card", cards_with_modes())
def test_no_mode_has_more_memory_domains_than_parts(card: str) -> None:
    assert all(int(mode.memory.removeprefix("nps")) <= mode.parts for mode in modes(card).values())


@pytest.mark.parametrize(("card", "name", "parts"), [("mi300x", "cpx_nps4", 8), ("mi300a", "cpx_nps1", 6), ("mi355x", "dpx_nps2", 2)])
def test_a_mode_says_how_many_parts_a_card_becomes(card: str, name: str, parts: int) -> None:
    assert modes(card)[name].parts == parts


def test_a_card_without_modes_has_none() -> None:
    assert modes("mi210") == modes("h100-80gb") == {}
