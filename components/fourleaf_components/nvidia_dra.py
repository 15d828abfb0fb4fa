"""NVIDIA's DRA driver as a component."""

from typing import Optional

import pulumi

from fourleaf.ir import Ref
from fourleaf_components.args import NvidiaDraArgs, Prerequisite
from fourleaf_components.component import Component, after, claim_templates, named, node_labels, standing, todo

SYSTEM = "dra-driver-nvidia-gpu"
OPERATOR = "gpu-operator"


class NvidiaDra(Component):
    """NVIDIA's DRA driver: cards and MIG slices of a node are devices, which pods claim. It stands on a NvidiaOperator."""

    namespace: pulumi.Output[str]
    """Namespace of the driver."""
    version: pulumi.Output[str]
    """Version of the driver's chart."""
    device_classes: pulumi.Output[list[str]]
    """DeviceClasses that the driver brings."""
    claim_templates: pulumi.Output[dict[str, str]]
    """Workload, `namespace/name`, to the name of the ResourceClaimTemplate for its pods."""
    node_labels: pulumi.Output[dict[str, dict[str, str]]]
    """Labels that the nodes must carry, by pool; NvidiaOperator of the same pools sets them."""
    prerequisites: pulumi.Output[list[Prerequisite]]
    """What a person must see to."""

    def __init__(self, name: str, args: NvidiaDraArgs, opts: Optional[pulumi.ResourceOptions] = None) -> None:
        super().__init__(name, opts)
        bundle, plan = self._whole(self._compiled(args, NvidiaDraArgs, SYSTEM, {"policy": {"allocation": "dra"}}))
        driver = standing(plan, SYSTEM)
        if driver is None:
            self._refuse(f"{name}.pools", f"none of {name}.pools has cards of NVIDIA")
        below = next(chart.ref for chart in bundle.charts if chart.by == OPERATOR)
        mine = bundle.part(SYSTEM)
        registered = self._registered(mine, args, {below: self._given("operator", args["operator"], below.name)})
        home = Ref("Namespace", driver.namespace)
        templates = claim_templates(mine, bundle.bindings)
        self.namespace = after(home.name, registered[home])
        self.version = after(driver.version)
        self.device_classes = after(named(mine, "DeviceClass.resource.k8s.io"))
        self.claim_templates = after({who: ref.name for who, ref in templates.items()}, *(registered[ref] for ref in templates.values()))
        self.node_labels = after(node_labels(mine.asks))
        self.prerequisites = after(todo(bundle.prerequisites))
        self._finish()
