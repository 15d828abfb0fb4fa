"""What a cluster's component registers is what every other route has, with the options that its objects need."""

from __future__ import annotations

import json
from pathlib import Path

import pulumi
import pytest
import yaml
from components.recorder import RELEASE, Recording, record
from fourleaf_components import Cluster
from fourleaf_components.register import AWAITED, SKIP_AWAIT, Manifest, Registration, register, token
from support import ROOT, STACKS

from fourleaf.ir import Bundle, Chart, Object, Origin, Provided, Ref
from fourleaf.pipeline import Compilation, run

GOLDEN = {path.stem: path for path in STACKS}
GOLDEN |= {path.parent.name: path for path in sorted((ROOT / "tests" / "golden").glob("*/cluster.yaml"))}
NOWHERE = Origin(())


def compiled(path: Path) -> Compilation:
    return run(path.read_bytes(), path.name, lambda other: (path.parent / other).read_bytes(), target="plain")


def cluster(path: Path, config: dict[str, str] | None = None, **more) -> Recording:
    made = record(lambda: Cluster("it", {"spec": str(path), **more}) and None, config)
    assert made.failure is None, made.errors
    return made


def exported(made: Compilation) -> list:
    """Return the objects of the plain route, as their files have them."""
    paths = [path for path in made.files if path[0].isdigit() and not path.endswith("/values.yaml")]
    return [yaml.load(made.files[path], Loader=yaml.CSafeLoader) for path in paths]


def in_order(objects: list) -> list[str]:
    return sorted(json.dumps(one, sort_keys=True) for one in objects)


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_the_objects_are_those_of_the_other_routes(name: str) -> None:
    made = compiled(GOLDEN[name])
    recording = cluster(GOLDEN[name])

    assert in_order([one.inputs for one in recording.objects]) == in_order(exported(made))


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_the_releases_are_the_charts_of_the_other_routes(name: str) -> None:
    made = compiled(GOLDEN[name])
    values = {path.split("/")[1]: yaml.load(text, Loader=yaml.CSafeLoader) for path, text in made.files.items() if "values.yaml" in path}
    found = {one.inputs["name"]: one.inputs for one in cluster(GOLDEN[name]).releases}

    assert {name: inputs.get("values", {}) for name, inputs in found.items()} == {name: tree or {} for name, tree in values.items()}
    assert {(one["name"], one["namespace"], one["version"]) for one in found.values()} == {
        (chart.release, chart.namespace, chart.version) for chart in made.bundle.charts
    }


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_each_resource_has_the_options_of_its_kind(name: str) -> None:
    recording = cluster(GOLDEN[name])
    made = compiled(GOLDEN[name])
    kept = {f"it:{'/'.join(word for word in (one.namespace, one.name) if word)}" for one in made.bundle.objects if one.keep}

    for one in (*recording.objects, *recording.releases):
        assert one.parent == "it"
        assert one.request.version == "4.25.0"
        assert one.type == RELEASE or one.type == token(one.inputs["apiVersion"], one.inputs["kind"])
        assert one.request.retainOnDelete == (one.name in kept and one.type != RELEASE)
    assert {one.name for one in recording.objects if one.type.endswith(":Namespace")} <= kept


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_an_object_waits_for_what_it_refers_to_and_never_for_a_component(name: str) -> None:
    recording = cluster(GOLDEN[name])
    names = {one.name for one in (*recording.objects, *recording.releases)}
    spaces = {one.inputs["metadata"]["name"]: one.name for one in recording.objects if one.type.endswith(":Namespace")}

    for one in (*recording.objects, *recording.releases):
        assert set(one.after) <= names
        namespace = one.inputs.get("namespace") or one.inputs.get("metadata", {}).get("namespace", "")
        if namespace in spaces:
            assert spaces[namespace] in one.after


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_a_custom_resource_waits_for_the_chart_that_defines_it(name: str) -> None:
    """A preview of an empty cluster must not fail on it; of a chart's own kinds there is no other maker."""
    recording = cluster(GOLDEN[name])
    made = compiled(GOLDEN[name])
    makers = {item.ref.name: f"it:{chart.namespace}/{chart.release}" for chart in made.bundle.charts for item in chart.provides}
    by_name = {one.name: one for one in (*recording.objects, *recording.releases)}

    def ancestors(name: str) -> set[str]:
        return {name}.union(*(ancestors(above) for above in by_name[name].after))

    for one in recording.objects:
        group = one.inputs["apiVersion"].rpartition("/")[0]
        maker = makers.get(f"{one.inputs['kind']}.{group}")
        if maker:
            assert maker in ancestors(one.name), one.name


def test_names_of_resources_stay_where_they_are() -> None:
    names = [(one.type, one.name) for one in cluster(GOLDEN["laptop"]).registered]

    assert sorted(names) == [
        ("fourleaf:index:Cluster", "it"),
        ("kubernetes:apps/v1:DaemonSet", "it:nvidia-device-plugin/nvidia-device-plugin"),
        ("kubernetes:core/v1:Namespace", "it:lab"),
        ("kubernetes:core/v1:Namespace", "it:nvidia-device-plugin"),
        ("kubernetes:node.k8s.io/v1:RuntimeClass", "it:nvidia"),
    ]


def test_an_object_stays_one_resource_through_the_versions_of_its_api() -> None:
    (template,) = (one for one in cluster(GOLDEN["homelab"]).objects if one.type.endswith("ResourceClaimTemplate"))
    versions = ("v1beta2", "v1beta1", "v1alpha3", "v1alpha2")

    assert template.type == "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate"
    assert template.aliases == tuple(f"kubernetes:resource.k8s.io/{version}:ResourceClaimTemplate" for version in versions)


def test_nothing_is_waited_for_where_the_program_says_so() -> None:
    recording = cluster(GOLDEN["homelab"], skip_await=True)
    marked = {one.inputs["kind"] for one in recording.objects if SKIP_AWAIT in one.inputs["metadata"].get("annotations", {})}

    assert marked == {one.inputs["kind"] for one in recording.objects} & AWAITED == {"DaemonSet"}
    assert all(one.inputs["skipAwait"] for one in recording.releases)
    assert not any(one.inputs["skipAwait"] for one in cluster(GOLDEN["homelab"]).releases)


def test_charts_come_from_their_repositories_or_from_a_folder(tmp_path: Path) -> None:
    from_afar = {one.inputs["name"]: one.inputs for one in cluster(GOLDEN["dgx"]).releases}
    charts = compiled(GOLDEN["dgx"]).bundle.charts
    for chart in charts:
        (tmp_path / f"{chart.name}-{chart.version}.tgz").touch()
    from_here = {one.inputs["name"]: one.inputs for one in cluster(GOLDEN["dgx"], {"fourleaf:charts": str(tmp_path)}).releases}

    assert from_afar["gpu-operator"]["chart"] == "gpu-operator"
    assert from_afar["gpu-operator"]["repositoryOpts"] == {"repo": "https://helm.ngc.nvidia.com/nvidia"}
    assert from_afar["node-feature-discovery"]["chart"] == "oci://registry.k8s.io/nfd/charts/node-feature-discovery"
    assert from_here["gpu-operator"]["chart"] == f"{tmp_path}/gpu-operator-v26.7.0.tgz"
    assert "repositoryOpts" not in from_here["gpu-operator"]


def test_a_chart_that_is_not_in_the_folder_is_an_error_before_anything_is_registered(tmp_path: Path) -> None:
    made = record(lambda: Cluster("it", {"spec": str(GOLDEN["dgx"])}) and None, {"fourleaf:charts": str(tmp_path)})
    pull = "helm pull gpu-operator --repo https://helm.ngc.nvidia.com/nvidia --version v26.7.0"

    (error,) = made.errors
    assert f"there is no {tmp_path}/gpu-operator-v26.7.0.tgz; fetch it with: {pull} --destination {tmp_path}" in error
    assert [one.name for one in made.registered] == ["it"]


def manifest(kind: str, **body):
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": "x"}, **body}


def test_the_data_of_a_secret_is_a_secret() -> None:
    made = record(lambda: Manifest("x", manifest("Secret", data={"a": "Yg=="}, stringData={"c": "d"}, type="Opaque")) and None)
    (secret,) = made.registered

    assert secret.secrets == ("data", "stringData")
    assert [*secret.request.additionalSecretOutputs] == ["data", "stringData"]
    assert record(lambda: Manifest("x", manifest("ConfigMap", data={"a": "b"})) and None).registered[0].secrets == ()


def test_fields_that_controllers_own_are_not_fought_over() -> None:
    """Of our own objects none has such a field now; what a system knows of its own is in the catalogue."""
    webhook = Object(
        api_version="admissionregistration.k8s.io/v1",
        kind="ValidatingWebhookConfiguration",
        name="w",
        body={"webhooks": []},
        origin=NOWHERE,
    )
    policy = Object(api_version="nvidia.com/v1", kind="ClusterPolicy", name="p", by="gpu-operator", origin=NOWHERE)
    made = registered(webhook, policy)

    assert [*made.named("it:w").request.ignoreChanges] == ["webhooks[*].clientConfig.caBundle"]
    assert [*made.named("it:p").request.ignoreChanges] == ["spec.cdi.default"]


def registered(*objects: Object, charts: tuple[Chart, ...] = (), edges: tuple[tuple[Ref, Ref], ...] = ()) -> Recording:
    bundle = Bundle(objects=objects, charts=charts, asks=(), bindings=(), prerequisites=(), edges=edges)

    def program() -> None:
        register(bundle, Registration(parent=pulumi.ComponentResource("t:t:T", "it"), name="it"))

    made = record(program)
    assert made.failure is None
    return made


def test_what_waits_for_a_chart_waits_for_its_release() -> None:
    chart = Chart(
        name="c", release="r", repository="https://charts.example", version="1.0.0", namespace="n", values={}, origin=NOWHERE,
        provides=(Provided(ref=Ref("Definition", "Thing.example.com"), api_version="example.com/v1"),),
    )  # fmt: skip
    thing = Object(api_version="example.com/v1", kind="Thing", name="t", origin=NOWHERE)
    made = registered(thing, charts=(chart,), edges=((thing.ref, Ref("Definition", "Thing.example.com")),))

    assert made.named("it:t").after == ("it:n/r",)
