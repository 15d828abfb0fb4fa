"""Workloads that cannot have what they ask for: one finding, and a mend that mends."""

from __future__ import annotations

import pytest
from specs import Tree, codes, compiled, pool, spec, work


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
