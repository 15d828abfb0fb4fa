"""What docs/guide/pulumi.md shows runs, and what it lists is there."""

from __future__ import annotations

import inspect
import re
import runpy
from pathlib import Path

import fourleaf_components
import yaml
from components.recorder import record
from support import ROOT, STACKS

from fourleaf.pipeline import run

GUIDE = (ROOT / "docs" / "guide" / "pulumi.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def test_the_program_of_the_guide_runs(tmp_path: Path) -> None:
    (text,) = blocks("python")
    program = tmp_path / "__main__.py"
    program.write_text(text)
    recording = record(lambda: runpy.run_path(str(program)) and None)

    assert recording.failure is None
    assert recording.exports == {"resources": ["nvidia.com/mig-1g.10gb"]}
    assert {one.name for one in recording.releases} == {
        "gpu:gpu-operator/gpu-operator",
        "gpu:node-feature-discovery/node-feature-discovery",
    }
    assert all("::dgx::" in one.request.provider for one in (*recording.objects, *recording.releases) if not one.type.startswith("pulumi:"))


def test_the_table_has_every_component_with_its_outputs() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| (.+) \|$", GUIDE, re.MULTILINE))
    wanted = {
        component.__name__: set(inspect.get_annotations(component)) - {"prerequisites"} for component in fourleaf_components.COMPONENTS
    }

    assert {name: set(re.findall(r"`(\w+)`", listed)) for name, listed in rows.items()} == wanted


def test_every_example_is_a_stack() -> None:
    project = yaml.safe_load((ROOT / "Pulumi.yaml").read_text())
    named = {path.stem.removeprefix("Pulumi."): yaml.safe_load(path.read_text()) for path in (ROOT / "stacks").glob("Pulumi.*.yaml")}

    assert named == {path.stem: {"config": {"fourleaf:spec": path.name}} for path in STACKS}
    assert (project["name"], project["main"], project["stackConfigDir"]) == ("fourleaf", "stacks", "stacks")
    assert set(re.findall(r"`fourleaf:(\w+)` \|", GUIDE)) == set(project["config"])


def test_the_program_of_the_stacks_registers_its_spec(monkeypatch) -> None:
    monkeypatch.chdir(ROOT / "stacks")
    config = {"fourleaf:spec": "dgx.yaml", "fourleaf:skipAwait": "false", "fourleaf:charts": ""}
    recording = record(lambda: runpy.run_path("__main__.py") and None, config)
    bundle = run((ROOT / "stacks" / "dgx.yaml").read_bytes(), target="plain").bundle
    (provider,) = (one for one in recording.registered if one.type == "pulumi:providers:kubernetes")

    assert bundle
    assert len(recording.objects) == len(bundle.objects)
    assert recording.exports["leaf"] == "L3"
    assert {key: provider.inputs[key] for key in ("clusterIdentifier", "enableConfigMapMutable", "enableSecretMutable")} == {
        "clusterIdentifier": "test",
        "enableConfigMapMutable": "true",
        "enableSecretMutable": "true",
    }
