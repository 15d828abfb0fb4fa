"""NVIDIA's GPU Operator as a component.

What it installs follows from host, distribution and partitions of its pools. Cards that are shared are configured here; the layouts of MIG
are a MigLayout's, which comes first: the operator must find them.
"""

from typing import Optional

import pulumi

from fourleaf.ir import Ref
from fourleaf_components.args import NvidiaOperatorArgs, Prerequisite
from fourleaf_components.component import Component, after, named, node_labels, offered, standing, todo, with_needs

SYSTEM = "gpu-operator"


class NvidiaOperator(Component):
    """NVIDIA's GPU Operator, and node-feature-discovery, which it needs: driver, container toolkit and device plugin on every GPU node."""

    namespace: pulumi.Output[str]
    """Namespace of the operator."""
    version: pulumi.Output[str]
    """Version of the operator's chart."""
    release: pulumi.Output[str]
    """Name of the operator's release, for `operator` of NvidiaDra."""
    resources: pulumi.Output[list[str]]
    """Names of what pods can ask for: nvidia.com/gpu, and those of slices and shares; none where cards are claimed."""
    runtime_class: pulumi.Output[str]
    """RuntimeClass that the operator makes."""
    device_plugin_config: pulumi.Output[Optional[str]]
    """Name of the ConfigMap that says how cards are shared; none where no pool shares any."""
    node_labels: pulumi.Output[dict[str, dict[str, str]]]
    """Labels that the nodes get, by pool."""
    prerequisites: pulumi.Output[list[Prerequisite]]
    """What a person must see to."""

    def __init__(self, name: str, args: NvidiaOperatorArgs, opts: Optional[pulumi.ResourceOptions] = None) -> None:
        super().__init__(name, opts)
        made = self._compiled(args, NvidiaOperatorArgs, SYSTEM, {"policy": {"leaf": "partitioned"}})
        bundle, plan = self._whole(made)
        operator = standing(plan, SYSTEM)
        if operator is None:
            self._refuse(f"{name}.pools", f"none of {name}.pools has cards of NVIDIA")
        home = Ref("Namespace", operator.namespace)
        space = args.get("namespace")
        given = {} if space is None else {home: self._given("namespace", space, home.name)}
        layouts, config = next((one for one in bundle.objects if one.by == "mig"), None), args.get("mig_config")
        if layouts is not None:
            if config is None:
                why = f"a pool is cut by MIG, and {name}.mig_config does not say where its layouts are"
                self._refuse(f"{name}.mig_config", f"{why}: write `config_name` of a MigLayout of the same pools")
            given[layouts.ref] = self._given("mig_config", config, layouts.name)
        elif config is not None:
            self._refuse(f"{name}.mig_config", f"{name}.mig_config is given, and none of {name}.pools is cut by MIG")
        mine = bundle.part(*with_needs(SYSTEM))
        registered = self._registered(mine, args, given)
        shared = next((one for one in mine.objects if one.by == SYSTEM and one.hashed), None)
        self.namespace = given.get(home) or after(home.name, registered[home])
        self.version = after(operator.version)
        chart = next(one for one in mine.charts if one.by == SYSTEM)
        self.release = after(chart.release, registered[chart.ref])
        self.resources = after(offered(plan, SYSTEM))
        self.runtime_class = after(named(mine, "RuntimeClass.node.k8s.io")[0])
        self.device_plugin_config = after(shared.name, registered[shared.ref]) if shared else after(None)
        self.node_labels = after(node_labels(bundle.asks))
        self.prerequisites = after(todo(bundle.prerequisites))
        self._finish()
