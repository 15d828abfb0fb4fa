"""What a spec may hold: its fields, their types, defaults and meaning. The JSON Schema for editors is made from these."""

from typing import Annotated, Any, Literal

from pydantic import Field

from fourleaf.spec import fields
from fourleaf.spec.pools import Pool
from fourleaf.spec.record import Choice, Count, Items, Memory, Name, Record, Text


class Metadata(Record):
    name: Name = Field(description="Name of the cluster, a DNS label. Names of what is made carry it.", examples=["homelab"])


class Kubernetes(Record):
    version: Annotated[str, Field(pattern=fields.KUBERNETES.pattern)] = Field(
        description="Version of the API server, minor or patch. In quotes: without them YAML reads 1.30 as the number 1.3.",
        examples=["1.35", "1.35.2"],
    )
    distribution: Text = Field(default="kubeadm", description="How Kubernetes is installed.", examples=["talos", "kubeadm", "k3s"])
    feature_gates: dict[Annotated[str, Field(pattern=fields.GATE.pattern)], bool] = Field(
        default={},
        alias="featureGates",
        description="Feature gates that differ from the defaults of the version: facts about the cluster that the compiler cannot know.",
        examples=[{"DRAPartitionableDevices": True}],
    )


class Cards(Record):
    gpu: int = Field(ge=0, description="Whole cards.", examples=[8])


class Quota(Record):
    guaranteed: Cards | None = Field(
        default=None, description="Held back for the tenant, whether it uses them or not.", examples=[{"gpu": 4}]
    )
    deserved: Cards | None = Field(
        default=None, description="The tenant's fair share: it gets so many back from those who borrowed them.", examples=[{"gpu": 6}]
    )
    limit: Cards | None = Field(default=None, description="The most that it can have, borrowed ones included.", examples=[{"gpu": 8}])


class Tenant(Record):
    name: Name = Field(description="Name of the tenant, a DNS label.", examples=["vision"])
    parent: Name = Field(default="", description="The tenant above it; by default it is a child of the cluster.", examples=["science"])
    namespaces: Items[Name] = Field(
        default=(), description="Its namespaces; a tenant without children gets one of its own name by default.", examples=[["vision"]]
    )
    quota: Quota = Field(
        default=Quota.model_construct(), description="Amounts of whole cards.", examples=[{"guaranteed": {"gpu": 4}, "limit": {"gpu": 8}}]
    )
    weight: Count = Field(default=1, description="Its part of what is free, against its siblings.", examples=[2])


class GpuAsk(Choice):
    one_of = ("vendor", "card", "mig", "modes", "memory", "fraction")

    vendor: Text = Field(default="", description="Whole cards of a vendor.", examples=["nvidia"])
    card: Text = Field(default="", description="Whole cards of a model.", examples=["h100-80gb"])
    mig: Text = Field(default="", description="MIG slices of a profile, or of a family of profiles.", examples=["1g.10gb", "1g"])
    modes: Text = Field(default="", description="Parts of AMD's cards in a compute and memory mode.", examples=["cpx_nps4"])
    memory: Memory = Field(default="", description="Anything with so much memory of a card, with its unit.", examples=["20Gi"])
    fraction: float = Field(default=0.0, gt=0, lt=1, description="A part of a card, between 0 and 1.", examples=[0.25])
    count: Count = Field(default=1, description="How many of them, per pod.", examples=[1])


class Gang(Record):
    size: Count = Field(description="Pods that start together or not at all.", examples=[4])


class ContainerMemory(Record):
    limit: Memory = Field(default="", description="Limit of the container's memory, with its unit.", examples=["64Gi"])
    resident: Memory = Field(default="", description="What stays in memory: weights and page cache, with its unit.", examples=["48Gi"])


class Workload(Record):
    name: Name = Field(description="Name of the workload, a DNS label.", examples=["ollama"])
    namespace: Name = Field(default="", description="Its namespace; by default the only one of its tenant.", examples=["ollama"])
    tenant: Name = Field(default="", description="Its tenant; by default the one that its namespace belongs to.", examples=["vision"])
    kind: Text = Field(
        default="Deployment", description="Deployment, StatefulSet, Job, CronJob, DaemonSet, Pod, or a trainer's kind.", examples=["Job"]
    )
    replicas: Count = Field(default=1, description="Its pods.", examples=[1])
    gpu: GpuAsk = Field(description="What each pod asks for.", examples=[{"vendor": "nvidia", "count": 1}])
    gang: Gang | None = Field(default=None, description="Pods that start together or not at all.", examples=[{"size": 4}])
    memory: ContainerMemory = Field(
        default=ContainerMemory.model_construct(), description="Memory of its container, for checks.", examples=[{"limit": "64Gi"}]
    )
    manifests: Items[Text] = Field(
        default=(), description="Existing manifests to bind, relative to the spec.", examples=[["apps/ollama.yaml"]]
    )


class Exclusive(Record):
    name: Name = Field(description="Name of the group, a DNS label.", examples=["studio"])
    pool: Name = Field(description="The pool with the card that they share.", examples=["gpu"])
    members: Items[Name] = Field(min_length=1, description="Names of the workloads that take turns.", examples=[["ollama", "comfyui"]])
    active: Name = Field(default="", description="The member that has the card now; by default the first.", examples=["ollama"])


class Allow(Record):
    code: Annotated[str, Field(pattern=fields.CODE.pattern)] = Field(description="Code of the diagnostic.", examples=["FL412"])
    at: str = Field(
        default="",
        description="Where it is accepted, a path below spec with names for list items; by default everywhere.",
        examples=["pools.gpu"],
    )
    reason: Text = Field(
        description="Why it is accepted, for those who read the spec later.", examples=["the taint is set by the autoscaler"]
    )


class Policy(Record):
    leaf: Literal["auto", "bare-plugin", "mixed-vendors", "partitioned", "queued"] = Field(
        default="auto", description="Leaf of the decision tree to insist on.", examples=["queued"]
    )
    scheduler: Text = Field(default="auto", description="Scheduler to insist on.", examples=["volcano", "default"])
    allocation: Literal["auto", "device-plugin", "dra"] = Field(
        default="auto", description="How cards are given to pods.", examples=["dra"]
    )
    create_namespaces: bool = Field(
        default=False,
        alias="createNamespaces",
        description="Create also the namespaces of workloads that belong to no tenant.",
        examples=[True],
    )
    allow: Items[Allow] = Field(
        default=(),
        description="Diagnostics that the author accepts.",
        examples=[[{"code": "FL412", "at": "pools.gpu", "reason": "set by the autoscaler"}]],
    )


class Pin(Record):
    version: Annotated[str, Field(pattern=fields.CHART.pattern)] = Field(
        default="", description="Version to install instead of the catalogue's.", examples=["v26.7.0"]
    )
    values: dict[str, Any] = Field(
        default={}, description="Raw values of the chart, merged last.", examples=[{"dcgmExporter": {"enabled": True}}]
    )


class Flux(Record):
    repo_url: Text = Field(
        default="",
        alias="repoURL",
        description="Repository that the compiled tree is committed to.",
        examples=["https://example.org/infra.git"],
    )
    revision: Text = Field(default="main", description="Branch, tag or commit.", examples=["main"])
    path: str = Field(default="", description="Folder of the compiled tree in the repository.", examples=["clusters/homelab"])


class ArgoCd(Flux):
    project: Text = Field(default="default", description="Project of the Applications.", examples=["gpu"])


class Delivery(Record):
    target: Literal["argocd", "flux", "kustomize", "plain"] = Field(
        default="kustomize", description="Form of the compiled tree.", examples=["argocd"]
    )
    argocd: ArgoCd = Field(
        default=ArgoCd.model_construct(), description="For target argocd.", examples=[{"repoURL": "https://example.org/infra.git"}]
    )
    flux: Flux = Field(
        default=Flux.model_construct(), description="For target flux.", examples=[{"repoURL": "https://example.org/infra.git"}]
    )


class ClusterSpec(Record):
    kubernetes: Kubernetes = Field(description="The Kubernetes that is there.", examples=[{"version": "1.35", "distribution": "talos"}])
    pools: Items[Pool] = Field(
        min_length=1,
        description="Nodes that are alike.",
        examples=[[{"name": "gpu", "count": 8, "gpus": [{"card": "h100-80gb", "count": 8}]}]],
    )
    tenants: Items[Tenant] = Field(
        default=(), description="Who shares the cluster: a tree.", examples=[[{"name": "vision", "quota": {"limit": {"gpu": 8}}}]]
    )
    workloads: Items[Workload] = Field(
        default=(), description="What asks for GPUs.", examples=[[{"name": "ollama", "gpu": {"vendor": "nvidia"}}]]
    )
    exclusive: Items[Exclusive] = Field(
        default=(),
        description="Workloads that take turns on a card.",
        examples=[[{"name": "studio", "pool": "gpu", "members": ["ollama", "comfyui"]}]],
    )
    policy: Policy = Field(
        default=Policy.model_construct(), description="What to insist on, and what to accept.", examples=[{"scheduler": "volcano"}]
    )
    stack: dict[str, Pin] = Field(
        default={}, description="Pins and raw values, by component.", examples=[{"gpu-operator": {"version": "v26.7.0"}}]
    )
    delivery: Delivery = Field(
        default=Delivery.model_construct(), description="How the compiled tree reaches the cluster.", examples=[{"target": "argocd"}]
    )
    include: Items[Text] = Field(
        default=(),
        description="Files with further tenants or workloads (kind: Tenants, kind: Workloads), relative to the spec.",
        examples=[["tenants.yaml"]],
    )


class TenantsPart(Record):
    tenants: Items[Tenant] = Field(min_length=1, description="Further tenants of the cluster.", examples=[[{"name": "vision"}]])


class WorkloadsPart(Record):
    workloads: Items[Workload] = Field(
        min_length=1, description="Further workloads of the cluster.", examples=[[{"name": "ollama", "gpu": {"vendor": "nvidia"}}]]
    )


class TenantsFile(Record):
    """Tenants that stand in a file of their own, named in `spec.include` of a cluster."""

    api_version: Literal["fourleaf.dev/v1"] = Field(alias="apiVersion", description="Version of the language.")
    kind: Literal["Tenants"] = Field(description="What the file holds.")
    spec: TenantsPart = Field(description="The tenants.")


class WorkloadsFile(Record):
    """Workloads that stand in a file of their own, named in `spec.include` of a cluster."""

    api_version: Literal["fourleaf.dev/v1"] = Field(alias="apiVersion", description="Version of the language.")
    kind: Literal["Workloads"] = Field(description="What the file holds.")
    spec: WorkloadsPart = Field(description="The workloads.")


class Spec(Record):
    """A cluster, as its author wrote it."""

    api_version: Literal["fourleaf.dev/v1"] = Field(alias="apiVersion", description="Version of the language.")
    kind: Literal["Cluster"] = Field(description="What the file holds.")
    metadata: Metadata = Field(description="Name of the cluster.", examples=[{"name": "homelab"}])
    spec: ClusterSpec = Field(description="The cluster.")
