"""GPU scheduling of a Kubernetes cluster as Pulumi components. Each compiles its arguments and registers what its system makes."""

from fourleaf_components.amd_operator import AmdOperator
from fourleaf_components.amd_plugin import AmdPlugin
from fourleaf_components.cluster import Cluster
from fourleaf_components.intel_dra import IntelDra
from fourleaf_components.mig_layout import MigLayout
from fourleaf_components.nvidia_device_plugin import NvidiaDevicePlugin
from fourleaf_components.nvidia_dra import NvidiaDra
from fourleaf_components.nvidia_operator import NvidiaOperator
from fourleaf_components.provider import provider
from fourleaf_components.volcano_queues import VolcanoQueues

__all__ = [
    "COMPONENTS",
    "AmdOperator",
    "AmdPlugin",
    "Cluster",
    "IntelDra",
    "MigLayout",
    "NvidiaDevicePlugin",
    "NvidiaDra",
    "NvidiaOperator",
    "VolcanoQueues",
    "provider",
]

COMPONENTS = (NvidiaOperator, NvidiaDevicePlugin, NvidiaDra, IntelDra, AmdPlugin, AmdOperator, MigLayout, VolcanoQueues, Cluster)
