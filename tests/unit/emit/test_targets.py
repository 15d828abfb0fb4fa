"""Every route carries the same objects and charts, each spelled as its target reads it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace

from fourleaf.emit import EMITTERS, Destination, emit, manifest
from fourleaf.ir import Bundle, Chart, Object, Origin, Provided, Ref
from fourleaf.resolve.inventory import Delivery

Documents = Callable[[dict[str, str]], Iterator[tuple[str, dict[str, Any]]]]
OPTIONS = "argocd.argoproj.io/sync-options"
OURS = ("Kustomization", "Application")

kubectl = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not on PATH")


def identity(one: dict[str, Any]) -> tuple[str, ...]:
    return one["apiVersion"], one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]


def objects(files: dict[str, str], documents: Documents) -> dict[tuple[str, ...], dict[str, Any]]:
    found = [one for path, one in documents(files) if one and one.get("kind") not in OURS and path[:2].isdecimal() and "charts" not in path]
    for one in found:
        annotations = one["metadata"].get("annotations", {})
        if annotations.pop(OPTIONS, None) and not annotations:
            del one["metadata"]["annotations"]
    assert len({identity(one) for one in found}) == len(found)
    return {identity(one): one for one in found}


def charts(files: dict[str, str], documents: Documents) -> list[tuple[str, str, str, str, str, Any]]:
    """(release, chart, repository, version, namespace, values) as a target says them."""
    found = []
    for path, one in documents(files):
        if one.get("kind") == "Application" and "chart" in one["spec"]["source"]:
            source, helm = one["spec"]["source"], one["spec"]["source"]["helm"]
            space = one["spec"]["destination"]["namespace"]
            found.append(
                (helm["releaseName"], source["chart"], source["repoURL"], source["targetRevision"], space, helm.get("valuesObject", {}))
            )
        for item in one.get("helmCharts", ()):
            values = yaml.safe_load(files[path.replace("kustomization", "values")])
            assert item.get("valuesInline", {}) == values
            found.append(
                (item["releaseName"], item["name"], item["repo"].removeprefix("oci://"), item["version"], item["namespace"], values)
            )
    return sorted(found)


def test_the_same_objects_are_on_every_route_and_are_those_of_the_bundle(
    bundle: Bundle, destination: Destination, documents: Documents
) -> None:
    wanted = {identity(one): one for one in map(manifest, bundle.objects)}

    for target in EMITTERS:
        assert objects(emit(bundle, destination, target), documents) == wanted, target


def test_the_same_charts_are_on_every_route(bundle: Bundle, destination: Destination, documents: Documents) -> None:
    argocd, kustomize, plain = (emit(bundle, destination, target) for target in ("argocd", "kustomize", "plain"))

    assert charts(argocd, documents) == charts(kustomize, documents)
    assert [row[0] for row in charts(argocd, documents)] == ["batch", "gpu-operator", "node-feature-discovery"]
    for release, _, _, _, _, values in charts(argocd, documents):
        assert yaml.safe_load(plain[f"30-charts/{release}/values.yaml"]) == values


def test_bindings_are_the_same_on_every_route_and_nothing_lists_them(bundle: Bundle, destination: Destination) -> None:
    for target in EMITTERS:
        files = emit(bundle, destination, target)
        assert [path for path in files if path.startswith("bindings/")] == ["bindings/vision/ollama.yaml", "bindings/vision/train.yaml"]
        assert not any(
            "bindings" in text for path, text in files.items() if path.endswith((".yaml", ".json")) and not path.startswith("bindings/")
        )


def test_two_workloads_of_one_name_get_a_file_each(bundle: Bundle, destination: Destination) -> None:
    twice = replace(bundle, bindings=(*bundle.bindings, replace(bundle.bindings[0], kind="Job")))

    files = emit(twice, destination, "plain")

    assert {path for path in files if path.startswith("bindings/vision/")} == {
        "bindings/vision/deployment-ollama.yaml",
        "bindings/vision/job-ollama.yaml",
        "bindings/vision/train.yaml",
    }


@pytest.mark.parametrize("target", EMITTERS)
def test_the_same_bundle_gives_the_same_bytes_in_whatever_order_it_stands(bundle: Bundle, destination: Destination, target: str) -> None:
    turned = replace(bundle, objects=bundle.objects[::-1], charts=bundle.charts[::-1], edges=bundle.edges[::-1])

    assert list(emit(turned, destination, target).items()) == list(emit(bundle, destination, target).items())


@pytest.mark.parametrize("target", EMITTERS)
def test_every_file_ends_in_one_line_break(bundle: Bundle, destination: Destination, target: str) -> None:
    for path, text in emit(bundle, destination, target).items():
        assert text.endswith("\n"), path
        assert not text.endswith("\n\n"), path


@pytest.mark.parametrize("target", EMITTERS)
def test_an_empty_bundle_is_a_readme_and_no_broken_kustomization(bundle_of: Any, destination: Destination, target: str) -> None:
    assert set(emit(bundle_of(), destination, target)) - {"argocd/root.yaml"} == {"README.md"}


# ---- kustomize


@kubectl
def test_kubectl_builds_the_root_and_each_folder_in_the_order_of_application(
    bundle: Bundle, destination: Destination, laid: Callable[[dict[str, str]], Path]
) -> None:
    out = laid(emit(bundle, destination, "kustomize"))

    def built(folder: Path) -> list[str]:
        run = subprocess.run(["kubectl", "kustomize", folder], capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        return [f"{one['kind']} {one['metadata']['name']}" for one in yaml.safe_load_all(run.stdout)]

    whole = ["Namespace gpu-operator", "Namespace vision", "ConfigMap mig-1a2b3c4d", "DaemonSet markers"]
    whole += ["NodeFeatureRule pools", "Queue science", "Queue vision"]
    assert built(out) == whole
    assert built(out / "50-resources") == ["Queue vision"]


def test_the_root_lists_no_chart_and_each_chart_has_a_kustomization_of_its_own(bundle: Bundle, destination: Destination) -> None:
    files = emit(bundle, destination, "kustomize")

    assert yaml.safe_load(files["kustomization.yaml"])["resources"] == ["10-namespaces", "20-config", "40-resources", "50-resources"]
    assert yaml.safe_load(files["30-charts/node-feature-discovery/kustomization.yaml"]) == {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "helmCharts": [
            {
                "name": "node-feature-discovery",
                "releaseName": "node-feature-discovery",
                "namespace": "gpu-operator",
                "repo": "oci://registry.example.org/nfd/charts",
                "version": "0.19.0",
                "includeCRDs": True,
            }
        ],
    }
    assert "30-charts/kustomization.yaml" not in files


# ---- Argo CD


def applications(bundle: Bundle, destination: Destination, documents: Documents) -> dict[str, dict[str, Any]]:
    found = [one for _, one in documents(emit(bundle, destination, "argocd")) if one["kind"] == "Application"]
    return {one["metadata"]["name"]: one for one in found}


def wave(application: dict[str, Any]) -> int:
    return int(application["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"])


def test_waves_follow_the_order_of_application(bundle: Bundle, destination: Destination, documents: Documents) -> None:
    found = applications(bundle, destination, documents)

    assert {name: wave(one) for name, one in found.items() if name != "homelab"} == {
        "homelab-10-namespaces": 10,
        "homelab-20-config": 20,
        "homelab-batch": 30,
        "homelab-node-feature-discovery": 30,
        "homelab-gpu-operator": 31,
        "homelab-40-resources": 40,
        "homelab-50-resources": 50,
    }


def test_many_charts_in_a_row_do_not_reach_into_the_next_wave(
    chart: Callable[..., Chart], made: Callable[..., Object], bundle_of: Any, destination: Destination, documents: Documents
) -> None:
    row = [chart(f"c{number:02}") for number in range(15)]
    row[-1] = replace(row[-1], provides=(Provided(ref=Ref("RuntimeClass", "late")),))
    pod = made("Pod", "p", "a")
    edges = [(after.ref, before.ref) for before, after in pairwise(row)] + [(pod.ref, Ref("RuntimeClass", "late"))]

    found = applications(bundle_of(charts=tuple(row), objects=(pod,), edges=tuple(edges)), destination, documents)

    assert wave(found["homelab-40-resources"]) > wave(found["homelab-c14"]) == 44


def test_an_application_says_where_it_reads_and_how_it_applies(bundle: Bundle, destination: Destination, documents: Documents) -> None:
    found = applications(bundle, destination, documents)

    assert found["homelab-50-resources"]["spec"]["source"] == {
        "repoURL": "https://git.example.org/infra.git",
        "targetRevision": "main",
        "path": "clusters/homelab/50-resources",
    }
    assert {one["spec"]["project"] for one in found.values()} == {"gpu"}
    assert all("ServerSideApply=true" in one["spec"]["syncPolicy"]["syncOptions"] for one in found.values())
    missing = {name for name, one in found.items() if "SkipDryRunOnMissingResource=true" in one["spec"]["syncPolicy"]["syncOptions"]}
    assert missing == {f"homelab-{name}" for name in ("40-resources", "50-resources", "batch", "gpu-operator", "node-feature-discovery")}
    assert found["homelab-node-feature-discovery"]["spec"]["source"]["repoURL"] == "registry.example.org/nfd/charts"
    assert found["homelab"]["spec"]["source"]["path"] == "clusters/homelab/argocd"
    assert found["homelab"]["spec"]["source"]["directory"] == {"exclude": "root.yaml"}


def test_nothing_that_carries_others_things_can_be_pruned(bundle: Bundle, destination: Destination, documents: Documents) -> None:
    files = emit(bundle, destination, "argocd")
    kept = {one["kind"] for _, one in documents(files) if one["metadata"].get("annotations", {}).get(OPTIONS) == "Prune=false,Delete=false"}
    found = applications(bundle, destination, documents)

    assert kept == {"Namespace", "Queue"}
    assert not any("finalizers" in one["metadata"] for one in found.values())
    assert {name for name, one in found.items() if not one["spec"]["syncPolicy"]["automated"]["prune"]} == {
        "homelab-batch",
        "homelab-gpu-operator",
        "homelab-node-feature-discovery",
    }


def test_an_option_that_an_object_has_already_is_kept(made: Callable[..., Object], bundle_of: Any, destination: Destination) -> None:
    one = made("Namespace", "a", keep=True, annotations={OPTIONS: "Validate=false", "other": "x"})

    text = emit(bundle_of(objects=(one,)), destination, "argocd")["10-namespaces/namespace-a.yaml"]

    assert yaml.safe_load(text)["metadata"]["annotations"] == {OPTIONS: "Validate=false,Prune=false,Delete=false", "other": "x"}


def test_differences_are_ignored_only_where_a_record_says_so(bundle: Bundle, destination: Destination, documents: Documents) -> None:
    narrow = {"group": "nvidia.com", "kind": "ClusterPolicy", "jsonPointers": ["/spec/cdi/default"]}
    told = replace(destination, ignore={"gpu-operator": (narrow,)})

    found = applications(bundle, told, documents)

    assert found["homelab-gpu-operator"]["spec"]["ignoreDifferences"] == [narrow]
    assert "RespectIgnoreDifferences=true" in found["homelab-gpu-operator"]["spec"]["syncPolicy"]["syncOptions"]
    assert [name for name, one in found.items() if "ignoreDifferences" in one["spec"]] == ["homelab-gpu-operator"]


def test_a_chart_comes_without_its_definitions_where_it_says_so(
    chart: Callable[..., Chart], bundle_of: Any, destination: Destination, documents: Documents
) -> None:
    both = bundle_of(charts=(replace(chart("bare"), definitions=False), chart("whole")))
    helm = {name: one["spec"]["source"].get("helm", {}) for name, one in applications(both, destination, documents).items()}
    files = emit(both, destination, "kustomize")
    commands = {line.split()[3]: line for line in files["README.md"].splitlines() if line.startswith("helm upgrade")}

    assert helm["homelab-bare"]["skipCrds"] is True
    assert "skipCrds" not in helm["homelab-whole"]
    inflated = {name: yaml.safe_load(files[f"30-charts/{name}/kustomization.yaml"])["helmCharts"][0] for name in ("bare", "whole")}
    assert {name: one["includeCRDs"] for name, one in inflated.items()} == {"bare": False, "whole": True}
    assert {name: "--skip-crds" in line for name, line in commands.items()} == {"bare": True, "whole": False}


def test_a_tree_at_the_root_of_its_repository_has_paths_without_a_slash_in_front(
    bundle: Bundle, destination: Destination, documents: Documents
) -> None:
    bare = replace(destination, delivery=Delivery(target="argocd", repo_url="https://git.example.org/infra.git"))

    found = applications(bundle, bare, documents)

    assert found["homelab-20-config"]["spec"]["source"]["path"] == "20-config"


def test_the_same_release_in_two_namespaces_is_two_applications(
    chart: Callable[..., Chart], bundle_of: Any, destination: Destination
) -> None:
    both = bundle_of(charts=(chart("a", namespace="x"), chart("a", namespace="y")))

    files = emit(both, destination, "argocd")

    assert [path for path in files if path.startswith("argocd/")] == ["argocd/root.yaml", "argocd/x-a.yaml", "argocd/y-a.yaml"]


def test_argocd_without_a_repository_is_an_error_of_ours(bundle: Bundle, destination: Destination) -> None:
    with pytest.raises(AssertionError, match="repo_url"):
        emit(bundle, replace(destination, delivery=Delivery(target="argocd")), "argocd")


# ---- upstream's own schemas


@pytest.mark.skipif("FOURLEAF_SHARED" not in os.environ, reason="FOURLEAF_SHARED names no folder of upstream's schemas")
@pytest.mark.parametrize("target", ["argocd", "kustomize"])
def test_upstreams_chart_defaults_know_the_values_on_each_route(
    target: str, bundle_of: Any, destination: Destination, laid: Callable[[dict[str, str]], Path]
) -> None:
    def checked(values: dict[str, Any]) -> str:
        operator = Chart(
            name="gpu-operator",
            release="gpu-operator",
            repository="https://helm.ngc.nvidia.com/nvidia",
            version="v26.7.0",
            namespace="gpu-operator",
            values=values,
            origin=Origin(()),
        )
        out = laid(emit(bundle_of(charts=(operator,)), destination, target))
        command = [sys.executable, Path(os.environ["FOURLEAF_SHARED"]) / "tools" / "upstream_check.py", out]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    assert " 0 findings" in checked({"nfd": {"enabled": False}})
    assert "gpu-operator v26.7.0 has no value nfd.enabeld" in checked({"nfd": {"enabeld": False}})
