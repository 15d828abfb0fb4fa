"""A real API server takes and refuses what verify does."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import jsonschema
import pytest
from engine.cluster import Cluster

from fourleaf.data import schema, schemas
from fourleaf.hardware import Distribution
from fourleaf.ir import Bundle, Object, Origin, Plan, Value
from fourleaf.kube import Version
from fourleaf.kube.definitions import definition, open_schema
from fourleaf.kube.release import release
from fourleaf.rehearse.programs import Programs
from fourleaf.verify import verify

pytestmark = pytest.mark.engine
PLAN = Plan(
    name="x",
    kubernetes=Version(1, 36),
    distribution=Distribution(name="kubeadm"),
    pools=(),
    supplies=(),
    pods=(),
    queues=(),
    components=(),
    predictions=(),
)
NAMESPACE = "verify"


class Server:
    """Asks an API server whether it would take an object, without keeping it."""

    def __init__(self, cluster: Cluster, programs: Programs) -> None:
        assert programs.kubectl
        self._command = [*programs.kubectl, f"--kubeconfig={cluster.plane.kubeconfig}", f"--cache-dir={cluster.plane.folder}/kubectl"]

    def takes(self, manifest: dict[str, Any]) -> bool:
        """Tell whether it takes an object; a warning of strict validation is a refusal, since what it warns of is dropped."""
        command = [*self._command, "create", "--dry-run=server", "--validate=strict", "-f", "-"]
        return subprocess.run(command, input=json.dumps(manifest), capture_output=True, text=True, timeout=60).returncode == 0


@pytest.fixture
def server(cluster: Cluster, programs: Programs) -> Server:
    return Server(cluster, programs)


def elsewhere(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record in a group of this test's own: other tests may install the real one."""
    return {**record, "group": f"verify.{record['group']}"}


def test_our_definitions_install_and_the_server_judges_objects_as_the_opened_schema_does(cluster: Cluster, server: Server) -> None:
    records = [elsewhere(schema(name)) for name in schemas("crds/*.json")]
    cluster.apply(*(definition(record) for record in records))
    try:
        for record in records:
            cluster.kubectl("wait", "--for=condition=Established", f"crd/{record['plural']}.{record['group']}", "--timeout=30s")
        queue = next(record for record in records if record["kind"] == "Queue")
        valid = jsonschema.Draft202012Validator(open_schema(queue, "v1beta1")).is_valid
        for spec, fine in QUEUES:
            made = {"apiVersion": f"{queue['group']}/v1beta1", "kind": "Queue", "metadata": {"name": "x"}, "spec": spec}
            assert (valid(made), server.takes(made)) == (fine, fine), spec
    finally:
        cluster.kubectl("delete", "crd", *(f"{record['plural']}.{record['group']}" for record in records), "--wait=false")


QUEUES: list[tuple[dict[str, Any], bool]] = [
    ({"parent": "root", "reclaimable": True, "guarantee": {"resource": {"nvidia.com/gpu": "4"}}}, True),
    ({"guarantee": {"nvidia.com/gpu": "4"}}, False),
    ({"capability": {"nvidia.com/gpu": "4 pieces"}}, False),
    ({"capability": {"nvidia.com/gpu": 4}}, False),
    ({"weight": 0}, False),
    ({"parent": "Root"}, False),
    ({"affinity": {}}, False),
]

CONTAINER: dict[str, Any] = {"name": "c", "image": "registry.example/none"}
LABELS = {"app": "x"}
TEMPLATE: dict[str, Any] = {"metadata": {"labels": LABELS}, "spec": {"containers": [CONTAINER]}}
JOB: dict[str, Any] = {"template": {"spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}}
PODS: dict[str, Any] = {"selector": {"matchLabels": LABELS}, "template": TEMPLATE}
REQUEST = {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}


def made(
    api_version: str,
    kind: str,
    name: str = "x",
    namespace: str = NAMESPACE,
    body: dict[str, Any] | None = None,
    labels: dict[str, Value] | None = None,
    annotations: dict[str, Value] | None = None,
) -> Object:
    return Object(
        api_version=api_version,
        kind=kind,
        name=name,
        namespace=namespace,
        labels=labels or {},
        annotations=annotations or {},
        body=body or {},
        origin=Origin(()),
    )


def claim(request: dict[str, Any], version: str = "v1") -> Object:
    return made(f"resource.k8s.io/{version}", "ResourceClaimTemplate", body={"spec": {"spec": {"devices": {"requests": [request]}}}})


def daemon(**spec: Any) -> Object:
    return made("apps/v1", "DaemonSet", body={"spec": {**PODS, "template": {**TEMPLATE, "spec": {**TEMPLATE["spec"], **spec}}}})


JUDGED: list[tuple[str, Object]] = [
    ("", made("v1", "Namespace", "a-b", "")),
    ("FL832", made("v1", "Namespace", "a.b", "")),
    ("FL832", made("v1", "Namespace", "a" * 64, "")),
    ("", made("v1", "ConfigMap", "a.b")),
    ("FL832", made("v1", "ConfigMap", "A")),
    ("FL832", made("v1", "ConfigMap", "a" * 254)),
    ("", made("v1", "ConfigMap", "a" * 253)),
    ("FL832", made("v1", "ConfigMap", body={"data": {"a/b": ""}})),
    ("FL832", made("v1", "ConfigMap", body={"data": {"..": ""}})),
    ("", made("v1", "ConfigMap", body={"data": {"a_B-1.yaml": ""}})),
    ("", made("v1", "ConfigMap", body={"data": {"a": "b" * 1024 * 1024}})),
    ("FL833", made("v1", "ConfigMap", body={"data": {"a": "b" * 1024 * 1024, "c": "d"}})),
    ("", made("v1", "ConfigMap", annotations={"a": "b" * 262143})),
    ("FL833", made("v1", "ConfigMap", annotations={"a": "b" * 262144})),
    ("", made("v1", "ConfigMap", labels={"example.com/A_b": "", "c": "D.e"})),
    ("FL832", made("v1", "ConfigMap", labels={"Example.com/a": "b"})),
    ("FL832", made("v1", "ConfigMap", labels={"a": "-b"})),
    ("FL832", made("v1", "ConfigMap", labels={"a": "b" * 64})),
    ("FL832", made("v1", "ConfigMap", annotations={"a/b/c": "d"})),
    ("", made("rbac.authorization.k8s.io/v1", "ClusterRole", "a:B_c", "")),
    ("FL832", made("rbac.authorization.k8s.io/v1", "ClusterRole", "a%b", "")),
    ("", made("batch/v1", "Job", "a" * 63, body={"spec": JOB})),
    ("FL832", made("batch/v1", "Job", "a" * 64, body={"spec": JOB})),
    ("", made("batch/v1", "CronJob", "a" * 52, body={"spec": {"schedule": "@daily", "jobTemplate": {"spec": JOB}}})),
    ("FL832", made("batch/v1", "CronJob", "a" * 53, body={"spec": {"schedule": "@daily", "jobTemplate": {"spec": JOB}}})),
    ("FL832", made("apps/v1", "StatefulSet", "a.b", body={"spec": {**PODS, "serviceName": "x"}})),
    ("", daemon(tolerations=[{"key": "a", "operator": "Exists", "effect": "NoSchedule"}])),
    ("FL827", daemon(tolerations=[{"key": "a", "operater": "Exists"}])),
    ("FL827", daemon(priority="high")),
    ("FL827", daemon(activeDeadlineSeconds=None, containers="c")),
    ("FL827", daemon(containers=[{**CONTAINER, "resources": {"limits": {"memory": "64Mib"}}}])),
    ("", daemon(containers=[{**CONTAINER, "resources": {"limits": {"memory": "64Mi", "nvidia.com/gpu": 1}}}])),
    ("", claim(REQUEST)),
    ("FL827", claim({"name": "gpu", "deviceClassName": "gpu.example.com"})),
    ("FL826", claim({"name": "gpu", "deviceClassName": "gpu.example.com"}, "v1beta1")),
    ("FL826", claim(REQUEST, "v1alpha3")),
]


def test_the_server_refuses_what_verify_refuses_and_takes_the_rest(cluster: Cluster, server: Server) -> None:
    cluster.namespace(NAMESPACE)
    judged = {}
    for code, one in JUDGED:
        bundle = Bundle(objects=(one,), charts=(), asks=(), bindings=(), prerequisites=(), edges=())
        found = {said.rule.code for said in verify(PLAN, bundle)} - {"FL820"}  # this bundle holds nothing that one could refer to
        assert found == ({code} if code else set()), one
        judged[f"{one.kind} {one.name[:8]} {code} {str(one.body)[:60]}"] = (not code, server.takes(manifest(one)))

    assert {what: answers for what, answers in judged.items() if answers[0] != answers[1]} == {}


def manifest(one: Object) -> dict[str, Any]:
    metadata = {"name": one.name, "namespace": one.namespace, "labels": one.labels, "annotations": one.annotations}
    return {
        "apiVersion": one.api_version,
        "kind": one.kind,
        "metadata": {key: value for key, value in metadata.items() if value},
        **one.body,
    }


def test_scopes_and_versions_of_our_kinds_are_the_servers(cluster: Cluster) -> None:
    found = release(Version(1, 36))
    lines = [line.split() for line in cluster.kubectl("api-resources", "--no-headers").splitlines()]
    theirs = {(line[-3], line[-1]): {"true": "Namespaced", "false": "Cluster"}[line[-2]] for line in lines}

    stable = {kind: found.kinds[kind]["scope"] for kind in found.kinds if "beta" not in kind[0]}
    assert {kind: theirs.get(kind) for kind in stable} == stable
    custom = {one["spec"]["group"] for one in cluster.get("customresourcedefinitions")["items"]}  # of other tests
    assert {version.rpartition("/")[0] for version, _ in theirs} - custom - found.groups == set()
