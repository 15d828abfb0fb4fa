"""NVIDIA's device plugin alone as a component."""

from typing import Optional

import pulumi

from fourleaf.ir import Ref
from fourleaf_components.args import NvidiaDevicePluginArgs, Prerequisite
from fourleaf_components.component import Component, after, named, node_labels, offered, standing, todo

SYSTEM = "nvidia-device-plugin"


class NvidiaDevicePlugin(Component):
    """NVIDIA's device plugin alone: whole cards, on nodes that bring driver and container runtime themselves."""

    namespace: pulumi.Output[str]
    """Namespace of the device plugin."""
    version: pulumi.Output[str]
    """Version of the device plugin."""
    resources: pulumi.Output[list[str]]
    """Names of what pods can ask for: nvidia.com/gpu."""
    runtime_class: pulumi.Output[Optional[str]]
    """RuntimeClass that pods with a card need; none where the distribution needs none."""
    node_labels: pulumi.Output[dict[str, dict[str, str]]]
    """Labels that the nodes must carry, by pool; who sets them is among the prerequisites."""
    prerequisites: pulumi.Output[list[Prerequisite]]
    """What a person must see to."""

    def __init__(self, name: str, args: NvidiaDevicePluginArgs, opts: Optional[pulumi.ResourceOptions] = None) -> None:
        super().__init__(name, opts)
        made = self._compiled(args, NvidiaDevicePluginArgs, SYSTEM, {"policy": {"leaf": "bare-plugin"}})
        bundle, plan = self._whole(made)
        plugin = standing(plan, SYSTEM)
        if plugin is None:
            self._refuse(f"{name}.pools", f"none of {name}.pools has cards of NVIDIA")
        mine = bundle.part(SYSTEM)
        registered = self._registered(mine, args)
        home = Ref("Namespace", plugin.namespace)
        classes = named(bundle, "RuntimeClass.node.k8s.io")
        self.namespace = after(home.name, registered[home])
        self.version = after(plugin.version)
        self.resources = after(offered(plan, SYSTEM))
        self.runtime_class = after(classes[0] if classes else None)
        self.node_labels = after(node_labels(mine.asks))
        self.prerequisites = after(todo(bundle.prerequisites))
        self._finish()
