"""What the questions of the tree look at, counted once."""

from __future__ import annotations

from msgspec import Struct

from fourleaf.ir import Pool
from fourleaf.resolve.inventory import Inventory, Tenant

NVIDIA = "nvidia"
"""The one vendor that the tree itself names: its leaves L3 and L4 are about this vendor's stack."""


class Facts(Struct, frozen=True, kw_only=True):
    pools: tuple[Pool, ...]
    """Those with GPUs."""
    vendors: tuple[str, ...]
    gpus: int
    partitioned: tuple[Pool, ...]
    managed: tuple[Pool, ...]
    """Pools whose driver an operator is to bring."""
    workloads: int
    """An exclusive group counts as one."""
    promised: tuple[Tenant, ...]
    """Leaf tenants with a quota."""
    scheduler: str
    """`policy.scheduler` where it insists on a queueing one, else empty."""

    @property
    def nvidia(self) -> bool:
        return NVIDIA in self.vendors

    @property
    def tenancy(self) -> bool:
        return len(self.promised) > 1 or bool(self.scheduler)


def facts(inventory: Inventory) -> Facts:
    pools = tuple(pool for pool in inventory.pools if pool.gpus)
    grouped = {member for turns in inventory.turns for member in turns.members}
    alone = sum(workload.name not in grouped for workload in inventory.workloads)
    insisted = inventory.policy.scheduler
    return Facts(
        pools=pools,
        vendors=tuple(sorted({vendor for pool in pools for vendor in pool.vendors})),
        gpus=sum(pool.count * gpu.count for pool in pools for gpu in pool.gpus),
        partitioned=tuple(pool for pool in pools if pool.partition),
        managed=tuple(pool for pool in pools if pool.driver.owner == "operator"),
        workloads=alone + len(inventory.turns),
        promised=tuple(tenant for tenant in inventory.tenants if tenant.leaf and tenant.has_quota),
        scheduler=insisted if insisted not in ("auto", "default") else "",
    )
