"""Volcano and the queues of tenants as a component."""

from typing import Optional

import pulumi

from fourleaf.ir import Ref
from fourleaf_components.args import Prerequisite, VolcanoQueuesArgs
from fourleaf_components.component import Component, after, standing, todo

SYSTEM = "volcano"
CORE = ""
"""Who makes what no system owns: the namespaces of tenants."""


class VolcanoQueues(Component):
    """Volcano with a queue for each tenant, the namespaces of tenants, and groups of pods that start together."""

    namespace: pulumi.Output[str]
    """Namespace of Volcano."""
    version: pulumi.Output[str]
    """Version of Volcano's chart."""
    scheduler: pulumi.Output[str]
    """`schedulerName` of pods that enter a queue."""
    queues: pulumi.Output[list[str]]
    """Names of the queues, parents before children."""
    namespaces: pulumi.Output[dict[str, str]]
    """Namespace of a tenant to its queue."""
    prerequisites: pulumi.Output[list[Prerequisite]]
    """What a person must see to."""

    def __init__(self, name: str, args: VolcanoQueuesArgs, opts: Optional[pulumi.ResourceOptions] = None) -> None:
        super().__init__(name, opts)
        made = self._compiled(args, VolcanoQueuesArgs, SYSTEM, {"policy": {"scheduler": SYSTEM}})
        bundle, plan = self._whole(made)
        volcano = standing(plan, SYSTEM)
        if volcano is None:
            self._refuse(f"{name}.pools", f"none of {name}.pools has cards that pods could queue for")
        mine = bundle.part(CORE, SYSTEM)
        registered = self._registered(mine, args)
        home = Ref("Namespace", volcano.namespace)
        queues = [registered[part.ref] for part in mine.objects if part.kind == "Queue"]
        spaces = {space: queue.name for queue in plan.queues for space in queue.namespaces}
        self.namespace = after(home.name, registered[home])
        self.version = after(volcano.version)
        self.scheduler = after(SYSTEM)
        self.queues = after([queue.name for queue in plan.queues], *queues)
        self.namespaces = after(spaces, *(registered.get(Ref("Namespace", space)) for space in spaces))
        self.prerequisites = after(todo(bundle.prerequisites))
        self._finish()
