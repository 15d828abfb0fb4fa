"""Workloads: whose they are, where they live, what each of their pods asks for; and who takes turns with whom."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from fourleaf.diag import Diagnostic, Label, Path, nearest
from fourleaf.hardware.catalogue import find_card
from fourleaf.ir import Origin, Pool, Unit, Want
from fourleaf.kube.quantity import bytes_of
from fourleaf.resolve.inventory import Tenant, Turns, Workload
from fourleaf.resolve.lookup import suggestion, unknown, unknown_name
from fourleaf.resolve.rules import (
    AMBIGUOUS_CARD,
    INNER_WORKLOAD,
    NO_NAMESPACE,
    NOT_BUILT_YET,
    OTHER_TENANT,
    TWICE_IN_TURNS,
    UNKNOWN_CARD,
    UNKNOWN_NAME,
)
from fourleaf.resolve.tenants import children
from fourleaf.spec.rules import DUPLICATE_NAME

if TYPE_CHECKING:
    from fourleaf.spec.models import ClusterSpec, GpuAsk
    from fourleaf.spec.models import Workload as WorkloadSpec

_FAMILY = re.compile(r"\d+g(?:x2)?(?:[+-].+)?")
"""A profile without its memory, which is another on each card: 1g, 1gx2, 1g-me, 1g+me.all."""

KINDS = ("CronJob", "DaemonSet", "Deployment", "Job", "Pod", "StatefulSet")


class _There(Struct, frozen=True, kw_only=True):
    """What workloads may refer to."""

    tenants: Mapping[str, Tenant]
    names: frozenset[str]
    """Of the tenants."""
    children: Mapping[str, Sequence[str]]
    """Names of each tenant's children."""
    owners: Mapping[str, Tenant]
    """The tenant of each namespace that has one."""
    vendors: frozenset[str]


def workloads(spec: ClusterSpec, tenants: Sequence[Tenant], pools: Sequence[Pool], found: list[Diagnostic]) -> tuple[Workload, ...]:
    """Return the workloads by namespace and name."""
    by_name = {tenant.name: tenant for tenant in tenants}
    there = _There(
        tenants=by_name,
        names=frozenset(by_name),
        children=children(tenants),
        owners={namespace: tenant for tenant in tenants for namespace in tenant.namespaces},
        vendors=frozenset(vendor for pool in pools for vendor in pool.vendors),
    )
    made = [_workload(workload, index, there, found) for index, workload in enumerate(spec.workloads)]
    return tuple(sorted((one for one in made if one), key=lambda one: (one.namespace, one.name)))


def _workload(workload: WorkloadSpec, index: int, there: _There, found: list[Diagnostic]) -> Workload | None:
    place: Path = ("spec", "workloads", index)
    before = len(found)
    if workload.kind not in KINDS:
        found.append(
            NOT_BUILT_YET.at(
                (*place, "kind"),
                f"workloads of kind {workload.kind} are not built yet",
                help=suggestion(nearest(workload.kind, KINDS, limit=1), KINDS),
            )
        )
    if workload.manifests:
        found.append(
            NOT_BUILT_YET.at(
                (*place, "manifests"),
                "binding existing manifests is not built yet",
                help="take `manifests` out, and put the patch of bindings/ on them",
            )
        )
    namespace, tenant = _home(workload, place, there, found)
    want = _want(workload.gpu, (*place, "gpu"), there.vendors, found)
    if want is None or len(found) > before:
        return None
    return Workload(
        name=workload.name,
        namespace=namespace,
        tenant=tenant,
        kind=workload.kind,
        replicas=workload.replicas,
        want=want,
        gang=workload.gang.size if workload.gang else 1,
        memory_limit_bytes=bytes_of(workload.memory.limit) if workload.memory.limit else 0,
        memory_resident_bytes=bytes_of(workload.memory.resident) if workload.memory.resident else 0,
        origin=Origin(place, f"workload {workload.name}"),
    )


def _home(workload: WorkloadSpec, place: Path, there: _There, found: list[Diagnostic]) -> tuple[str, str]:
    """Return namespace and tenant: its own namespace, else its tenant's only one; its own tenant, else that of its namespace."""
    own = there.tenants.get(workload.tenant)
    if workload.tenant and own is None:
        found.append(unknown_name((*place, "tenant"), "tenant", workload.tenant, there.names))
        return "", ""
    if own and not own.leaf:
        found.append(
            INNER_WORKLOAD.at(
                (*place, "tenant"),
                f"workload {workload.name} belongs to tenant {own.name}, which has children",
                help=f"write one of {', '.join(there.children[own.name][:12])}",
            )
        )
        return "", ""
    namespace = workload.namespace or (own.namespaces[0] if own and len(own.namespaces) == 1 else "")
    if not namespace:
        why = f"tenant {own.name} has {len(own.namespaces)} namespaces" if own else "it has no tenant"
        mend = f"write `namespace: {own.namespaces[0]}`, or another of them" if own else "add `namespace: ...`"
        found.append(NO_NAMESPACE.at((*place, "name"), f"workload {workload.name} has no namespace, and {why}", help=mend))
        return "", ""
    owner = there.owners.get(namespace)
    if own and owner is not own:
        whose = f"belongs to tenant {owner.name}" if owner else "belongs to no tenant"
        mend = f"write `tenant: {owner.name}`" if owner else f"add {namespace} to the `namespaces` of {own.name}"
        found.append(
            OTHER_TENANT.at(
                (*place, "tenant"),
                f"workload {workload.name} is of tenant {own.name}, and its namespace {namespace} {whose}",
                help=f"{mend}, or write `namespace: {own.namespaces[0]}`",
                labels=(Label((*place, "namespace"), f"namespace {namespace}"),),
            )
        )
    return namespace, owner.name if owner else ""


def _want(ask: GpuAsk, place: Path, vendors: frozenset[str], found: list[Diagnostic]) -> Want | None:
    if ask.card:
        card = find_card(ask.card)
        if card.one is None:
            where = (*place, "card")
            if card.ambiguous:
                names = [match.name for match in card.matches]
                found.append(
                    AMBIGUOUS_CARD.at(where, f"{ask.card} may be {', '.join(names)}", help=f"write one of them, such as `card: {names[0]}`")
                )
            else:
                found.append(unknown(UNKNOWN_CARD, where, "card", ask.card, card.near, "fourleaf list cards"))
            return None
        return Want(count=ask.count, units=("card", "share"), traits=frozenset({("card", card.one.name)}), place=(*place, "card"))
    if ask.mig:
        key = "family" if _FAMILY.fullmatch(ask.mig) else "profile"
        return Want(count=ask.count, units=("slice", "share"), traits=frozenset({(key, ask.mig)}), place=(*place, "mig"))
    if ask.modes:
        return Want(count=ask.count, units=("slice", "card"), traits=frozenset({("modes", ask.modes.lower())}), place=(*place, "modes"))
    if ask.memory:
        units: tuple[Unit, ...] = ("slice", "card", "share")
        return Want(count=ask.count, units=units, memory_bytes=bytes_of(ask.memory), place=(*place, "memory"))
    if ask.fraction:
        return Want(count=ask.count, units=("slice", "share", "card"), portion=ask.fraction, place=(*place, "fraction"))
    if vendors and ask.vendor not in vendors:  # of a cluster without GPUs that alone is said
        found.append(unknown_name((*place, "vendor"), "pool with GPUs of", ask.vendor, vendors))
        return None
    return Want(
        count=ask.count,
        units=("card", "share"),
        traits=frozenset({("vendor", ask.vendor)}),
        place=(*place, "count" if ask.count > 1 else "vendor"),
    )


def turns(spec: ClusterSpec, made: Sequence[Workload], pools: Sequence[Pool], found: list[Diagnostic]) -> tuple[Turns, ...]:
    """Return the exclusive groups by name."""
    names = frozenset(workload.name for workload in spec.workloads)
    on = frozenset(pool.name for pool in spec.pools)
    homes: defaultdict[str, list[str]] = defaultdict(list)
    for workload in made:
        homes[workload.name].append(workload.namespace)
    seats: dict[str, dict[str, Path]] = {}
    groups: list[Turns] = []
    for index, group in enumerate(spec.exclusive):
        place: Path = ("spec", "exclusive", index)
        if group.pool not in on:
            found.append(unknown_name((*place, "pool"), "pool", group.pool, on))
        for spot, member in enumerate(group.members):
            if member not in names:
                found.append(unknown_name((*place, "members", spot), "workload", member, names))
            elif len(homes[member]) > 1:
                found.append(
                    DUPLICATE_NAME.at(
                        (*place, "members", spot),
                        f"{member} is a workload in namespace {' and in '.join(homes[member])}: it is not said whose turn it is",
                        help="give the one that takes turns a name of its own",
                    )
                )
            else:
                seats.setdefault(member, {})[group.name] = (*place, "members", spot)
        active = group.active or group.members[0]
        if active not in group.members:
            found.append(
                UNKNOWN_NAME.at(
                    (*place, "active"), f"{active} is no member of {group.name}", help=f"write one of {', '.join(group.members)}"
                )
            )
        groups.append(
            Turns(
                name=group.name,
                pool=group.pool,
                members=tuple(group.members),
                active=active,
                origin=Origin(place, f"exclusive {group.name}"),
            )
        )
    found += [_two_seats(member, held) for member, held in seats.items() if len(held) > 1]
    return tuple(sorted(groups, key=lambda group: group.name))


def _two_seats(member: str, seats: Mapping[str, Path]) -> Diagnostic:
    """Say that a workload is in several groups, in the last of them.

    Args:
        seats: name of each group to the place of the workload in it, in the order of the spec.
    """
    *others, last = seats
    return TWICE_IN_TURNS.at(
        seats[last],
        f"workload {member} takes turns in {' and in '.join(sorted(seats))}",
        help="take it out of all but one" if len(others) > 1 else "take it out of one",
        labels=tuple(Label(seats[name], f"in {name}") for name in others),
    )
