"""What lowering makes: objects, charts, what systems ask of each other, and what a person must see to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from fourleaf.ir.values import Origin, Ref, Value
from fourleaf.kube import Toleration


class Prerequisite(Struct, frozen=True, kw_only=True):
    """What fourleaf cannot apply and a person must see to."""

    what: str
    command: str = ""
    """The exact command, where one command does it."""
    text: str = ""
    """A file or a paragraph to follow, where no command does it."""
    brings: Ref | None = None
    """The reference that it makes resolve."""
    origin: Origin


class Ask(Struct, frozen=True, kw_only=True):
    """What a system needs of another that it does not know: of the one below it on this pool that takes the topic."""

    topic: str
    value: Value
    pool: str = ""
    """Empty: on any pool."""
    otherwise: Prerequisite | None = None
    """What a person does when nothing takes it. Without this, an ask that nothing takes is an error."""
    origin: Origin
    by: str = ""
    to: str = ""


class Object(Struct, frozen=True, kw_only=True):
    """A Kubernetes object. `body` holds everything but apiVersion, kind and metadata's name, namespace, labels, annotations."""

    api_version: str
    kind: str
    name: str
    namespace: str = ""
    labels: Mapping[str, Value] = {}
    annotations: Mapping[str, Value] = {}
    body: Mapping[str, Value] = {}
    hashed: bool = False
    """The final name carries a hash of the body."""
    keep: bool = False
    """Deleting it would take others' things along: routes must not prune it."""
    origin: Origin
    by: str = ""

    @property
    def group(self) -> str:
        return self.api_version.rpartition("/")[0]

    @property
    def ref(self) -> Ref:
        return Ref(f"{self.kind}.{self.group}" if "." in self.group else self.kind, self.name, self.namespace)


class Provided(Struct, frozen=True, kw_only=True):
    """What a chart brings and nothing emits again."""

    ref: Ref
    api_version: str = ""
    """Of a definition: the served version."""
    body: Mapping[str, Value] = {}
    """What a stand-in for it must have, in a rehearsal, to do what it does."""


class Chart(Struct, frozen=True, kw_only=True):
    name: str
    """Of the chart in its repository."""
    release: str
    repository: str
    """https://..., or oci://... with the chart's name at its end left out."""
    version: str
    namespace: str
    values: Mapping[str, Value]
    relies: Mapping[str, Value] = {}
    """Values that the plan counts on and does not write, since the chart has them so."""
    definitions: bool = True
    """Whether its custom resource definitions come along; False where nothing needs them, or another chart has them."""
    provides: tuple[Provided, ...] = ()
    waits: tuple[str, ...] = ()
    """Commands that return once it is ready."""
    origin: Origin
    by: str = ""

    @property
    def ref(self) -> Ref:
        return Ref("Chart", self.release, self.namespace)


class Binding(Struct, frozen=True, kw_only=True):
    """What a workload's own manifest must carry: `labels`, `annotations` on itself, `pod_*` on its pods."""

    name: str
    namespace: str
    kind: str
    replicas: int
    node_selector: Mapping[str, str] = {}
    affinity: Mapping[str, Value] = {}
    """As a pod has it, where a selector cannot say it."""
    requests: Mapping[str, int] = {}
    claims: Mapping[str, Value] = {}
    """Name of a claim in the pod to the ResourceClaimTemplate that it is made from."""
    scheduler: str = ""
    runtime_class: Value = ""
    tolerations: tuple[Toleration, ...] = ()
    labels: Mapping[str, Value] = {}
    annotations: Mapping[str, Value] = {}
    pod_labels: Mapping[str, Value] = {}
    pod_annotations: Mapping[str, Value] = {}
    recreate: bool = False
    """A Deployment must give its card back before its next pod can start."""
    notes: tuple[str, ...] = ()
    """What the reader of the patch should know, a line each."""
    origin: Origin

    @property
    def ref(self) -> Ref:
        return Ref(f"{self.kind}.workload", self.name, self.namespace)


Part: TypeAlias = Object | Chart | Ask | Prerequisite


class Bundle(Struct, frozen=True, kw_only=True):
    """Everything lowered, with final names."""

    objects: tuple[Object, ...]
    charts: tuple[Chart, ...]
    asks: tuple[Ask, ...]
    bindings: tuple[Binding, ...]
    prerequisites: tuple[Prerequisite, ...]
    edges: tuple[tuple[Ref, Ref], ...]
    """(who, refers to): the order of application, Pulumi's depends_on and verify all read this."""

    def part(self, *systems: str) -> Bundle:
        """Return what some systems made; its edges that lead out are what it must find in the cluster."""
        objects = tuple(made for made in self.objects if made.by in systems)
        charts = tuple(chart for chart in self.charts if chart.by in systems)
        asks = tuple(ask for ask in self.asks if ask.by in systems)
        own = {made.ref for made in objects} | {chart.ref for chart in charts}
        todo = tuple(ask.otherwise for ask in asks if ask.otherwise and ask.to not in systems)
        edges = tuple(edge for edge in self.edges if edge[0] in own)
        return Bundle(objects=objects, charts=charts, asks=asks, bindings=(), prerequisites=todo, edges=edges)
