"""A clean bundle gives nothing; each single break gives exactly its own code, once."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from unit.verify.breaks import (
    BETA,
    TEMPLATE,
    Break,
    ask,
    asks,
    bindings,
    body,
    both,
    chart,
    edge,
    edit,
    like,
    planned,
    provides,
    supplies,
    untold,
    without,
)

from fourleaf.diag import Diagnostic
from fourleaf.ir import Bundle, Document, Plan, Provided, Ref, Resource
from fourleaf.kube import Toleration, Version
from fourleaf.verify import INVARIANTS, RULES, verify

GROUP = Provided(ref=Ref("Definition", "NodeFeatureGroup.nfd.k8s-sigs.io"), api_version="nfd.k8s-sigs.io/v1alpha1")

BREAKS: list[tuple[str, str, Break]] = [
    # references: edges
    ("an edge to a queue that nobody makes", "FL820", edge(Ref("Queue.scheduling.volcano.sh", "speech"))),
    ("an edge to a ConfigMap of another namespace", "FL820", edge(Ref("ConfigMap", "layouts", "vision"))),
    ("an edge to a release that is not installed", "FL820", edge(Ref("Chart", "other", "other"))),
    ("an edge to a definition that nobody brings", "FL820", edge(Ref("Definition", "Thing.example.com"))),
    # references: fields
    ("no namespace for some objects", "FL820", without("Namespace", "plugin")),
    ("no namespace for a chart", "FL820", without("Namespace", "found")),
    ("a ConfigMap that pods mount is not made", "FL820", without("ConfigMap", "layouts")),
    ("pods mount another ConfigMap", "FL820", body("DaemonSet", *TEMPLATE, "volumes", 0, "configMap", "name", to="layout")),
    (
        "pods read another ConfigMap",
        "FL820",
        body("DaemonSet", *TEMPLATE, "containers", 0, "envFrom", 0, to={"configMapRef": {"name": "x"}}),
    ),
    ("pods run as nobody", "FL820", body("DaemonSet", *TEMPLATE, "serviceAccountName", to="plugins")),
    ("pods have a priority that nobody made", "FL820", body("DaemonSet", *TEMPLATE, "priorityClassName", to="high")),
    ("pods want another runtime", "FL820", body("DaemonSet", *TEMPLATE, "runtimeClassName", to="acme-2")),
    (
        "pods claim from no template",
        "FL820",
        body("DaemonSet", *TEMPLATE, "resourceClaims", to=[{"name": "g", "resourceClaimTemplateName": "x"}]),
    ),
    ("a claim of no class", "FL820", without("DeviceClass", "gpu.example.com")),
    ("a workload claims from no template", "FL820", without("ResourceClaimTemplate", "train")),
    ("a workload wants another runtime", "FL820", bindings(0, runtime_class="acme-2")),
    ("a role that nobody made is bound", "FL820", without("ClusterRole", "plugin")),
    ("a role is bound to nobody", "FL820", body("ClusterRoleBinding", "subjects", 0, "namespace", to="vision")),
    ("a queue under no queue", "FL820", body("Queue", "spec", "parent", to="org")),
    ("a gang in no queue", "FL820", body("PodGroup", "spec", "queue", to="speech")),
    ("a chart that brings the definition of nothing", "FL820", chart(0, provides=())),
    # asks
    ("an ask to a system that stands nowhere", "FL821", asks(0, to="gone")),
    ("an ask that nobody takes", "FL821", asks(0, to="")),
    ("an ask of which no person is told", "FL821", untold),
    ("two systems, two values of a label", "FL822", ask({"fourleaf.dev/pool": "other"}, "plain")),
    ("a label of every pool with another value on one", "FL822", both(ask({"a": "b"}, ""), ask({"a": "c"}, "plain"))),
    # placement
    ("a workload on a tainted pool without toleration", "FL823", bindings(2, tolerations=())),
    ("a workload that tolerates another effect", "FL823", bindings(1, tolerations=(Toleration("example.com/gpu", "NoExecute"),))),
    ("a DaemonSet for named nodes without toleration", "FL823", body("DaemonSet", *TEMPLATE, "tolerations", to=[])),
    (
        "a DaemonSet that tolerates another value",
        "FL823",
        body("DaemonSet", *TEMPLATE, "tolerations", 0, to={"key": "example.com/gpu", "value": "x"}),
    ),
    (
        "a Deployment sent to a tainted pool by its label",
        "FL823",
        body("Deployment", *TEMPLATE, "nodeSelector", "fourleaf.dev/pool", to="fenced"),
    ),
    ("a pool under two schedulers", "FL824", bindings(0, scheduler="")),
    ("a card given out by two systems", "FL825", supplies(allocator="other")),
    ("a card given out in two ways", "FL825", supplies(resource=Resource("gpu.example.com", "dra"))),
    # versions
    ("a kind of a release to come", "FL826", planned(kubernetes=Version(1, 33))),
    ("a kind at a version of old", "FL826", edit("DaemonSet", lambda made: replace(made, api_version="apps/v1beta2"))),
    ("a version that the chart does not serve", "FL826", edit("Queue", lambda made: replace(made, api_version="scheduling.volcano.sh/v1"))),
    ("a version that a server has, but does not serve", "FL826", edit("DeviceClass", lambda made: replace(made, api_version=BETA))),
    # schemas
    ("a field that is not there", "FL827", body("DaemonSet", "spec", "updateStratgy", to={})),
    ("a number for a text", "FL827", body("RuntimeClass", "handler", to=5)),
    ("a field that is missing", "FL827", body("RuntimeClass", to={})),
    (
        "a value that its schema does not take",
        "FL827",
        body("NodeFeatureRule", "spec", "rules", 0, "matchFeatures", 0, "matchExpressions", "vendor", "op", to="Is"),
    ),
    ("a quantity that is none", "FL827", body("DaemonSet", *TEMPLATE, "containers", 0, "resources", "limits", "memory", to="64Mib")),
    ("a field of a custom resource that fourleaf does not write", "FL827", body("Queue", "spec", "affinity", to={})),
    ("metadata that only a server writes", "FL827", body("Queue", "metadata", to={"resourceVersion": "1"})),
    ("a label that is no text", "FL827", edit("Queue", lambda made: replace(made, labels={"a": 1}))),
    ("a body that is wrong beside a document", "FL827", body("ConfigMap", "immutable", to="yes")),
    ("a kind of Kubernetes without a schema here", "FL828", like("ServiceAccount", api_version="policy/v1", kind="PodDisruptionBudget")),
    (
        "a custom kind without a record",
        "FL828",
        both(provides(0, GROUP), edit("NodeFeatureRule", lambda made: replace(made, kind="NodeFeatureGroup"))),
    ),
    # ownership
    ("two objects of one name", "FL829", like("Queue", by="plugin")),
    ("an object at two versions", "FL829", like("PodGroup")),
    ("an object that a chart brings", "FL829", provides(1, Provided(ref=Ref("Queue.scheduling.volcano.sh", "vision")))),
    ("an object that a chart puts beside itself", "FL829", like("ServiceAccount", name="scheduler", namespace="queues")),
    (
        "two charts with one definition",
        "FL829",
        provides(0, Provided(ref=Ref("Definition", "Queue.scheduling.volcano.sh"), api_version="scheduling.volcano.sh/v1beta1")),
    ),
    (
        "two charts of one release",
        "FL829",
        lambda plan, bundle: (plan, replace(bundle, charts=(*bundle.charts, replace(bundle.charts[0], provides=())))),
    ),
    # form
    ("a Secret with data", "FL830", like("ConfigMap", kind="Secret", body={"data": {"token": "c2VjcmV0"}})),
    ("a Secret with text", "FL830", like("ConfigMap", kind="Secret", body={"stringData": {"token": "secret"}})),
    ("a cluster-wide object in a namespace", "FL831", like("RuntimeClass", name="other", namespace="plugin")),
    ("a custom cluster-wide object in a namespace", "FL831", edit("NodeFeatureRule", lambda made: replace(made, namespace="plugin"))),
    ("a namespaced object in none", "FL831", edit("PodGroup", lambda made: replace(made, namespace=""))),
    ("a name with a capital", "FL832", like("ConfigMap", name="Layouts")),
    ("a namespace with a dot", "FL832", like("Namespace", name="a.b")),
    (
        "a name that is too long for a label of its pods",
        "FL832",
        like("ServiceAccount", api_version="batch/v1", kind="Job", name="x" * 64, body={"spec": {"template": {}}}),
    ),
    ("a role that is no part of a path", "FL832", like("ClusterRole", name="a/b")),
    ("a label key with two slashes", "FL832", edit("Queue", lambda made: replace(made, labels={"a/b/c": "d"}))),
    ("a label value that is too long", "FL832", edit("Queue", lambda made: replace(made, labels={"a": "b" * 64}))),
    ("an annotation key with a space", "FL832", edit("Queue", lambda made: replace(made, annotations={"a b": "c"}))),
    ("a label of pods that ends in a dash", "FL832", body("Deployment", "spec", "template", "metadata", "labels", "tier", to="a-")),
    ("a label of a workload's pods with a slash", "FL832", bindings(0, pod_labels={"team": "a/b"})),
    ("a file name with a slash", "FL832", body("ConfigMap", "data", "a/b.yaml", to="c")),
    ("a ConfigMap above 1 MiB", "FL833", body("ConfigMap", "data", "big", to="x" * (1024 * 1024))),
    ("a document above 1 MiB", "FL833", body("ConfigMap", "data", "big", to=Document({"a": ["x" * 1024] * 1100}))),
    ("annotations above 256 KiB", "FL833", edit("Queue", lambda made: replace(made, annotations={"a": "b" * 262144}))),
]


def test_nothing_is_wrong_with_the_clean_bundle(plan: Plan, bundle: Bundle) -> None:
    assert verify(plan, bundle) == ()


@pytest.mark.parametrize(("code", "broken"), [(code, broken) for _, code, broken in BREAKS], ids=[name for name, _, _ in BREAKS])
def test_one_break_gives_its_own_code_once(plan: Plan, bundle: Bundle, code: str, broken: Break) -> None:
    found = verify(*broken(plan, bundle))

    assert [one.rule.code for one in found] == [code], [one.message for one in found]
    assert well_said(found[0])


def well_said(found: Diagnostic) -> bool:
    """Tell whether a message is one clause that says what and where."""
    lowered = found.message.lower()
    assert not any(word in lowered for word in ("invalid", "bad ", "failed", "none of", "frozenset", "origin("))
    return not found.message.endswith(".") and len(found.message) < 400 and found.place[:1] == ("spec",)


def test_every_rule_has_a_break() -> None:
    assert {code for _, code, _ in BREAKS} == {rule.code for rule in RULES}


def test_codes_and_names_are_used_once() -> None:
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)
    assert len(INVARIANTS) == len(set(INVARIANTS))


FINE: list[tuple[str, Break]] = [
    ("a namespace that Kubernetes brings", edge(Ref("Namespace", "kube-system"))),
    ("a role that Kubernetes brings", edge(Ref("ClusterRole.rbac.authorization.k8s.io", "view"))),
    ("a definition of Kubernetes' own", edge(Ref("Definition", "ResourceClaim.resource.k8s.io"))),
    ("what a chart puts beside itself", edge(Ref("ServiceAccount", "scheduler", "queues"))),
    ("the account that each namespace has", body("DaemonSet", *TEMPLATE, "serviceAccountName", to="default")),
    ("one label from two systems with one value", ask({"fourleaf.dev/pool": "plain"}, "plain")),
    ("another label on every pool", ask({"example.com/on": "true"}, "")),
    (
        "a beta version where the gate is declared",
        both(
            planned(kubernetes=Version(1, 33), feature_gates={"DynamicResourceAllocation": True}),
            both(
                edit("DeviceClass", lambda made: replace(made, api_version=BETA)),
                edit(
                    "ResourceClaimTemplate",
                    lambda made: replace(
                        made,
                        api_version=BETA,
                        body={
                            "spec": {
                                "spec": {
                                    "devices": {
                                        "requests": [
                                            {"name": "gpu", "deviceClassName": "gpu.example.com"},
                                        ]
                                    }
                                }
                            }
                        },
                    ),
                ),
            ),
        ),
    ),
    (
        "a version that the record writes without its group",
        provides(1, Provided(ref=Ref("Definition", "Queue.scheduling.volcano.sh"), api_version="v1beta1")),
    ),
    ("metadata beside names and labels", body("Queue", "metadata", to={"finalizers": ["example.com/keep"]})),
    ("a Secret without data", like("ConfigMap", kind="Secret", body={"type": "kubernetes.io/service-account-token"})),
    ("a role with a colon", like("ClusterRole", name="system:plugin")),
    ("a DaemonSet on a pool that nothing tells from others", body("DaemonSet", *TEMPLATE, "affinity", to={})),
    (
        "a DaemonSet by a label that only the pool without taints has",
        body("DaemonSet", *TEMPLATE, to={"containers": [{"name": "c"}], "nodeSelector": {"fourleaf.dev/pool": "plain"}}),
    ),
    ("two allocators for two vendors", supplies(vendor="other", allocator="other")),
    ("a system's own object in the namespace of another chart", like("ServiceAccount", name="scheduler", namespace="vision")),
    (
        "a taint that only prefers",
        lambda plan, bundle: (
            replace(
                plan, pools=(replace(plan.pools[0], taints=(replace(plan.pools[0].taints[0], effect="PreferNoSchedule"),)), plan.pools[1])
            ),
            bindings(2, tolerations=())(plan, bundle)[1],
        ),
    ),
]


@pytest.mark.parametrize("broken", [broken for _, broken in FINE], ids=[name for name, _ in FINE])
def test_what_is_right_passes(plan: Plan, bundle: Bundle, broken: Break) -> None:
    assert [one.message for one in verify(*broken(plan, bundle))] == []
