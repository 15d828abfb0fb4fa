"""The schemas that ship: fresh, closed, never wider than upstream, and the same to two validators."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

from fourleaf.data import folder, schema, schemas
from fourleaf.kube import Version
from fourleaf.kube.definitions import definition, open_schema, record
from fourleaf.kube.release import known, release

ROOT = Path(__file__).resolve().parent.parent
RECORDS = schemas("crds/*.json")
RELEASES = [f"{major}.{minor}" for major, minor in known()]


def cutter() -> Any:
    spec = importlib.util.spec_from_file_location("cut_kube", ROOT / "schemas" / "cut_kube.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def upstream(found: dict[str, Any]) -> dict[str, Any]:
    shared = os.environ.get("FOURLEAF_SHARED", "")
    if not shared:
        pytest.skip("FOURLEAF_SHARED names no folder with upstream's definitions")
    path = Path(shared) / "upstream" / "crds" / f"{found['group']}_{found['plural']}.json"
    content: dict[str, Any] = json.loads(path.read_text())
    return content


# ---- Kubernetes' own kinds


def test_the_known_releases_are_those_that_the_script_cuts() -> None:
    assert [f"1.{minor}" for minor in cutter().MINORS] == RELEASES == [f"1.{minor}" for minor in range(30, 38)]


@pytest.mark.parametrize("minor", range(30, 38))
def test_each_release_is_what_the_script_would_cut_now(minor: int) -> None:
    assert cutter().cut(minor) == (folder("schemas") / "kube" / f"1.{minor}.json").read_text()


@pytest.mark.parametrize("name", RELEASES)
def test_each_release_is_closed_and_refers_only_to_what_it_has(name: str) -> None:
    data = schema(f"kube/{name}.json")
    jsonschema.Draft202012Validator.check_schema({"$defs": data["$defs"], "allOf": [kind["schema"] for kind in data["kinds"].values()]})
    found = release(Version.parse(name))
    assert found.reached(kind["schema"] for kind in data["kinds"].values()) == data["$defs"]
    for at, node in walk([*data["$defs"].values(), *(kind["schema"] for kind in data["kinds"].values())]):
        if "properties" in node:
            assert node["additionalProperties"] is False, at
        assert "description" not in node, at
        assert "null" not in node.get("type", ()), at


@pytest.mark.parametrize(
    ("version", "claims"),
    [
        ("1.31", ()),
        ("1.32", ("resource.k8s.io/v1beta1",)),
        ("1.33", ("resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2")),
        ("1.34", ("resource.k8s.io/v1", "resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2")),
        ("1.37", ("resource.k8s.io/v1", "resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2")),
    ],
)
def test_claim_templates_come_in_the_versions_that_each_release_has(version: str, claims: tuple[str, ...]) -> None:
    assert release(Version.parse(version)).versions("resource.k8s.io", "ResourceClaimTemplate") == claims


@pytest.mark.parametrize(
    ("asked", "answered"), [("1.29", "1.30"), ("1.30", "1.30"), ("1.35.2", "1.35"), ("1.37", "1.37"), ("1.44", "1.37")]
)
def test_a_release_outside_the_known_ones_is_read_as_the_nearest(asked: str, answered: str) -> None:
    assert release(Version.parse(asked)) == release(Version.parse(answered))


def test_no_two_groups_share_the_name_of_a_kind() -> None:
    groups: dict[str, set[str]] = {}
    for version, kind in release(Version(1, 37)).kinds:
        groups.setdefault(kind, set()).add(version.rpartition("/")[0])

    assert {kind: found for kind, found in groups.items() if len(found) > 1} == {}


# ---- what the schemas say of objects, to two validators

META = {"name": "x", "namespace": "n"}
POD = {"containers": [{"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": 1, "memory": "2Gi"}}}]}
SELECTOR = {"matchLabels": {"app": "x"}}
DAEMON_SET = {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet",
    "metadata": META,
    "spec": {"selector": SELECTOR, "template": {"metadata": {"labels": {"app": "x"}}, "spec": POD}},
}
CLAIM = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com", "count": 1}}]}}
TEMPLATE = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": META, "spec": {"spec": CLAIM}}
PRIORITY = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "x"}, "value": 1000}
QUOTA = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": META, "spec": {"hard": {"requests.nvidia.com/gpu": "8"}}}


def changed(base: dict[str, Any], *path: str | int, to: Any) -> dict[str, Any]:
    """Return an object with one value set, or added."""
    copy: dict[str, Any] = json.loads(json.dumps(base))
    at: Any = copy
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to
    return copy


GOOD = [DAEMON_SET, TEMPLATE, PRIORITY, QUOTA]
WRONG = [
    changed(DAEMON_SET, "spec", "template", "spec", "tolerations", to=[{"key": "a", "operater": "Exists"}]),
    changed(DAEMON_SET, "spec", "template", "spec", "containers", 0, "resources", "limits", "memory", to="2GiB"),
    changed(DAEMON_SET, "spec", "template", "spec", "containers", 0, "image", to=None),
    changed(DAEMON_SET, "spec", "minReadySeconds", to=2**31),
    changed(DAEMON_SET, "spec", "minReadySeconds", to="5"),
    changed(DAEMON_SET, "metadata", "resourceVersion", to="1"),
    changed(DAEMON_SET, "status", to={}),
    changed(DAEMON_SET, "spec", to={"selector": SELECTOR}),
    changed(DAEMON_SET, "apiVersion", to="apps/v1beta2"),
    changed(TEMPLATE, "spec", "spec", "devices", "requests", 0, "deviceClassName", to="gpu.example.com"),
    changed(PRIORITY, "value", to=-(2**31) - 1),
    changed(QUOTA, "spec", "hard", "requests.nvidia.com/gpu", to=[8]),
]


def validators(made: dict[str, Any]) -> tuple[bool, bool]:
    found = release(Version(1, 36))
    version = made["apiVersion"] if made["kind"] != "DaemonSet" else "apps/v1"
    own = found.kinds[version, made["kind"]]["schema"]
    whole = {**own, "$defs": found.reached([own])}
    return jsonschema_rs.Draft202012Validator(whole).is_valid(made), jsonschema.Draft202012Validator(whole).is_valid(made)


@pytest.mark.parametrize("made", GOOD, ids=lambda made: made["kind"])
def test_objects_as_fourleaf_writes_them_pass_both_validators(made: dict[str, Any]) -> None:
    assert validators(made) == (True, True)


@pytest.mark.parametrize("made", WRONG, ids=lambda made: made["kind"])
def test_what_an_api_server_refuses_or_drops_fails_both_validators(made: dict[str, Any]) -> None:
    assert validators(made) == (False, False)


# ---- custom resources


def walk(node: Any, at: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every schema in a schema."""
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from walk(item, f"{at}[{index}]")
    if not isinstance(node, dict):
        return
    yield at, node
    for name, below in node.get("properties", {}).items():
        yield from walk(below, f"{at}.{name}")
    for key in ("items", "additionalProperties"):
        yield from walk(node.get(key), f"{at}.{key}")


def wider(ours: dict[str, Any], theirs: dict[str, Any], at: str = "") -> Iterator[str]:
    """Yield the places at which our schema takes what upstream's does not."""
    if theirs.get("x-kubernetes-preserve-unknown-fields") and "properties" not in theirs:
        return
    if ours.get("x-kubernetes-preserve-unknown-fields"):
        yield f"{at} is open"
    if theirs.get("x-kubernetes-int-or-string"):
        if not (ours.get("x-kubernetes-int-or-string") or ours.get("type") in ("integer", "string")):
            yield f"{at} is of type {ours.get('type')}"
    elif ours.get("type") != theirs.get("type", "object"):
        yield f"{at} is of type {ours.get('type')}, not {theirs.get('type')}"
    if ours.get("nullable") and not theirs.get("nullable"):
        yield f"{at} may be null"
    listed = "enum" in ours and all(re.search(theirs.get("pattern", ""), value) for value in ours["enum"])
    if "pattern" in theirs and ours.get("pattern") != theirs["pattern"] and not listed:
        yield f"{at} has pattern {ours.get('pattern')}"
    if "format" in theirs and ours.get("format") != theirs["format"]:
        yield f"{at} has format {ours.get('format')}"
    if "enum" in theirs and not ("enum" in ours and {*ours["enum"]} <= {*theirs["enum"]}):
        yield f"{at} takes {ours.get('enum')}"
    for key, sign in (("minimum", 1), ("minLength", 1), ("minItems", 1), ("maximum", -1), ("maxLength", -1), ("maxItems", -1)):
        if key in theirs and not (key in ours and sign * ours[key] >= sign * theirs[key]):
            yield f"{at} has {key} {ours.get(key)}"
    if not {*theirs.get("required", ())} - {"apiVersion", "kind", "metadata"} <= {*ours.get("required", ())}:
        yield f"{at} does without {theirs['required']}"
    if ours.get("default", theirs.get("default")) != theirs.get("default"):
        yield f"{at} has another default"
    for name, below in ours.get("properties", {}).items():
        if name in theirs.get("properties", {}):
            yield from wider(below, theirs["properties"][name], f"{at}.{name}")
        else:
            yield f"{at}.{name} is not there upstream"
    for key in ("items", "additionalProperties"):
        if isinstance(ours.get(key), dict):
            if isinstance(theirs.get(key), dict):
                yield from wider(ours[key], theirs[key], f"{at}.{key}")
            else:
                yield f"{at}.{key} is not there upstream"


@pytest.mark.parametrize("name", RECORDS)
def test_no_record_is_wider_than_upstream(name: str) -> None:
    ours = schema(name)
    theirs = upstream(ours)

    assert [ours[key] for key in ("group", "kind", "plural", "scope")] == [theirs[key] for key in ("group", "kind", "plural", "scope")]
    served = {version["name"]: version for version in theirs["versions"]}
    for version in ours["versions"]:
        assert {key: version[key] for key in ("served", "storage")} == {key: served[version["name"]][key] for key in ("served", "storage")}
        assert list(wider(version["schema"], served[version["name"]]["schema"])) == []


def test_a_wider_record_would_be_noticed() -> None:
    theirs: dict[str, Any] = {"type": "object", "required": ["a"], "properties": {"a": {"type": "string", "enum": ["x"], "maxLength": 3}}}

    def found(**a: Any) -> list[str]:
        return list(wider({"type": "object", "required": ["a"], "properties": {"a": a}}, theirs))

    assert found(type="string", enum=["x"], maxLength=2) == []
    assert found(type="string", enum=["x", "y"], maxLength=3) == [".a takes ['x', 'y']"]
    assert found(type="string", enum=["x"], maxLength=4) == [".a has maxLength 4"]
    assert found(type="integer", enum=["x"], maxLength=3) == [".a is of type integer, not string"]
    assert list(wider({"type": "object", "properties": {"b": {"type": "string"}}}, theirs)) == [
        " does without ['a']",
        ".b is not there upstream",
    ]


@pytest.mark.parametrize("name", RECORDS)
def test_each_record_is_closed_sourced_and_named_after_its_resource(name: str) -> None:
    found = schema(name)

    assert name == f"crds/{found['plural']}.{found['group']}.json"
    assert record(found["group"], found["kind"]) == found
    assert found["source"].startswith("https://")
    assert found["read"] == "2026-11-29"
    assert [version["storage"] for version in found["versions"]].count(True) == 1
    for version in found["versions"]:
        for at, node in walk(version["schema"]):
            assert "type" in node, at
        for at, node in walk(open_schema(found, version["name"])):
            if node.get("type") == "object" and not at.endswith(".valuesObject"):
                assert "additionalProperties" in node, at


@pytest.mark.parametrize("name", RECORDS)
def test_the_fields_that_a_record_calls_references_are_texts_of_its_schema(name: str) -> None:
    found = schema(name)
    for path in found.get("references", {}):
        for version in found["versions"]:
            node = version["schema"]
            for part in path.split("."):
                node = node["properties"][part]
            assert node["type"] == "string"


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("release_", ["1.30", "1.37"])
def test_each_definition_is_one_that_an_api_server_installs(name: str, release_: str) -> None:
    made = definition(schema(name))
    found = release(Version.parse(release_))
    own = found.kinds["apiextensions.k8s.io/v1", "CustomResourceDefinition"]["schema"]

    jsonschema.Draft202012Validator({**own, "$defs": found.reached([own])}).validate(made)
    for version in made["spec"]["versions"]:
        root = version["schema"]["openAPIV3Schema"]
        assert root["properties"]["status"] == {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        for at, node in walk(root):
            assert "type" in node or node.get("x-kubernetes-int-or-string"), at
            assert not ("properties" in node and "additionalProperties" in node), at  # structural schemas have one of them


def test_status_is_kept_apart_where_upstream_does() -> None:
    apart = [
        found["spec"]["names"]["kind"]
        for found in (definition(schema(name)) for name in RECORDS)
        if any("subresources" in version for version in found["spec"]["versions"])
    ]

    # With a subresource the controller's phase of a PodGroup would be dropped, and no pod of it ever enqueued.
    assert apart == ["DeviceConfig", "Queue"]


QUEUE = {
    "apiVersion": "scheduling.volcano.sh/v1beta1",
    "kind": "Queue",
    "metadata": {"name": "vision"},
    "spec": {
        "parent": "root",
        "reclaimable": True,
        "deserved": {"nvidia.com/gpu": "8"},
        "guarantee": {"resource": {"nvidia.com/gpu": "4"}},
    },
}


@pytest.mark.parametrize(
    ("made", "fine"),
    [
        (QUEUE, True),
        (changed(QUEUE, "spec", "guarantee", to={"nvidia.com/gpu": "4"}), False),  # pruned in silence by a real server
        (changed(QUEUE, "spec", "weight", to=0), False),
        (changed(QUEUE, "spec", "deserved", "nvidia.com/gpu", to=8), False),  # the chart's admission policies read quantities as text
        (changed(QUEUE, "spec", "parent", to="Root"), False),
        (changed(QUEUE, "status", to={}), False),
        (changed(QUEUE, "metadata", "uid", to="1"), False),
        (changed(QUEUE, "apiVersion", to="scheduling.volcano.sh/v1"), False),
    ],
)
def test_a_queue_passes_or_fails_both_validators(made: dict[str, Any], fine: bool) -> None:
    found = record("scheduling.volcano.sh", "Queue")
    assert found
    opened = open_schema(found, "v1beta1")

    assert jsonschema_rs.Draft202012Validator(opened).is_valid(made) is fine
    assert jsonschema.Draft202012Validator(opened).is_valid(made) is fine


def test_opening_a_schema_reads_what_only_structural_schemas_say() -> None:
    made = {
        "group": "example.k8s.io",
        "kind": "Thing",
        "plural": "things",
        "scope": "Cluster",
        "statusSubresource": True,
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "type": "object",
                    "properties": {
                        "port": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": "^a$"},
                        "maybe": {"type": "string", "nullable": True},
                        "small": {"type": "integer", "format": "int32"},
                        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                    },
                },
            }
        ],
    }
    valid = jsonschema.Draft202012Validator(open_schema(made, "v1")).is_valid
    head = {"apiVersion": "example.k8s.io/v1", "kind": "Thing", "metadata": {"name": "x"}}

    for field in ({"port": 1}, {"port": "a"}, {"maybe": None}, {"small": 5}, {"any": {"b": [1]}}):
        assert valid({**head, **field}), field
    for field in ({"port": "b"}, {"port": 1.5}, {"port": None}, {"maybe": 1}, {"small": 2**31}, {"any": 1}, {"other": 1}):
        assert not valid({**head, **field}), field
    assert "api-approved.kubernetes.io" in definition(made)["metadata"]["annotations"]
    assert "annotations" not in definition(schema("crds/nodefeaturerules.nfd.k8s-sigs.io.json"))["metadata"]


def test_a_kind_without_a_record_has_none() -> None:
    assert record("nfd.k8s-sigs.io", "NodeFeatureGroup") is None
    assert record("sigs.io", "NodeFeatureRule") is None
    with pytest.raises(KeyError):
        open_schema(record("nfd.k8s-sigs.io", "NodeFeatureRule") or {}, "v1")
