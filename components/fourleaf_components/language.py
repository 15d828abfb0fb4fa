"""Pieces of the spec language as types, in snake_case.

Fields mean what the field of the same name in a cluster spec means (`fourleaf schema`), and are checked by the same rules. What the spec
says by one word of several forms has a field of its own here, since types of Pulumi have one form: the owner of a driver, and cards that
stay whole (no `partition`, no `layout`).

Pulumi reads these types at run time and understands no others than these: no unions, no literals, and no
`from __future__ import annotations`, which would turn them into texts.
"""

from typing import Any, NotRequired, TypedDict


class Kubernetes(TypedDict):
    """The Kubernetes that is there."""

    version: str
    """Version of the API server, minor or patch: "1.35" or "1.35.2"."""
    distribution: NotRequired[str]
    """How Kubernetes is installed: kubeadm (the default), talos, k3s, ..."""
    feature_gates: NotRequired[dict[str, bool]]
    """Feature gates that differ from the defaults of the version."""


class Gpu(TypedDict):
    """Cards of one model in each node of a pool."""

    card: str
    """Model: h100-80gb, rtx-5070-ti, arc-meteor-lake."""
    count: NotRequired[int]
    """Cards of this model in each node; 1 by default."""


class Taint(TypedDict):
    """A taint that the nodes of a pool carry already."""

    key: str
    """Key of the taint."""
    value: NotRequired[str]
    """Value of the taint; none by default."""
    effect: str
    """NoSchedule, PreferNoSchedule or NoExecute."""


class Driver(TypedDict):
    """Who brings the kernel driver, or which one the operator brings."""

    owner: NotRequired[str]
    """auto (the default), host or operator. Either this or a version."""
    version: NotRequired[str]
    """Version of the driver that the operator installs: 580.173.02."""
    kernel_modules: NotRequired[str]
    """auto (the default), open or proprietary."""


class CutCards(TypedDict):
    """Some cards of a node, and how each of them is cut."""

    gpus: list[int]
    """The cards, by index from 0."""
    layout: NotRequired[dict[str, int]]
    """MIG profile to how many of it each card holds; without it the cards stay whole."""


class MigAuto(TypedDict):
    """Wishes for a layout that is computed from the workloads."""

    headroom: NotRequired[str]
    """Slices of each kind to have beyond what the workloads ask for, as a percentage: 10%."""
    cost: NotRequired[int]
    """What one card costs beside those of other pools, in any unit: the layouts that cost least are taken."""


class Sharing(TypedDict):
    """Pods that share a card, or a slice of one."""

    replicas: int
    """Pods on each, 2 or more."""


class Mig(TypedDict):
    """How the cards of a pool are cut: one of the first four fields."""

    profile: NotRequired[str]
    """Every card is cut into as many of this profile as it holds: 1g.10gb."""
    layout: NotRequired[dict[str, int]]
    """Every card is cut alike: MIG profile to how many of it a card holds."""
    layouts: NotRequired[list[CutCards]]
    """Cards of a node are cut differently; every card is named once."""
    auto: NotRequired[MigAuto]
    """The layout is computed from the workloads, with these wishes (or none: an empty mapping)."""
    time_slicing: NotRequired[Sharing]
    """Pods take turns on each slice, without limits of memory within it. Cards that stay whole are not shared."""


class Partition(TypedDict):
    """Whether cards are cut or shared. One of these fields."""

    mig: NotRequired[Mig]
    """Cards are cut into slices with memory of their own."""
    time_slicing: NotRequired[Sharing]
    """Pods take turns on a card, without limits of memory."""
    mps: NotRequired[Sharing]
    """Pods share a card through CUDA MPS, each with its part of the memory."""
    modes: NotRequired[dict[str, int]]
    """Compute and memory mode of AMD's cards to how many cards of a node have it: cpx_nps4, 8."""


class Pool(TypedDict):
    """Nodes that are alike. Either `nodes` or `count`."""

    name: str
    """Name of the pool, a DNS label."""
    nodes: NotRequired[list[str]]
    """Names of its nodes (metadata.name)."""
    count: NotRequired[int]
    """Number of its nodes, where their names are not known."""
    os: NotRequired[str]
    """Operating system, name-version: talos-1.12, ubuntu-24.04."""
    gpus: NotRequired[list[Gpu]]
    """Cards of each node; several entries for mixed cards."""
    memory: NotRequired[str]
    """Memory of a node, with its unit: 96Gi. Used by checks alone."""
    max_pods: NotRequired[int]
    """Pods that a node runs at most (the kubelet's maxPods); by default what the distribution sets."""
    labels: NotRequired[dict[str, str]]
    """Labels that the nodes carry already. They are never applied."""
    taints: NotRequired[list[Taint]]
    """Taints that the nodes carry already. They are never applied, and tolerated."""
    driver: NotRequired[Driver]
    """Who brings the kernel driver; by default what suits the host."""
    partition: NotRequired[Partition]
    """How cards are cut or shared; without it they stay whole."""


class Cards(TypedDict):
    """An amount of a quota."""

    gpu: int
    """Whole cards."""


class Quota(TypedDict):
    """What a tenant is promised, and what it may have at most."""

    guaranteed: NotRequired[Cards]
    """Held back for the tenant, whether it uses them or not."""
    deserved: NotRequired[Cards]
    """The tenant's fair share: it gets so many back from those who borrowed them."""
    limit: NotRequired[Cards]
    """The most that it can have, borrowed ones included."""


class Tenant(TypedDict):
    """Who shares the cluster."""

    name: str
    """Name of the tenant, a DNS label."""
    parent: NotRequired[str]
    """The tenant above it; by default it is a child of the cluster."""
    namespaces: NotRequired[list[str]]
    """Its namespaces; a tenant without children gets one of its own name by default."""
    quota: NotRequired[Quota]
    """Amounts of whole cards."""
    weight: NotRequired[int]
    """Its part of what is free, against its siblings; 1 by default."""


class GpuAsk(TypedDict):
    """What each pod of a workload asks for: one of vendor, card, mig, modes, memory and fraction."""

    vendor: NotRequired[str]
    """Whole cards of a vendor: nvidia."""
    card: NotRequired[str]
    """Whole cards of a model: h100-80gb."""
    mig: NotRequired[str]
    """MIG slices of a profile, or of a family of profiles: 1g.10gb, 1g."""
    modes: NotRequired[str]
    """Parts of AMD's cards in a compute and memory mode: cpx_nps4."""
    memory: NotRequired[str]
    """Anything with so much memory of a card, with its unit: 20Gi."""
    fraction: NotRequired[float]
    """A part of a card, between 0 and 1."""
    count: NotRequired[int]
    """How many of them, per pod; 1 by default."""


class Gang(TypedDict):
    """Pods that start together or not at all."""

    size: int
    """Number of pods."""


class ContainerMemory(TypedDict):
    """Memory of a workload's container, for checks."""

    limit: NotRequired[str]
    """Limit of the container's memory, with its unit: 64Gi."""
    resident: NotRequired[str]
    """What stays in memory, weights and page cache, with its unit: 48Gi."""


class Workload(TypedDict):
    """What asks for GPUs."""

    name: str
    """Name of the workload, a DNS label."""
    namespace: NotRequired[str]
    """Its namespace; by default the only one of its tenant."""
    tenant: NotRequired[str]
    """Its tenant; by default the one that its namespace belongs to."""
    kind: NotRequired[str]
    """Deployment (the default), StatefulSet, Job, CronJob, DaemonSet, Pod, or a trainer's kind."""
    replicas: NotRequired[int]
    """Its pods; 1 by default."""
    gpu: GpuAsk
    """What each pod asks for."""
    gang: NotRequired[Gang]
    """Pods that start together or not at all."""
    memory: NotRequired[ContainerMemory]
    """Memory of its container, for checks."""


class Exclusive(TypedDict):
    """Workloads that take turns on a card."""

    name: str
    """Name of the group, a DNS label."""
    pool: str
    """The pool with the card that they share."""
    members: list[str]
    """Names of the workloads that take turns."""
    active: NotRequired[str]
    """The member that has the card now; by default the first."""


class Allow(TypedDict):
    """A diagnostic that is accepted."""

    code: str
    """Code of the diagnostic: FL412."""
    at: NotRequired[str]
    """Where it is accepted, with names for list items: pools.gpu. By default everywhere."""
    reason: str
    """Why it is accepted, for those who read the program later."""


class Policy(TypedDict):
    """What to insist on, and what to accept."""

    leaf: NotRequired[str]
    """Leaf of the decision tree: auto (the default), bare-plugin, mixed-vendors, partitioned or queued."""
    scheduler: NotRequired[str]
    """Scheduler: auto (the default), default, volcano."""
    allocation: NotRequired[str]
    """How cards are given to pods: auto (the default), device-plugin or dra."""
    create_namespaces: NotRequired[bool]
    """Create also the namespaces of workloads that belong to no tenant; false by default."""
    allow: NotRequired[list[Allow]]
    """Diagnostics that are accepted."""


class Pin(TypedDict):
    """A version and raw values of a chart."""

    version: NotRequired[str]
    """Version to install instead of the catalogue's."""
    values: NotRequired[dict[str, Any]]
    """Raw values of the chart, merged last."""
