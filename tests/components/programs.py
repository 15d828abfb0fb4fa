"""Arguments that several tests give to components."""

from __future__ import annotations

from typing import Any

KUBERNETES = {"version": "1.35"}


def pool(name: str = "gpu", card: str = "h100-80gb", count: int = 8, **more: Any) -> dict[str, Any]:
    """Return a pool of one node."""
    return {"name": name, "nodes": [f"{name}-1"], "os": "ubuntu-24.04", "gpus": [{"card": card, "count": count}], **more}


SLICES = {"1g.10gb": 7}
CUT = pool(partition={"mig": {"layouts": [{"gpus": [0, 1, 2, 3]}, {"gpus": [4, 5, 6, 7], "layout": SLICES}]}})
SHARED = pool("shared", "l40s", 2, partition={"time_slicing": {"replicas": 4}})
TEAMS = [
    {"name": "science", "quota": {"guaranteed": {"gpu": 6}, "limit": {"gpu": 8}}},
    {"name": "vision", "parent": "science", "quota": {"guaranteed": {"gpu": 4}, "limit": {"gpu": 8}}},
    {"name": "speech", "parent": "science", "quota": {"guaranteed": {"gpu": 2}, "limit": {"gpu": 4}}},
]


def given(*pools: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kubernetes": KUBERNETES, "pools": [*pools], **more}
