"""The scheduler's words, with the names and numbers that they leave out."""

from __future__ import annotations

from collections import Counter
from typing import Any

from fourleaf.rehearse.nodes import Node
from fourleaf.rehearse.pods import SIBLINGS
from fourleaf.rehearse.words import Cause, Scene, causes, reasons

# As kube-scheduler 1.36.3 said them.
MIXED = (
    "0/6 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient nvidia.com/gpu, 3 node(s) didn't match Pod's node "
    "affinity/selector. no new claims to deallocate, preemption: 0/6 nodes are available: 2 No preemption victims found for incoming pod, "
    "4 Preemption is not helpful for scheduling."
)
CLAIMS = (
    "0/6 nodes are available: 2 node(s) had untolerated taint(s), 4 cannot allocate all claims. still not schedulable, preemption: 0/6 "
    "nodes are available: 6 Preemption is not helpful for scheduling."
)
LEFT_OUT = "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
TAINT = {"key": "dedicated", "value": "ml", "effect": "NoSchedule"}


def _pod(**spec: Any) -> dict[str, Any]:
    containers = [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": 2}}}]
    return {"metadata": {"name": "p", "namespace": "apps"}, "spec": {"containers": containers, **spec}}


def _scene(**more: Any) -> Scene:
    nodes = (
        Node(name="a", pool="x", labels={"pool": "x"}, capacity={"nvidia.com/gpu": "4"}),
        Node(name="b", pool="x", labels={"pool": "x"}, capacity={"nvidia.com/gpu": "4"}),
        Node(name="c", pool="y", labels={"pool": "y"}, capacity={"nvidia.com/gpu": "8"}, taints=(TAINT,)),
    )
    used = {"a": Counter({"nvidia.com/gpu": 4}), "b": Counter({"nvidia.com/gpu": 3})}
    return Scene(**{"nodes": nodes, "used": used, "published": {}, "claimed": Counter(), "templates": {}, **more})


def test_reasons_are_counted_and_what_preemption_says_is_left_out() -> None:
    assert reasons(MIXED) == (
        (1, "node(s) had untolerated taint(s)"),
        (2, "Insufficient nvidia.com/gpu"),
        (3, "node(s) didn't match Pod's node affinity/selector"),
    )
    assert reasons(CLAIMS) == ((2, "node(s) had untolerated taint(s)"), (4, "cannot allocate all claims"))
    assert reasons(LEFT_OUT) == ((1, "Insufficient nvidia.com/gpu"), (2, "node(s) didn't satisfy plugin(s) [NodeAffinity]"))


def test_the_taint_is_named_and_only_one_that_keeps_the_pod_away() -> None:
    (cause, *_) = causes(MIXED, _pod(), _scene())

    assert cause == Cause("taint", "taint dedicated=ml:NoSchedule is not tolerated", 1)


def test_a_node_that_runs_no_more_pods_says_how_many_it_runs() -> None:
    nodes = (Node(name="a", pool="x", labels={}, capacity={"pods": "2"}), Node(name="b", pool="y", labels={}, capacity={"pods": "110"}))
    full = _scene(nodes=nodes, used={"a": Counter({"pods": 2})})
    told = causes("0/1 nodes are available: 1 Too many pods. preemption: 0/1 nodes are available.", _pod(), full)

    assert told == (Cause("pods", "too many pods: a node runs 2", 1),)


def test_a_toleration_of_another_value_answers_nothing() -> None:
    wrong = _pod(tolerations=[{"key": "dedicated", "value": "web", "effect": "NoSchedule"}])
    right = _pod(tolerations=[{"key": "dedicated", "operator": "Exists"}])

    assert causes(MIXED, wrong, _scene())[0].words == "taint dedicated=ml:NoSchedule is not tolerated"
    assert causes(MIXED, right, _scene())[0] == Cause("other", "node(s) had untolerated taint(s)", 1)


def test_what_is_short_is_counted_on_the_nodes_that_are_open_to_the_pod() -> None:
    told = causes(MIXED, _pod(), _scene())[1]

    assert told == Cause("resource", "nvidia.com/gpu: asks 2, at most 1 free on a node (b has 1, a has 0): short by 1", 2)


def test_nodes_with_enough_are_not_said_to_be_short() -> None:
    roomy = _scene(used={"b": Counter({"nvidia.com/gpu": 3})})
    told = causes("0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 2 Too many pods.", _pod(), roomy)

    assert told[0] == Cause("resource", "nvidia.com/gpu: asks 2, at most 1 free on a node (b has 1): short by 1", 1)


def test_nodes_that_have_none_of_a_resource_are_not_short_of_it_where_others_have_enough() -> None:
    nodes = (Node(name="a", pool="x", labels={}, capacity={"nvidia.com/gpu": "4"}), Node(name="b", pool="y", labels={}))
    told = causes("0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 Too many pods.", _pod(), _scene(nodes=nodes, used={}))

    assert told[0] == Cause("selection", "nodes without nvidia.com/gpu", 1)


def test_words_from_before_the_nodes_were_full_of_pods_give_the_cause_that_holds() -> None:
    nodes = tuple(Node(name=name, pool="x", labels={}, capacity={"nvidia.com/gpu": "7", "pods": "4"}) for name in "ab")
    used = {name: Counter({"nvidia.com/gpu": 4, "pods": 4}) for name in "ab"}
    words = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu, 2 Too many pods."

    assert causes(words, _pod(), _scene(nodes=nodes, used=used)) == (Cause("pods", "too many pods: a node runs 4", 2),)


def test_a_pod_of_a_daemonset_keeps_off_the_node_of_another() -> None:
    pod = {**_pod(), "metadata": {"name": "d-2", "namespace": "apps", "labels": {SIBLINGS: "d"}}}
    words = "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match pod anti-affinity rules."

    assert causes(words, pod, _scene())[1] == Cause("apart", "one pod a node: another of d is there", 2)


def test_a_node_selector_closes_nodes() -> None:
    told = causes(MIXED, _pod(nodeSelector={"pool": "y"}), _scene())

    assert told[1].words == "nvidia.com/gpu: asks 2, and no node that it may go to has any"
    assert told[2].words == "nodes without pool=y"


def test_an_affinity_by_name_is_said_however_the_scheduler_says_it() -> None:
    field = {"key": "metadata.name", "operator": "In", "values": ["a"]}
    terms = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": [field]}]}}

    assert causes(LEFT_OUT, _pod(affinity={"nodeAffinity": terms}), _scene())[1] == Cause(
        "selection", "nodes without metadata.name in a", 2
    )


def test_a_claim_is_named_with_what_there_is_of_its_class() -> None:
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu.intel.com", "count": 2, "selectors": [{"cel": {"expression": "true"}}]}}
    template = {"spec": {"spec": {"devices": {"requests": [request]}}}}
    pod = _pod(resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "p-gpu"}])
    scene = _scene(published={"gpu.intel.com": 4}, claimed=Counter({"gpu.intel.com": 3}), templates={("apps", "p-gpu"): template})

    assert causes(CLAIMS, pod, scene)[1] == Cause(
        "claim", "claim gpu (p-gpu) asks 2 of gpu.intel.com that meet its selectors: 4 published, 3 in use", 4
    )


def test_words_of_another_form_stay_as_they_are() -> None:
    assert causes("running PreBind plugin: no", _pod(), _scene()) == (Cause("other", "running PreBind plugin: no", 3),)
    assert causes("0/3 nodes are available: 3 node(s) were unschedulable.", _pod(), _scene()) == (
        Cause("other", "node(s) were unschedulable", 3),
    )
