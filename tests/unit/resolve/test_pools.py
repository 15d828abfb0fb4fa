"""What is known of a pool's nodes beyond what the spec says."""

from __future__ import annotations

import pytest

from fourleaf.pipeline import run

SPEC = """\
apiVersion: fourleaf.dev/v1
kind: Cluster
metadata: {{name: lab}}
spec:
  kubernetes: {{version: "1.35", distribution: {distribution}}}
  pools: [{{name: gpu, nodes: [a], os: {os}, gpus: [{{card: l4}}]{more}}}]
"""


@pytest.mark.parametrize(
    ("distribution", "os", "more", "pods"),
    [
        ("kubeadm", "ubuntu-24.04", "", 110),
        ("aks", "ubuntu-24.04", "", 250),
        ("eks", "ubuntu-24.04", "", 737),
        ("kubeadm", "ubuntu-24.04", ", maxPods: 64", 64),
    ],
)
def test_nodes_run_as_many_pods_as_the_pool_says_or_its_distribution_does(distribution: str, os: str, more: str, pods: int) -> None:
    plan = run(SPEC.format(distribution=distribution, os=os, more=more)).plan

    assert plan
    assert [pool.max_pods for pool in plan.pools] == [pods]
    assert {supply.max_pods for supply in plan.supplies} == {pods - 1}, "the device plugin is one of them"
