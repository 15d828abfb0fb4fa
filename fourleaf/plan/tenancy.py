"""Tenants become queues: amounts in units of the cluster's resource, and what parents must promise for their children."""

from __future__ import annotations

from collections.abc import Sequence

from fourleaf.ir import Queue, Resource, Supply
from fourleaf.resolve.inventory import Tenant


def unit(supplies: Sequence[Supply]) -> Resource | None:
    """Return the resource that `quota.gpu` counts, None where whole cards of one resource are not all there is."""
    resources = {supply.resource for supply in supplies}
    whole = all(supply.unit == "card" for supply in supplies)
    return next(iter(resources)) if len(resources) == 1 and whole else None


def queues(tenants: Sequence[Tenant], resource: Resource | None) -> tuple[Queue, ...]:
    """Return one queue a tenant, parents first.

    An inner queue is guaranteed and deserves at least what its children do together, since schedulers take a dimension
    that a parent leaves out for zero. What a queue deserves is at least its guarantee.
    """
    if resource is None:
        return ()
    guaranteed: dict[str, int] = {}
    deserved: dict[str, int] = {}
    below_g: dict[str, int] = {}
    below_d: dict[str, int] = {}
    for tenant in reversed(tenants):  # children before parents
        guaranteed[tenant.name] = max(tenant.guaranteed or 0, below_g.get(tenant.name, 0))
        deserved[tenant.name] = max(tenant.deserved or 0, guaranteed[tenant.name], below_d.get(tenant.name, 0))
        below_g[tenant.parent] = below_g.get(tenant.parent, 0) + guaranteed[tenant.name]
        below_d[tenant.parent] = below_d.get(tenant.parent, 0) + deserved[tenant.name]
    return tuple(
        Queue(
            name=tenant.name,
            parent=tenant.parent,
            leaf=tenant.leaf,
            namespaces=tenant.namespaces,
            guaranteed=_amount(resource, guaranteed[tenant.name]),
            deserved=_amount(resource, deserved[tenant.name]),
            limit={} if tenant.limit is None else {resource: tenant.limit},
            weight=tenant.weight,
            origin=tenant.origin,
        )
        for tenant in tenants
    )


def _amount(resource: Resource, count: int) -> dict[Resource, int]:
    return {resource: count} if count else {}
