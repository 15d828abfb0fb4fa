"""AMD's device plugin as a component."""

from typing import Optional

import pulumi

from fourleaf.ir import Ref
from fourleaf_components.args import AmdPluginArgs, Prerequisite
from fourleaf_components.component import Component, after, node_labels, offered, standing, todo

SYSTEM = "amd-device-plugin"


class AmdPlugin(Component):
    """AMD's device plugin: whole cards, on nodes whose kernel drives them."""

    namespace: pulumi.Output[str]
    """Namespace of the device plugin."""
    version: pulumi.Output[str]
    """Version of the device plugin."""
    resources: pulumi.Output[list[str]]
    """Names of what pods can ask for: amd.com/gpu."""
    node_labels: pulumi.Output[dict[str, dict[str, str]]]
    """Labels that the nodes must carry, by pool; who sets them is among the prerequisites."""
    prerequisites: pulumi.Output[list[Prerequisite]]
    """What a person must see to."""

    def __init__(self, name: str, args: AmdPluginArgs, opts: Optional[pulumi.ResourceOptions] = None) -> None:
        super().__init__(name, opts)
        bundle, plan = self._whole(self._compiled(args, AmdPluginArgs, SYSTEM))
        plugin = standing(plan, SYSTEM)
        if plugin is None and any(one.vendor == "amd" for one in plan.supplies):
            self._refuse(f"{name}.pools", f"one of {name}.pools is partitioned by modes: that takes AmdOperator")
        if plugin is None:
            self._refuse(f"{name}.pools", f"none of {name}.pools has cards of AMD")
        mine = bundle.part(SYSTEM)
        registered = self._registered(mine, args)
        home = Ref("Namespace", plugin.namespace)
        self.namespace = after(home.name, registered[home])
        self.version = after(plugin.version)
        self.resources = after(offered(plan, SYSTEM))
        self.node_labels = after(node_labels(mine.asks))
        self.prerequisites = after(todo(bundle.prerequisites))
        self._finish()
