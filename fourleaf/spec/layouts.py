"""The layouts that nodes have now: a file that `compile` writes, and that the next compile reads where a pool names it as `present`."""

from typing import Literal

from pydantic import Field

from fourleaf.spec.pools import MigLayouts
from fourleaf.spec.record import Items, Name, NodeName, Record


class PresentLayouts(Record):
    name: Name = Field(description="Name of the pool.", examples=["gpu"])
    nodes: Items[NodeName] = Field(
        default=(), description="Those of its nodes that are cut so; by default all of them.", examples=[["gpu-1", "gpu-2"]]
    )
    layouts: Items[MigLayouts] = Field(
        min_length=1,
        description="How the cards of each of these nodes are cut; a card in no layout is whole.",
        examples=[[{"gpus": [0, 1], "layout": {"3g.40gb": 2}}, {"gpus": [2, 3], "layout": "none"}]],
    )


class LayoutsPart(Record):
    pools: Items[PresentLayouts] = Field(
        default=(),
        description="Layouts by pool; a pool whose nodes differ is there several times.",
        examples=[[{"name": "gpu", "nodes": ["gpu-1"], "layouts": [{"gpus": [0], "layout": {"1g.10gb": 7}}]}]],
    )


class LayoutsFile(Record):
    """Layouts that nodes have now, named as `present` of a pool's computed layout."""

    api_version: Literal["fourleaf.dev/v1"] = Field(alias="apiVersion", description="Version of the language.")
    kind: Literal["Layouts"] = Field(description="What the file holds.")
    spec: LayoutsPart = Field(description="The layouts.")
