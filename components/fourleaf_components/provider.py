"""A Kubernetes provider with the settings that suit what fourleaf makes."""

from __future__ import annotations

import pulumi
from pulumi_kubernetes import Provider


def provider(name: str, kubeconfig: pulumi.Input[str] | None = None, opts: pulumi.ResourceOptions | None = None) -> Provider:
    """Return the provider of a cluster.

    Where the kubeconfig moves or gets new credentials, objects stay: the cluster is told by `name`. A ConfigMap or Secret whose data
    changes is updated, not replaced; what must roll with its content has a name that follows from it anyway.

    Args:
        kubeconfig: path or content; by default what kubectl would use.
    """
    return Provider(
        name,
        kubeconfig=kubeconfig,
        cluster_identifier=name,
        enable_config_map_mutable=True,
        enable_secret_mutable=True,
        opts=opts,
    )
