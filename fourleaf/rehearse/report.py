"""A rehearsal as people and as programs read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from fourleaf.diag import Path, Span
from fourleaf.rehearse.agents import Agent
from fourleaf.rehearse.apply import Refusal
from fourleaf.rehearse.rehearsal import Rehearsal
from fourleaf.rehearse.verdict import Outcome, Pending, expected
from fourleaf.rehearse.words import Cause

Where = Callable[[Path], Span | None]

NAMED = 4
"""Nodes that a line names before it counts the rest."""


def as_text(found: Rehearsal, name: str, where: Where) -> str:
    """Return a rehearsal in words.

    Args:
        name: of the cluster.
        where: where a place of the spec stands in its text.
    """
    return "\n".join(_lines(found, name, where))


def _lines(found: Rehearsal, name: str, where: Where) -> Iterator[str]:
    where_to = f"Kubernetes {found.server} with {_count(len(found.nodes), 'simulated node')}"
    yield f"{name}: {_count(found.applied, 'object')} applied to {where_to}, {len(found.refused) or 'none'} refused"
    yield from (f"note: {note}" for note in found.notes)
    if found.stand_ins:
        yield ""
        yield "stood in for"
        yield from _columns([_stand_ins(found, bringer) for bringer in dict.fromkeys(one.bringer for one in found.stand_ins)])
    if found.refusals:
        yield ""
        yield "refused"
        for refusal in found.refusals:
            yield from _refusal(refusal, where)
    if found.outcomes:
        yield ""
        yield "workloads"
        rows = _columns([_outcome(one) for one in found.outcomes])
        for one, row in zip(found.outcomes, rows, strict=True):
            yield row
            yield from _pending(one)
    if found.agents:
        yield ""
        yield "daemonsets"
        yield from _columns([(f"{one.namespace}/{one.name}", f"{one.nodes} of {_count(one.wanted, 'node')}") for one in found.agents])
    yield ""
    if found.differences:
        yield "not as predicted"
        yield from (f"  {difference}" for difference in found.differences)
    else:
        yield "refused" if found.refusals else "as predicted"


def _stand_ins(found: Rehearsal, bringer: str) -> tuple[str, str]:
    mine = [one.manifest for one in found.stand_ins if one.bringer == bringer]
    kinds: dict[str, list[str]] = {}
    for manifest in mine:
        kinds.setdefault(manifest["kind"], []).append(manifest["metadata"]["name"])
    return bringer, "; ".join(f"{kind} {_some(names)}" for kind, names in kinds.items())


def _refusal(one: Refusal, where: Where) -> Iterator[str]:
    span = where(one.place) if one.place else None
    origin = f" ({span.file}:{span.line}:{span.column})" if span else ""
    file = f" in {one.path}" if one.path and one.path != one.what else ""
    yield f"  {one.what}{file}{origin}"
    yield f"    {one.words}"


def _outcome(one: Outcome) -> tuple[str, ...]:
    who = f"{one.namespace}/{one.name}"
    if not one.judged:
        return who, f"{one.accepted} of {_count(one.wanted, 'pod')} taken", f"{one.scheduler} decides"
    if not one.wanted:
        return who, "rests", ""
    predicted = "" if len(one.placed) == one.at_least == one.at_most else f", predicted {expected(one)}"
    return who, f"{len(one.placed)} of {one.wanted} placed{predicted}", _places(one)


def _places(one: Outcome) -> str:
    at = Counter(placed.node for placed in one.placed)
    names = [f"{node} ({count})" if count > 1 else node for node, count in sorted(at.items())]
    devices = [device for placed in one.placed for device in placed.devices]
    return _some(names) + (f"  {_some(devices)}" if devices else "")


def _pending(one: Outcome) -> Iterator[str]:
    """Yield why pods of a workload are not placed, each reason once."""
    groups: dict[tuple[str, ...], list[Pending]] = {}
    for pod in one.pending:
        told = tuple(f"{cause.words} [{_count(cause.nodes, 'node')}]" for cause in pod.causes) or ("the scheduler says nothing",)
        groups.setdefault(told, []).append(pod)
    short = one.pending and all({cause.kind for cause in pod.causes} & {"resource", "claim"} for pod in one.pending)
    for told, pods in groups.items():
        lack = f", short of {one.short_by} {one.resource}" if short and len(groups) == 1 else ""
        yield f"    {_count(len(pods), 'pod')} Pending{lack}"
        yield from (f"      {words}" for words in told)


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [("  " + "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))).rstrip() for row in rows]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def as_dict(found: Rehearsal, where: Where) -> dict[str, Any]:
    """Return a rehearsal as JSON has it."""
    return {
        "ok": not found.reason,
        "reason": found.reason or None,
        "kubernetes": found.server,
        "nodes": len(found.nodes),
        "applied": found.applied,
        "standIns": [{"kind": s.manifest["kind"], "name": s.manifest["metadata"]["name"], "from": s.bringer} for s in found.stand_ins],
        "refused": [_refused(one, where) for one in found.refusals],
        "workloads": [_workload(one, where) for one in found.outcomes],
        "daemonSets": [_agent(one) for one in found.agents],
        "differences": [*found.differences],
        "notes": [*found.notes],
    }


def _refused(one: Refusal, where: Where) -> dict[str, Any]:
    return {"file": one.path or None, "object": one.what, "message": one.words, **_place(where(one.place) if one.place else None)}


def _workload(one: Outcome, where: Where) -> dict[str, Any]:
    return {
        "namespace": one.namespace,
        "name": one.name,
        **_place(where(one.place)),
        "scheduler": one.scheduler,
        "judged": one.judged,
        "wanted": one.wanted,
        "predicted": {"atLeast": one.at_least, "atMost": one.at_most},
        "placed": [{"pod": p.pod, "node": p.node, "pool": p.pool, "devices": [*p.devices]} for p in one.placed],
        "pending": [{"pod": p.pod, "message": p.words, "causes": [_cause(c) for c in p.causes]} for p in one.pending],
        "resource": one.resource or None,
        "shortBy": one.short_by,
        "difference": one.difference or None,
    }


def _cause(one: Cause) -> dict[str, Any]:
    return {"kind": one.kind, "message": one.words, "nodes": one.nodes}


def _agent(one: Agent) -> dict[str, Any]:
    return {"namespace": one.namespace, "name": one.name, "nodes": one.nodes, "wanted": one.wanted, "difference": one.difference or None}


def _place(span: Span | None) -> dict[str, Any]:
    return {"at": f"{span.file}:{span.line}:{span.column}" if span else None}
