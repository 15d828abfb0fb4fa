"""What tenants are promised, against each other and against the cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias

from fourleaf.checks.given import Check, Given
from fourleaf.diag import Diagnostic, Label, Path, Rule, Severity
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

Promise: TypeAlias = Literal["guaranteed", "deserved"]
PROMISES: tuple[Promise, ...] = ("guaranteed", "deserved")


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
    for tenant in tenants:
        yield from _in_order(tenant)
        above = _limit_above(tenant, by_name)
        if above:
            yield above
        elif tenant.limit is not None and tenant.limit > capacity:
            yield LIMIT_UNREACHABLE.at(
                tenant.at("quota", "limit", "gpu"),
                f"tenant {tenant.name} is limited to {tenant.limit}, the cluster has {capacity} {resource.name}",
                help=f"write {capacity} or less",
            )
    promises = {field: _promises(tenants, field) for field in PROMISES}
    yield from _children(tenants, promises)
    top = [tenant for tenant in tenants if not tenant.parent]
    for field, rule, verb in zip(PROMISES, (OVER_CAPACITY, DESERVED), ("are guaranteed", "deserve"), strict=True):
        given_to = [(tenant, promises[field][tenant.name]) for tenant in top if promises[field][tenant.name]]
        if sum(amount for _, amount in given_to) > capacity:
            yield _above(rule, verb, field, capacity, resource.name, given_to)
            break


def _promises(tenants: Sequence[Tenant], field: Promise) -> Mapping[str, int]:
    """Return what each tenant is promised: as it says, else what its children are together. What it deserves is at least its guarantee."""
    together: Counter[str] = Counter()
    amounts: dict[str, int] = {}
    for tenant in reversed(tenants):  # children before parents
        said = [amount for amount in (tenant.guaranteed, tenant.deserved if field == "deserved" else None) if amount is not None]
        amounts[tenant.name] = max(said, default=together[tenant.name])
        together[tenant.parent] += amounts[tenant.name]
    return amounts


def _above(rule: Rule, verb: str, field: Promise, capacity: int, resource: str, given_to: Sequence[tuple[Tenant, int]]) -> Diagnostic:
    """Return promises that are too many together, at the largest of them: what there is to take from."""
    total = sum(amount for _, amount in given_to)
    *others, (largest, amount) = sorted(given_to, key=lambda one: (one[1], one[0].origin.place))
    over = total - capacity
    return rule.at(
        _written(largest, field),
        f"tenants {verb} {total} GPUs together, the cluster has {capacity} {resource}",
        help=f"write {amount - over} here, or lower others by {over}" if amount >= over else f"lower them by {over}",
        labels=tuple(Label(_written(tenant, field), f"{tenant.name}: {held}") for tenant, held in others[-5:]),
    )


def _written(tenant: Tenant, field: Promise) -> Path:
    """Return where a promise to a tenant is written; where it follows from its children, the tenant."""
    said = next((name for name in (field, "guaranteed") if getattr(tenant, name) is not None), "")
    return tenant.at("quota", said, "gpu") if said else tenant.at("name")


def _in_order(tenant: Tenant) -> Iterator[Diagnostic]:
    said = [(name, amount) for name in ("guaranteed", "deserved", "limit") if (amount := getattr(tenant, name)) is not None]
    for (low, less), (high, more) in pairwise(said):
        if less > more:
            yield OUT_OF_ORDER.at(
                tenant.at("quota", low, "gpu"),
                f"tenant {tenant.name} has {less} GPUs {low} and {more} {'as its limit' if high == 'limit' else high}",
                help=f"write {more} or less, or raise `{high}`",
                labels=(Label(tenant.at("quota", high, "gpu"), f"{high}: {more}"),),
            )


def _limit_above(tenant: Tenant, by_name: Mapping[str, Tenant]) -> Diagnostic | None:
    """Return a limit that is above that of the nearest tenant over it that has one."""
    above = by_name.get(tenant.parent)
    while above and above.limit is None:
        above = by_name.get(above.parent)
    if tenant.limit is None or not above or above.limit is None or tenant.limit <= above.limit:
        return None
    return OVER_LIMIT.at(
        tenant.at("quota", "limit", "gpu"),
        f"tenant {tenant.name} is limited to {tenant.limit} GPUs, {above.name} over it to {above.limit}",
        help=f"write {above.limit} or less",
        labels=(Label(above.at("quota", "limit", "gpu"), f"{above.name}: {above.limit}"),),
    )


def _children(tenants: Sequence[Tenant], promises: Mapping[Promise, Mapping[str, int]]) -> Iterator[Diagnostic]:
    """Yield the tenants whose children are promised more than they are themselves: of one tenant one promise, the rest follows."""
    below: dict[str, list[Tenant]] = {}
    for tenant in tenants:
        below.setdefault(tenant.parent, []).append(tenant)
    for tenant in tenants:
        for field in PROMISES:
            own: int | None = getattr(tenant, field)
            children = [child for child in below.get(tenant.name, ()) if promises[field][child.name]]
            promised = sum(promises[field][child.name] for child in children)
            if own is not None and promised > own:
                yield OVER_PARENT.at(
                    tenant.at("quota", field, "gpu"),
                    f"the children of tenant {tenant.name} have {promised} GPUs {field} together, {tenant.name} has {own}",
                    help=f"write {promised}, or lower a child by {promised - own}",
                    labels=tuple(Label(_written(child, field), f"{child.name}: {promises[field][child.name]}") for child in children[:5]),
                )
                break


def _outside(given: Given) -> Iterator[Diagnostic]:
    """Yield the workloads that no quota counts, where others share by quota."""
    if not any(tenant.has_quota for tenant in given.inventory.tenants):
        return
    homes = sorted(namespace for tenant in given.inventory.tenants for namespace in tenant.namespaces)
    for workload in given.inventory.workloads:
        if not workload.tenant:
            yield NO_QUEUE.at(
                workload.at("name"),
                f"workload {workload.name} belongs to no tenant: no quota counts its GPUs",
                help=f"add {workload.namespace} to the `namespaces` of its tenant"
                + (f", or write `namespace: {homes[0]}`" if homes else ""),
            )


CHECKS = (
    Check(_quota, (OVER_CAPACITY, OVER_PARENT, OUT_OF_ORDER, OVER_LIMIT, LIMIT_UNREACHABLE, DESERVED)),
    Check(_outside, (NO_QUEUE,)),
)
