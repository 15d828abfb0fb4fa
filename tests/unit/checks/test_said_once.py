"""Workloads that cannot have what they ask for: one finding, and a mend that mends."""

from __future__ import annotations

import pytest
from specs import Tree, codes, compiled, pool, spec, work

SLICE = {"mig": "3g.40gb"}
GANG = {"gang": {"size": 4}}
VOLCANO = {"policy": {"scheduler": "volcano"}}


def auto(cards: int = 1, nodes: int = 1) -> Tree:
    return pool("gpu", "h100-80gb", cards, nodes, partition={"mig": "auto"})


def on_each(name: str, ask: Tree = SLICE) -> Tree:
    return work(name, ask, kind="DaemonSet")


@pytest.mark.parametrize("partition", [{"timeSlicing": {"replicas": 4}}, {"mps": {"replicas": 4}}])
def test_more_shares_than_a_node_has_are_said_to_be_more_than_one(partition: Tree) -> None:
    made = compiled(spec(pool("gpu", "t4", partition=partition), workloads=[work("w", {"card": "t4", "count": 8})]))
    assert codes(made) == ["FL261"]


@pytest.mark.parametrize(("cards", "count", "code", "most"), [(8, 40, "FL354", 8), (40, 41, "FL354", 32), (8, 9, "FL402", 8)])
def test_a_claim_for_more_than_a_claim_holds_and_a_node_has_is_said_once_with_what_both_have(
    cards: int, count: int, code: str, most: int
) -> None:
    made = compiled(spec(pool("gpu", "max-1550", cards), workloads=[work("w", {"vendor": "intel", "count": count})]))
    assert codes(made) == [code]
    assert f"at most {most} a pod" in made.diagnostics[0].help


@pytest.mark.parametrize(("nodes", "share"), [(1, "between 0 and 1 of 1 pod of m"), (2, "between 0 and 2 of 2 pods of m")])
def test_what_a_layout_holds_and_a_scheduler_may_place_elsewhere_is_short_now(nodes: int, share: str) -> None:
    made = compiled(spec(auto(nodes=nodes), workloads=[on_each("m"), work("e", SLICE, replicas=2)]))
    (found,) = made.diagnostics
    assert (found.rule.code, str(found.severity)) == ("FL404", "warning")
    assert found.message.startswith(share)
    assert found.help == "free what the others take, or write `kind: Deployment`"


def test_a_workload_whose_slices_the_others_take_could_run_alone_and_is_a_warning() -> None:
    (found,) = compiled(spec(auto(), workloads=[work("a", SLICE, replicas=2), work("b", SLICE)])).diagnostics
    assert (found.rule.code, str(found.severity)) == ("FL210", "warning")
    assert found.message == "0 of 1 pods of b find room on the 1 h100-80gb of pool gpu, however they are cut"
    assert found.help == "free what the others take, or have 2 cards there"


def test_a_quota_is_not_said_to_be_a_lack_of_cards() -> None:
    tenants = [{"name": name, "namespaces": [name], "quota": {"limit": {"gpu": most}}} for name, most in (("few", 1), ("more", 9))]
    work_ = [work(f"w-{one['name']}", {"card": "h100-80gb"}, namespace=one["name"], replicas=3) for one in tenants]
    made = compiled(spec(auto(2), workloads=work_, tenants=tenants, **VOLCANO))
    said = {found.rule.code: found.message for found in made.diagnostics if "w-few" in found.message}
    assert said == {"FL404": "1 of 3 pods of w-few fit now, the others lack 2 nvidia.com/gpu: the quota of few leaves no more"}


@pytest.mark.parametrize("others", [1, 2])
def test_no_number_of_cards_is_given_that_grows_with_the_nodes(others: int) -> None:
    made = compiled(spec(auto(nodes=2), workloads=[on_each("b", {"mig": "4g.40gb"}), *(on_each(f"c{n}") for n in range(others + 1))]))
    helps = {found.help for found in made.diagnostics if found.rule.code == "FL210"}
    assert helps
    assert not any("cards there" in one for one in helps)


@pytest.mark.parametrize("large", ["a", "z"])
def test_a_daemonset_is_not_told_of_replicas(large: str) -> None:
    pools = [auto(nodes=2), {**auto(2), "name": large, "nodes": [large]}]
    (found,) = compiled(spec(*pools, workloads=[on_each("m", {**SLICE, "count": 4})])).diagnostics
    assert found.rule.code == "FL210"
    assert found.place[-1] == "kind"
    assert found.help == "free what the others take, or write `kind: Deployment`"


@pytest.mark.parametrize("more", [{}, VOLCANO])
def test_a_gang_of_more_pods_than_there_are_is_said_once(more: Tree) -> None:
    found = codes(compiled(spec(auto(), workloads=[work("w", SLICE, **GANG)], **more)))
    assert [code for code in found if code != "FL511"] == ["FL406"]


@pytest.mark.parametrize("more", [{}, VOLCANO])
def test_a_gang_that_no_layout_holds_is_an_error_with_the_size_that_it_could_have(more: Tree) -> None:
    made = compiled(spec(auto(), workloads=[work("w", SLICE, replicas=6, **GANG)], **more))
    (found,) = (found for found in made.diagnostics if found.rule.code != "FL511")
    assert (found.rule.code, str(found.severity)) == ("FL210", "error")
    assert found.message == "2 of 6 pods of w find room on the 1 h100-80gb of pool gpu, however they are cut, fewer than its gang of 4"
    assert found.help == "write `gang: {size: 2}` at most, or have 3 cards there"


@pytest.mark.parametrize(("partition", "code"), [("auto", "FL210"), ({"profile": "3g.40gb"}, "FL404")])
@pytest.mark.parametrize(("taken", "said"), [(2, "free what the others take"), (0, "write `replicas: 4`")])
def test_replicas_are_never_offered_below_the_gang(partition: str | Tree, code: str, taken: int, said: str) -> None:
    first = [work("a", SLICE, replicas=taken)] if taken else []
    cut = pool("gpu", "h100-80gb", 2, partition={"mig": partition})
    made = compiled(spec(cut, workloads=[*first, work("w", SLICE, replicas=5, **GANG)]))
    (found,) = (found for found in made.diagnostics if found.rule.code != "FL511")
    assert found.rule.code == code
    assert found.help.startswith(said)
