"""OpenShift: what lets pods be privileged there, and what charts are told of it."""

from typing import Any

from specs import codes, compiled, pool, spec

from fourleaf.pipeline import Compilation


def cluster(card: str, version: str = "4.21", kubernetes: str = "1.34", **more: Any) -> Compilation:
    tree = spec(pool("gpu", card, os=f"rhcos-{version}"), **more)
    tree["spec"]["kubernetes"] = {"version": kubernetes, "distribution": "openshift"}
    return compiled(tree)


def openshift(made: Compilation) -> Any:
    assert made.bundle
    return made.bundle.charts[0].values["openshift"]


def test_privileged_pods_are_allowed_the_constraints_that_their_namespace_needs() -> None:
    bundle = cluster("mi210").bundle
    assert bundle
    made: dict[str, Any] = {part.kind: part for part in bundle.objects if part.kind in ("Role", "RoleBinding")}
    assert {part.namespace for part in made.values()} == {"amd-device-plugin"}
    assert made["Role"].body["rules"] == [
        {
            "apiGroups": ["security.openshift.io"],
            "resources": ["securitycontextconstraints"],
            "resourceNames": ["privileged"],
            "verbs": ["use"],
        }
    ]
    assert [one["name"] for one in made["RoleBinding"].body["subjects"]] == ["system:serviceaccounts:amd-device-plugin"]


def test_elsewhere_pod_security_is_all() -> None:
    bundle = compiled(spec(pool("gpu", "mi210"))).bundle
    assert bundle
    assert not [part for part in bundle.objects if part.kind in ("Role", "RoleBinding")]


def test_intels_chart_is_told_the_version() -> None:
    made = cluster("flex-140")
    assert openshift(made) == {"enabled": True, "version": "4.21"}
    assert codes(made) == []


def test_an_older_openshift_gets_the_older_device_class_and_no_complaint_about_the_newer() -> None:
    gates = {"DynamicResourceAllocation": True}
    tree = spec(pool("gpu", "flex-140", os="rhcos-4.20"))
    tree["spec"]["kubernetes"] = {"version": "1.33", "distribution": "openshift", "featureGates": gates}
    made = compiled(tree)
    assert "FL351" not in codes(made)


def test_a_chart_that_does_not_take_the_version_is_not_told_it() -> None:
    assert openshift(cluster("flex-140", stack={"intel-gpu-resource-driver": {"version": "0.9.1"}})) == {"enabled": True}


def test_amds_operator_is_not_put_in_by_its_chart() -> None:
    tree = spec(pool("gpu", "mi300x", 8, os="rhcos-4.21", partition={"modes": "cpx_nps4"}))
    tree["spec"]["kubernetes"] = {"version": "1.34", "distribution": "openshift"}
    assert "FL239" in codes(compiled(tree))
