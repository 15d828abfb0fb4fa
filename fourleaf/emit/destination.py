"""Where a set goes, and how a route is written: what emitters share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from fourleaf.emit.manifest import shape
from fourleaf.emit.order import Folder
from fourleaf.ir import Plan, Value
from fourleaf.kube import Version

if TYPE_CHECKING:
    from fourleaf.resolve.inventory import Delivery

Files: TypeAlias = dict[str, str]
"""Path below the output folder, with `/`, to text."""


class Destination(Struct, frozen=True, kw_only=True):
    """The cluster that a set is for."""

    name: str
    """Of the cluster."""
    kubernetes: Version
    title: str
    """What the set is, in a line: "L3 partitioned: GPU Operator with MIG"."""
    delivery: Delivery
    plan: Plan | None = None
    """For the README: which workloads take turns on a card."""
    ignore: Mapping[str, Sequence[Mapping[str, Value]]] = {}
    """Name of a chart to Argo CD's `ignoreDifferences` for what the cluster itself changes in it. Narrow: never a whole spec."""


class Emitter(Struct, frozen=True, kw_only=True):
    """One route to a cluster."""

    files: Callable[[Sequence[Folder], Destination], Files]
    route: Callable[[Sequence[Folder], Destination], str]
    """The part of the README that tells how the files reach the cluster, in Markdown."""


def object_files(folders: Sequence[Folder]) -> Iterator[tuple[str, str]]:
    """Yield (path, text) of every object: one file each."""
    from fourleaf.emit.yaml_text import dump

    for folder in folders:
        for name, made in folder.objects:
            yield f"{folder.name}/{name}.yaml", dump(shape(made))


def values_files(folders: Sequence[Folder]) -> Iterator[tuple[str, str]]:
    """Yield (path, text) of every chart's values."""
    from fourleaf.emit.yaml_text import dump

    for folder in folders:
        for name, _, chart in folder.charts:
            yield f"{folder.name}/{name}/values.yaml", dump(chart.values)
