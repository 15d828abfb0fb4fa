"""Cluster specs by lot: every number makes one, always the same. Some have too little of what they ask for."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

CASES = 60
WHOLE = ("t4", "l40s", "rtx-4090", "a100-80gb", "h100-80gb")
AMD = ("mi300x", "mi210")
INTEL = ("arc-b580", "arc-a750", "arc-meteor-lake", "flex-140")
LAYOUTS: Sequence[Mapping[str, int]] = ({"1g.10gb": 7}, {"3g.40gb": 2}, {"2g.20gb": 3, "1g.10gb": 1}, {"4g.40gb": 1, "3g.40gb": 1})
TAINTS = (
    {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
    {"key": "example.com/gpu", "effect": "NoSchedule"},
    {"key": "example.com/team", "value": "ml", "effect": "NoExecute"},
    {"key": "example.com/slow", "effect": "PreferNoSchedule"},
)
KINDS = ("Deployment", "StatefulSet", "Job", "CronJob", "Pod")


def spec(number: int) -> dict[str, Any]:
    """Return a spec; JSON of it is YAML."""
    lot = random.Random(number)
    pools = [_pool(lot, index) for index in range(lot.choice((1, 2, 2, 3, 3, 4)))]
    asks = list(_asks(lot, pools))
    workloads = [_workload(lot, index, lot.choice(asks)) for index in range(lot.randint(1, 6))]
    claimed = lot.random() < 0.8 and not any(pool["unit"] == "share" or _shared(pool) or pool["gpus"][0]["card"] in AMD for pool in pools)
    cut = any("mig" in pool.get("partition", {}) for pool in pools)
    for pool in pools:
        if cut and "mps" in pool.get("partition", {}):  # the plugin does not take one beside the other
            pool["partition"] = {"timeSlicing": pool["partition"]["mps"]}
        del pool["unit"]
    return {
        "apiVersion": "fourleaf.dev/v1",
        "kind": "Cluster",
        "metadata": {"name": f"lot-{number}"},
        "spec": {
            "kubernetes": {"version": lot.choice(("1.34.2", "1.35", "1.36", "1.36")), "distribution": "kubeadm"},
            "pools": pools,
            "workloads": workloads,
            "policy": {"createNamespaces": True, "scheduler": "default", **({"allocation": "dra"} if claimed else {})},
            **_exclusive(lot, workloads, pools),
            **_tenants(lot, pools),
        },
    }


def _pool(lot: random.Random, index: int) -> dict[str, Any]:
    name = f"pool{index}"
    nodes = lot.choice((1, 1, 2, 3))
    pool: dict[str, Any] = {"name": name, "os": "ubuntu-24.04", "nodes": [f"{name}-node-{n}" for n in range(nodes)], "unit": ""}
    if lot.random() < 0.5:
        pool["taints"] = lot.sample(TAINTS, lot.choice((1, 1, 2)))
    form = lot.choice(("whole", "whole", "mig", "auto", "timeSlicing", "mps", "amd", "intel", "intel", "models"))
    if lot.random() < 0.2:
        pool["maxPods"] = lot.choice((1, 2, 4))
    match form:
        case "whole":
            pool["gpus"] = [{"card": lot.choice(WHOLE), "count": lot.choice((1, 2, 4, 8))}]
        case "mig":
            pool["gpus"] = [{"card": "h100-80gb", "count": lot.choice((1, 2, 4))}]
            layout = dict(lot.choice(LAYOUTS))
            pool["partition"] = {"mig": {"layout": layout, **({"timeSlicing": {"replicas": 2}} if nodes == 1 else {})}}
            pool["unit"] = lot.choice(list(layout))
        case "auto":
            pool["gpus"] = [{"card": "h100-80gb", "count": lot.choice((1, 2, 4))}]
            pool["partition"] = {"mig": "auto"}
            pool["unit"] = lot.choice(("1g.10gb", "2g.20gb", "3g.40gb"))
        case "timeSlicing" | "mps":
            pool["gpus"] = [{"card": lot.choice(WHOLE), "count": lot.choice((1, 2))}]
            pool["partition"] = {form: {"replicas": lot.choice((2, 4))}}
            pool["unit"] = "share"
        case "amd":
            pool["gpus"] = [{"card": lot.choice(AMD), "count": lot.choice((1, 4, 8))}]
            if pool["gpus"][0]["card"] == "mi300x" and lot.random() < 0.5:
                pool["unit"] = lot.choice(("cpx_nps4", "qpx_nps1", "spx_nps1"))
                pool["partition"] = {"modes": pool["unit"]}
        case "intel":
            pool["gpus"] = [{"card": lot.choice(INTEL), "count": lot.choice((1, 1, 2, 4))}]
        case "models":
            pool["gpus"] = [{"card": card, "count": lot.choice((1, 2))} for card in lot.sample(INTEL[:2], 2)]
    return pool


def _shared(pool: Mapping[str, Any]) -> bool:
    return "timeSlicing" in pool.get("partition", {}).get("mig", ())  # auto is a word


def _asks(lot: random.Random, pools: Sequence[Mapping[str, Any]]) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield what workloads may ask for, with the most units that are sensible for one pod."""
    for pool in pools:
        card, count = pool["gpus"][0]["card"], pool["gpus"][0]["count"]
        match pool["unit"]:
            case "share":
                yield {"card": card}, 1
            case "":
                yield {"card": card}, count
                vendor = "amd" if card in AMD else "intel" if card in INTEL else "nvidia"
                if not any("partition" in other for other in pools):
                    yield {"vendor": vendor}, count
            case mode if "partition" in pool and "modes" in pool["partition"]:
                yield {"modes": mode}, 4
                yield {"memory": lot.choice(("20Gi", "40Gi"))}, 1
            case profile:
                yield {"mig": profile}, 1 if _shared(pool) else 2
                yield {"memory": lot.choice(("8Gi", "30Gi"))}, 1
                if lot.random() < 0.3:
                    yield {"mig": "7g.80gb"}, 1  # nobody offers it


def _workload(lot: random.Random, index: int, ask: tuple[dict[str, Any], int]) -> dict[str, Any]:
    gpu, most = ask
    size = lot.choice([1, 1, 1, *range(1, most + 1), *([most + 1] if most > 1 and lot.random() < 0.2 else [])])
    replicas = lot.choice((1, 1, 2, 3, 5, 9))
    return {
        "name": f"work{index}",
        "namespace": lot.choice(("alpha", "beta")),
        "kind": lot.choice(KINDS),
        "replicas": replicas,
        "gpu": {**gpu, **({"count": size} if size > 1 else {})},
        "memory": {"limit": "8Gi"},
        **({"gang": {"size": lot.randint(2, replicas)}} if replicas > 2 and lot.random() < 0.2 else {}),
    }


def _exclusive(lot: random.Random, workloads: Sequence[Mapping[str, Any]], pools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    members = [one["name"] for one in workloads if one["kind"] in ("Deployment", "StatefulSet")]
    if len(members) < 2 or lot.random() < 0.5:
        return {}
    return {"exclusive": [{"name": "turns", "pool": lot.choice(pools)["name"], "members": members[:2], "active": members[1]}]}


def _tenants(lot: random.Random, pools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return quotas that kube-scheduler does not know of."""
    if len(pools) > 1 or "partition" in pools[0] or len(pools[0]["gpus"]) > 1 or lot.random() < 0.3:
        return {}
    limits = [{"guaranteed": {"gpu": 1}, "limit": {"gpu": 1}}, {"limit": {"gpu": 2}}]
    return {"tenants": [{"name": name, "quota": quota} for name, quota in zip(("alpha", "beta"), limits, strict=True)]}
