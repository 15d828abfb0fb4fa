"""Specs with computed layouts: compiled with a file of present layouts beside them, and what became of them."""

from __future__ import annotations

import json
from typing import Any

from specs import Tree, work

from fourleaf.ir import Layouts
from fourleaf.pipeline import Compilation, run

AUTO: Tree = {"mig": "auto"}


def compiled(tree: Tree, present: str = "") -> Compilation:
    """Take a spec through every stage, with a file of present layouts beside it."""
    return run(json.dumps(tree), "cluster.yaml", lambda path: present.encode())


def laid(made: Compilation, name: str = "gpu") -> Layouts:
    assert made.plan, [one.message for one in made.diagnostics]
    return next(one for one in made.plan.layouts if one.pool == name)


def placed(made: Compilation) -> dict[str, int]:
    assert made.plan
    return {one.workload: one.pods for one in made.plan.predictions}


def asked(made: Compilation) -> dict[str, str]:
    assert made.plan
    return {one.workload: one.resource for one in made.plan.predictions}


def codes(made: Compilation) -> list[str]:
    return [one.rule.code for one in made.diagnostics]


def slices(name: str, profile: str, replicas: int, **more: Any) -> Tree:
    return work(name, {"mig": profile}, replicas=replicas, **more)


def wishes(**auto: Any) -> Tree:
    return {"mig": {"auto": {"present": "layouts.yaml", **auto}}}


def now(*nodes: str, layout: str = "{1g.10gb: 7}", gpus: str = "[0, 1]", name: str = "gpu") -> str:
    return (
        "apiVersion: fourleaf.dev/v1\nkind: Layouts\nspec:\n  pools:\n"
        f"    - {{name: {name}, nodes: [{', '.join(nodes)}], layouts: [{{gpus: {gpus}, layout: {layout}}}]}}\n"
    )
