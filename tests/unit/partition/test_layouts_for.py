from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import pytest
from msgspec.structs import replace
from unit.partition.integer import assert_holds
from unit.partition.test_optimum import fleets

from fourleaf.partition import WHOLE, Layout, layout, table
from fourleaf.partition.answer import Answer
from fourleaf.partition.certificate import lower_bound
from fourleaf.partition.demand import Ask, Stock, ask
from fourleaf.partition.first_fit import first_fit
from fourleaf.partition.optimise import layouts_for

H100 = table("h100-80gb")
A100 = table("a100-40gb")


def pool(nodes: int = 4, cards: int = 2, **more: object) -> Stock:
    return replace(Stock(name="pool", table=H100, nodes=nodes, cards=cards), **more)


def want(stock: Stock, **counts: int) -> list[Ask]:
    """Asks by family: _1g=3, whole=1."""
    return [ask(word, count, [stock], profile=word.lstrip("_")) for word, count in counts.items()]


def parts(**counts: int) -> Layout:
    return layout(H100, {word.lstrip("_"): count for word, count in counts.items()})


def now(answer: Answer) -> tuple[tuple[Layout, ...], ...]:
    by_node = {node: one.layouts for one in answer.nodes for node in one.nodes}
    return tuple(by_node[node] for node in sorted(by_node))


# ---- the fewest cards


def test_three_and_four_sevenths_share_a_card() -> None:
    stock = pool()
    answer = layouts_for(want(stock, _3g=1, _4g=1), [stock])
    assert answer.layouts == ((parts(_3g=1, _4g=1), 1),)
    assert (answer.cards, answer.bound, answer.proven) == (1, 1, True)


def test_what_nobody_asks_for_is_not_cut() -> None:
    stock = pool()
    assert layouts_for(want(stock, _4g=1), [stock]).layouts == ((parts(_4g=1), 1),)


def test_nothing_is_asked_and_nothing_is_cut() -> None:
    answer = layouts_for([], [pool()])
    assert (answer.cards, answer.cost, answer.proven, answer.layouts) == (0, 0, True, ())
    assert [one.nodes for one in answer.nodes] == [(0, 1, 2, 3)]
    assert layouts_for([], []).proven


def test_whole_cards_stay_whole() -> None:
    stock = pool()
    answer = layouts_for(want(stock, whole=3, _1g=8), [stock])
    assert answer.cards == 5
    assert {use.name: use.count for use in answer.served} == {WHOLE: 3, "1g.10gb": 8}
    assert answer.layouts == ((parts(_1g=7), 2),)


def test_the_certificate_is_checked_from_the_tables_alone() -> None:
    stock = pool(nodes=20)
    asks = want(stock, _1g=20, _2g=9, _3g=7, _4g=3)
    answer = layouts_for(asks, [stock])
    prices = dict(answer.certificate.prices)
    assert answer.certificate.by == "prices"
    assert lower_bound(prices, answer.certificate.scale, asks, [stock]) == answer.cost == answer.cards


def test_prices_that_are_too_high_prove_no_more_than_is_true() -> None:
    random = Random(1)
    stock = pool(nodes=20)
    asks = want(stock, _1g=20, _2g=9, _3g=7, _4g=3, whole=2)
    cards = layouts_for(asks, [stock]).cards
    for _ in range(200):
        assert lower_bound({one.name: random.randrange(2000) for one in asks}, 1000, asks, [stock]) <= cards


def test_a_dearer_card_is_taken_only_where_it_is_worth_it() -> None:
    cheap, dear = Stock(name="cheap", table=A100, nodes=2, cards=1, cost=10), Stock(name="dear", table=H100, nodes=9, cards=1, cost=25)
    asks = [ask("small", 14, [cheap, dear], profile="1g"), ask("large", 1, [cheap, dear], memory_gib=40)]
    answer = layouts_for(asks, [cheap, dear])
    assert (answer.cost, answer.proven) == (45, True)
    assert_holds(answer, asks, [cheap, dear])


def test_an_ask_by_memory_is_served_by_any_profile_with_enough() -> None:
    stock = pool()
    answer = layouts_for([ask("model", 4, [stock], memory_gib=20)], [stock])
    assert answer.cards == 1
    assert sum(use.count for use in answer.served) == 4


def test_an_ask_by_portion_fills_a_card() -> None:
    stock = pool()
    for portion, count in ((1 / 7, 7), (0.25, 4), (0.5, 2), (1, 1)):
        assert layouts_for([ask("share", count, [stock], portion=portion)], [stock]).cards == 1
        assert layouts_for([ask("share", count + 1, [stock], portion=portion)], [stock]).cards == 2


def test_pods_that_must_ask_for_one_resource_get_one_name() -> None:
    stock = pool()
    asks = [ask("model", 5, [stock], memory_gib=20, together=True), ask("other", 2, [stock], profile="3g")]
    answer = layouts_for(asks, [stock])
    assert len({use.name for use in answer.served if use.ask == "model"}) == 1
    assert_holds(answer, asks, [stock])


def test_a_name_that_cannot_serve_all_pods_of_one_ask_serves_none_of_them() -> None:
    """Of the A30's two slices and the A100's eight only the latter are enough for seven pods that must ask for one resource."""
    small, large = Stock(name="a30", table=table("a30"), nodes=1, cards=1), Stock(name="a100", table=A100, nodes=1, cards=4)
    one = Ask(name="w", count=7, accepts=(("a30", ("2g.12gb",)), ("a100", ("3g.20gb",))), together=True)
    other = Ask(name="x", count=1, accepts=(("a30", ("2g.12gb",)),))
    answer = layouts_for([one, other], [small, large])
    assert {(use.ask, use.name) for use in answer.served} == {("w", "3g.20gb"), ("x", "2g.12gb")}
    assert answer.unmet == ()


def test_variants_that_trade_engines_serve_only_who_names_them() -> None:
    stock = Stock(name="pool", table=table("rtx-pro-6000"), nodes=1, cards=1)
    assert ask("any", 1, [stock], memory_gib=20).accepts == (("pool", ("1g.24gb", "2g.48gb", "4g.96gb")),)
    assert ask("media", 1, [stock], profile="1g+me.all").accepts == (("pool", ("1g.24gb+me.all",)),)


def test_cards_that_cannot_be_cut_serve_whole_cards_only() -> None:
    stock = Stock(name="pool", table=None, nodes=2, cards=4)
    asks = [ask("slice", 1, [stock], profile="1g"), ask("card", 5, [stock], profile=WHOLE)]
    answer = layouts_for(asks, [stock])
    assert (answer.unmet, answer.cards) == ((("slice", 1),), 5)


def test_what_the_fleet_has_no_room_for_is_counted() -> None:
    stock = pool(nodes=1, cards=1)
    answer = layouts_for(want(stock, _1g=9), [stock])
    assert (answer.unmet, answer.cards, answer.proven) == ((("_1g", 2),), 1, True)


# ---- nodes


def test_the_cards_of_a_uniform_node_are_cut_alike() -> None:
    stock = pool(nodes=3, cards=2, alike="node")
    answer = layouts_for(want(stock, _3g=2, _1g=8), [stock])
    assert (answer.cards, answer.proven) == (2, True)
    assert answer.layouts == ((parts(_3g=1, _1g=4), 2),)
    answer = layouts_for(want(stock, _7g=1, _1g=1), [stock])
    assert answer.cards == 4


def test_a_pool_whose_nodes_are_alike_has_one_node_layout() -> None:
    stock = pool(nodes=3, cards=2, alike="pool")
    answer = layouts_for(want(stock, _7g=3, _1g=4), [stock])
    assert [one.layouts for one in answer.nodes] == [(parts(_1g=7), parts(_7g=1))]
    assert answer.cards == 6


def test_whole_cards_stand_together_in_nodes_of_their_own() -> None:
    stock = pool(nodes=3, cards=4)
    answer = layouts_for(want(stock, whole=8, _1g=7), [stock])
    assert [(one.nodes, one.layouts) for one in answer.nodes] == [((0, 1), ((),) * 4), ((2,), (parts(_1g=7), (), (), ()))]


# ---- present layouts and headroom


def test_a_demand_that_shrinks_leaves_all_nodes_as_they_are() -> None:
    stock = pool()
    before = layouts_for(want(stock, _1g=40, _3g=4), [stock])
    later = replace(stock, present=now(before))
    answer = layouts_for(want(later, _1g=1), [later])
    assert (answer.changes, now(answer)) == (0, now(before))
    scratch = answer.alternative("from-scratch")
    assert scratch
    assert (answer.cards, scratch.cards) == (8, 1)


def test_a_demand_that_grows_takes_new_nodes_before_it_touches_old_ones() -> None:
    stock = pool(nodes=3, present=((parts(_1g=7), parts(_1g=7)),))
    answer = layouts_for(want(stock, _1g=15), [stock])
    assert (answer.changes, answer.proven) == (0, True)
    assert now(answer)[0] == (parts(_1g=7), parts(_1g=7))


def test_as_few_nodes_as_can_be_are_re_partitioned_and_named() -> None:
    full = (parts(_1g=7), parts(_1g=7))
    stock = pool(nodes=3, present=(full, full, full))
    answer = layouts_for(want(stock, _1g=30, _7g=1), [stock])
    assert (answer.changes, answer.proven) == (1, True)
    (changed,) = [one for one in answer.nodes if one.changed]
    assert changed.layouts == (parts(_1g=7), parts(_7g=1))
    assert len(changed.changed) == 1


def test_a_re_partitioned_node_keeps_the_cards_that_it_can() -> None:
    stock = pool(nodes=1, cards=3, present=((parts(_7g=1), parts(_1g=7), ()),))
    answer = layouts_for(want(stock, _1g=14), [stock])
    assert now(answer) == ((parts(_1g=7), parts(_1g=7), ()),)


def test_a_pool_of_one_node_layout_changes_as_a_whole_or_not_at_all() -> None:
    full = (parts(_1g=7), parts(_1g=7))
    stock = pool(nodes=3, cards=2, alike="pool", present=(full, full, full))
    assert layouts_for(want(stock, _1g=42), [stock]).changes == 0
    answer = layouts_for(want(stock, _1g=20, _7g=1), [stock])
    assert (answer.changes, now(answer)) == (3, ((parts(_1g=7), parts(_7g=1)),) * 3)
    stock = replace(stock, present=(full, full, (parts(_3g=2), parts(_3g=2))))
    assert layouts_for(want(stock, _1g=20), [stock]).changes == 1


def test_headroom_is_there_in_every_kind_of_slice() -> None:
    stock = pool()
    answer = layouts_for(want(stock, _1g=20, _3g=3), [stock], headroom=10)
    spare = {use.name: use.count for use in answer.spare}
    assert answer.headroom
    assert spare["1g.10gb"] >= 2
    assert spare["3g.40gb"] >= 1


def test_headroom_counts_over_all_who_want_the_same() -> None:
    stock = pool(nodes=10)
    asks = [ask(f"app {i}", 1, [stock], profile="7g") for i in range(10)]
    assert layouts_for(asks, [stock], headroom=10).cards == 11


def test_headroom_is_of_slices_and_not_of_whole_cards() -> None:
    stock = pool(nodes=10)
    answer = layouts_for(want(stock, whole=10, _1g=7), [stock], headroom=10)
    assert (answer.headroom, answer.cards) == (True, 12)
    assert {use.name for use in answer.spare} == {"1g.10gb"}
    answer = layouts_for(want(stock, whole=20), [stock], headroom=50)
    assert (answer.headroom, answer.cards) == (True, 20)


def test_headroom_of_what_a_slice_or_a_whole_card_serves_is_a_slice() -> None:
    cut, whole = pool(nodes=1), Stock(name="whole", table=None, nodes=1, cards=2)
    either = Ask(name="model", count=10, accepts=(("pool", ("1g.10gb",)), ("whole", (WHOLE,))))
    answer = layouts_for([either], [cut, whole], headroom=20)
    assert answer.headroom
    assert sum(use.count for use in answer.spare if use.name == "1g.10gb") >= 2


def test_headroom_is_grown_into_before_anything_changes() -> None:
    stock = pool()
    before = layouts_for(want(stock, _1g=10), [stock], headroom=40)
    assert before.cards == 2
    later = replace(stock, present=now(before))
    answer = layouts_for(want(later, _1g=13), [later], headroom=40)
    assert (answer.changes, answer.headroom, now(answer)) == (0, False, now(before))


def test_once_a_node_must_change_the_headroom_is_there_again() -> None:
    stock = pool(nodes=2, cards=1, present=((parts(_1g=7),), (parts(_3g=2),)))
    answer = layouts_for(want(stock, _1g=7), [stock], headroom=20)
    assert (answer.changes, answer.headroom) == (0, False)
    answer = layouts_for(want(stock, _1g=8), [stock], headroom=20)
    assert (answer.changes, answer.headroom) == (1, True)
    assert sum(use.count for use in answer.spare if use.name == "1g.10gb") >= 2


def test_headroom_that_the_fleet_has_no_room_for_is_left_out() -> None:
    stock = pool(nodes=1, cards=1)
    answer = layouts_for(want(stock, _1g=7), [stock], headroom=10)
    assert (answer.unmet, answer.headroom, answer.cards) == ((), False, 1)


# ---- alternatives


def test_the_alternatives_are_dearer_or_as_dear() -> None:
    stock = pool(nodes=20)
    answer = layouts_for(want(stock, _1g=20, _2g=9, _3g=7, _4g=3), [stock])
    single, simple = answer.alternative("one-profile-a-card"), answer.alternative("first-fit")
    assert single
    assert simple
    assert single.cards == 3 + 3 + 4 + 3
    assert answer.cards <= simple.cards <= single.cards


def test_an_alternative_that_the_fleet_has_no_room_for_is_left_out() -> None:
    stock = pool(nodes=1, cards=1)
    assert layouts_for(want(stock, _3g=1, _1g=4), [stock]).alternative("one-profile-a-card") is None


def by_hand(asks: Sequence[Ask], stocks: Sequence[Stock]) -> tuple[int, int] | None:
    """First fit, one slice after the other, on cards that are lists of units."""
    order = sorted(range(len(stocks)), key=lambda i: stocks[i].cost)
    cards: list[tuple[int, list[str | None], list[str]]] = []
    opened = [0] * len(stocks)

    def smallest(one: Ask, i: int) -> str:
        names = dict(one.accepts).get(stocks[i].name, ())
        card = stocks[i].table
        sizes = {p.name: (p.memory, p.portion) for p in card.profiles if p.name in names} if card else {}
        return min(sizes, key=lambda name: sizes[name]) if sizes else names[0] if names else ""

    def size(one: Ask) -> tuple[int, float]:
        found = []
        for i in order:
            name = smallest(one, i)
            card = stocks[i].table
            if name:
                profile = card.find(name) if card else None
                found.append((profile.memory, profile.portion) if profile else (100, 2.0))
        return max(found)

    def put(one: Ask, i: int, units: list[str | None], there: list[str]) -> bool:
        name, card = smallest(one, i), stocks[i].table
        if not name:
            return False
        if name == WHOLE:
            if any(units) or there:
                return False
            there.append(WHOLE)
            units[:] = [WHOLE] * len(units)
            return True
        assert card
        profile = card.profile(name)
        several = [card.profile(other) for other in (*there, name)] if WHOLE not in there else []
        if not several or sum(p.compute for p in several) > card.compute or several.count(profile) > profile.limit:
            return False
        if any(sum(dict(p.engines).get(engine, 0) for p in several) > total for engine, total in card.engines):
            return False
        for start in profile.starts:
            if not any(units[start : start + profile.memory]):
                units[start : start + profile.memory] = [name] * profile.memory
                there.append(name)
                return True
        return False

    for one in sorted((one for one in asks if one.count), key=size, reverse=True):
        for _ in range(one.count):
            if any(put(one, i, units, there) for i, units, there in cards):
                continue
            for i in order:
                card = stocks[i].table
                fresh: tuple[int, list[str | None], list[str]] = (i, [None] * (card.memory if card else 1), [])
                if opened[i] < stocks[i].nodes * stocks[i].cards and put(one, *fresh):
                    opened[i] += 1
                    cards.append(fresh)
                    break
            else:
                return None
    return len(cards), sum(stocks[i].cost for i, _, _ in cards)


def test_first_fit_in_runs_is_first_fit_by_hand() -> None:
    compared = 0
    for asks, stocks in fleets("first fit", 80, ("card",)):
        if all(one.accepts for one in asks):
            assert first_fit(asks, stocks) == by_hand(asks, stocks)
            compared += 1
    assert compared > 50


# ---- limits and repetition


@pytest.mark.parametrize("work", [0, 1_000, 30_000, 300_000])
def test_a_search_that_runs_out_of_work_claims_nothing_false(work: int) -> None:
    for asks, stocks in fleets("limits", 12, ("card", "node", "pool")):
        answer, best = layouts_for(asks, stocks, work=work), layouts_for(asks, stocks)
        assert_holds(answer, asks, stocks)
        unmet, least = (sum(count for _, count in one.unmet) for one in (answer, best))
        assert unmet >= least
        if answer.proven:
            assert (unmet, answer.cost) == (least, best.cost)
        elif unmet == least:
            assert answer.bound <= best.cost <= answer.cost


def test_some_answers_are_not_proven_without_work() -> None:
    proven = {layouts_for(asks, stocks, work=1).proven for asks, stocks in fleets("limits", 12, ("card", "node", "pool"))}
    assert proven == {True, False}


def test_the_same_demand_has_the_same_answer() -> None:
    for asks, stocks in fleets("again", 10, ("card", "node", "pool")):
        assert layouts_for(asks, stocks) == layouts_for(asks, stocks)


def test_large_numbers_change_nothing_but_the_numbers() -> None:
    stock = pool(nodes=10**5, cards=8)
    counts: Mapping[str, int] = {"_1g": 4 * 10**5, "_3g": 10**5}
    answer = layouts_for(want(stock, **counts), [stock])
    assert (answer.cards, answer.layouts) == (10**5, ((parts(_3g=1, _1g=4), 10**5),))
