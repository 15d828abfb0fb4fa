"""Facts and shapes of Kubernetes that belong to no vendor."""

from fourleaf.kube.scheduling import Effect, Taint, Toleration, tolerations_for
from fourleaf.kube.versions import Version

__all__ = ["Effect", "Taint", "Toleration", "Version", "tolerations_for"]
