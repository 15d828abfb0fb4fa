"""What tenants are promised, against each other and against the cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fourleaf.checks.given import Check, Given
from fourleaf.diag import Diagnostic, Label, Rule, Severity
from fourleaf.plan import unit
from fourleaf.resolve.inventory import Tenant
from fourleaf.resolve.rules import NOT_BUILT_YET

OVER_CAPACITY = Rule("FL501", "guarantees-above-capacity", Severity.ERROR, "tenants are guaranteed more than the cluster has")
OVER_PARENT = Rule("FL502", "children-above-parent", Severity.ERROR, "children are promised more than their parent")
OUT_OF_ORDER = Rule("FL503", "quota-out-of-order", Severity.ERROR, "guaranteed, deserved and limit of one tenant do not rise in this order")
OVER_LIMIT = Rule("FL504", "limit-above-ancestor", Severity.ERROR, "a tenant's limit is above that of a tenant over it")
LIMIT_UNREACHABLE = Rule("FL505", "limit-above-capacity", Severity.ERROR, "a limit is above what the cluster has")
DESERVED = Rule("FL506", "deserved-above-capacity", Severity.WARNING, "tenants deserve together more than the cluster has")
NO_QUEUE = Rule("FL507", "workload-outside-quota", Severity.WARNING, "a workload belongs to no tenant, though tenants share by quota")

WHERE = ("spec", "tenants")


def _quota(given: Given) -> Iterator[Diagnostic]:
    tenants = given.inventory.tenants
    asked = [tenant for tenant in tenants if tenant.has_quota]
    if not asked:
        return
    resource = unit(given.plan.supplies)
    if resource is None:
        names = sorted({supply.resource.name for supply in given.plan.supplies})
        yield NOT_BUILT_YET.at(
            asked[0].at("quota"),
            f"a quota in whole cards over {', '.join(names)} is not built yet",
            help="there is: a quota where every pool offers whole cards of one resource",
        )
        return
    capacity = given.plan.capacity().get(resource, 0)
    by_name = {tenant.name: tenant for tenant in tenants}
    amounts = {queue.name: queue for queue in given.plan.queues}
    for tenant in tenants:
        yield from _in_order(tenant)
        yield from _under_ancestors(tenant, by_name)
        if tenant.limit is not None and tenant.limit > capacity:
            yield LIMIT_UNREACHABLE.at(
                tenant.at("quota", "limit", "gpu"),
                f"tenant {tenant.name} is limited to {tenant.limit}, the cluster has {capacity} {resource.name}",
                help=f"write {capacity} or less",
            )
    for field, rule in (("guaranteed", OVER_PARENT), ("deserved", OVER_PARENT)):
        yield from _children(tenants, by_name, field, rule)
    top = [tenant for tenant in tenants if not tenant.parent]
    guaranteed = {tenant.name: amounts[tenant.name].guaranteed.get(resource, 0) for tenant in top}
    deserved = {tenant.name: amounts[tenant.name].deserved.get(resource, 0) for tenant in top}
    for rule, verb, given_to in ((OVER_CAPACITY, "are guaranteed", guaranteed), (DESERVED, "deserve", deserved)):
        total = sum(given_to.values())
        if total > capacity:
            yield _above(rule, verb, total, capacity, resource.name, given_to, by_name)
            break


def _above(
    rule: Rule, verb: str, total: int, capacity: int, resource: str, given_to: dict[str, int], by_name: dict[str, Tenant]
) -> Diagnostic:
    holders = sorted((by_name[name] for name, amount in given_to.items() if amount), key=lambda tenant: tenant.origin.place)
    last = holders[-1]
    return rule.at(
        last.at("quota"),
        f"tenants {verb} {total} GPUs together, the cluster has {capacity} {resource}",
        help=f"lower them by {total - capacity}",
        labels=tuple(Label(tenant.at("quota"), f"{tenant.name}: {given_to[tenant.name]}") for tenant in holders[:-1][-5:]),
    )


def _in_order(tenant: Tenant) -> Iterator[Diagnostic]:
    said = [(name, amount) for name in ("guaranteed", "deserved", "limit") if (amount := getattr(tenant, name)) is not None]
    for (low, less), (high, more) in zip(said, said[1:], strict=False):
        if less > more:
            yield OUT_OF_ORDER.at(
                tenant.at("quota", low, "gpu"),
                f"tenant {tenant.name} has {less} GPUs {low} and {more} {'as its limit' if high == 'limit' else high}",
                help=f"write {more} or less, or raise `{high}`",
                labels=(Label(tenant.at("quota", high, "gpu"), f"{high}: {more}"),),
            )


def _under_ancestors(tenant: Tenant, by_name: dict[str, Tenant]) -> Iterator[Diagnostic]:
    if tenant.limit is None:
        return
    above = by_name.get(tenant.parent)
    while above and above.limit is None:
        above = by_name.get(above.parent)
    if above and above.limit is not None and tenant.limit > above.limit:
        yield OVER_LIMIT.at(
            tenant.at("quota", "limit", "gpu"),
            f"tenant {tenant.name} is limited to {tenant.limit} GPUs, {above.name} over it to {above.limit}",
            help=f"write {above.limit} or less",
            labels=(Label(above.at("quota", "limit", "gpu"), f"{above.name}: {above.limit}"),),
        )


def _children(tenants: tuple[Tenant, ...], by_name: dict[str, Tenant], field: str, rule: Rule) -> Iterator[Diagnostic]:
    total: Counter[str] = Counter()
    for tenant in tenants:
        total[tenant.parent] += getattr(tenant, field) or 0
    for name, promised in sorted(total.items()):
        parent = by_name.get(name)
        own = getattr(parent, field) if parent else None
        if parent and own is not None and promised > own:
            children = [tenant for tenant in tenants if tenant.parent == name and getattr(tenant, field)]
            yield rule.at(
                parent.at("quota", field, "gpu"),
                f"the children of tenant {name} have {promised} GPUs {field} together, {name} has {own}",
                help=f"write {promised}, or lower a child by {promised - own}",
                labels=tuple(Label(child.at("quota", field, "gpu"), f"{child.name}: {getattr(child, field)}") for child in children[:5]),
            )


def _outside(given: Given) -> Iterator[Diagnostic]:
    """Yield the workloads that no quota counts, where others share by quota."""
    if not any(tenant.has_quota for tenant in given.inventory.tenants):
        return
    for workload in given.inventory.workloads:
        if not workload.tenant:
            yield NO_QUEUE.at(
                workload.at("name"),
                f"workload {workload.name} belongs to no tenant: no quota counts its GPUs",
                help=f"give it a `tenant`, or put namespace {workload.namespace} under one",
            )


CHECKS = (
    Check(_quota, (OVER_CAPACITY, OVER_PARENT, OUT_OF_ORDER, OVER_LIMIT, LIMIT_UNREACHABLE, DESERVED)),
    Check(_outside, (NO_QUEUE,)),
)
