"""The generator of Python SDKs: what it does not write it refuses. That what it writes works is proven under the real engine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

GENERATOR = Path(__file__).parents[3] / "engines" / "pulumi-language-python" / "generate.py"
WHOLE: dict[str, Any] = {
    "name": "small",
    "version": "1.2.3",
    "resources": {"small:index:Box": {"isComponent": True, "inputProperties": {"sideLength": {"type": "integer"}}}},
}


def generate(schema: object, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, GENERATOR, folder], input=json.dumps(schema), capture_output=True, text=True, timeout=60)


def test_a_component_becomes_a_class_with_names_of_python(tmp_path: Path) -> None:
    assert generate(WHOLE, tmp_path).returncode == 0
    text = (tmp_path / "pulumi_small" / "__init__.py").read_text()

    compile(text, "pulumi_small", "exec")
    assert "class Box(pulumi.ComponentResource):" in text
    assert "        side_length: Optional[pulumi.Input[int]] = None," in text
    assert 'side_length: Optional[pulumi.Input[int]] = pulumi.property("sideLength")' in text


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"resources": {"small:index:Disk": {}}}, "small has the custom resource small:index:Disk"),
        ({"functions": {"small:index:get": {}}}, "small has functions"),
        ({"provider": {"inputProperties": {"token": {"type": "string"}}}}, "small has a provider with arguments"),
        (
            {
                "resources": {
                    "small:index:Box": {"isComponent": True, "properties": {"pod": {"$ref": "/kubernetes/v4/schema.json#/types/Pod"}}}
                }
            },
            "small has a reference to /kubernetes/v4/schema.json#/types/Pod",
        ),
    ],
)
def test_what_it_does_not_write_is_named(tmp_path: Path, more: dict[str, Any], said: str) -> None:
    done = generate({**WHOLE, **more}, tmp_path)

    assert (done.returncode, done.stderr.strip()) == (1, f"this language host writes SDKs of components alone; {said}")
    assert not any(tmp_path.iterdir())
