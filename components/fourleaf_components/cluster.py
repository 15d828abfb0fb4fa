"""A whole cluster spec as a component."""

from typing import Any, Optional

import pulumi

from fourleaf.emit.binding import patch
from fourleaf.emit.manifest import plain
from fourleaf.reading import compiled
from fourleaf_components.args import ClusterArgs, Prerequisite
from fourleaf_components.component import SECTIONS, Component, after, todo


class Cluster(Component):
    """Everything that a cluster spec becomes: the same objects as those of its other routes, and each chart as a release."""

    leaf: pulumi.Output[str]
    """Leaf of the decision tree: L1 to L4."""
    leaf_name: pulumi.Output[str]
    """Name of the leaf: bare-plugin, mixed-vendors, partitioned or queued."""
    resources: pulumi.Output[list[str]]
    """Names of what pods can ask for, and DeviceClasses of what they can claim."""
    namespaces: pulumi.Output[list[str]]
    """Namespaces that are made."""
    queues: pulumi.Output[list[str]]
    """Names of the tenants' queues, parents before children."""
    bindings: pulumi.Output[dict[str, Any]]
    """Workload, `namespace/name`, to the patch that its own manifest needs."""
    prerequisites: pulumi.Output[list[Prerequisite]]
    """What a person must see to."""

    def __init__(self, name: str, args: ClusterArgs, opts: Optional[pulumi.ResourceOptions] = None) -> None:
        super().__init__(name, opts)
        parts = [section for section in SECTIONS if section in args]
        if "spec" in args and parts:
            self._refuse(f"{name}.{parts[0]}", f"{name} has both spec and {parts[0]}: keep the path, or the parts")
        if "spec" in args:
            path: object = args["spec"]
            if not isinstance(path, str):
                self._refuse(f"{name}.spec", f"{name}.spec is no text while the program runs: write the path of a cluster spec")
            made = self._judged(compiled(path, target="plain"), None)
        else:
            made = self._compiled(args, ClusterArgs)
        bundle, plan = self._whole(made)
        registered = self._registered(bundle, args)
        spaces = {part.name: registered[part.ref] for part in bundle.objects if part.kind == "Namespace"}
        queues = [registered[part.ref] for part in bundle.objects if part.kind == "Queue"]
        self.leaf = after(made.decision.leaf if made.decision else "")
        self.leaf_name = after(made.decision.name if made.decision else "")
        self.resources = after([resource.name for resource in plan.resources()])
        self.namespaces = after([*spaces], *spaces.values())
        self.queues = after([queue.name for queue in plan.queues], *queues)
        self.bindings = after({f"{one.namespace}/{one.name}": plain(patch(one)) for one in bundle.bindings})
        self.prerequisites = after(todo(bundle.prerequisites))
        self._finish()
