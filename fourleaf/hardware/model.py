"""Records of the catalogue: cards, hosts, distributions."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class Card(Struct, frozen=True, kw_only=True):
    """One model of GPU."""

    name: str
    """The vendor's model in lower-case kebab: "h100-80gb"."""
    vendor: str
    product: str
    """As the vendor's tools print it: "NVIDIA H100 80GB HBM3"."""
    aliases: tuple[str, ...] = ()
    pci: tuple[str, ...] = ()
    """Device ids, four hex digits, lower case, without 0x."""
    memory_gib: float | None = None
    """GiB of one device; None where it shares the host's memory."""
    integrated: bool = False
    """It shares the host's memory: its own capacity reads 0."""
    architecture: str = ""
    devices: int = 1
    """Devices that one card shows to the kernel (MI250X: 2)."""
    mig: str = ""
    """Key of its partition table (`partition/data`), empty where it cannot be partitioned."""
    traits: Mapping[str, str] = {}
    """What only its vendor's systems read: {"openModules": "required", "minDriver": "570"}."""
    source: str = ""
    read: str = ""


class Host(Struct, frozen=True, kw_only=True):
    """One operating system of nodes, at a version."""

    name: str
    """`family-version`: "talos-1.12"."""
    family: str
    version: str
    immutable: bool
    """Its root is read-only: nothing can install a driver or a runtime into it while it runs."""
    systemd: bool
    """A privileged pod can reach systemd over D-Bus."""
    pod_security: str = ""
    """Pod Security level that the cluster enforces by default on namespaces without a label."""
    kubernetes: tuple[str, str] | None = None
    """First and last minor version that it runs, where it is tied to them."""
    traits: Mapping[str, str] = {}
    source: str = ""
    read: str = ""


class Distribution(Struct, frozen=True, kw_only=True):
    """One way to install Kubernetes."""

    name: str
    hosts: tuple[str, ...] = ()
    """Host families that it runs on; empty: any that is not tied to another distribution."""
    host: str = ""
    """The host that it implies, where it implies one."""
    max_pods: int = 110
    """Pods that its kubelets run at most, unless they are told otherwise; where that hangs on more than the distribution, the most.
    110: kubernetes/kubernetes v1.37.2 pkg/kubelet/apis/config/v1beta1/defaults.go."""
    traits: Mapping[str, str] = {}
    source: str = ""
    read: str = ""
