"""A decision and its plan, for programs. docs/guide/json.md describes the form."""

from __future__ import annotations

from typing import Any

from fourleaf.cli.explain_layouts import as_list, cards
from fourleaf.decide import Decision
from fourleaf.ir import Plan, PodShape, Pool, Prediction


def as_dict(decision: Decision, plan: Plan) -> dict[str, Any]:
    """Return the answer as JSON has it."""
    return {
        "leaf": decision.leaf,
        "name": decision.name,
        "layers": [{"layer": layer.name, "of": layer.subject, "answer": layer.word} for layer in decision.layers],
        "trace": [
            {
                "question": step.question,
                "input": step.input,
                "answer": step.answer,
                "flips": step.flips,
                "source": step.source,
                "silent": step.silent,
            }
            for step in decision.trace
        ],
        "pools": [_pool(plan, pool) for pool in plan.pools],
        "partitions": as_list(plan),
        "workloads": [_workload(pod, prediction) for pod, prediction in zip(plan.pods, plan.predictions, strict=True)],
    }


def _pool(plan: Plan, pool: Pool) -> dict[str, Any]:
    return {
        "name": pool.name,
        "nodes": pool.count,
        "os": pool.host.name,
        "cards": [{"card": gpu.card.name, "count": gpu.count} for gpu in pool.gpus],
        "layouts": cards(pool.partition.cuts) if pool.partition else [],
        "systems": list(pool.systems),
        "advertises": [
            {
                "resource": supply.resource.name,
                "by": supply.resource.by,
                "unit": supply.unit,
                "perNode": supply.per_node if supply.advertised < 0 else supply.advertised,
                "usable": supply.per_node,
                "total": supply.per_node * supply.nodes,
            }
            for supply in plan.supplies
            if supply.pool == pool.name
        ],
    }


def _workload(pod: PodShape, prediction: Prediction) -> dict[str, Any]:
    return {
        "namespace": pod.namespace,
        "name": pod.name,
        "kind": pod.kind,
        "wanted": prediction.wanted,
        "placed": prediction.pods,
        "atLeast": prediction.at_least,
        "atMost": prediction.at_most,
        "pools": [{"pool": pool, "pods": pods} for pool, pods in prediction.placed],
        "resource": prediction.resource,
        "count": pod.want.count,
        "shortOf": prediction.short_of,
        "shortBy": prediction.short_by,
        "never": prediction.never,
        "queue": pod.queue,
        "group": pod.group,
    }
