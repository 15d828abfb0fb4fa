"""The MIG layouts of pools as a component.

A new layout is a new ConfigMap, then one changed value of the operator's chart, then the end of the old ConfigMap.
"""

from typing import Optional

import pulumi
from msgspec.structs import replace

from fourleaf.ir import Ref
from fourleaf_components.args import MigLayoutArgs, Prerequisite
from fourleaf_components.component import Component, after, node_labels, todo

SYSTEM = "mig"


class MigLayout(Component):
    """How the cards of pools are cut by MIG: a ConfigMap whose name follows from its content, which NvidiaOperator takes."""

    namespace: pulumi.Output[str]
    """Namespace of the ConfigMap: the operator's."""
    config_name: pulumi.Output[str]
    """Name of the ConfigMap, for `mig_config` of NvidiaOperator."""
    resources: pulumi.Output[list[str]]
    """Names of the slices that pods can ask for: nvidia.com/mig-1g.10gb, or nvidia.com/mig-1g.10gb.shared where pods share them."""
    node_labels: pulumi.Output[dict[str, dict[str, str]]]
    """Labels that choose the layout of a node, by pool; NvidiaOperator of the same pools sets them."""
    prerequisites: pulumi.Output[list[Prerequisite]]
    """What a person must see to."""

    def __init__(self, name: str, args: MigLayoutArgs, opts: Optional[pulumi.ResourceOptions] = None) -> None:
        super().__init__(name, opts)
        bundle, plan = self._whole(self._compiled(args, MigLayoutArgs))
        layouts = next((part for part in bundle.objects if part.by == SYSTEM), None)
        if layouts is None:
            self._refuse(f"{name}.pools", f"none of {name}.pools is cut by MIG: write `partition: {{mig: ...}}` in one of them")
        home = Ref("Namespace", layouts.namespace)
        space = args.get("namespace")
        given = {} if space is None else {home: self._given("namespace", space, home.name)}
        mine = bundle.part(SYSTEM)
        # The operator's namespace must be there first, and the operator waits for the layouts.
        spaces = tuple(part for part in bundle.objects if part.ref == home)
        registered = self._registered(replace(mine, objects=(*spaces, *mine.objects)), args, given)
        self.namespace = given.get(home) or after(home.name, registered[home])
        self.config_name = after(layouts.name, registered[layouts.ref])
        self.resources = after(sorted({supply.resource.name for supply in plan.supplies if supply.profile}))
        self.node_labels = after(node_labels(mine.asks))
        self.prerequisites = after(todo(bundle.prerequisites))
        self._finish()
