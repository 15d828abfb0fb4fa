"""Suggestions for misspelt words."""

from __future__ import annotations

import time
from difflib import SequenceMatcher
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourleaf.diag.nearest import nearest

CARDS = [
    "rtx-3060", "rtx-4070", "rtx-4070-ti", "rtx-4080", "rtx-4090", "rtx-5070", "rtx-5070-ti", "rtx-5080",
    "rtx-5090", "rtx-a6000", "rtx-pro-6000", "a100-40gb", "a100-80gb", "h100-80gb", "h100-94gb", "h100-96gb",
    "h200-141gb", "b200", "l4", "l40", "l40s", "t4", "v100-16gb", "v100-32gb",
    "mi210", "mi250", "mi300x", "mi325x", "arc-a770", "arc-b580", "arc-meteor-lake", "arc-lunar-lake",
]  # fmt: skip


@pytest.mark.parametrize(
    ("word", "best"),
    [
        ("rtx5070ti", "rtx-5070-ti"),
        ("RTX-5070-Ti", "rtx-5070-ti"),
        ("RTX 5070 Ti", "rtx-5070-ti"),
        ("rtx_4090", "rtx-4090"),
        ("h100", "h100-80gb"),
        ("H100_80GB", "h100-80gb"),
        ("h10-80gb", "h100-80gb"),
        ("meteor-lake", "arc-meteor-lake"),
        ("mi300", "mi300x"),
    ],
)
def test_the_card_that_was_meant_comes_first(word: str, best: str) -> None:
    assert nearest(word, CARDS)[0] == best


def test_a_family_names_its_members() -> None:
    assert nearest("h100", CARDS) == ("h100-80gb", "h100-94gb", "h100-96gb")
    assert nearest("v100", CARDS, limit=2) == ("v100-16gb", "v100-32gb")


@pytest.mark.parametrize("word", ["", "-", "zzzz", "quantum", "x" * 1000])
def test_what_is_like_nothing_has_no_suggestion(word: str) -> None:
    assert nearest(word, CARDS) == ()


def test_fields_are_suggested_across_spellings() -> None:
    assert nearest("feature_gates", ["version", "distribution", "featureGates"]) == ("featureGates",)


@given(st.text(), st.lists(st.text()))
def test_suggestions_are_known_words_each_once(word: str, known: list[str]) -> None:
    found = nearest(word, known)

    assert len(found) <= 3
    assert len(set(found)) == len(found)
    assert set(found) <= set(known)


@pytest.mark.parametrize("word", ["science-phisics", "scienze-physics", "physics", "SCIENCE_PHYSICS"])
def test_of_thousands_of_names_the_one_that_was_meant_comes_first(word: str) -> None:
    assert nearest(word, [*(f"team-{index}" for index in range(5000)), "science-physics"])[0] == "science-physics"


def test_of_thousands_of_names_few_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    class Counting(SequenceMatcher[str]):
        def set_seq1(self, a: Any) -> None:
            compared.append(a)
            super().set_seq1(a)

    monkeypatch.setattr("difflib.SequenceMatcher", Counting)
    nearest("taem-77", [f"team-{index}" for index in range(5000)])

    assert 0 < len(compared) < 100


def test_hundreds_of_names_cost_little() -> None:
    names = [f"{card}-{index}" for card in CARDS for index in range(30)]
    start = time.perf_counter()
    nearest("rtx-5070-tj-7", names)

    assert time.perf_counter() - start < 0.5
