"""fourleaf: one cluster spec in, the consistent set of Kubernetes manifests for GPU scheduling out."""

__version__ = "0.1.0"
