"""The tree is total: any valid spec gets a leaf, and says which question gave it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from specs import Tree, codes, compiled, pool, spec, work

CARDS = ("rtx-4090", "h100-80gb", "mi300x", "arc-b580")
TENANTS = [{"name": "one", "quota": {"limit": {"gpu": 1}}}, {"name": "two", "quota": {"limit": {"gpu": 1}}}]


def _leaf(tree: Tree) -> str:
    made = compiled(tree)
    assert made.decision, [found.message for found in made.diagnostics]
    return made.decision.leaf


@pytest.mark.parametrize(
    ("leaf", "tree"),
    [
        ("L1", spec(pool("a", "rtx-4090"))),
        ("L1", spec(pool("a", "rtx-4090"), workloads=[work("w")])),
        ("L1", spec(pool("a", "mi300x", 8), workloads=[work("w", {"vendor": "amd"}), work("v", {"vendor": "amd"})])),
        ("L1", spec(pool("a", "arc-b580", 2))),
        ("L2", spec(pool("a", "rtx-4090"), pool("b", "arc-b580"))),
        ("L2", spec(pool("a", "rtx-4090"), pool("b", "mi300x"), tenants=TENANTS, policy={"scheduler": "volcano"})),
        ("L3", spec(pool("a", "rtx-4090", 2))),
        ("L3", spec(pool("a", "rtx-4090"), workloads=[work("w"), work("v")])),
        ("L3", spec(pool("a", "h100-80gb", partition={"mig": {"profile": "1g.10gb"}}))),
        ("L3", spec(pool("a", "rtx-4090", driver="operator"))),
        ("L3", spec(pool("a", "rtx-4090", 2), tenants=TENANTS[:1])),
        ("L4", spec(pool("a", "rtx-4090", 2), tenants=TENANTS)),
        ("L4", spec(pool("a", "rtx-4090"), policy={"scheduler": "volcano"})),
    ],
)
def test_the_first_yes_gives_the_leaf(leaf: str, tree: Tree) -> None:
    assert _leaf(tree) == leaf


def test_an_exclusive_group_counts_as_one_workload() -> None:
    members = [work("w"), work("v")]
    turns = [{"name": "studio", "pool": "a", "members": ["w", "v"], "active": "w"}]

    assert _leaf(spec(pool("a", "rtx-4090"), workloads=members, exclusive=turns)) == "L1"


def test_a_cluster_without_a_gpu_is_an_error() -> None:
    made = compiled(spec({"name": "cpu", "count": 3, "os": "ubuntu-24.04"}))

    assert codes(made) == ["FL100"]


def test_policy_is_obeyed_and_said() -> None:
    made = compiled(spec(pool("a", "rtx-4090"), policy={"leaf": "partitioned"}))

    assert made.decision
    assert made.decision.leaf == "L3"
    assert made.decision.trace[-1].input == "policy.leaf: partitioned"
    assert made.decision.trace[-1].silent


def test_the_leaf_that_is_found_may_be_insisted_on_where_amds_operator_partitions() -> None:
    modes = pool("a", "mi300x", 8, partition={"modes": "cpx_nps4"})

    assert codes(compiled(spec(modes, policy={"leaf": "bare-plugin"}))) == codes(compiled(spec(modes))) == []
    assert codes(compiled(spec(pool("a", "l4", partition={"mps": {"replicas": 2}}), policy={"leaf": "bare-plugin"}))) == ["FL101"]


@pytest.mark.parametrize(
    ("cards", "asked", "mend"),
    [
        (["mi300x"], "dra", "write `allocation: device-plugin` or `allocation: auto`"),
        (["arc-b580"], "device-plugin", "write `allocation: dra` or `allocation: auto`"),
        (["mi300x", "arc-b580"], "dra", "write `allocation: auto`"),
    ],
)
def test_a_way_of_allocation_that_a_vendor_lacks_is_told_with_the_words_that_will_do(cards: list[str], asked: str, mend: str) -> None:
    pools = [pool(card, card) for card in cards]
    (one,) = compiled(spec(*pools, policy={"allocation": asked})).diagnostics

    assert (one.rule.code, one.help) == ("FL902", mend)
    assert all(codes(compiled(spec(*pools, policy={"allocation": word}))) == [] for word in ("auto", *mend.split("`")[1].split()[1:]))


def test_the_trace_marks_where_the_paper_is_silent() -> None:
    made = compiled(spec(pool("a", "mi300x", 8)))

    assert made.decision
    assert [step.silent for step in made.decision.trace] == [False, False, True, True]


def test_every_step_says_what_would_flip_it() -> None:
    made = compiled(spec(pool("a", "rtx-4090", 2), tenants=TENANTS))

    assert made.decision
    assert all(step.flips and step.input and step.source for step in made.decision.trace)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(CARDS), st.integers(1, 8), st.integers(1, 3)), min_size=1, max_size=4),
    st.sampled_from(["auto", "default", "volcano"]),
    st.integers(0, 2),
)
def test_every_cluster_with_a_gpu_gets_a_leaf(pools: list[tuple[str, int, int]], scheduler: str, tenants: int) -> None:
    made = [pool(f"p{index}", card, count, nodes) for index, (card, count, nodes) in enumerate(pools)]
    tree = spec(*made, policy={"scheduler": scheduler}, tenants=TENANTS[:tenants])

    assert _leaf(tree) in ("L1", "L2", "L3", "L4")


def test_the_driver_is_seen_to_by_what_the_allocator_needs() -> None:
    made = compiled(spec(pool("a", "h100-80gb", 8), policy={"allocation": "dra"}))
    assert made.decision
    layers = {(layer.name, layer.subject): layer.word for layer in made.decision.layers}
    assert layers["driver", "nvidia"] == "gpu-operator"
    assert layers["allocation", "nvidia"] == "dra"
