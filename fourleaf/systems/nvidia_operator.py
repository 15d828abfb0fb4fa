"""The GPU Operator: driver, container toolkit, device plugin and what watches them, on every node with NVIDIA's cards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from fourleaf.ir import Ask, Binding, Component, Object, Part, Plan, PodShape, Pool, Prerequisite, Resource, Supply, Value
from fourleaf.kube import tolerations_for
from fourleaf.systems import nvidia_host, nvidia_settings, parts
from fourleaf.systems.nvidia_host import TOLERATION, VENDOR
from fourleaf.systems.nvidia_settings import Settings, settings
from fourleaf.systems.record import record
from fourleaf.systems.system import System

PRESENT = "nvidia.com/gpu.present"
"""Set by the operator on every node in which node-feature-discovery saw one of NVIDIA's cards."""
VALIDATOR = "nvidia.com/gpu.deploy.operator-validator"


def supplies(pool: Pool, below: tuple[Supply, ...]) -> tuple[Supply, ...]:
    return (*below, *parts.whole_cards("gpu-operator", VENDOR, Resource(nvidia_host.RESOURCE, "device-plugin"), pool))


def bind(plan: Plan, pod: PodShape, below: Binding) -> Binding:
    return replace(below, tolerations=(*below.tolerations, TOLERATION))


def lower(plan: Plan, component: Component, asks: Sequence[Ask]) -> Iterator[Part]:
    """Write the chart with one set of values for all pools, and what each kind of host needs beside it."""
    pools = plan.pools_of(component)
    chosen = settings(pools[0], plan, component)
    config = _plugin_config(component, asks)
    if config:
        yield config
    chart = parts.chart(SYSTEM.record, component, _values(plan, component, chosen, config, asks))
    if parts.agreed(asks, "mig-config"):
        chart = replace(chart, relies={**chart.relies, "migManager": {"enabled": True}})
    # With its validator off only by a label that comes later, the operator is not ready until then: nobody may wait for it before.
    yield replace(chart, waits=tuple(_facts()["waits_with_markers"])) if chosen.markers else chart
    yield from nvidia_host.quota(plan, component)
    for pool in pools:
        yield from _host(plan, pool, chosen)
    if chosen.markers:
        yield _markers(plan, component)


def _values(plan: Plan, component: Component, chosen: Settings, config: Object | None, asks: Sequence[Ask]) -> Mapping[str, Value]:
    """Return what differs from the chart's own defaults, and the few that must hold whatever those become."""
    values: dict[str, Value] = {"nfd": {"enabled": False}, "driver": _driver(chosen)}
    values |= _toolkit(plan, chosen)
    if chosen.root:
        values["hostPaths"] = {"driverInstallDir": chosen.root}
    cdi = False if chosen.markers else parts.agreed(asks, "cdi")
    if cdi is not None:
        values["cdi"] = {"enabled": cdi}
    tolerations = tolerations_for(plan.taints_of(component), [TOLERATION])
    if len(tolerations) > 1:
        values["daemonsets"] = {"tolerations": [toleration.manifest() for toleration in tolerations]}
    if parts.agreed(asks, "device-plugin") == "off":
        values["devicePlugin"] = {"enabled": False}
    elif config:
        values["devicePlugin"] = {"config": {"name": config.ref}}
    strategy = parts.agreed(asks, "mig-strategy")
    if strategy:
        values["mig"] = {"strategy": strategy}
    values |= _mig_manager(plan.pools_of(component), asks)
    large = _facts()["large"]
    if sum(pool.count for pool in plan.pools_of(component)) >= large["nodes"]:
        values["operator"] = {"resources": {"limits": {"memory": large["memory"]}}}
    if not chosen.driver:
        for key, value in _facts()["host_driver"].get(plan.distribution.name, {}).items():
            own = values.get(key, {})
            values[key] = {**own, **value} if isinstance(own, Mapping) else value
    return dict(sorted(values.items()))


def _driver(chosen: Settings) -> Mapping[str, Value]:
    if not chosen.driver:
        return {"enabled": False}
    said = {"version": chosen.version, "kernelModuleType": chosen.modules}
    return {"enabled": True, **{key: value for key, value in said.items() if value}}


def _toolkit(plan: Plan, chosen: Settings) -> Mapping[str, Value]:
    if not chosen.toolkit:
        return {"toolkit": {"enabled": False}}
    env = _facts()["toolkit_env"].get(plan.distribution.name, {})
    values: dict[str, Value] = {"installDir": chosen.toolkit_dir} if chosen.toolkit_dir else {}
    if env:
        values["env"] = [{"name": name, "value": value} for name, value in env.items()]
    return {"toolkit": values} if values else {}


def _mig_manager(pools: Sequence[Pool], asks: Sequence[Ask]) -> Mapping[str, Value]:
    config = parts.agreed(asks, "mig-config")
    if config:
        # Without a default of its own the operator labels a new node `all-disabled`, which may be applied before the layout.
        values: dict[str, Value] = {"config": {"name": config, "default": ""}}
        if parts.agreed(asks, "mig-reboot"):
            values["env"] = [{"name": "WITH_REBOOT", "value": "true"}]
        return {"migManager": values}
    if any(gpu.card.mig for pool in pools for gpu in pool.gpus) and not all(pool.host.systemd for pool in pools):
        # It would wait for the host's D-Bus for ever: https://github.com/NVIDIA/mig-parted/issues/356
        return {"migManager": {"enabled": False}}
    return {}


def _plugin_config(component: Component, asks: Sequence[Ask]) -> Object | None:
    """Return the device plugin's configurations, one a pool that asks. A node without the label gets none of them."""
    data: dict[str, Value] = {}
    for ask in asks:
        if ask.topic == "device-plugin-config" and isinstance(ask.value, Mapping):
            data |= ask.value
    if not data:
        return None
    # The operator does not watch it: a new name is what rolls the plugin.
    return parts.config_map(component, "fourleaf-device-plugin", dict(sorted(data.items())), "cards are shared")


def _host(plan: Plan, pool: Pool, chosen: Settings) -> Iterator[Part]:
    """Yield what the hosts of one pool need that the chart cannot give them."""
    if pool.host.family == "talos":
        # Without CDI nothing but the runtime hands the card to a pod, so it must be everybody's.
        setup: Mapping[str, Value] = {"default_runtime": "nvidia"} if chosen.markers else {"cdi": nvidia_host.talos_cdi()}
        yield nvidia_host.talos_setup(pool, setup)
    elif not chosen.driver:
        yield nvidia_host.driver_by_person(plan, pool)
    elif how := _facts()["operator_driver"].get(plan.distribution.name):
        what = f"the nodes of pool {pool.name} come without a driver, the operator brings it"
        yield Prerequisite(what=what, text=how, origin=pool.driver.origin)
    if chosen.markers:
        yield parts.node_label(pool, VALIDATOR, "false", f"the validator cannot see the driver of {pool.host.name}")


def _markers(plan: Plan, component: Component) -> Object:
    """Return the pod that writes what the validator would: every operand waits for these files."""
    facts = _facts()["markers"]
    files = " ".join(facts["files"])
    labels = {"app.kubernetes.io/name": "nvidia-validation-markers"}
    container: Value = {
        "name": "markers",
        "image": facts["image"],
        # The directory is in memory, and a restart of the host or of an operand empties it.
        "command": ["sh", "-c", f"while true; do touch {files}; sleep 30; done"],
        "workingDir": facts["directory"],
        "securityContext": {"privileged": True},
        "resources": {"requests": {"cpu": "1m", "memory": "4Mi"}, "limits": {"memory": "16Mi"}},
        "volumeMounts": [{"name": "validations", "mountPath": facts["directory"]}],
    }
    pod: Value = {
        "nodeSelector": {PRESENT: "true"},
        "tolerations": [toleration.manifest() for toleration in tolerations_for(plan.taints_of(component), [TOLERATION])],
        "containers": [container],
        "terminationGracePeriodSeconds": 1,
        "volumes": [{"name": "validations", "hostPath": {"path": facts["directory"], "type": "DirectoryOrCreate"}}],
    }
    return Object(
        api_version="apps/v1",
        kind="DaemonSet",
        name="nvidia-validation-markers",
        namespace=component.namespace,
        labels=labels,
        body={"spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}},
        origin=parts.origin(component, "the operator's pods wait for files that its validator does not write on this host"),
    )


def discovers(pool: Pool) -> Mapping[str, str]:
    """Return what the operator and its feature discovery say of a node (NVIDIA/k8s-device-plugin v0.20.0, internal/lm).

    Of cards of several models in a node, the first speaks for all.
    """
    gpus = [gpu for gpu in pool.gpus if gpu.card.vendor == VENDOR]
    if not gpus:
        return {}
    shared = pool.partition if pool.partition and pool.partition.replicas > 1 and not pool.partition.cuts else None  # whole cards
    return {
        PRESENT: "true",
        "nvidia.com/gpu.product": re.sub(r"[^A-Za-z0-9_. -]", "", gpus[0].card.product).replace(" ", "-"),
        "nvidia.com/gpu.count": str(pool.cards(VENDOR)),
        "nvidia.com/gpu.replicas": str(shared.replicas if shared else 1),
        "nvidia.com/gpu.sharing-strategy": {"timeSlicing": "time-slicing", "mps": "mps"}.get(shared.forms[0] if shared else "", "none"),
        "nvidia.com/mig.capable": str(any(bool(gpu.card.mig) for gpu in gpus)).lower(),
    }


def _facts() -> Mapping[str, Any]:
    return record("gpu-operator").facts


SYSTEM = System(
    name="gpu-operator",
    answers=("allocator", "operator"),
    vendor=VENDOR,
    needs=("node-feature-discovery",),
    takes=frozenset({"mig-config", "mig-strategy", "mig-reboot", "device-plugin", "device-plugin-config", "cdi"}),
    rules=nvidia_settings.RULES,
    supplies=supplies,
    bind=bind,
    check=nvidia_settings.check,
    lower=lower,
    agents=lambda pool: int(nvidia_settings.before_talos(pool)),
    discovers=discovers,
)
