"""A decision: the leaf, its layers, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

LeafId: TypeAlias = Literal["L1", "L2", "L3", "L4"]

LEAVES: Mapping[LeafId, str] = {"L1": "bare-plugin", "L2": "mixed-vendors", "L3": "partitioned", "L4": "queued"}


class Layer(Struct, frozen=True):
    """One part of the stack that a question of its own decided."""

    name: Literal["driver", "allocation", "partition", "tenancy", "turns"]
    subject: str
    """A vendor, a pool, or "cluster"."""
    word: str
    """The answer, in words of the spec: "device-plugin", "mig", "volcano"."""


class Step(Struct, frozen=True, kw_only=True):
    """One question of the tree."""

    question: str
    input: str
    answer: str
    flips: str
    """What in the spec would change the answer."""
    source: str = ""
    """Where the rule comes from: the paper, or a decision of fourleaf's."""
    silent: bool = False
    """The source paper's tree says nothing here, and a rule of fourleaf's own was used."""


class Decision(Struct, frozen=True, kw_only=True):
    leaf: LeafId
    layers: tuple[Layer, ...]
    trace: tuple[Step, ...]
    allocation: Mapping[str, str]
    """Vendor to the word that the allocator of its cards answers: "plugin", "operator" or "dra"."""
    scheduler: str
    """The word of the spec that the scheduler's system answers: "default", "volcano"."""

    @property
    def name(self) -> str:
        return LEAVES[self.leaf]
