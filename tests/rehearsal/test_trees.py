"""Every example and golden case, applied whole by every route; and trees that somebody edited."""

from __future__ import annotations

import pytest
from support import GOLDEN, STACKS

from fourleaf.emit import EMITTERS
from fourleaf.pipeline import Compilation, run
from fourleaf.rehearse.predictions import PREDICTIONS
from fourleaf.rehearse.server import Key, until

pytestmark = pytest.mark.engine

ROUTES = [name for name in EMITTERS if name != "plain"]
"""The plain route has the objects of kustomize (tests/test_golden.py)."""


def compiled(name: str, target: str | None = None) -> Compilation:
    path = GOLDEN[name]
    return run(path.read_bytes(), path.name, lambda other: (path.parent / other).read_bytes(), target, PREDICTIONS)


def edited(made: Compilation, path: str, old: str, new: str) -> dict[str, str]:
    """Return the files of a set, one of them edited by hand."""
    assert old in made.files[path]
    return {**made.files, path: made.files[path].replace(old, new)}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_a_golden_tree_is_taken_whole_and_does_what_its_plan_says(name: str, route: str, rehearsed) -> None:
    made = compiled(name, route)
    assert made.files, f"{name} does not compile: there is nothing to apply"

    found = rehearsed(made)

    assert found.refusals == ()
    assert found.differences == ()
    assert found.applied > 0


@pytest.mark.parametrize("path", STACKS, ids=lambda path: path.stem)
def test_every_pod_of_an_example_finds_its_place(path, rehearsed) -> None:
    found = rehearsed(compiled(path.stem))

    assert not [outcome for outcome in found.outcomes if outcome.pending]
    assert all(len(outcome.placed) == outcome.wanted for outcome in found.outcomes if outcome.judged)


def test_in_the_homelab_a_claim_finds_the_integrated_gpu_and_one_of_three_has_the_card(rehearsed) -> None:
    found = {outcome.name: outcome for outcome in rehearsed(compiled("homelab")).outcomes}

    (openvino,) = found["openvino"].placed
    assert openvino.pool == "igpu"
    assert openvino.devices == ("gpu.intel.com/0000-00-02-0-0x7d55",)
    assert [(name, [pod.node for pod in found[name].placed]) for name in ("comfyui", "ollama", "vllm")] == [
        ("comfyui", []),
        ("ollama", ["gpu-1"]),
        ("vllm", []),
    ]


def test_a_renamed_toleration_is_a_difference_that_names_the_taint(rehearsed) -> None:
    made = compiled("homelab")
    found = rehearsed(made, edited(made, "bindings/ollama/ollama.yaml", "- key: nvidia.com/gpu", "- key: nvidia.com/card"))

    assert found.reason == "difference"
    assert found.differences == ("workload ollama/ollama: predicted 1 of 1 placed, kube-scheduler placed 0",)
    (pending,) = next(outcome for outcome in found.outcomes if outcome.name == "ollama").pending
    assert ("taint", "taint nvidia.com/gpu=present:NoSchedule is not tolerated", 1) in [
        (cause.kind, cause.words, cause.nodes) for cause in pending.causes
    ]


def test_a_renamed_toleration_of_a_daemonset_is_a_difference(rehearsed) -> None:
    made = compiled("homelab")
    path = next(path for path in made.files if path.endswith("daemonset-nvidia-validation-markers.yaml"))
    found = rehearsed(made, edited(made, path, "- key: nvidia.com/gpu", "- key: nvidia.com/card"))

    assert found.differences == ("daemonset gpu-operator/nvidia-validation-markers: its pods go to 0 nodes, its component stands on 1",)


def test_a_field_that_no_kind_has_is_refused_with_the_servers_words_at_the_specs_place(rehearsed) -> None:
    made = compiled("homelab")
    path = next(path for path in made.files if "resourceclaimtemplate" in path)
    found = rehearsed(made, edited(made, path, "count: 1", "cuont: 1"))

    assert found.reason == "refused"
    refusal = found.refused[0]
    assert refusal.path == path
    assert '"cuont"' in refusal.words or ".cuont" in refusal.words
    assert "openvino" in made.sources["homelab.yaml"].splitlines()[made.span(refusal.place).line - 1]
    assert len(found.refused) == 1
    (pending,) = next(outcome for outcome in found.outcomes if outcome.name == "openvino").pending
    assert "resourceclaimtemplate" in pending.words.lower()


def test_a_rule_that_a_definition_states_in_cel_is_the_servers_to_refuse(rehearsed) -> None:
    made = compiled("campus")
    path = next(path for path in made.files if path.endswith("queue-vision.yaml"))
    found = rehearsed(made, edited(made, path, "reclaimable: true", "reclaimable: true\n  weight: 0"))

    assert [refusal.path for refusal in found.refused] == [path]
    assert "weight" in found.refused[0].words


def test_a_namespace_that_is_gone_from_the_tree_is_not_made_up(rehearsed, server) -> None:
    made = compiled("dgx")
    path = next(path for path in made.files if path.endswith("namespace-research.yaml"))
    namespace = Key(("v1", "Namespace", "", "research"))
    server.delete(namespace)
    assert until(lambda: server.get(namespace) is None, 20)
    found = rehearsed(made, {other: text for other, text in made.files.items() if other != path})

    assert found.reason == "refused"
    assert 'namespaces "research" not found' in found.outcomes[0].refused[0].words


def test_a_file_that_is_no_manifest_is_refused_by_name(rehearsed) -> None:
    made = compiled("laptop")
    found = rehearsed(made, {**made.files, "20-config/notes.yaml": "a: [1\n", "20-config/more.yaml": "kind: Pod\n"})

    assert [(one.path, one.words.partition(":")[0]) for one in found.refused] == [
        ("20-config/more.yaml", "there is no apiVersion"),
        ("20-config/notes.yaml", "line 2"),
    ]


def test_a_workload_without_its_patch_is_a_difference(rehearsed) -> None:
    made = compiled("laptop")
    found = rehearsed(made, {path: text for path, text in made.files.items() if not path.startswith("bindings/")})

    assert found.differences == ("workload lab/notebook: the tree has no patch for it",)


def test_pods_of_another_scheduler_are_tried_and_not_judged(rehearsed, server) -> None:
    found = rehearsed(compiled("campus"))

    assert {outcome.scheduler for outcome in found.outcomes} == {"volcano"}
    assert all(outcome.accepted == outcome.wanted > 0 for outcome in found.outcomes)
    assert any("volcano" in note for note in found.notes)
    assert server.find("v1", "Pod") == []
