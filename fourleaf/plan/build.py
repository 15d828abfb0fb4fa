"""Inventory and decision become the plan."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from fourleaf.decide import Decision
from fourleaf.ir import Layouts, Plan
from fourleaf.plan.pods import Kind, pods
from fourleaf.plan.predict import predict
from fourleaf.plan.stacks import components, standing, supplies
from fourleaf.plan.tenancy import queues, unit
from fourleaf.resolve.inventory import Inventory
from fourleaf.systems import answering


def plan(inventory: Inventory, decision: Decision) -> Plan:
    """Lay every system on its pools, then see what is advertised, who fits where, and what will happen."""
    pools = standing(inventory, decision)
    kinds: Mapping[tuple[str, str], Kind] = {}
    layouts: tuple[Layouts, ...] = ()
    if any(pool.partition and pool.partition.auto for pool in pools):
        from fourleaf.plan.partitions import lay_out  # the solver is imported where it is needed

        laid = lay_out(inventory, pools)
        kinds, layouts, inventory = laid.kinds, laid.layouts, replace(inventory, pools=laid.pools)
        pools = standing(inventory, decision)
    offered = tuple(sorted((supply for pool in pools for supply in supplies(pool)), key=lambda supply: (supply.pool, supply.resource)))
    tenants = queues(inventory.tenants, unit(offered))
    shapes = pods(inventory, offered, {queue.name: queue.name for queue in tenants}, kinds)
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
        layouts=layouts,
        create_namespaces=inventory.policy.create_namespaces,
    )
