"""Simulated nodes: what the nodes of a plan will look like once everything is installed and every prerequisite is met."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any

from msgspec import Struct

from fourleaf.ir import Bundle, Plan, Pool
from fourleaf.rehearse.tree import Manifest
from fourleaf.systems import SYSTEMS
from fourleaf.systems.system import Device

SIMULATED = "fourleaf.dev/simulated"
"""The label of a node that is none, and of all that comes with it."""
ROOM: Mapping[str, str] = {"cpu": "256", "memory": "4Ti", "ephemeral-storage": "4Ti"}
"""What every node has: more than anyone asks for."""
_AGREED = {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux"}


class Node(Struct, frozen=True, kw_only=True):
    name: str
    pool: str
    labels: Mapping[str, str]
    taints: tuple[Mapping[str, str], ...] = ()
    capacity: Mapping[str, str] = {}
    devices: tuple[Device, ...] = ()


def nodes(plan: Plan, bundle: Bundle) -> tuple[Node, ...]:
    """Return the nodes of every pool, those by count numbered from 1."""
    taken = {name for pool in plan.pools for name in pool.nodes}
    made: list[Node] = []
    for pool in plan.pools:
        alike = _alike(plan, bundle, pool)
        for name in pool.nodes or _names(pool, taken):
            taken.add(name)
            labels = {**_AGREED, "kubernetes.io/hostname": name, **alike["labels"], SIMULATED: "true"}
            made.append(Node(**{**alike, "name": name, "pool": pool.name, "labels": labels}))
    return tuple(made)


def _names(pool: Pool, taken: Iterable[str]) -> Iterator[str]:
    free = (name for number in count(1) if (name := f"{pool.name}-{number}") not in taken)
    return (next(free) for _ in range(pool.count))


def _alike(plan: Plan, bundle: Bundle, pool: Pool) -> dict[str, Any]:
    """Return what all nodes of a pool share."""
    labels: dict[str, str] = {}
    devices: list[Device] = []
    for system in map(SYSTEMS.__getitem__, pool.systems):
        labels |= system.discovers(pool)
        devices += system.devices(pool)
    for ask in bundle.asks:
        if ask.topic == "node-label" and ask.pool == pool.name and isinstance(ask.value, Mapping):
            labels |= {key: str(value) for key, value in ask.value.items()}
    capacity = {**ROOM, "pods": str(pool.max_pods)}
    units: dict[str, int] = {}
    for supply in plan.supplies:
        if supply.pool == pool.name and supply.resource.by == "device-plugin":
            shown = supply.per_node if supply.advertised < 0 else supply.advertised
            units[supply.resource.name] = units.get(supply.resource.name, 0) + shown
    capacity |= {name: str(number) for name, number in units.items()}
    return {
        "labels": {**labels, **pool.labels},
        "taints": tuple(
            {"key": taint.key, "effect": taint.effect, **({"value": taint.value} if taint.value else {})} for taint in pool.taints
        ),
        "capacity": capacity,
        "devices": tuple(devices),
    }


def manifest(node: Node) -> Manifest:
    spec = {"spec": {"taints": node.taints}} if node.taints else {}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node.name, "labels": dict(node.labels)}, **spec}


def status(node: Node) -> Manifest:
    """Return the same node's status, which has a door of its own: a Node is created without."""
    ready = {"type": "Ready", "status": "True", "reason": "Simulated", "message": "nothing runs here"}
    amounts = {"capacity": dict(node.capacity), "allocatable": dict(node.capacity)}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node.name}, "status": {**amounts, "conditions": [ready]}}


def slices(node: Node, api_version: str) -> Iterator[Manifest]:
    """Yield a ResourceSlice for each driver with devices on a node; the pool has the node's name, as drivers call it."""
    drivers: dict[str, list[Device]] = {}
    for device in node.devices:
        drivers.setdefault(device.driver, []).append(device)
    for driver, held in drivers.items():
        yield {
            "apiVersion": api_version,
            "kind": "ResourceSlice",
            "metadata": {"name": f"{node.name}-{driver}", "labels": {SIMULATED: "true"}},
            "spec": {
                "driver": driver,
                "nodeName": node.name,
                "pool": {"name": node.name, "generation": 1, "resourceSliceCount": 1},
                "devices": [_device(device) for device in held],
            },
        }


def _device(device: Device) -> Manifest:
    attributes = {name: _attribute(value) for name, value in device.attributes.items()}
    return {
        "name": device.name,
        "attributes": attributes,
        "capacity": {name: {"value": amount} for name, amount in device.capacity.items()},
    }


def _attribute(value: str | bool | int) -> Manifest:
    match value:
        case bool():
            return {"bool": value}
        case int():
            return {"int": value}
    return {"string": value}
