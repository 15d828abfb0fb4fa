"""Small specs as data, for tests that change one thing and look at what becomes of it."""

from __future__ import annotations

import json
from typing import Any

from fourleaf.pipeline import Compilation, run

Tree = dict[str, Any]


def spec(*pools: Tree, **more: Any) -> Tree:
    """Return a spec; `more` are further members of `spec`."""
    body = {"kubernetes": {"version": "1.35"}, "pools": list(pools), **more}
    return {"apiVersion": "fourleaf.dev/v1", "kind": "Cluster", "metadata": {"name": "test"}, "spec": body}


def pool(name: str, card: str, count: int = 1, nodes: int = 1, **more: Any) -> Tree:
    named = [f"{name}-{number}" for number in range(nodes)]
    return {"name": name, "os": "ubuntu-24.04", "nodes": named, "gpus": [{"card": card, "count": count}], **more}


def work(name: str, gpu: Tree | None = None, **more: Any) -> Tree:
    return {"name": name, "namespace": "apps", "gpu": gpu or {"vendor": "nvidia"}, **more}


def compiled(tree: Tree, target: str | None = None) -> Compilation:
    """Take a spec through every stage. JSON is YAML."""
    return run(json.dumps(tree), "cluster.yaml", None, target)


def codes(made: Compilation) -> list[str]:
    return [found.rule.code for found in made.diagnostics]
