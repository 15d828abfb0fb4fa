"""What a finding of verify says, and where it points."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from unit.verify.breaks import (
    BETA,
    TEMPLATE,
    Break,
    bindings,
    body,
    chart,
    edit,
    without,
)

from fourleaf.diag import Diagnostic
from fourleaf.ir import Bundle, Plan, Prerequisite, Ref
from fourleaf.verify import verify


def said(plan: Plan, bundle: Bundle, broken: Break) -> Diagnostic:
    found = verify(*broken(plan, bundle))
    assert len(found) == 1
    return found[0]


def test_one_missing_thing_is_one_finding_that_names_those_who_need_it(plan: Plan, bundle: Bundle) -> None:
    found = said(plan, bundle, without("Namespace", "plugin"))

    assert found.message == "ServiceAccount plugin/plugin and 3 more need Namespace plugin, which nothing makes or brings"
    assert found.place == ("spec", "made", "plugin")
    assert found.note == "made by plugin: because"
    assert [label.message for label in found.labels] == [
        "ConfigMap plugin/layouts needs it too",
        "DaemonSet plugin/plugin needs it too",
        "Deployment plugin/controller needs it too",
    ]


def test_a_missing_definition_is_named_by_its_kind(plan: Plan, bundle: Bundle) -> None:
    assert said(plan, bundle, chart(0, provides=())).message == (
        "NodeFeatureRule fourleaf needs the definition of NodeFeatureRule.nfd.k8s-sigs.io, which nothing makes or brings"
    )


def test_a_definition_among_the_objects_brings_its_kind_and_conflicts_with_a_chart_that_does(plan: Plan, bundle: Bundle) -> None:
    from fourleaf.kube.definitions import definition, record

    found = record("nfd.k8s-sigs.io", "NodeFeatureRule")
    assert found
    own = definition(found)
    crd = replace(
        bundle.objects[0], api_version=own["apiVersion"], kind=own["kind"], name=own["metadata"]["name"], body={"spec": own["spec"]}
    )
    with_crd = replace(bundle, objects=(crd, *bundle.objects))

    assert verify(*chart(0, provides=())(plan, with_crd)) == ()
    assert [one.rule.name for one in verify(plan, with_crd)] == ["object-with-two-owners"]


def test_a_person_can_bring_a_definition_at_any_version(plan: Plan, bundle: Bundle) -> None:
    todo = Prerequisite(
        what="install it", brings=Ref("Definition", "NodeFeatureRule.nfd.k8s-sigs.io"), origin=bundle.prerequisites[0].origin
    )
    plan, bundle = chart(0, provides=())(plan, bundle)

    assert verify(plan, replace(bundle, prerequisites=(*bundle.prerequisites, todo))) == ()


@pytest.mark.parametrize(
    ("broken", "clause"),
    [
        (body("DaemonSet", "spec", "updateStratgy", to={}), "DaemonSet plugin/plugin: spec.updateStratgy is no field that is known"),
        (body("RuntimeClass", "handler", to=5), "RuntimeClass acme: handler is 5, not of type string"),
        (body("RuntimeClass", to={}), "RuntimeClass acme: handler is missing"),
        (body("Queue", "spec", "weight", to=0), "Queue vision: spec.weight: 0 is less than the minimum of 1"),
        (
            body("DaemonSet", *TEMPLATE, "containers", 0, "resources", "limits", "memory", to="64Mib"),
            'DaemonSet plugin/plugin: spec.template.spec.containers[0].resources.limits.memory is "64Mib", which its pattern does not take',
        ),
        (
            body("NodeFeatureRule", "spec", "rules", 0, "matchFeatures", 0, "matchExpressions", "vendor", "op", to="Is"),
            (
                'NodeFeatureRule fourleaf: spec.rules[0].matchFeatures[0].matchExpressions.vendor.op is "Is", '
                "not one of In, NotIn, InRegexp, Exists, DoesNotExist, Gt, Ge, Lt, Le, GtLt, GeLe, IsTrue, IsFalse"
            ),
        ),
    ],
)
def test_a_schema_finding_says_where_in_the_object(plan: Plan, bundle: Bundle, broken: Break, clause: str) -> None:
    assert said(plan, bundle, broken).message == clause


def test_a_version_that_is_not_served_comes_with_one_that_is(plan: Plan, bundle: Bundle) -> None:
    old = said(plan, bundle, edit("Queue", lambda made: replace(made, api_version="scheduling.volcano.sh/v1")))
    off = said(plan, bundle, edit("DeviceClass", lambda made: replace(made, api_version=BETA)))

    assert old.message == "Queue vision is of scheduling.volcano.sh/v1, which chart queues does not serve"
    assert old.help == "it serves scheduling.volcano.sh/v1beta1"
    assert off.message == "DeviceClass gpu.example.com is of resource.k8s.io/v1beta1, which Kubernetes 1.35 does not serve"
    assert off.help == "start kube-apiserver with --runtime-config=resource.k8s.io/v1beta1=true"


def test_a_taint_finding_has_the_toleration_to_write_and_the_pool(plan: Plan, bundle: Bundle) -> None:
    found = said(plan, bundle, bindings(2, tolerations=()))

    assert found.message == (
        "binding of Deployment vision/train has pods for the nodes of pool fenced and does not tolerate example.com/gpu=present:NoSchedule"
    )
    assert found.help == "tolerate it: {key: example.com/gpu, operator: Exists, effect: NoSchedule}"
    assert found.labels[0].place == ("spec", "pools", 0, "taints")


def test_two_schedulers_are_told_once_for_all_their_pools(plan: Plan, bundle: Bundle) -> None:
    found = said(plan, bundle, bindings(1, scheduler="other"))

    assert found.message == (
        "GPUs of pools fenced, plain are given away by other (Deployment vision/detect) and volcano (Deployment vision/train)"
    )
