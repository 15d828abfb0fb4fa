"""Plans of small clusters, for tests that need a whole one: catalogue cards and hosts, then the compiler's own plan."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from fourleaf.decide import Decision
from fourleaf.hardware.catalogue import cards, distributions, find_host
from fourleaf.ir import Ask, Bundle, Chart, Component, Driver, Gpu, Object, Origin, Part, Plan, Pool, Prerequisite, Value, Want
from fourleaf.kube import Taint, Version
from fourleaf.lower import lower
from fourleaf.plan import plan
from fourleaf.resolve.inventory import Delivery, Inventory, Pin, Tenant, Workload
from fourleaf.systems import SYSTEMS

ALLOCATION = {"intel": "dra", "amd": "plugin"}


def pool(
    name: str,
    *gpus: tuple[str, int],
    nodes: int | Sequence[str] = ("node-1",),
    os: str = "ubuntu-24.04",
    taints: Iterable[str] = (),
    labels: Mapping[str, str] | None = None,
    driver: Mapping[str, str] | None = None,
) -> Pool:
    """Return a pool of catalogue cards; `nodes` are names, or how many. Taints are written key=value:effect."""
    host = find_host(os).one
    assert host, os
    place = ("spec", "pools", name)
    return Pool(
        max_pods=110,
        name=name,
        count=nodes if isinstance(nodes, int) else len(nodes),
        nodes=() if isinstance(nodes, int) else tuple(nodes),
        host=host,
        gpus=tuple(Gpu(cards()[card], count) for card, count in gpus),
        labels=labels or {},
        taints=tuple(_taint(text) for text in taints),
        driver=Driver(origin=Origin((*place, "driver")), **(driver or {})),
        origin=Origin(place, f"pool {name}"),
    )


def _taint(text: str) -> Taint:
    key, _, effect = text.rpartition(":")
    name, _, value = key.partition("=")
    return Taint(name, value, effect)


def workload(
    name: str, *, kind: str = "Deployment", replicas: int = 1, count: int = 1, gang: int = 1, tenant: str = "",
    namespace: str = "apps", memory: int = 0, **traits: str,
) -> Workload:  # fmt: skip
    """Return a workload; traits say what its cards must be: vendor="intel", card="arc-b580"."""
    place = ("spec", "workloads", name)
    want = Want(count=count, units=("card", "share"), traits=frozenset(traits.items()), memory_bytes=memory, place=(*place, "gpu"))
    return Workload(name=name, namespace=namespace, kind=kind, replicas=replicas, want=want, gang=gang, tenant=tenant, origin=Origin(place))


def tenant(name: str, *, parent: str = "", leaf: bool = True, weight: int = 1, **quota: int) -> Tenant:
    place = ("spec", "tenants", name)
    return Tenant(name=name, parent=parent, leaf=leaf, weight=weight, namespaces=(name,) if leaf else (), origin=Origin(place), **quota)


def planned(
    *pools: Pool,
    workloads: Sequence[Workload] = (),
    tenants: Sequence[Tenant] = (),
    kubernetes: str = "1.35",
    distribution: str = "kubeadm",
    gates: Mapping[str, bool] | None = None,
    scheduler: str = "default",
    allocation: Mapping[str, str] = ALLOCATION,
    pins: Mapping[str, str] | None = None,
) -> Plan:
    """Return the plan of a cluster. Tenants are given parents first."""
    inventory = Inventory(
        name="test",
        kubernetes=Version.parse(kubernetes),
        distribution=distributions()[distribution],
        feature_gates=gates or {},
        pools=pools,
        workloads=tuple(workloads),
        tenants=tuple(tenants),
        stack=tuple(Pin(component=name, version=version, place=("spec", "stack", name)) for name, version in (pins or {}).items()),
        delivery=Delivery(target="kustomize"),
    )
    return plan(inventory, Decision(leaf="L2", layers=(), trace=(), allocation=allocation, scheduler=scheduler))


def component(made: Plan, system: str) -> Component:
    return next(one for one in made.components if one.system == system)


def without(made: Plan, system: str) -> Plan:
    """Return a plan from which one system is gone: what it would take falls to a person."""
    return replace(made, components=tuple(one for one in made.components if one.system != system))


def codes(made: Plan, system: str) -> list[str]:
    """Return the codes of what a system finds amiss, in order."""
    return [found.rule.code for found in SYSTEMS[system].check(made, component(made, system))]


def parts_of(made: Plan, system: str) -> list[Part]:
    """Return what a system makes when nothing asks it for anything."""
    return list(SYSTEMS[system].lower(made, component(made, system), ()))


def chart_of(made: Plan, system: str) -> Chart:
    (chart,) = (part for part in parts_of(made, system) if isinstance(part, Chart))
    return chart


def objects_of(made: Plan, system: str, kind: str) -> dict[str, Object]:
    return {part.name: part for part in parts_of(made, system) if isinstance(part, Object) and part.kind == kind}


def asks_of(made: Plan, system: str, topic: str) -> dict[str, Ask]:
    return {part.pool: part for part in parts_of(made, system) if isinstance(part, Ask) and part.topic == topic}


def todo_of(made: Plan, system: str) -> list[Prerequisite]:
    return [part for part in parts_of(made, system) if isinstance(part, Prerequisite)]


def lowered(made: Plan) -> Bundle:
    bundle, found = lower(made)
    assert not found
    return bundle


def at(value: Value, *path: str | int) -> Value:
    """Return what stands at a path of mappings and lists."""
    for key in path:
        value = value[key]  # type: ignore[index]
    return value
