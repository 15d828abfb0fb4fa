"""What each component takes: pieces of the language, and outputs of others.

No `from __future__ import annotations` here, see `language`.
"""

from typing import Any, NotRequired, TypedDict

import pulumi

from fourleaf_components.language import Exclusive, Kubernetes, Pin, Policy, Pool, Tenant, Workload


class Prerequisite(TypedDict):
    """What a person must see to, since nothing here can apply it."""

    what: str
    """What must be there."""
    command: NotRequired[str]
    """The exact command, where one command does it."""
    text: NotRequired[str]
    """What to do, where no command does it."""


class NvidiaOperatorArgs(TypedDict):
    """What NvidiaOperator takes."""

    kubernetes: Kubernetes
    """The Kubernetes that is there."""
    pools: list[Pool]
    """Nodes that are alike. Those without cards of NVIDIA count for nothing."""
    workloads: NotRequired[list[Workload]]
    """What asks for GPUs: needed where a layout of MIG is computed from it."""
    mig_config: NotRequired[pulumi.Input[str]]
    """Name of the ConfigMap with the layouts: `config_name` of a MigLayout of the same pools. Needed where a pool is cut by MIG."""
    namespace: NotRequired[pulumi.Input[str]]
    """The operator's namespace where something else makes it: `namespace` of a MigLayout. Without it, it is made here."""
    allocation: NotRequired[str]
    """How cards are given to pods: auto (the default), device-plugin, or dra, with a NvidiaDra of the same pools beside it."""
    version: NotRequired[str]
    """Version of the operator's chart instead of the catalogue's."""
    values: NotRequired[dict[str, Any]]
    """Raw values of the operator's chart, merged last."""
    skip_await: NotRequired[bool]
    """Do not wait until what is registered is ready; false by default."""


class NvidiaDraArgs(TypedDict):
    """What NvidiaDra takes."""

    kubernetes: Kubernetes
    """The Kubernetes that is there."""
    pools: list[Pool]
    """Nodes that are alike. Those without cards of NVIDIA count for nothing."""
    operator: pulumi.Input[str]
    """`release` of the NvidiaOperator below it, which has the same pools and `allocation` dra."""
    workloads: NotRequired[list[Workload]]
    """What asks for GPUs: each workload gets a template of its claims, in its namespace, which must be there."""
    version: NotRequired[str]
    """Version of the driver's chart instead of the catalogue's."""
    values: NotRequired[dict[str, Any]]
    """Raw values of the driver's chart, merged last."""
    skip_await: NotRequired[bool]
    """Do not wait until what is registered is ready; false by default."""


class NvidiaDevicePluginArgs(TypedDict):
    """What NvidiaDevicePlugin takes."""

    kubernetes: Kubernetes
    """The Kubernetes that is there."""
    pools: list[Pool]
    """Nodes that are alike. Those without cards of NVIDIA count for nothing."""
    version: NotRequired[str]
    """Version of the device plugin instead of the catalogue's."""
    skip_await: NotRequired[bool]
    """Do not wait until what is registered is ready; false by default."""


class IntelDraArgs(TypedDict):
    """What IntelDra takes."""

    kubernetes: Kubernetes
    """The Kubernetes that is there."""
    pools: list[Pool]
    """Nodes that are alike. Those without cards of Intel count for nothing."""
    workloads: NotRequired[list[Workload]]
    """What asks for GPUs: each workload on cards of Intel gets a template of its claims, in its namespace, which must be there."""
    version: NotRequired[str]
    """Version of the driver's chart instead of the catalogue's."""
    values: NotRequired[dict[str, Any]]
    """Raw values of the driver's chart, merged last."""
    skip_await: NotRequired[bool]
    """Do not wait until what is registered is ready; false by default."""


class AmdPluginArgs(TypedDict):
    """What AmdPlugin takes."""

    kubernetes: Kubernetes
    """The Kubernetes that is there."""
    pools: list[Pool]
    """Nodes that are alike. Those without cards of AMD count for nothing."""
    version: NotRequired[str]
    """Version of the device plugin instead of the catalogue's."""
    skip_await: NotRequired[bool]
    """Do not wait until what is registered is ready; false by default."""


class AmdOperatorArgs(TypedDict):
    """What AmdOperator takes."""

    kubernetes: Kubernetes
    """The Kubernetes that is there."""
    pools: list[Pool]
    """Nodes that are alike. Those without cards of AMD count for nothing; the cards of at least one are partitioned by modes."""
    version: NotRequired[str]
    """Version of the operator's chart instead of the catalogue's."""
    values: NotRequired[dict[str, Any]]
    """Raw values of the operator's chart, merged last."""
    skip_await: NotRequired[bool]
    """Do not wait until what is registered is ready; false by default."""


class MigLayoutArgs(TypedDict):
    """What MigLayout takes."""

    kubernetes: Kubernetes
    """The Kubernetes that is there."""
    pools: list[Pool]
    """Nodes that are alike. At least one is cut by MIG."""
    workloads: NotRequired[list[Workload]]
    """What asks for GPUs: a layout can be computed from it."""
    namespace: NotRequired[pulumi.Input[str]]
    """The operator's namespace where something else makes it. Without it, it is made here."""


class VolcanoQueuesArgs(TypedDict):
    """What VolcanoQueues takes."""

    kubernetes: Kubernetes
    """The Kubernetes that is there."""
    pools: list[Pool]
    """Nodes that are alike: what queues count, and what is packed, follows from their cards."""
    tenants: NotRequired[list[Tenant]]
    """Who shares the cluster: a tree. Each becomes a queue; their namespaces are made here."""
    workloads: NotRequired[list[Workload]]
    """What asks for GPUs: checked against queues and pools."""
    version: NotRequired[str]
    """Version of Volcano's chart instead of the catalogue's."""
    values: NotRequired[dict[str, Any]]
    """Raw values of Volcano's chart, merged last."""
    skip_await: NotRequired[bool]
    """Do not wait until what is registered is ready; false by default."""


class ClusterArgs(TypedDict):
    """What Cluster takes: the path of a spec, or its parts."""

    spec: NotRequired[str]
    """Path of a cluster spec, relative to the folder of the program. Then the parts below stay away."""
    kubernetes: NotRequired[Kubernetes]
    """The Kubernetes that is there."""
    pools: NotRequired[list[Pool]]
    """Nodes that are alike."""
    tenants: NotRequired[list[Tenant]]
    """Who shares the cluster: a tree."""
    workloads: NotRequired[list[Workload]]
    """What asks for GPUs."""
    exclusive: NotRequired[list[Exclusive]]
    """Workloads that take turns on a card."""
    policy: NotRequired[Policy]
    """What to insist on, and what to accept."""
    stack: NotRequired[dict[str, Pin]]
    """Versions and raw chart values, by component of the catalogue."""
    skip_await: NotRequired[bool]
    """Do not wait until what is registered is ready; false by default."""
