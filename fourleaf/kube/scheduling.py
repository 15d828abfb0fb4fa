"""Taints, and the tolerations that answer them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from msgspec import Struct

Effect: TypeAlias = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class Taint(Struct, frozen=True, order=True):
    key: str
    value: str
    effect: Effect

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


class Toleration(Struct, frozen=True, order=True):
    """Answers a taint. An empty key with Exists answers every taint, an empty effect every effect."""

    key: str
    effect: str = ""
    operator: Literal["Exists", "Equal"] = "Exists"
    value: str = ""

    def tolerates(self, taint: Taint) -> bool:
        return (
            self.key in ("", taint.key) and self.effect in ("", taint.effect) and (self.operator == "Exists" or self.value == taint.value)
        )

    def manifest(self) -> dict[str, str]:
        """Return it as Kubernetes writes it."""
        fields = {"key": self.key, "operator": self.operator, "value": self.value, "effect": self.effect}
        return {key: value for key, value in fields.items() if value}


def tolerations_for(taints: Iterable[Taint], always: Iterable[Toleration] = ()) -> tuple[Toleration, ...]:
    """Return `always` and one toleration a taint, by key and effect, sorted, none twice.

    Exists, never Equal: the value of a taint may be changed on the node without a word to its pods.
    """
    hard = (Toleration(taint.key, taint.effect) for taint in taints if taint.effect != "PreferNoSchedule")
    return tuple(sorted({*always, *hard}))
