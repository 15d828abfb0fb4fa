"""A decision and its plan, for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from fourleaf.cli.explain_layouts import computed, drawn
from fourleaf.cli.stream import columns
from fourleaf.decide import Decision
from fourleaf.ir import Plan, PodShape, Pool, Prediction, Supply

WIDTH = 110


def _of(plan: Plan, pool: Pool) -> Iterator[Supply]:
    return (supply for supply in plan.supplies if supply.pool == pool.name)


def as_text(decision: Decision, plan: Plan, color: bool) -> str:
    """Return the answer as people read it, its headings bold where there is colour."""
    lines = _lines(decision, plan)
    return "\n".join(f"\x1b[1m{line}\x1b[0m" if color and line[:1].strip() else line for line in lines)


def _lines(decision: Decision, plan: Plan) -> list[str]:
    lines = [f"{plan.name}: leaf {decision.leaf} {decision.name}", ""]
    lines += _trace(decision)
    lines += ["", "stack"]
    rows = [(component.system, component.version, ", ".join(component.pools)) for component in plan.components]
    lines += _columns(rows)
    lines += ["", "pools"]
    lines += _pools(plan)
    if plan.layouts:
        lines += ["", "computed layouts", *computed(plan)]
    if plan.pods:
        lines += ["", "workloads"]
        lines += _columns([_placing(pod, prediction) for pod, prediction in zip(plan.pods, plan.predictions, strict=True)])
    if any(queue.guaranteed or queue.limit for queue in plan.queues):
        lines += ["", "tenants"]
        lines += _tenants(plan)
    return lines


def _trace(decision: Decision) -> Iterator[str]:
    yield "why"
    for number, step in enumerate(decision.trace, 1):
        yield f"  {number}. {step.question} {step.answer}"
        yield from _wrapped("found", step.input)
        yield from _wrapped("flips", step.flips)
        if step.silent:
            yield from _wrapped("note", f"the source tree is silent here; the rule is fourleaf's own ({step.source})")


def _wrapped(word: str, text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=f"     {word:6} ", subsequent_indent=" " * 12, break_long_words=False)


def _pools(plan: Plan) -> Iterator[str]:
    for pool in plan.pools:
        cards = ", ".join(f"{gpu.count} x {gpu.card.name}" for gpu in pool.gpus) or "no GPU"
        yield f"  {pool.name}: {pool.count} node{'' if pool.count == 1 else 's'} of {cards}, {pool.host.name}"
        yield from (f"     {line}" for line in drawn(pool))
        for supply in _of(plan, pool):
            yield f"     offers {supply.per_node} {supply.resource.name} a node ({supply.unit}s, by {supply.resource.by})"


def _placing(pod: PodShape, prediction: Prediction) -> tuple[str, ...]:
    name = f"{pod.namespace}/{pod.name}"
    if pod.group and not prediction.wanted:
        return name, "rests", f"its turn in {pod.group} is another's", ""
    where = ", ".join(f"{pods} on {pool}" for pool, pods in prediction.placed)
    count = f"{prediction.show()} placed"
    asks = f"{pod.want.count} {prediction.resource}" if prediction.resource else pod.want.show()
    short = f"short of {prediction.short_by} {prediction.short_of}" if prediction.short_of else ""
    return name, count, "; ".join(part for part in (where, short) if part), f"each asks {asks}"


def _tenants(plan: Plan) -> Iterator[str]:
    depth: dict[str, int] = {"": -1}
    children: dict[str, list[str]] = {}
    queues = {queue.name: queue for queue in plan.queues if not queue.guard}
    for queue in queues.values():
        depth[queue.name] = depth.get(queue.parent, -1) + 1
        children.setdefault(queue.parent, []).append(queue.name)
    stack = list(reversed(children.get("", [])))
    while stack:
        queue = queues[stack.pop()]
        stack += reversed(children.get(queue.name, []))
        said = [
            f"{word} {amount} {resource.name}"
            for word, amounts in (("guaranteed", queue.guaranteed), ("limit", queue.limit))
            for resource, amount in amounts.items()
        ]
        yield f"  {'  ' * depth[queue.name]}{queue.name}: {', '.join(said) or 'no quota'}"


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    return [f"  {line}" for line in columns(rows).splitlines()]
