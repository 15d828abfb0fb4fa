"""AMD's GPU Operator: the device plugin, and what partitions cards, by one DeviceConfig a pool. The kernel driver stays the host's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fourleaf.diag import Diagnostic, Rule, Severity
from fourleaf.ir import Ask, Component, Object, Part, Plan, Pool, Value
from fourleaf.kube import tolerations_for
from fourleaf.systems import amd_host, parts
from fourleaf.systems.amd_host import KUBELET, TOLERATION, VENDOR
from fourleaf.systems.record import record, release
from fourleaf.systems.system import Supplies, System

NAME = "amd-gpu-operator"

OLD = Rule("FL241", "amd-operator-too-old", Severity.ERROR, "a version of AMD's operator without what modes need", allowable=False)
UNREAD = Rule("FL242", "values-of-own-device-config", Severity.WARNING, "values of a DeviceConfig that the chart does not make")
REFUSED = Rule("FL239", "amd-operator-not-by-chart", Severity.ERROR, "a distribution on which AMD's operator comes by another way")

# Off: what other systems here bring, what nothing here asks for, and what the chart's hooks would take along when it goes
# (post-delete-hook.yaml deletes the definitions of node-feature-discovery, KMM and Argo Workflows where those are on).
VALUES: Mapping[str, Value] = {
    "crds": {"defaultCR": {"install": False}},
    "defaultDCMConfigMap": {"install": False},
    "draDriver": {"deviceClass": {"create": False}},
    "installdefaultNFDRule": False,
    "kmm": {"enabled": False, "watch": False},
    "node-feature-discovery": {"enabled": False},
    "remediation": {"enabled": False, "installCRDs": False},
}


def supplies(pool: Pool, below: Supplies) -> Supplies:
    """Return one supply: the plugin counts every device alike, whatever its model."""
    return (*below, *parts.whole_cards(NAME, VENDOR, amd_host.RESOURCE, pool))


def lower(plan: Plan, component: Component, asks: Sequence[Ask]) -> Iterator[Part]:
    """Write the chart, and a DeviceConfig for each pool: a node must have one and no more."""
    yield parts.chart(SYSTEM.record, component, VALUES)
    for pool in plan.pools_of(component):
        yield amd_host.setup(pool)
        if not pool.telling:
            yield parts.node_label(pool, parts.POOL, pool.name, "AMD's operator selects the nodes of the pool")
        mine = {ask.topic: ask.value for ask in asks if ask.pool == pool.name}
        yield Object(
            api_version="amd.com/v1alpha1",
            kind="DeviceConfig",
            name=pool.name,
            namespace=component.namespace,
            body={"spec": {"selector": pool.telling or {parts.POOL: pool.name}, **_spec(plan, pool, component.version, mine)}},
            origin=parts.origin(component, f"the operator runs on the nodes of pool {pool.name}"),
        )


def _spec(plan: Plan, pool: Pool, version: str, asked: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return what the operator does on the nodes of a pool.

    Its device plugin and what partitions cards tolerate the taints of the pool, and no others: the plugin must go from a node while cards
    are partitioned, or it keeps what was there before (ROCm/gpu-operator#382).
    """
    tolerations = [toleration.manifest() for toleration in tolerations_for(pool.taints, [TOLERATION])]
    plugin: dict[str, Value] = {
        "enableDevicePlugin": True,
        "devicePluginImage": amd_host.image(record("amd-device-plugin").version),
        "devicePluginTolerations": tolerations,
        "enableNodeLabeller": False,
    }
    if strategy := asked.get("resource-naming"):
        plugin["devicePluginArguments"] = {"resource_naming_strategy": strategy}
    folder = amd_host.plugins(plan)
    if folder != f"{KUBELET}/device-plugins":
        plugin["kubeletSocketPath"] = folder
    # Without `enable: false` the operator builds a driver: the definition's default is true.
    spec: dict[str, Value] = {"driver": {"enable": False}, "devicePlugin": plugin}
    if config := asked.get("device-config"):
        spec["configManager"] = {
            "enable": True,
            "image": f"{_facts()['config_manager']}:{version}",
            "config": {"name": config},
            "configManagerTolerations": tolerations,
        }
    return spec


def check(plan: Plan, component: Component) -> Iterator[Diagnostic]:
    """Yield what is amiss with the cluster, its hosts, and the version and values of the chart."""
    if why := _facts()["refused"].get(plan.distribution.name):
        yield REFUSED.at(("spec", "kubernetes", "distribution"), why, help="write `partition: none` for AMD's pools")
        return
    if release(component.version) < release(_facts()["supported"]):
        yield OLD.at(
            component.pinned,
            f"{NAME} {component.version} lacks what this set counts on, which is there from {_facts()['supported']} on",
            help=f"write {SYSTEM.record.version}",
        )
    if "deviceConfig" in component.values:
        yield UNREAD.at(
            (*component.values_place, "deviceConfig"),
            "the chart's own DeviceConfig is off, so its values change nothing: each pool has a DeviceConfig of fourleaf's",
            help="take `deviceConfig` out",
            on_key=True,
        )
    yield from amd_host.check(plan, component)


def _facts() -> Mapping[str, Any]:
    return record(NAME).facts


SYSTEM = System(
    name=NAME,
    answers=("allocator", "operator"),
    vendor=VENDOR,
    needs=("node-feature-discovery",),
    takes=frozenset({"device-config", "resource-naming"}),
    rules=(REFUSED, OLD, UNREAD, *amd_host.RULES),
    supplies=supplies,
    bind=amd_host.bind,
    check=check,
    lower=lower,
)
