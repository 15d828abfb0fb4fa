"""The Pulumi program: what a stack's cluster spec becomes, in the cluster that kubectl would talk to."""

import pulumi
from fourleaf_components import Cluster, provider

name = pulumi.get_stack()
config = pulumi.Config()
cluster = Cluster(
    name,
    {"spec": config.require("spec"), "skip_await": config.require_bool("skipAwait")},
    pulumi.ResourceOptions(providers={"kubernetes": provider(name)}),
)
for output in ("leaf", "leaf_name", "resources", "namespaces", "queues", "prerequisites"):
    pulumi.export(output, getattr(cluster, output))
