"""Intel's DRA driver as a component."""

from typing import Optional

import pulumi

from fourleaf.ir import Ref
from fourleaf_components.args import IntelDraArgs, Prerequisite
from fourleaf_components.component import Component, after, claim_templates, named, node_labels, standing, todo

SYSTEM = "intel-gpu-resource-driver"


class IntelDra(Component):
    """Intel's DRA driver: each GPU of a node is a device, which a pod claims by class and, where it matters, by model."""

    namespace: pulumi.Output[str]
    """Namespace of the driver."""
    version: pulumi.Output[str]
    """Version of the driver's chart."""
    device_classes: pulumi.Output[list[str]]
    """DeviceClasses that the driver brings."""
    claim_templates: pulumi.Output[dict[str, str]]
    """Workload, `namespace/name`, to the name of the ResourceClaimTemplate for its pods."""
    node_labels: pulumi.Output[dict[str, dict[str, str]]]
    """Labels that the nodes must carry, by pool; who sets them is among the prerequisites."""
    prerequisites: pulumi.Output[list[Prerequisite]]
    """What a person must see to."""

    def __init__(self, name: str, args: IntelDraArgs, opts: Optional[pulumi.ResourceOptions] = None) -> None:
        super().__init__(name, opts)
        bundle, plan = self._whole(self._compiled(args, IntelDraArgs, SYSTEM))
        driver = standing(plan, SYSTEM)
        if driver is None:
            self._refuse(f"{name}.pools", f"none of {name}.pools has cards of Intel")
        mine = bundle.part(SYSTEM)
        registered = self._registered(mine, args)
        home = Ref("Namespace", driver.namespace)
        templates = claim_templates(mine, bundle.bindings)
        self.namespace = after(home.name, registered[home])
        self.version = after(driver.version)
        self.device_classes = after(named(mine, "DeviceClass.resource.k8s.io"))
        self.claim_templates = after({who: ref.name for who, ref in templates.items()}, *(registered[ref] for ref in templates.values()))
        self.node_labels = after(node_labels(mine.asks))
        self.prerequisites = after(todo(bundle.prerequisites))
        self._finish()
