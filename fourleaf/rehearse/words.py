"""The scheduler's words about a pod that it cannot place, with the names and numbers that they leave out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from fourleaf.kube import Taint, Toleration
from fourleaf.rehearse.nodes import Node
from fourleaf.rehearse.pods import SIBLINGS
from fourleaf.rehearse.tree import Manifest

# "0/6 nodes are available: 2 node(s) had untolerated taint(s), 4 cannot allocate all claims. still not schedulable, preemption: ..."
# https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/scheduler/framework/types.go (FitError)
_FORM = re.compile(r"0/\d+ nodes are available: (?P<reasons>.*?)\.?(?: (?:no new claims|still not schedulable|preemption:).*)?$", re.DOTALL)
_REASON = re.compile(r"(\d+) (.+)")
NAMED = 3
"""Nodes, or taints, that a cause names before it counts the rest."""


class Cause(Struct, frozen=True):
    """Why some nodes do not take a pod."""

    kind: str
    """"taint", "resource", "claim", "selection", "pods", "apart", or "other" for words that nothing here knows."""
    words: str
    nodes: int
    """How many nodes it holds for, as the scheduler counts."""


class Scene(Struct, frozen=True):
    """What the scheduler had before it."""

    nodes: tuple[Node, ...]
    used: Mapping[str, Counter[str]]
    """Node to what the pods on it take of each resource, `pods` among them."""
    published: Mapping[str, int]
    """DeviceClass to its devices on all nodes."""
    claimed: Counter[str]
    """DeviceClass to those that are allocated."""
    templates: Mapping[tuple[str, str], Manifest]
    """ResourceClaimTemplates, by namespace and name."""


def reasons(message: str) -> tuple[tuple[int, str], ...]:
    """Return the reasons that a message counts, each with its number of nodes; none where it has another form."""
    found = _FORM.match(message.strip())
    if found is None:
        return ()
    parts = (_REASON.fullmatch(part.strip()) for part in re.split(r", (?=\d+ )", found["reasons"]))
    return tuple((int(part[1]), part[2].rstrip(".")) for part in parts if part)


def causes(message: str, pod: Manifest, scene: Scene) -> tuple[Cause, ...]:
    """Translate a message."""
    told = reasons(message)
    if not told:
        return (Cause("other", message, len(scene.nodes)),)
    return tuple(dict.fromkeys(_cause(count, reason, pod, scene) for count, reason in told))


def _cause(count: int, reason: str, pod: Manifest, scene: Scene) -> Cause:
    for kind, mark, explain in _KINDS:
        if mark in reason and (words := explain(reason, pod, scene)):
            return Cause(kind, words, count)
    return Cause("other", reason, count)


def _resource(reason: str, pod: Manifest, scene: Scene) -> str:
    name = reason.removeprefix("Insufficient ")
    asked = sum(_amount((container.get("resources") or {}), name) for container in pod["spec"]["containers"])
    free = {node.name: _free(node, name, scene) for node in scene.nodes if name in node.capacity and _open(node, pod)}
    if not free:
        return f"{name}: asks {asked}, and no node that it may go to has any"
    short = {at: units for at, units in free.items() if units < asked}  # what keeps it from the others is another reason
    if not short:
        return ""  # it was said before the last pods came
    have = max(short.values())
    rooms = [f"{at} has {units}" for at, units in sorted(short.items(), key=lambda room: -room[1])]
    return f"{name}: asks {asked}, at most {have} free on a node ({_some(rooms)}): short by {asked - have}"


def _without(reason: str, pod: Manifest, scene: Scene) -> str:
    name = reason.removeprefix("Insufficient ")
    return f"nodes without {name}" if any(name not in node.capacity and _open(node, pod) for node in scene.nodes) else ""


def _pods(reason: str, pod: Manifest, scene: Scene) -> str:
    open_ = [node for node in scene.nodes if "pods" in node.capacity and _open(node, pod)]
    full = [node for node in open_ if _free(node, "pods", scene) <= 0]
    runs = sorted({int(node.capacity["pods"]) for node in full})
    return f"too many pods: a node runs {' or '.join(map(str, runs))}" if runs else ""


def _apart(reason: str, pod: Manifest, scene: Scene) -> str:
    name = (pod["metadata"].get("labels") or {}).get(SIBLINGS)
    return f"one pod a node: another of {name} is there" if name else ""


def _open(node: Node, pod: Manifest) -> bool:
    """Tell whether neither taints nor a node selector keep a pod from a node."""
    wanted = pod["spec"].get("nodeSelector") or {}
    return not any(_untolerated(node, pod)) and all(node.labels.get(key) == value for key, value in wanted.items())


def _free(node: Node, name: str, scene: Scene) -> int:
    total = node.capacity[name]
    return int(total) - scene.used.get(node.name, Counter())[name] if total.isdigit() else 0


def _amount(resources: Mapping[str, Any], name: str) -> int:
    text = str((resources.get("requests") or {}).get(name, (resources.get("limits") or {}).get(name, 0)))
    return int(text) if text.isdigit() else 0


def _taint(reason: str, pod: Manifest, scene: Scene) -> str:
    taints = Counter(str(taint) for node in scene.nodes for taint in _untolerated(node, pod))
    return f"taint {_some([*taints])} is not tolerated" if taints else ""


def _untolerated(node: Node, pod: Manifest) -> Iterator[Taint]:
    answers = [Toleration(**{"key": "", **one}) for one in map(_plain, pod["spec"].get("tolerations") or ())]
    for fields in node.taints:
        taint = Taint(fields["key"], fields.get("value", ""), fields["effect"])  # type: ignore[arg-type]
        if taint.effect != "PreferNoSchedule" and not any(answer.tolerates(taint) for answer in answers):
            yield taint


def _plain(toleration: Mapping[str, Any]) -> Mapping[str, Any]:
    known = ("key", "effect", "operator", "value")
    return {"operator": "Equal", **{key: toleration[key] for key in known if key in toleration}}


def _selection(reason: str, pod: Manifest, scene: Scene) -> str:
    spec = pod["spec"]
    wanted = [f"{key}={value}" for key, value in (spec.get("nodeSelector") or {}).items()]
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    for term in (affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get("nodeSelectorTerms") or ():
        asked = (*(term.get("matchExpressions") or ()), *(term.get("matchFields") or ()))
        wanted += [f"{one['key']} {one['operator'].lower()} {', '.join(one.get('values') or ())}".strip() for one in asked]
    return f"nodes without {_some(wanted)}" if wanted else ""


def _claim(reason: str, pod: Manifest, scene: Scene) -> str:
    told = []
    for claim in pod["spec"].get("resourceClaims") or ():
        name = claim.get("resourceClaimTemplateName") or claim.get("resourceClaimName", "")
        template = scene.templates.get((pod["metadata"]["namespace"], name))
        told += [_request(claim["name"], name, one, scene) for one in _requests(template)] if template else []
    return "; ".join(told)


def _request(claim: str, template: str, asked: Mapping[str, Any], scene: Scene) -> str:
    device_class = asked.get("deviceClassName", "")
    selected = " that meet its selectors" if asked.get("selectors") else ""
    shown, used = scene.published.get(device_class, 0), scene.claimed[device_class]
    return f"claim {claim} ({template}) asks {asked.get('count', 1)} of {device_class}{selected}: {shown} published, {used} in use"


def _requests(template: Manifest) -> Iterator[Mapping[str, Any]]:
    """Yield the requests of a template, whose fields stand below `exactly` since v1beta2."""
    for request in template["spec"]["spec"]["devices"].get("requests") or ():
        yield request.get("exactly") or request


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:NAMED])
    return f"{shown} and {len(names) - NAMED} more" if len(names) > NAMED else shown


_KINDS: Sequence[tuple[str, str, Callable[[str, Manifest, Scene], str]]] = (
    ("resource", "Insufficient ", _resource),
    ("selection", "Insufficient ", _without),
    ("pods", "Insufficient ", _pods),
    ("taint", "untolerated taint", _taint),
    ("claim", "cannot allocate all claims", _claim),
    ("pods", "Too many pods", _pods),
    ("apart", "anti-affinity rules", _apart),
    ("selection", "node affinity/selector", _selection),
    ("selection", "plugin(s) [NodeAffinity]", _selection),  # of nodes that an affinity by name leaves out before any is looked at
)
