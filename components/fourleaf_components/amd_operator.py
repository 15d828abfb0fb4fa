"""AMD's GPU Operator as a component, with the modes of the cards that it partitions.

New modes are a new ConfigMap, then one changed value of the pool's DeviceConfig, then the end of the old ConfigMap.
"""

from typing import Optional

import pulumi

from fourleaf.ir import Ref
from fourleaf_components.args import AmdOperatorArgs, Prerequisite
from fourleaf_components.component import Component, after, node_labels, offered, standing, todo, with_needs

SYSTEM = "amd-gpu-operator"
MODES = "device-config-manager"


class AmdOperator(Component):
    """AMD's GPU Operator, and node-feature-discovery, which it needs: the device plugin, and cards partitioned by modes."""

    namespace: pulumi.Output[str]
    """Namespace of the operator."""
    version: pulumi.Output[str]
    """Version of the operator's chart."""
    resources: pulumi.Output[list[str]]
    """Names of what pods can ask for: amd.com/gpu, and those of parts, amd.com/cpx_nps4."""
    node_labels: pulumi.Output[dict[str, dict[str, str]]]
    """Labels that the nodes get, by pool."""
    prerequisites: pulumi.Output[list[Prerequisite]]
    """What a person must see to."""

    def __init__(self, name: str, args: AmdOperatorArgs, opts: Optional[pulumi.ResourceOptions] = None) -> None:
        super().__init__(name, opts)
        bundle, plan = self._whole(self._compiled(args, AmdOperatorArgs, SYSTEM))
        operator = standing(plan, SYSTEM)
        if operator is None:
            self._refuse(f"{name}.pools", f"none of {name}.pools is partitioned by modes: AmdPlugin is enough for whole cards")
        mine = bundle.part(*with_needs(SYSTEM), MODES)
        registered = self._registered(mine, args)
        home = Ref("Namespace", operator.namespace)
        self.namespace = after(home.name, registered[home])
        self.version = after(operator.version)
        self.resources = after(offered(plan, SYSTEM))
        self.node_labels = after(node_labels(bundle.asks))
        self.prerequisites = after(todo(bundle.prerequisites))
        self._finish()
