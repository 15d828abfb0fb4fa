"""Layouts that nodes have already: kept where the demand fits in them, and named where they must go."""

from __future__ import annotations

import pytest
from laid_out import AUTO, codes, compiled, laid, now, placed, slices, wishes
from specs import pool, spec, work


def test_what_nodes_have_is_kept_where_the_demand_fits() -> None:
    tree = spec(pool("gpu", "h100-80gb", 2, 2, partition=wishes()), workloads=[slices("a", "1g.10gb", 5), work("b", {"memory": "9Gi"})])
    made = compiled(tree, now("gpu-1"))
    found = laid(made)

    assert (found.changes, found.changed, found.known) == (0, (), 1)
    assert next(one for one in found.nodes if one.nodes == ("gpu-1",)).cuts[0].parts == (("1g.10gb", 7),)
    assert placed(made) == {"a": 5, "b": 1}


def test_nodes_that_must_be_cut_anew_are_named() -> None:
    tree = spec(pool("gpu", "h100-80gb", 2, 1, partition=wishes()), workloads=[slices("a", "3g.40gb", 3)])
    made = compiled(tree, now("gpu-0"))
    (found,) = (one for one in made.diagnostics if one.rule.code == "FL212")

    assert laid(made).changed == ("gpu-0",)
    assert found.message == "gpu-0 of pool gpu must be cut anew: pods on those cards must go first"
    assert "kubectl drain gpu-0" in found.help


@pytest.mark.parametrize(("card", "said"), [("a100-80gb", "ampere cards are reset"), ("h100-80gb", "no card is reset")])
def test_the_generation_says_what_a_change_does_to_the_card(card: str, said: str) -> None:
    tree = spec(pool("gpu", card, 2, 1, partition=wishes()), workloads=[slices("a", "3g.40gb", 3)])
    (found,) = (one for one in compiled(tree, now("gpu-0")).diagnostics if one.rule.code == "FL212")

    assert said in found.note


def test_what_compile_writes_is_what_the_next_compile_starts_from() -> None:
    workloads = [slices("a", "1g", 9), work("b", {"memory": "20Gi"}, replicas=3), work("c", {"vendor": "nvidia", "count": 2})]
    first = compiled(spec(pool("gpu", "h100-80gb", 4, 2, partition=AUTO), workloads=workloads))
    again = compiled(spec(pool("gpu", "h100-80gb", 4, 2, partition=wishes()), workloads=workloads), first.files["layouts.yaml"])
    less = compiled(spec(pool("gpu", "h100-80gb", 4, 2, partition=wishes()), workloads=workloads[:2]), first.files["layouts.yaml"])

    assert again.files["layouts.yaml"] == first.files["layouts.yaml"]
    assert (laid(again).known, laid(again).changes, laid(less).changes) == (2, 0, 0)


def test_a_changed_demand_recuts_as_few_nodes_as_can_be() -> None:
    tree = spec(pool("gpu", "h100-80gb", 2, 3, partition=wishes()), workloads=[slices("a", "1g.10gb", 14), slices("b", "3g.40gb", 4)])
    made = compiled(tree, now("gpu-0", "gpu-1", "gpu-2"))

    assert laid(made).changes == 1
    assert placed(made) == {"a": 14, "b": 4}


@pytest.mark.parametrize(
    ("text", "code", "line", "message"),
    [
        (now("gpu-9"), "FL217", 5, "the spec has no node gpu-9 in pool gpu, so what this file says of it does not count"),
        (now("gpu-0", name="gpus"), "FL217", 5, "the spec has no pool gpus, so what this file says of it does not count"),
        (now("gpu-0", layout="{1g.5gb: 7}"), "FL201", 5, "h100-80gb has no MIG profile 1g.5gb"),
        (now("gpu-0", layout="{1g.10gb: 8}"), "FL202", 5, "8 x 1g.10gb do not fit one h100-80gb"),
        (now("gpu-0", gpus="[0, 2]"), "FL203", 5, "pool gpu has 2 cards a node, there is no card 2"),
        (now("gpu-0", "gpu-0"), "FL011", 5, "the layout of gpu-0 is there twice"),
        ("kind: Cluster\napiVersion: fourleaf.dev/v1\n", "FL007", 1, "kind is Cluster, not Layouts"),
        (now("gpu-0").replace("layouts:", "layout:"), "FL003", 5, "has no field layout"),
    ],
)
def test_what_is_wrong_with_the_file_has_its_place_there(text: str, code: str, line: int, message: str) -> None:
    made = compiled(spec(pool("gpu", "h100-80gb", 2, 1, partition=wishes()), workloads=[slices("a", "1g.10gb", 1)]), text)
    found = next(one for one in made.diagnostics if one.rule.code == code)

    assert found.span
    assert (found.span.file, found.span.line) == ("layouts.yaml", line)
    assert message in found.message


def test_headroom_is_no_reason_to_cut_a_node_anew() -> None:
    tree = spec(pool("gpu", "h100-80gb", 1, 1, partition=wishes(headroom="10%")), workloads=[slices("a", "1g.10gb", 7)])
    made = compiled(tree, now("gpu-0", gpus="[0]"))

    assert (laid(made).changes, laid(made).has_headroom) == (0, False)
    assert codes(made) == ["FL218"]
