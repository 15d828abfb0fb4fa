"""The questions of the tree, top to bottom. Each looks at the facts and says what it found, and what would flip it."""

from __future__ import annotations

from fourleaf.decide.decision import LeafId, Step
from fourleaf.decide.facts import Facts

PAPER = "decision tree of the source paper"
OURS = "docs/decisions/0001-a-total-tree.md"


def vendors(facts: Facts) -> tuple[Step, LeafId | None]:
    """Are there two or more vendors of GPUs?"""
    mixed = len(facts.vendors) > 1
    step = Step(
        question="do the GPUs come from more than one vendor?",
        input=", ".join(f"{vendor} ({_pools(facts, vendor)})" for vendor in facts.vendors),
        answer="yes" if mixed else "no",
        flips="GPUs of one vendor only" if mixed else "a pool with another vendor's GPUs",
        source=PAPER,
    )
    return step, "L2" if mixed else None


def tenancy(facts: Facts) -> tuple[Step, LeafId | None]:
    """Do tenants share the GPUs by quota?"""
    names = ", ".join(tenant.name for tenant in facts.promised[:3]) + (", ..." if len(facts.promised) > 3 else "")
    said = f"{len(facts.promised)} leaf tenant{'' if len(facts.promised) == 1 else 's'} with a quota" + (f" ({names})" if names else "")
    said += f", policy.scheduler {facts.scheduler}" if facts.scheduler else ""
    outside = facts.tenancy and not facts.nvidia
    step = Step(
        question="do two or more tenants share the GPUs by quota, or does policy name a queueing scheduler?",
        input=said,
        answer="yes" if facts.tenancy else "no",
        flips="fewer than two leaf tenants with a quota, and no policy.scheduler" if facts.tenancy
        else "a quota on two leaf tenants, or policy.scheduler",
        source=OURS if outside else PAPER,
        silent=outside,
    )  # fmt: skip
    return step, "L4" if facts.tenancy and facts.nvidia else None


def more_than_one(facts: Facts) -> tuple[Step, LeafId | None]:
    """Is there more NVIDIA to manage than one card for one workload?"""
    reasons = []
    if facts.gpus > 1:
        reasons.append(f"{facts.gpus} GPUs")
    if facts.partitioned:
        reasons.append("a partition on " + ", ".join(pool.name for pool in facts.partitioned))
    if facts.workloads > 1:
        reasons.append(f"{facts.workloads} workloads")
    by_driver = not reasons and bool(facts.managed)
    if by_driver:
        reasons.append("a driver that the operator is to bring on " + ", ".join(pool.name for pool in facts.managed))
    managed = facts.nvidia and bool(reasons)
    step = Step(
        question="is it NVIDIA with more than one GPU, a partition, or more than one workload?",
        input=", ".join(facts.vendors) + ": " + (", ".join(reasons) or "one GPU and at most one workload"),
        answer="yes" if managed else "no",
        flips="one GPU, no partition, at most one workload and the host's own driver" if managed
        else "a second GPU, a partition, or a second workload" if facts.nvidia else "GPUs of NVIDIA",
        source=OURS if by_driver or not facts.nvidia else PAPER,
        silent=by_driver or (not facts.nvidia and bool(reasons)),
    )  # fmt: skip
    return step, "L3" if managed else None


def bare(facts: Facts) -> tuple[Step, LeafId]:
    """Nothing above held: what the vendor offers by itself is enough."""
    alone = facts.gpus == 1 and facts.workloads <= 1
    gpus = f"{facts.gpus} GPU{'' if facts.gpus == 1 else 's'}"
    workloads = f"{facts.workloads} workload{'' if facts.workloads == 1 else 's'}"
    step = Step(
        question="what is left?",
        input=f"{gpus} of {facts.vendors[0]}, {workloads}",
        answer="the vendor's operator alone, which partitions need"
        if facts.partitioned
        else "the vendor's device plugin or DRA driver alone",
        flips="any yes above",
        source=PAPER if alone else OURS,
        silent=not alone,
    )
    return step, "L1"


QUESTIONS = (vendors, tenancy, more_than_one, bare)


def _pools(facts: Facts, vendor: str) -> str:
    mine = [(pool.name, pool.count * pool.cards(vendor)) for pool in facts.pools if vendor in pool.vendors]
    shown = ", ".join(f"{name} {count}" for name, count in mine[:4])
    return shown + (f", {len(mine) - 4} pools more" if len(mine) > 4 else "")
