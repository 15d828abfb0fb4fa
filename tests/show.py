"""Decision and plan as text, for snapshots that a reviewer reads before the tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fourleaf.decide import Decision
from fourleaf.diag import show_path
from fourleaf.ir import Plan, Resource


def show_decision(decision: Decision) -> str:
    lines = [f"leaf {decision.leaf} {decision.name}", "trace"]
    for step in decision.trace:
        lines += [f"  {step.question} {step.answer}", f"    input {step.input}", f"    flips {step.flips}"]
        lines += [f"    source {step.source}{' (silent)' if step.silent else ''}"]
    lines += ["layers", *(f"  {layer.name} {layer.subject}: {layer.word}" for layer in decision.layers)]
    return "\n".join(lines) + "\n"


def show_plan(plan: Plan) -> str:
    return "\n".join(_lines(plan)) + "\n"


def _lines(plan: Plan) -> Iterator[str]:
    yield f"cluster {plan.name}, Kubernetes {plan.kubernetes}, {plan.distribution.name}"
    yield "components"
    for component in plan.components:
        yield f"  {component.system} {component.version or '-'} in {component.namespace or '-'} on {', '.join(component.pools)}"
    yield "pools"
    for pool in plan.pools:
        yield f"  {pool.name}: {pool.count} nodes, {pool.host.name}, {', '.join(f'{gpu.count} x {gpu.card.name}' for gpu in pool.gpus)}"
        yield from (f"    taint {taint}" for taint in pool.taints)
        if pool.partition:
            yield f"    partition {', '.join(pool.partition.forms)} replicas {pool.partition.replicas}"
            yield from (f"      cards {list(cut.cards)}: {dict(cut.parts) or 'whole'}" for cut in pool.partition.cuts)
    yield "supplies"
    for supply in plan.supplies:
        traits = ", ".join(f"{key} {value}" for key, value in sorted(supply.traits))
        memory = f"{supply.memory_bytes / 2**30:g}Gi"
        units = f"{supply.nodes} x {supply.per_node} {supply.resource.name}"
        yield f"  {supply.pool}: {units} by {supply.allocator} ({supply.unit}, {memory}; {traits})"
    yield "workloads"
    for pod, prediction in zip(plan.pods, plan.predictions, strict=True):
        pods = f"{pod.namespace}/{pod.name} {pod.kind} x {pod.replicas}"
        yield f"  {pods}, gang {pod.gang}, queue {pod.queue or '-'}, from {show_path(pod.origin.place)}"
        placed = ", ".join(f"{pods} on {pool}" for pool, pods in prediction.placed) or "none"
        short = f"short of {prediction.short_by} {prediction.short_of or '-'}"
        yield f"    {pod.want.show()} -> {prediction.resource or 'nothing'}: {placed}; {short}"
    yield "queues"
    for queue in plan.queues:
        amounts = (("guaranteed", queue.guaranteed), ("deserved", queue.deserved), ("limit", queue.limit))
        yield f"  {queue.parent or 'root'} > {queue.name}: " + "; ".join(f"{word} {_amounts(found)}" for word, found in amounts)


def _amounts(amounts: Mapping[Resource, int]) -> str:
    return ", ".join(f"{resource.name} {count}" for resource, count in amounts.items()) or "-"
