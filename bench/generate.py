"""Large specs: many tenants and workloads over a few pools."""

from __future__ import annotations

from collections.abc import Iterator


def spec(tenants: int, workloads: int, nodes: int = 400) -> str:
    """Return a spec of leaf L4.

    Args:
        tenants: leaf tenants, under a tenth as many parents.
        nodes: of eight cards each; enough for every workload at 400 nodes and 1,000 workloads.
    """
    return "\n".join([*_head(nodes), *_tenants(tenants), *_workloads(tenants, workloads)]) + "\n"


def _head(nodes: int) -> Iterator[str]:
    yield "apiVersion: fourleaf.dev/v1"
    yield "kind: Cluster"
    yield "metadata: {name: large}"
    yield "spec:"
    yield '  kubernetes: {version: "1.35", distribution: kubeadm}'
    yield "  pools:"
    yield f"    - {{name: h100, count: {nodes}, os: ubuntu-24.04, gpus: [{{card: h100-80gb, count: 8}}]}}"


def _tenants(tenants: int) -> Iterator[str]:
    parents = max(1, tenants // 10)
    yield "  tenants:"
    for index in range(parents):
        yield f"    - {{name: faculty-{index}}}"
    for index in range(tenants):
        yield f"    - name: team-{index}"
        yield f"      parent: faculty-{index % parents}"
        yield "      quota: {guaranteed: {gpu: 1}, limit: {gpu: 64}}"


def _workloads(tenants: int, workloads: int) -> Iterator[str]:
    kinds = ("Deployment", "StatefulSet", "Job")
    yield "  workloads:"
    for index in range(workloads):
        yield f"    - name: work-{index}"
        yield f"      namespace: team-{index % tenants}"
        yield f"      kind: {kinds[index % len(kinds)]}"
        yield f"      replicas: {1 + index % 2}"
        yield f"      gpu: {{vendor: nvidia, count: {1 + index % 2}}}"
