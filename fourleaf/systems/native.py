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
        yield UNENFORCED.at(
            (*promised[0].origin.place, "quota"),
            f"nothing enforces the quota of {promised[0].name}: kube-scheduler knows no queues",
            help="write `policy: {scheduler: volcano}`, or take the quota out",
        )
    for pod in plan.pods:
        if pod.gang > 1:
            yield PIECEMEAL.at(
                pod.at("gang"),
                f"kube-scheduler places the {pod.gang} pods of gang {pod.name} one by one: some may hold GPUs while others wait",
                help="write `policy: {scheduler: volcano}`, or take `gang` out",
            )


SYSTEM = System(name="native", answers=("scheduler", "default"), rules=(UNENFORCED, PIECEMEAL), check=check)
