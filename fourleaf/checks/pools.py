"""Whether what differs between pools can be told apart on the nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
        other = seen.setdefault((*sorted(_ids(pool)), *sorted(pool.labels.items())), pool)
        if other is not pool and _settings(other) != _settings(pool):
            yield ALIKE.at(
                pool.at("count"),
                f"pools {other.name} and {pool.name} have the same cards and different settings, and neither names its nodes",
                help="give both `nodes: [...]`, or a label in `labels` that tells them apart",
                labels=(Label(other.at("count"), f"pool {other.name}"),),
            )
    yield from _labels_of_others({pool.name: pool for pool in given.plan.pools})


def _labels_of_others(pools: Mapping[str, Pool]) -> Iterator[Diagnostic]:
    """Yield pools of the same cards whose labels do not tell their nodes from those of others, where other settings are on these."""
    for pool in pools.values():
        others = (pools[name] for name in pool.like if pools[name].nodes or pools[name].labels != pool.labels)
        other = next((one for one in others if _ids(one) & _ids(pool) and _settings(one) != _settings(pool)), None)
        if other:
            yield ALIKE.at(
                pool.at("labels"),
                f"pools {pool.name} and {other.name} have the same cards and different settings, and the nodes of {other.name} "
                f"carry the labels of {pool.name} too",
                help="give both `nodes: [...]`, or a label in `labels` that tells them apart",
                labels=(Label(other.at("labels"), f"pool {other.name}"),),
            )


def _ids(pool: Pool) -> set[str]:
    return {identity for gpu in pool.gpus for identity in (gpu.card.pci or (gpu.card.name,))}


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
