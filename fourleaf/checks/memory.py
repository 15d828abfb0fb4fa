"""Memory that only a container's own limit can bound."""

from __future__ import annotations

from collections.abc import Iterator

from fourleaf.checks.given import Check, Given
from fourleaf.diag import Diagnostic, Label, Rule, Severity
from fourleaf.kube.quantity import show_memory

UNBOUNDED = Rule(
    "FL601", "integrated-gpu-without-memory-limit", Severity.WARNING,
    "a workload on an integrated GPU has no memory limit, the only ceiling that there is",
)  # fmt: skip
TOO_SMALL = Rule("FL602", "memory-limit-below-resident", Severity.ERROR, "a memory limit is below what stays resident")
TOO_LARGE = Rule("FL603", "memory-limit-above-node", Severity.WARNING, "a memory limit is above what a node of its pool has")


def _memory(given: Given) -> Iterator[Diagnostic]:
    pools = {pool.name: pool for pool in given.plan.pools}
    shared = {pool.name for pool in given.plan.pools if pool.gpus and all(gpu.card.integrated for gpu in pool.gpus)}
    for pod, workload in zip(given.plan.pods, given.inventory.workloads, strict=True):
        limit, resident = workload.memory_limit_bytes, workload.memory_resident_bytes
        if resident and limit and limit < resident:
            yield TOO_SMALL.at(
                workload.at("memory", "limit"),
                f"workload {pod.name} is limited to {show_memory(limit)} and keeps {show_memory(resident)} resident",
                help=f"write {show_memory(resident)} or more",
                labels=(Label(workload.at("memory", "resident"), f"{show_memory(resident)} stay"),),
            )
        if pod.supplies and not limit and all(supply.pool in shared for supply in pod.supplies):
            yield UNBOUNDED.at(
                workload.at("name"),
                f"workload {pod.name} runs on integrated GPUs of pool {pod.supplies[0].pool} without a memory limit",
                help="add `memory: {limit: ...}`, with room for what its GPU holds: that memory is the container's",
            )
        known = [pools[supply.pool] for supply in pod.supplies if pools[supply.pool].memory_bytes]
        if limit and known and len(known) == len(pod.supplies) and all(pool.memory_bytes < limit for pool in known):
            largest = max(known, key=lambda pool: pool.memory_bytes)
            has = show_memory(largest.memory_bytes)
            yield TOO_LARGE.at(
                workload.at("memory", "limit"),
                f"workload {pod.name} is limited to {show_memory(limit)}, a node of pool {largest.name} has {has}",
                help=f"write {has} or less",
                labels=(Label(largest.at("memory"), f"{largest.name}: {has} a node"),),
            )


CHECK = Check(_memory, (UNBOUNDED, TOO_SMALL, TOO_LARGE))
