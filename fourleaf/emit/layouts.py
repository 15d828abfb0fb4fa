"""The file of computed layouts, for the next compile to know what the nodes have."""

from __future__ import annotations

from fourleaf.ir import Plan, Value

FILE = "layouts.yaml"
HEADER = (
    "The layouts of the nodes once this set is applied. Commit a copy and name it in the spec, as `present` of",
    "`partition: {mig: {auto: {...}}}`: the next compile leaves the nodes as they are where it can.",
)


def layouts_file(plan: Plan) -> dict[str, str]:
    """Return the file, or none where no layout is computed."""
    from fourleaf.emit.yaml_text import dump

    pools: list[Value] = []
    for layouts in plan.layouts:
        for nodes in layouts.nodes:
            entry: dict[str, Value] = {"name": layouts.pool}
            if nodes.nodes:
                entry["nodes"] = list(nodes.nodes)
            entry["layouts"] = [{"gpus": list(cut.cards), "layout": dict(cut.parts) or "none"} for cut in nodes.cuts]
            pools.append(entry)
    if not pools:
        return {}
    return {FILE: dump({"apiVersion": "fourleaf.dev/v1", "kind": "Layouts", "spec": {"pools": pools}}, HEADER)}
