"""Inventory and decision become the plan."""

from __future__ import annotations

from fourleaf.decide import Decision
from fourleaf.ir import Plan
from fourleaf.plan.pods import pods
from fourleaf.plan.predict import predict
from fourleaf.plan.stacks import components, standing, supplies
from fourleaf.plan.tenancy import queues, unit
from fourleaf.resolve.inventory import Inventory
from fourleaf.systems import answering


def plan(inventory: Inventory, decision: Decision) -> Plan:
    """Lay every system on its pools, then see what is advertised, who fits where, and what will happen."""
    pools = standing(inventory, decision)
    offered = tuple(sorted((supply for pool in pools for supply in supplies(pool)), key=lambda supply: (supply.pool, supply.resource)))
    tenants = queues(inventory.tenants, unit(offered))
    shapes = pods(inventory, offered, {queue.name: queue.name for queue in tenants})
    scheduler = answering("scheduler", decision.scheduler)
    guards = scheduler.guards(shapes, tenants, tuple(sorted({supply.resource for supply in offered}))) if scheduler else ()
    queueing = bool(scheduler and scheduler.queueing)
    return Plan(
        name=inventory.name,
        kubernetes=inventory.kubernetes,
        distribution=inventory.distribution,
        feature_gates=inventory.feature_gates,
        pools=pools,
        supplies=offered,
        pods=shapes,
        queues=(*tenants, *guards),
        components=tuple(components(inventory, pools)),
        predictions=predict(shapes, offered, tenants if queueing else (), gangs=queueing),
        create_namespaces=inventory.policy.create_namespaces,
    )
