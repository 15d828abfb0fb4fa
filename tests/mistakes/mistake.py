"""What a mistake is, and the small specs that are clean without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Change: TypeAlias = tuple[str, str]
"""A piece of the text that is there once, and what takes its place."""

HEAD = "apiVersion: fourleaf.dev/v1\nkind: Cluster\nmetadata: {name: lab}\nspec:\n"

SMALL = {
    "intel": """\
  kubernetes: {version: "1.35", distribution: kubeadm}
  pools:
    - {name: igpu, nodes: [mini-1], os: ubuntu-24.04, gpus: [{card: arc-meteor-lake}]}
  workloads:
    - {name: openvino, namespace: apps, gpu: {vendor: intel}, memory: {limit: 16Gi}}
""",
    "counted": """\
  kubernetes: {version: "1.35", distribution: kubeadm}
  pools:
    - {name: slices, count: 4, os: ubuntu-24.04, gpus: [{card: h100-80gb, count: 8}], partition: {mig: {profile: 1g.10gb}}}
    - {name: whole, count: 2, os: ubuntu-24.04, gpus: [{card: l40s, count: 8}]}
  workloads:
    - {name: train, namespace: apps, kind: Job, replicas: 2, gang: {size: 2}, gpu: {vendor: nvidia, count: 8}}
  policy: {scheduler: volcano}
""",
    "shared": """\
  kubernetes: {version: "1.35", distribution: kubeadm}
  pools:
    - {name: gpu, nodes: [gpu-1], os: ubuntu-24.04, gpus: [{card: l4, count: 2}], partition: {mps: {replicas: 4}}}
  workloads:
    - {name: infer, namespace: apps, replicas: 4, gpu: {vendor: nvidia, count: 1}}
""",
    "modes": """\
  kubernetes: {version: "1.35", distribution: kubeadm}
  pools:
    - {name: gpu, nodes: [mi-1], os: ubuntu-24.04, gpus: [{card: mi300x, count: 8}], partition: {modes: cpx_nps4}}
  workloads:
    - {name: embed, namespace: apps, replicas: 64, gpu: {modes: cpx_nps4}}
""",
    "auto": """\
  kubernetes: {version: "1.35", distribution: kubeadm}
  pools:
    - {name: gpu, nodes: [gpu-1, gpu-2], os: ubuntu-24.04, gpus: [{card: h100-80gb}], partition: {mig: auto}}
  workloads:
    - {name: serve, namespace: apps, replicas: 7, gpu: {mig: 1g.10gb}}
    - {name: train, namespace: apps, gpu: {vendor: nvidia}}
""",
    "two tenants": """\
  kubernetes: {version: "1.35", distribution: kubeadm}
  pools:
    - {name: gpu, nodes: [gpu-1, gpu-2], os: ubuntu-24.04, gpus: [{card: h100-80gb, count: 8}]}
  tenants:
    - {name: vision, quota: {deserved: {gpu: 8}, limit: {gpu: 12}}}
    - {name: speech, quota: {deserved: {gpu: 8}, limit: {gpu: 12}}}
  workloads:
    - {name: train, namespace: vision, kind: Job, replicas: 8, gpu: {vendor: nvidia}}
  policy: {scheduler: volcano}
""",
}
"""Clean specs beside those of stacks/, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    what: str
    base: str
    """A spec of stacks/ or of SMALL."""
    change: tuple[Change, ...]
    code: str
    at: str
    """The text that the finding marks; of several lines the first."""
    write: str = ""
    """What the help says to write there: with it, the finding is gone."""
    mend: tuple[Change, ...] = ()
    """Where the mend is elsewhere: changes that do what the help says."""


def one(what: str, base: str, old: str, new: str, code: str, at: str = "", write: str = "", mend: tuple[Change, ...] = ()) -> Mistake:
    """Return a mistake of one change; it marks what is new, unless said otherwise."""
    return Mistake(what=what, base=base, change=((old, new),), code=code, at=at or new, write=write, mend=mend)
