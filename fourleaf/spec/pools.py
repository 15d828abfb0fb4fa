"""Pools: nodes that are alike, their cards, and how those are driven, cut and shared."""

from typing import Annotated, Literal

from pydantic import Field, Tag

from fourleaf.spec import fields
from fourleaf.spec.record import (
    BY_FORM,
    FIELDS,
    WORD,
    Choice,
    Count,
    Items,
    LabelKey,
    LabelValue,
    Layout,
    Memory,
    Name,
    NodeName,
    Record,
    Text,
)


class PoolGpu(Record):
    card: Text = Field(
        description="Model, in lower-case kebab, with the memory where models differ by it; or an alias of the catalogue.",
        examples=["h100-80gb", "rtx-5070-ti", "arc-meteor-lake"],
    )
    count: int = Field(default=1, ge=1, le=256, description="Cards of this model in each node; 256 at most.", examples=[8])


class Taint(Record):
    key: LabelKey = Field(description="Key of the taint.", examples=["nvidia.com/gpu"])
    value: LabelValue = Field(default="", description="Value of the taint; none by default.", examples=["present"])
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] = Field(
        description="What it does to pods that do not tolerate it.", examples=["NoSchedule"]
    )


class Driver(Record):
    version: Annotated[str, Field(pattern=fields.DRIVER.pattern)] = Field(
        default="", description="Version of the kernel driver that the operator installs; by default its own.", examples=["580.173.02"]
    )
    kernel_modules: Literal["auto", "open", "proprietary"] = Field(
        default="auto",
        alias="kernelModules",
        description="Flavour of the kernel modules; by default what the cards need.",
        examples=["open"],
    )


class Sharing(Record):
    replicas: int = Field(ge=2, description="Pods that share one card (or one MIG slice).", examples=[4])


class MigLayouts(Record):
    gpus: Items[Annotated[int, Field(ge=0)]] = Field(min_length=1, description="Cards of a node, by index from 0.", examples=[[0, 1]])
    layout: Layout = Field(description="How each of these cards is cut.", examples=[{"3g.40gb": 2}, "none"])


class MigAuto(Record):
    headroom: Annotated[str, Field(pattern=fields.PERCENT.pattern)] = Field(
        default="0%",
        description="Slices of each kind to have beyond what the workloads ask for, as a percentage; rounded up to whole slices.",
        examples=["10%"],
    )
    present: Text = Field(
        default="",
        description="File with the layout that the nodes have now, relative to the spec; it is kept where it can be.",
        examples=["layouts.yaml"],
    )
    cost: Count = Field(
        default=1,
        description="What one card costs beside those of other pools, in any unit: the layouts that cost least are taken.",
        examples=[3],
    )


class Mig(Choice):
    one_of = ("profile", "layout", "layouts", "auto")

    profile: Text = Field(default="", description="Every card is cut into as many of this profile as it holds.", examples=["1g.10gb"])
    layout: Layout | None = Field(default=None, description="Every card is cut alike.", examples=[{"3g.40gb": 2}])
    layouts: Items[MigLayouts] = Field(
        default=(),
        description="Cards of a node are cut differently.",
        examples=[[{"gpus": [0, 1], "layout": {"3g.40gb": 2}}, {"gpus": [2, 3], "layout": "none"}]],
    )
    auto: MigAuto | None = Field(
        default=None, description="Computed from the workloads, with these wishes.", examples=[{"headroom": "10%"}]
    )
    time_slicing: Sharing | None = Field(
        default=None,
        alias="timeSlicing",
        description="Pods take turns on each slice, without limits of memory within it. Cards that stay whole are not shared.",
        examples=[{"replicas": 4}],
    )


class Partition(Choice):
    one_of = ("mig", "time_slicing", "mps", "modes")
    within = ("time_slicing", "mig")

    mig: Annotated[Annotated[Literal["auto"], Tag(WORD)] | Annotated[Mig, Tag(FIELDS)], BY_FORM] | None = Field(
        default=None,
        description="Cards are cut into slices with memory of their own; auto computes the layout from the workloads.",
        examples=["auto", {"profile": "1g.10gb"}],
    )
    time_slicing: Sharing | None = Field(
        default=None, alias="timeSlicing", description="Pods take turns on a card, without limits of memory.", examples=[{"replicas": 4}]
    )
    mps: Sharing | None = Field(
        default=None, description="Pods share a card through CUDA MPS, each with its part of the memory.", examples=[{"replicas": 8}]
    )
    modes: Annotated[Annotated[Text, Tag(WORD)] | Annotated[dict[str, Count], Tag(FIELDS)], BY_FORM] | None = Field(
        default=None,
        description="Compute and memory mode of AMD's cards: one for all cards of a node, or how many cards of a node have which.",
        examples=["cpx_nps4", {"spx_nps1": 5, "cpx_nps1": 3}],
    )


class Pool(Choice):
    one_of = ("nodes", "count")

    name: Name = Field(description="Name of the pool, a DNS label.", examples=["gpu"])
    nodes: Items[NodeName] = Field(
        default=(), description="Names of its nodes (metadata.name). Either this or count.", examples=[["gpu-1", "gpu-2"]]
    )
    count: int = Field(
        default=0,
        ge=1,
        le=200_000,
        description="Number of its nodes, where their names are not known; 200,000 at most. Either this or nodes.",
        examples=[8],
    )
    os: Text = Field(
        default="",
        description="Operating system, name-version; by default the one that the distribution implies.",
        examples=["talos-1.12", "ubuntu-24.04"],
    )
    gpus: Items[PoolGpu] = Field(
        default=(), description="Cards of each node; several entries for mixed cards.", examples=[[{"card": "h100-80gb", "count": 8}]]
    )
    memory: Memory = Field(default="", description="Memory of a node, with its unit; used by checks alone.", examples=["96Gi"])
    max_pods: int = Field(
        default=0,
        alias="maxPods",
        ge=1,
        description="Pods that a node runs at most (the kubelet's maxPods); by default what the distribution sets.",
        examples=[250],
    )
    labels: dict[LabelKey, LabelValue] = Field(
        default={},
        description="Labels that the nodes carry already. They are never applied.",
        examples=[{"node-role.example.org/gpu": "true"}],
    )
    taints: Items[Taint] = Field(
        default=(),
        description="Taints that the nodes carry already. They are never applied, and tolerated.",
        examples=[[{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]],
    )
    driver: Annotated[Annotated[Literal["auto", "host", "operator"], Tag(WORD)] | Annotated[Driver, Tag(FIELDS)], BY_FORM] = Field(
        default="auto",
        description="Who brings the kernel driver: the host, the operator, or what suits the host. A mapping pins the operator's driver.",
        examples=["host", {"version": "580.173.02", "kernelModules": "open"}],
    )
    partition: Annotated[Annotated[Literal["auto", "none"], Tag(WORD)] | Annotated[Partition, Tag(FIELDS)], BY_FORM] = Field(
        default="none",
        description="Whether cards are cut or shared.",
        examples=[
            "none",
            {"mig": {"profile": "1g.10gb"}},
            {"timeSlicing": {"replicas": 4}},
            {"modes": "cpx_nps4"},
            {"mig": {"profile": "1g.10gb", "timeSlicing": {"replicas": 4}}},
        ],
    )
