"""The whole of a rehearsal on an API server that is there: nodes, set, pods, and what the scheduler made of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from fourleaf.ir import Bundle, Plan
from fourleaf.kube import Version
from fourleaf.kube.served import dra_api
from fourleaf.rehearse import agents, apply, objects, verdict
from fourleaf.rehearse.agents import Agent
from fourleaf.rehearse.apply import Refusal
from fourleaf.rehearse.nodes import SIMULATED, Node, nodes
from fourleaf.rehearse.objects import StandIn
from fourleaf.rehearse.pods import OURS, Work, works
from fourleaf.rehearse.server import Key, RefusedError, Server, until
from fourleaf.rehearse.tree import Tree
from fourleaf.rehearse.verdict import Outcome

Reason: TypeAlias = Literal["", "spec", "refused", "difference"]

SILENCE = 20.0
"""Seconds without a word from the scheduler after which a pod counts as one that it does not speak of."""
PATIENCE = 4.0
"""Seconds that an answer may still change where it is not the predicted one: the scheduler takes back what it said too early."""
POLL = 0.1


class Rehearsal(Struct, frozen=True, kw_only=True):
    """What a rehearsal found."""

    server: str
    """Version of the API server."""
    nodes: tuple[Node, ...]
    stand_ins: tuple[StandIn, ...]
    applied: int
    refused: tuple[Refusal, ...]
    outcomes: tuple[Outcome, ...]
    agents: tuple[Agent, ...]
    notes: tuple[str, ...] = ()

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """Objects, then pods."""
        return (*self.refused, *(one for found in self.outcomes for one in found.refused))

    @property
    def differences(self) -> tuple[str, ...]:
        told = [(f"workload {one.namespace}/{one.name}", one.difference) for one in self.outcomes]
        told += [(f"daemonset {one.namespace}/{one.name}", one.difference) for one in self.agents]
        return tuple(f"{who}: {what}" for who, what in told if what)

    @property
    def reason(self) -> Reason:
        """Why this is not as predicted; empty where it is."""
        return "refused" if self.refusals else "difference" if self.differences else ""


def rehearse(plan: Plan, bundle: Bundle, tree: Tree, server: Server) -> Rehearsal:
    """Simulate the nodes of a plan, apply a tree, run the workloads, and compare. What was made stays: see `apply.clean`.

    Raises:
        RefusedError: the server does not take what a rehearsal itself needs.
        UnreachableError: it is gone.
    """
    release = Version.parse(server.version)
    work = works(plan, bundle, tree.bindings)
    made = nodes(plan, bundle)
    lodgings = sorted({one.shape.namespace for one in work if one.pods})
    stood_in = objects.stand_ins(bundle, tree, lodgings, release)
    apply.define(server, objects.definitions_of(tree, stood_in))
    for one in stood_in:
        server.apply(one.manifest)
    apply.simulate(server, made, dra_api(release) or "")
    refused = apply.apply(server, tree, bundle)
    until(lambda: all(_takes_pods(server, name) for name in lodgings), SILENCE)
    staff = agents.settle(server, plan, bundle, tree, [one.path for one in refused], SILENCE)
    stage = _Stage(server, plan, made)
    stage.run(work)
    return Rehearsal(
        server=server.version,
        nodes=made,
        stand_ins=stood_in,
        applied=len(tree.objects) - len(refused),
        refused=refused,
        outcomes=stage.outcomes(work),
        agents=staff,
        notes=tuple(_notes(plan, release, work)),
    )


def _takes_pods(server: Server, namespace: str) -> bool:
    """Tell whether a namespace has its default service account, which comes a moment later; of one that is not there, nothing will."""
    return bool(server.get(Key(("v1", "ServiceAccount", namespace, "default"))) or not server.get(Key(("v1", "Namespace", "", namespace))))


class _Stage:
    """The pods of a rehearsal, from the first to the last word about them."""

    def __init__(self, server: Server, plan: Plan, made: tuple[Node, ...]) -> None:
        self._server = server
        self._plan = plan
        self._nodes = made
        self._predictions = dict(zip(((pod.namespace, pod.name) for pod in plan.pods), plan.predictions, strict=True))
        self._events: dict[tuple[str, str], str] = {}
        self._refused: dict[tuple[str, str], tuple[Refusal, ...]] = {}
        # A scheduler takes pods as they come. Where that decides who gets what, workloads come one after the other, as the plan counts.
        self._contested = {one.resource for one in plan.predictions if one.at_least < one.wanted}

    def run(self, work: Sequence[Work]) -> None:
        """Make the pods, and wait until the scheduler has spoken of each."""
        calm = [one for one in work if self._resource(one) not in self._contested]
        for one in calm:
            self._create(one)
        self._settle(calm)
        for one in work:
            if self._resource(one) in self._contested:
                self._create(one)
                self._settle([one])

    def outcomes(self, work: Sequence[Work]) -> tuple[Outcome, ...]:
        pods, claims = self._pods(), self._by_name("ResourceClaim")
        scene = verdict.scene(self._plan, self._nodes, self._by_name("Pod", "v1"), claims, self._by_name("ResourceClaimTemplate"))
        seen = verdict.Seen(pods, claims, self._events, scene)
        return tuple(verdict.outcome(one, self._predictions[_key(one)], seen, self._refused.get(_key(one), ())) for one in work)

    def _resource(self, work: Work) -> str:
        return self._predictions[_key(work)].resource

    def _create(self, work: Work) -> None:
        refused = []
        for pod in work.pods:
            try:
                self._server.create(pod, dry=work.scheduler != OURS)
            except RefusedError as error:
                refused.append(
                    Refusal(work.path, f"Pod {work.shape.namespace}/{pod['metadata']['name']}", error.words, work.shape.origin.place)
                )
        if refused:
            self._refused[_key(work)] = tuple(refused)

    def _settle(self, work: Sequence[Work]) -> None:
        """Wait for the scheduler's word on every pod, and a little longer where it is not the predicted one."""
        mine = {(one.shape.namespace, pod["metadata"]["name"]): one for one in work if one.scheduler == OURS for pod in one.pods}
        last, since, wrong = -1, time.monotonic(), 0.0
        while mine and time.monotonic() < since + SILENCE:
            pods = {name: pod for name, pod in self._pods().items() if name in mine}
            waiting = [name for name, pod in pods.items() if not pod["spec"].get("nodeName") and not verdict.said(pod)]
            if waiting and time.monotonic() > since + PATIENCE:
                self._hear()
                waiting = [name for name in waiting if name not in self._events]
            if len(waiting) != last:
                last, since = len(waiting), time.monotonic()
            if not waiting:
                placed = Counter(_key(mine[name]) for name, pod in pods.items() if pod["spec"].get("nodeName"))
                wrong = wrong or time.monotonic() + PATIENCE
                if all(self._as_predicted(one, placed[_key(one)]) for one in work) or time.monotonic() > wrong:
                    return
            time.sleep(POLL)

    def _hear(self) -> None:
        """Read what controllers say of pods: one that waits for a claim which cannot be made never gets to the scheduler."""
        for event in self._server.find("v1", "Event"):
            about = event["involvedObject"]
            if about["kind"] == "Pod" and event["type"] == "Warning" and event["reason"] != "FailedScheduling":
                self._events[about.get("namespace", ""), about["name"]] = event["message"]

    def _as_predicted(self, work: Work, placed: int) -> bool:
        prediction = self._predictions[_key(work)]
        return prediction.at_least <= placed <= prediction.at_most

    def _pods(self) -> dict[tuple[str, str], Any]:
        return self._by_name("Pod", "v1", f"{SIMULATED}=true")

    def _by_name(self, kind: str, api_version: str = "", selector: str = "") -> dict[tuple[str, str], Any]:
        version = api_version or dra_api(Version.parse(self._server.version)) or ""
        if not self._server.serves(version, kind):
            return {}
        return {(one["metadata"]["namespace"], one["metadata"]["name"]): one for one in self._server.find(version, kind, selector)}


def _key(work: Work) -> tuple[str, str]:
    return work.shape.namespace, work.shape.name


def _notes(plan: Plan, release: Version, work: Sequence[Work]) -> list[str]:
    notes = []
    if plan.kubernetes.release != release.release:
        notes.append(f"the control plane is Kubernetes {release}, the spec says {plan.kubernetes}: their schedulers may differ")
    if plan.feature_gates:
        notes.append("featureGates of the spec are not set on the control plane")
    others = sorted({one.scheduler for one in work if one.pods and one.scheduler != OURS})
    notes += [f"kube-scheduler does not judge pods of {name}: only whether the API server takes them was tried" for name in others]
    return notes
