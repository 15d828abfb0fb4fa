"""What the scheduler did with each workload, and whether the plan said so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fourleaf.diag import Path
from fourleaf.ir import Plan, Prediction
from fourleaf.rehearse.apply import Refusal
from fourleaf.rehearse.nodes import Node
from fourleaf.rehearse.pods import OURS, Work
from fourleaf.rehearse.words import Cause, Scene, causes

Objects: TypeAlias = Mapping[tuple[str, str], Any]
"""As the server has them, by namespace and name."""


class Placed(Struct, frozen=True):
    """A pod and where it went."""

    pod: str
    node: str
    pool: str
    devices: tuple[str, ...] = ()
    """Of its claims, `driver/device`."""


class Pending(Struct, frozen=True):
    """A pod that the scheduler did not place."""

    pod: str
    words: str
    """The scheduler's own; empty where it said nothing."""
    causes: tuple[Cause, ...] = ()


class Outcome(Struct, frozen=True, kw_only=True):
    """What became of one workload."""

    namespace: str
    name: str
    wanted: int
    at_least: int
    at_most: int
    """Pods that the plan says will be placed; two numbers where it depends on which nodes the scheduler chooses."""
    scheduler: str = OURS
    placed: tuple[Placed, ...] = ()
    pending: tuple[Pending, ...] = ()
    refused: tuple[Refusal, ...] = ()
    resource: str = ""
    """What its pods ask for."""
    short_by: int = 0
    """Units of it that the pending pods ask for together."""
    accepted: int = 0
    """Pods that the API server would take, of another scheduler's."""
    difference: str = ""
    """How this is not as predicted, empty where it is."""
    place: Path = ()

    @property
    def judged(self) -> bool:
        """The scheduler that ran here is the one that decides about its pods."""
        return self.scheduler == OURS


class Seen(Struct, frozen=True):
    """All that was seen once the scheduler had spoken."""

    pods: Objects
    claims: Objects
    events: Mapping[tuple[str, str], str]
    """What controllers say of pods that never came to the scheduler."""
    scene: Scene


def outcome(work: Work, prediction: Prediction, seen: Seen, refused: tuple[Refusal, ...]) -> Outcome:
    """Read what became of a workload.

    Args:
        refused: pods of it that the server did not take.
    """
    shape = work.shape
    pools = {node.name: node.pool for node in seen.scene.nodes}
    placed: list[Placed] = []
    pending: list[Pending] = []
    for manifest in work.pods:
        key = (shape.namespace, manifest["metadata"]["name"])
        pod = seen.pods.get(key)
        if pod is None:
            continue
        node = pod["spec"].get("nodeName", "")
        if node:
            placed.append(Placed(key[1], node, pools.get(node, ""), devices(pod, seen.claims)))
        elif words := said(pod):
            pending.append(Pending(key[1], words, causes(words, pod, seen.scene)))
        else:
            words = seen.events.get(key, "")
            pending.append(Pending(key[1], words, (Cause("claim", words, len(pools)),) if words else ()))
    found = Outcome(
        namespace=shape.namespace,
        name=shape.name,
        wanted=shape.replicas,
        at_least=prediction.at_least,
        at_most=prediction.at_most,
        scheduler=work.scheduler,
        placed=tuple(placed),
        pending=tuple(pending),
        refused=refused,
        resource=prediction.resource,
        short_by=len(pending) * shape.want.count,
        accepted=len(work.pods) - len(refused) if work.scheduler != OURS else 0,
        place=shape.origin.place,
    )
    return replace(found, difference=_difference(found, work))


def _difference(found: Outcome, work: Work) -> str:
    if found.refused or not found.judged:
        return ""  # said elsewhere, or nobody's to say
    if work.shape.supplies and not work.path:
        return "the tree has no patch for it"
    strays = sorted({one.pool for one in found.placed} - {supply.pool for supply in work.shape.supplies})
    if strays:
        return f"a pod went to pool {strays[0]}, which the plan does not count"
    count = len(found.placed)
    if found.at_least <= count <= found.at_most:
        return ""
    return f"predicted {expected(found)} of {found.wanted} placed, kube-scheduler placed {count}"


def expected(found: Outcome) -> str:
    return str(found.at_least) if found.at_least == found.at_most else f"{found.at_least} to {found.at_most}"


def devices(pod: Any, claims: Objects) -> tuple[str, ...]:
    """Return what was allocated to a pod's claims."""
    made: list[str] = []
    for status in pod["status"].get("resourceClaimStatuses") or ():
        claim = claims.get((pod["metadata"]["namespace"], status.get("resourceClaimName", ""))) or {}
        made += [f"{result['driver']}/{result['device']}" for result in _allocated(claim)]
    return tuple(made)


def said(pod: Any) -> str:
    """Return what the scheduler says of a pod that it cannot place; empty while it has said nothing."""
    for condition in pod["status"].get("conditions") or ():
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            return str(condition.get("message", condition.get("reason", "")))
    return ""


def scene(plan: Plan, nodes: tuple[Node, ...], pods: Objects, claims: Objects, templates: Objects) -> Scene:
    """Return what is taken where, once the scheduler has spoken.

    Args:
        pods: all, those of agents among them.
    """
    used: dict[str, Counter[str]] = {}
    for pod in pods.values():
        node = pod["spec"].get("nodeName", "")
        used.setdefault(node, Counter())["pods"] += 1
        for container in pod["spec"]["containers"] if node else ():
            limits = (container.get("resources") or {}).get("limits") or {}
            used[node].update({name: int(amount) for name, amount in limits.items() if str(amount).isdigit()})
    claimed: Counter[str] = Counter()
    for claim in claims.values():
        classes = {
            one["name"]: (one.get("exactly") or one).get("deviceClassName", "") for one in claim["spec"]["devices"].get("requests") or ()
        }
        claimed.update(classes.get(result["request"], "") for result in _allocated(claim))
    published = {resource.name: count for resource, count in plan.capacity().items() if resource.by == "dra"}
    return Scene(nodes, used, published, claimed, templates)


def _allocated(claim: Any) -> Sequence[Any]:
    found: Sequence[Any] = (((claim.get("status") or {}).get("allocation") or {}).get("devices") or {}).get("results") or ()
    return found
