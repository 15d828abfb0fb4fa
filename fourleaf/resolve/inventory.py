"""The spec with every name looked up: what the stages after resolve read instead of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from fourleaf.diag import Path
from fourleaf.hardware import Distribution
from fourleaf.ir import Origin, Pool, Value, Want
from fourleaf.kube import Version

Target: TypeAlias = Literal["argocd", "flux", "kustomize", "plain"]


class Tenant(Struct, frozen=True, kw_only=True):
    """A tenant. Amounts count whole cards; None where the spec does not say."""

    name: str
    parent: str = ""
    namespaces: tuple[str, ...] = ()
    """With the one of its own name that a leaf gets by default."""
    leaf: bool = True
    guaranteed: int | None = None
    deserved: int | None = None
    limit: int | None = None
    weight: int = 1
    origin: Origin

    @property
    def has_quota(self) -> bool:
        return (self.guaranteed, self.deserved, self.limit) != (None, None, None)

    def at(self, *path: str | int) -> Path:
        return (*self.origin.place, *path)


class Workload(Struct, frozen=True, kw_only=True):
    name: str
    namespace: str
    tenant: str = ""
    """Its own, or that of its namespace; empty where it belongs to none."""
    kind: str = "Deployment"
    replicas: int = 1
    want: Want
    gang: int = 1
    memory_limit_bytes: int = 0
    memory_resident_bytes: int = 0
    origin: Origin

    def at(self, *path: str | int) -> Path:
        return (*self.origin.place, *path)


class Turns(Struct, frozen=True, kw_only=True):
    """Workloads that take turns on a card of one pool."""

    name: str
    pool: str
    members: tuple[str, ...]
    """Names of workloads."""
    active: str
    origin: Origin


class Policy(Struct, frozen=True, kw_only=True):
    """What the author insists on; "auto" where the compiler decides. Words of the spec, as they stand there."""

    leaf: str = "auto"
    scheduler: str = "auto"
    allocation: str = "auto"
    create_namespaces: bool = False


class Pin(Struct, frozen=True, kw_only=True):
    """An entry of `spec.stack`."""

    component: str
    version: str = ""
    values: Mapping[str, Value] = {}
    place: Path


class Delivery(Struct, frozen=True, kw_only=True):
    target: Target
    repo_url: str = ""
    revision: str = "main"
    path: str = ""
    project: str = "default"


class Inventory(Struct, frozen=True, kw_only=True):
    """One cluster. Pools, tenants, workloads and turns are sorted by name; tenants stand after their parents."""

    name: str
    kubernetes: Version
    distribution: Distribution
    feature_gates: Mapping[str, bool] = {}
    pools: tuple[Pool, ...]
    tenants: tuple[Tenant, ...] = ()
    workloads: tuple[Workload, ...] = ()
    turns: tuple[Turns, ...] = ()
    policy: Policy = Policy()
    stack: tuple[Pin, ...] = ()
    delivery: Delivery
