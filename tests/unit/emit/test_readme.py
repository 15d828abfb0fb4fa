"""The README of a set tells everything that a person does with it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from fourleaf.emit import EMITTERS, Destination, emit
from fourleaf.hardware import Distribution
from fourleaf.ir import Bundle, Chart, Origin, Plan, PodShape, Prerequisite, Want
from fourleaf.kube import Version

BLOCK = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[str]:
    return [line for _, language, block in BLOCK.findall(text) if language == "sh" for line in block.splitlines()]


def at(release: str) -> str:
    return f"--namespace gpu-operator --values 30-charts/{release}/values.yaml"


def readme(bundle: Bundle, destination: Destination, target: str) -> str:
    return emit(bundle, destination, target)["README.md"]


@pytest.mark.parametrize(("target", "flag"), [("plain", "-f"), ("kustomize", "-k")])
def test_every_folder_has_its_command_in_order(bundle: Bundle, destination: Destination, target: str, flag: str) -> None:
    helm = "helm upgrade --install"
    stable, images = "--repo https://charts.example.org/stable", "oci://registry.example.org/nfd/charts"
    wanted = [
        "kubectl label node gpu-1 a=b",
        f"kubectl apply --server-side {flag} 10-namespaces",
        f"kubectl apply --server-side {flag} 20-config",
        f"{helm} batch volcano {stable} --version v1.2.3 {at('batch')}",
        f"{helm} node-feature-discovery {images}/node-feature-discovery --version 0.19.0 {at('node-feature-discovery')}",
        "kubectl -n gpu-operator rollout status deployment/nfd-master",
        f"{helm} gpu-operator gpu-operator {stable} --version v1.2.3 {at('gpu-operator')}",
        f"kubectl apply --server-side {flag} 40-resources",
        f"kubectl apply --server-side {flag} 50-resources",
    ]

    assert commands(readme(bundle, destination, target))[: len(wanted)] == wanted


@pytest.mark.parametrize("target", EMITTERS)
def test_every_path_in_a_command_is_a_path_of_the_tree(bundle: Bundle, destination: Destination, target: str) -> None:
    files = emit(bundle, destination, target)
    paths = {*files} | {path.rpartition("/")[0] for path in files} | {"."}

    named = [word for line in commands(files["README.md"]) for word in shlex.split(line) if re.match(r"\d\d-|bindings/|argocd/", word)]

    assert named
    assert {*named} <= paths


@pytest.mark.parametrize("target", EMITTERS)
def test_every_apply_is_server_side(bundle: Bundle, destination: Destination, target: str) -> None:
    """Some definitions are larger than the annotation that a client-side apply leaves."""
    applies = [line for line in commands(readme(bundle, destination, target)) if line.startswith("kubectl apply")]

    assert applies
    assert all("--server-side" in line for line in applies)


def test_it_says_which_cluster_and_what_to_do_first(bundle: Bundle, destination: Destination) -> None:
    text = readme(bundle, destination, "plain")

    assert text.startswith("# homelab: L4 queued: volcano\n\nFor Kubernetes 1.35. ")
    assert "1. label the nodes (a reason)\n\n```sh\nkubectl label node gpu-1 a=b\n```\n" in text
    assert "2. patch the host\n\n```\nmachine:\n  kernel: {}\n```\n" in text
    assert text.index("## First") < text.index("## Apply") < text.index("## Workloads")


def test_what_is_not_there_is_not_spoken_of(bundle_of: Any, destination: Destination) -> None:
    text = readme(bundle_of(), destination, "kustomize")

    assert "## First" not in text
    assert "## Workloads" not in text
    assert "chart" not in text.lower()


def test_workloads_are_listed_with_what_they_ask_for(bundle: Bundle, destination: Destination) -> None:
    text = readme(bundle, destination, "plain")

    assert "| vision/ollama | Deployment | 1 nvidia.com/gpu | [bindings/vision/ollama.yaml](bindings/vision/ollama.yaml) |\n" in text
    assert "| vision/train | Job | claim gpu | [bindings/vision/train.yaml](bindings/vision/train.yaml) |\n" in text
    assert "--patch-file bindings/vision/ollama.yaml" in text


def test_words_of_a_command_are_quoted(chart: Callable[..., Chart], bundle_of: Any, destination: Destination) -> None:
    (line,) = commands(readme(bundle_of(charts=(chart("c", version=">=1 <2"),)), destination, "plain"))

    assert shlex.split(line)[shlex.split(line).index("--version") + 1] == ">=1 <2"


def test_text_with_a_fence_in_it_stays_in_its_block(bundle_of: Any, destination: Destination) -> None:
    todo = Prerequisite(what="read this", text="```\n# not a heading\n```", origin=Origin(()))

    assert "````\n```\n# not a heading\n```\n````\n" in readme(bundle_of(prerequisites=(todo,)), destination, "plain")


def test_argocd_is_told_the_health_of_applications_and_what_the_project_must_allow(bundle: Bundle, destination: Destination) -> None:
    text = readme(bundle, destination, "argocd")

    assert "resource.customizations.health.argoproj.io_Application" in text
    assert "Commit this folder as `clusters/homelab` to https://git.example.org/infra.git, revision `main`" in text
    assert "kubectl apply --server-side -f argocd/root.yaml" in text
    assert (
        "- sources: `https://charts.example.org/stable`, `https://git.example.org/infra.git`, `registry.example.org/nfd/charts`\n" in text
    )
    assert "- namespaces: `argocd`, `gpu-operator`\n" in text
    assert "`Namespace`, `NodeFeatureRule.nfd.k8s-sigs.io`, `Queue.scheduling.volcano.sh`\n" in text
    assert "turn server-side apply on" in text


def test_the_default_project_needs_no_permission(bundle: Bundle, destination: Destination) -> None:
    plain = replace(destination, delivery=replace(destination.delivery, project="default"))

    assert "must allow" not in readme(bundle, plain, "argocd")


def test_workloads_that_take_turns_on_a_card_keep_their_replicas_under_argocd(bundle: Bundle, destination: Destination) -> None:
    origin = Origin(())

    def pod(name: str, group: str) -> PodShape:
        return PodShape(
            name=name,
            namespace="llm",
            kind="Deployment",
            replicas=0,
            declared=1,
            want=Want(count=1, units=("card",)),
            group=group,
            origin=origin,
        )

    plan = Plan(
        name="homelab",
        kubernetes=Version(1, 35),
        distribution=Distribution(name="talos"),
        pools=(),
        supplies=(),
        pods=(pod("alone", ""), pod("ollama", "studio")),
        queues=(),
        components=(),
        predictions=(),
    )

    text = readme(bundle, replace(destination, plan=plan), "argocd")

    assert "- group: apps\n  kind: Deployment\n  namespace: llm\n  name: ollama\n  jsonPointers:\n  - /spec/replicas\n" in text
    assert "RespectIgnoreDifferences=true" in text
    assert "name: alone" not in text
    assert "take turns" not in readme(bundle, destination, "argocd")
