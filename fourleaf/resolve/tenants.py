"""Tenants: the tree, parents first, and whose each namespace is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from fourleaf.diag import Diagnostic, Label, Path
from fourleaf.ir import Origin
from fourleaf.resolve.inventory import Tenant
from fourleaf.resolve.lookup import unknown_name
from fourleaf.resolve.rules import INNER_NAMESPACE, NAMESPACE_TWICE, TENANT_CYCLE

if TYPE_CHECKING:
    from fourleaf.spec.models import Cards, ClusterSpec
    from fourleaf.spec.models import Tenant as TenantSpec


def tenants(spec: ClusterSpec, found: list[Diagnostic]) -> tuple[Tenant, ...]:
    """Return the tenants, parents before children and by name among them."""
    inner = {tenant.parent for tenant in spec.tenants if tenant.parent}
    made = {tenant.name: _tenant(tenant, index, tenant.name not in inner) for index, tenant in enumerate(spec.tenants)}
    names, below = frozenset(made), children(made.values())
    for tenant in made.values():
        if tenant.parent and tenant.parent not in made:
            found.append(unknown_name(tenant.at("parent"), "tenant", tenant.parent, names))
        if not tenant.leaf and tenant.namespaces:
            found.append(
                INNER_NAMESPACE.at(
                    tenant.at("namespaces"),
                    f"tenant {tenant.name} has children, so it holds no namespaces of its own",
                    help=f"move them to a child: {', '.join(below[tenant.name][:3])}",
                )
            )
    _one_owner(spec.tenants, made, found)
    return _parents_first(made, found)


def children(made: Iterable[Tenant]) -> Mapping[str, Sequence[str]]:
    """Return the names of each tenant's children, in order; of a tenant without any, nothing."""
    below: dict[str, list[str]] = {}
    for tenant in sorted(made, key=lambda tenant: tenant.name):
        below.setdefault(tenant.parent, []).append(tenant.name)
    return below


def _tenant(tenant: TenantSpec, index: int, leaf: bool) -> Tenant:
    return Tenant(
        name=tenant.name,
        parent=tenant.parent,
        namespaces=tuple(sorted(tenant.namespaces)) or ((tenant.name,) if leaf else ()),
        leaf=leaf,
        guaranteed=_cards(tenant.quota.guaranteed),
        deserved=_cards(tenant.quota.deserved),
        limit=_cards(tenant.quota.limit),
        weight=tenant.weight,
        origin=Origin(("spec", "tenants", index), f"tenant {tenant.name}"),
    )


def _cards(amount: Cards | None) -> int | None:
    return amount.gpu if amount else None


def _parents_first(made: dict[str, Tenant], found: list[Diagnostic]) -> tuple[Tenant, ...]:
    depth: dict[str, int] = {}
    for name in made:
        way: list[str] = []
        at = name
        while at in made and at not in depth and at not in way:
            way.append(at)
            at = made[at].parent
        if at in way:
            circle = way[way.index(at) :]
            first = made[min(circle)]
            found.append(
                TENANT_CYCLE.at(
                    first.at("parent"),
                    f"tenants {', '.join(sorted(circle))} are each other's parents"
                    if len(circle) > 1
                    else f"tenant {at} is its own parent",
                    help="take one `parent` out: that tenant becomes a child of the cluster",
                    labels=tuple(Label(made[other].at("parent"), f"parent of {other}") for other in sorted(circle)[1:4]),
                )
            )
        base = depth.get(at, 0) + 1 if at in made else 0
        for step, passed in enumerate(reversed(way)):
            depth[passed] = base + step
    return tuple(sorted(made.values(), key=lambda tenant: (depth[tenant.name], tenant.name)))


def _one_owner(written: Sequence[TenantSpec], made: Mapping[str, Tenant], found: list[Diagnostic]) -> None:
    owners: dict[str, tuple[str, Path]] = {}
    for spec in written:
        tenant = made[spec.name]
        for namespace in tenant.namespaces:
            # One of its own name, which nobody wrote, is said to stand at the name.
            place = tenant.at("namespaces", spec.namespaces.index(namespace)) if spec.namespaces else tenant.at("name")
            other, first = owners.setdefault(namespace, (tenant.name, place))
            if other != tenant.name:
                named, by_default = (other, tenant.name) if place[-1] == "name" else (tenant.name, other)
                mend = f"take it out of {named}, or write `namespaces` for {by_default}"
                found.append(
                    NAMESPACE_TWICE.at(
                        place,
                        f"namespace {namespace} belongs to tenants {' and '.join(sorted((other, tenant.name)))}",
                        help=mend if "name" in (place[-1], first[-1]) else "take it out of one of them",
                        labels=(Label(first, f"{other} has it"),),
                    )
                )
