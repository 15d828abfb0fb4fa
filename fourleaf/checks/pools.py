"""Whether what differs between pools can be told apart on the nodes."""

from __future__ import annotations

from collections.abc import Iterator

from fourleaf.checks.given import Check, Given
from fourleaf.diag import Diagnostic, Label, Rule, Severity
from fourleaf.ir import Pool

ALIKE = Rule(
    "FL412",
    "pools-not-told-apart",
    Severity.ERROR,
    "two pools of the same cards need different settings and nothing tells their nodes apart",
)


def _told_apart(given: Given) -> Iterator[Diagnostic]:
    seen: dict[tuple[object, ...], Pool] = {}
    for pool in given.plan.pools:
        if not pool.gpus or pool.nodes:
            continue
        ids = tuple(sorted({identity for gpu in pool.gpus for identity in (gpu.card.pci or (gpu.card.name,))}))
        other = seen.setdefault((ids, *pool.labels.items()), pool)
        if other is not pool and _settings(other) != _settings(pool):
            yield ALIKE.at(
                pool.at("count"),
                f"pools {other.name} and {pool.name} have the same cards and different settings, and neither names its nodes",
                help="give both `nodes: [...]`, or a label in `labels` that tells them apart",
                labels=(Label(other.at("count"), f"pool {other.name}"),),
            )


def _settings(pool: Pool) -> tuple[object, ...]:
    partition = pool.partition
    return (
        (partition.forms, partition.cuts, partition.replicas) if partition else None,
        pool.driver.owner,
        pool.driver.version,
        pool.host.name,
        pool.taints,
        tuple((gpu.card.name, gpu.count) for gpu in pool.gpus),
    )


CHECK = Check(_told_apart, (ALIKE,))
