"""Kubernetes' own scheduler: it takes requests as they are and knows neither queues nor gangs."""

from __future__ import annotations

from collections.abc import Iterator

from fourleaf.diag import Diagnostic, Rule, Severity
from fourleaf.ir import Component, Plan
from fourleaf.systems.system import System

UNENFORCED = Rule("FL510", "quota-without-queues", Severity.WARNING, "a quota that the chosen scheduler does not enforce")
PIECEMEAL = Rule("FL511", "gang-without-gang-scheduler", Severity.WARNING, "a gang that the chosen scheduler places pod by pod")


def check(plan: Plan, component: Component) -> Iterator[Diagnostic]:
    promised = [queue for queue in plan.queues if queue.guaranteed or queue.deserved or queue.limit]
    if promised:
        # A leaf first: a parent's quota may be its children's together, and stand nowhere.
        first = min(promised, key=lambda queue: (not queue.leaf, queue.name))
        more = f" and {len(promised) - 1} more" if len(promised) > 1 else ""
        yield UNENFORCED.at(
            (*first.origin.place, "quota"),
            f"nothing enforces the quota of tenant {first.name}{more}: kube-scheduler knows no queues",
            help="write `policy: {scheduler: volcano}`, or take the quota out",
        )
    for pod in plan.pods:
        if pod.gang > 1:
            yield PIECEMEAL.at(
                pod.at("gang"),
                f"kube-scheduler places the {pod.gang} pods of {pod.name} one by one: some may hold GPUs while others wait",
                help="write `policy: {scheduler: volcano}`, or take `gang` out",
            )


SYSTEM = System(name="native", answers=("scheduler", "default"), rules=(UNENFORCED, PIECEMEAL), check=check)
