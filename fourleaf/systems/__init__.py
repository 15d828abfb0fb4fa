"""The registry: the one place that lists the systems, from the ground up."""

from __future__ import annotations

from fourleaf.systems import (
    amd_modes,
    amd_operator,
    amd_plugin,
    intel_dra,
    mig,
    native,
    nfd,
    nvidia_dra,
    nvidia_operator,
    nvidia_plugin,
    sharing,
    talos,
    volcano,
)
from fourleaf.systems.system import Question, System

__all__ = ["SYSTEMS", "Question", "System", "answering", "words"]

SYSTEMS: dict[str, System] = {
    system.name: system
    for system in (
        talos.SYSTEM,
        nfd.SYSTEM,
        nvidia_operator.SYSTEM,
        nvidia_plugin.SYSTEM,
        nvidia_dra.SYSTEM,
        intel_dra.SYSTEM,
        amd_operator.SYSTEM,
        amd_plugin.SYSTEM,
        mig.SYSTEM,
        amd_modes.SYSTEM,
        sharing.TIME_SLICING,
        sharing.MPS,
        native.SYSTEM,
        volcano.SYSTEM,
    )
}


def answering(question: Question, word: str, vendor: str = "") -> System | None:
    """Return the system that answers a question with a word, for cards of a vendor; None where none is built."""
    return next((s for s in SYSTEMS.values() if s.answers == (question, word) and vendor in ("", s.vendor)), None)


def words(question: Question, vendor: str = "") -> tuple[str, ...]:
    """Return the words with which the systems at hand answer a question, in the registry's order."""
    return tuple(dict.fromkeys(s.answers[1] for s in SYSTEMS.values() if s.answers[0] == question and vendor in ("", s.vendor)))
