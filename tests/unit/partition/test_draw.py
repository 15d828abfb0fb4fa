from __future__ import annotations

import pytest

from fourleaf.partition import draw, keys, maximal_layouts, table


def test_instances_are_drawn_in_their_places_and_to_scale() -> None:
    assert draw(table("h100-80gb"), {"3g": 1, "1g": 4}) == (
        "|1g.10gb|1g.10gb|1g.10gb|1g.10gb|3g.40gb                        |  compute 7/7, memory 8/8"
    )


def test_units_that_nobody_has_are_dashes() -> None:
    assert draw(table("a30"), {"2g": 1}) == "|2g.12gb|-------|  compute 2/4, memory 2/4"
    assert draw(table("a30"), {}) == "|-------|  compute 0/4, memory 0/4"


@pytest.mark.parametrize("key", keys())
def test_every_layout_is_drawn_as_wide_as_the_others_of_its_unit(key: str) -> None:
    card = table(key)
    for layout in maximal_layouts(card):
        line, _, budgets = draw(card, dict(layout)).partition("  compute")
        width, rest = divmod(len(line) - 1, card.memory)
        assert rest == 0
        assert budgets
        starts = [i // width for i, char in enumerate(line[:-1]) if char == "|"]
        assert len(line.strip("|").split("|")) == len(starts)
        names = (*(name for name, _ in layout), "-")
        assert all(line[1 + start * width :].startswith(names) for start in starts)


def test_a_layout_that_does_not_fit_is_not_drawn() -> None:
    with pytest.raises(ValueError, match="compute 8/7"):
        draw(table("h100-80gb"), {"4g": 1, "1g": 4})
    with pytest.raises(KeyError):
        draw(table("h100-80gb"), {"1g.5gb": 1})
