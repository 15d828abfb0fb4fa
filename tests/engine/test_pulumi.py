"""The real engine, the real provider and the project's Python language host."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest
from engine.cluster import Cluster
from engine.project import Project

pytestmark = pytest.mark.engine

PYTHON = "name: proof\nruntime: {name: python, options: {toolchain: pip}}\n"
TWO = """
import pulumi
import pulumi_kubernetes as k8s

ns = k8s.core.v1.Namespace("ns", metadata={"name": "proof"})
k8s.core.v1.ConfigMap("cm", metadata={"name": "settings", "namespace": ns.metadata.name}, data={"mode": "mixed"})
pulumi.export("namespace", ns.metadata.name)
"""
COMPONENT = {
    "thing/PulumiPlugin.yaml": "runtime: python\n",
    "thing/requirements.txt": "pulumi\n",
    "thing/__main__.py": """
from pulumi.provider.experimental import component_provider_host

from thing import Thing

if __name__ == "__main__":
    component_provider_host(components=[Thing], name="thing", version="0.1.0")
""",
    "thing/thing.py": """
from typing import Optional, TypedDict

import pulumi


class ThingArgs(TypedDict):
    cards: int


class Thing(pulumi.ComponentResource):
    slices: pulumi.Output[int]

    def __init__(self, name: str, args: ThingArgs, opts: Optional[pulumi.ResourceOptions] = None) -> None:
        super().__init__("thing:index:Thing", name, {}, opts)
        self.slices = pulumi.Output.from_input(int(args["cards"]) * 7)
        self.register_outputs({"slices": self.slices})
""",
}
CONSUMER = """
name: proof
runtime: yaml
plugins: {providers: [{name: thing, path: ./thing}]}
resources:
  it: {type: "thing:index:Thing", properties: {cards: 2}}
outputs: {slices: "${it.slices}"}
"""


@pytest.fixture
def program(project: Project):
    """Write a Python program and make its stack."""

    def write(text: str) -> Project:
        project.write({"Pulumi.yaml": PYTHON, "__main__.py": text})
        project.run("stack", "init", "dev")
        return project

    return write


def kinds(digest) -> list[tuple[str, str]]:
    return [(step["op"], step["newState"]["type"]) for step in digest["steps"] if "kubernetes:" in step["newState"]["type"]]


def test_a_preview_needs_no_cluster(program):
    digest = program(TWO).preview()

    wanted = [("create", "kubernetes:core/v1:ConfigMap"), ("create", "kubernetes:core/v1:Namespace")]
    assert sorted(step for step in kinds(digest) if "providers" not in step[1]) == wanted
    assert digest["changeSummary"] == {"create": 3}


def test_a_program_goes_up_stays_and_comes_down(program, cluster: Cluster):
    project = program(TWO)
    project.kubeconfig = cluster.plane.kubeconfig
    project.up()
    settings = cluster.get("configmap", "settings", "--namespace=proof")

    assert settings["data"] == {"mode": "mixed"}
    assert project.outputs() == {"namespace": "proof"}
    assert project.preview()["changeSummary"] == {"same": 3}
    project.destroy()
    assert cluster.kubectl("get", "namespace", "proof", "--ignore-not-found") == ""


def test_a_daemon_set_is_awaited(program, cluster: Cluster, kwok):
    project = program("""
import pulumi_kubernetes as k8s

labels = {"app": "agent"}
container = {"name": "main", "image": "registry.example/none"}
k8s.apps.v1.DaemonSet(
    "agent",
    metadata={"name": "agent", "namespace": "default"},
    spec={"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}}},
)
""")
    cluster.node("cpu-1")
    project.kubeconfig = cluster.plane.kubeconfig
    project.up()

    status = cluster.get("daemonset", "agent", "--namespace=default")["status"]
    assert status["numberReady"] == status["desiredNumberScheduled"] >= 1
    project.destroy()


def test_config_and_secret_config_reach_the_program(program):
    project = program("""
import pulumi

config = pulumi.Config()
pulumi.export("plain", config.require("plain"))
pulumi.export("dry", pulumi.runtime.is_dry_run())
pulumi.export("hidden", config.require_secret("hidden"))
""")
    project.run("config", "set", "plain", "7")
    project.run("config", "set", "--secret", "hidden", "xyzzy")
    project.up()

    assert project.outputs() == {"plain": "7", "dry": False, "hidden": "[secret]"}


def test_a_run_error_is_its_message_and_no_traceback(program):
    said = program('import pulumi\nraise pulumi.RunError("the spec has 2 errors")\n').run("preview", code=1)

    assert "error: the spec has 2 errors" in said
    assert "Traceback" not in said


def test_another_exception_shows_the_program_only(program, project: Project):
    said = program("def slices():\n    return 1 / 0\n\n\nslices()\n").run("preview", code=1)

    assert "ZeroDivisionError: division by zero" in said
    assert f'File "{project.folder}/__main__.py", line 5' in said
    assert "pulumi-language-python-exec" not in said


def test_a_project_without_a_program_is_told_so(project: Project):
    project.write({"Pulumi.yaml": PYTHON})
    project.run("stack", "init", "dev")

    assert f"there is no __main__.py in {project.folder}" in project.run("preview", code=1)


def test_another_toolchain_is_refused_by_name(project: Project, python: Path):
    project.use(VIRTUAL_ENV=str(python.parent.parent), FOURLEAF_ENGINE_PYTHON="")
    project.write({"Pulumi.yaml": PYTHON.replace("pip", "uv"), "__main__.py": ""})
    project.run("stack", "init", "dev")

    assert "toolchain uv is not served by this language host; write toolchain: pip" in project.run("preview", code=1)


def test_install_makes_the_virtualenv_that_a_project_names(project: Project, python: Path):
    project.use(VIRTUAL_ENV=str(python.parent.parent), FOURLEAF_ENGINE_PYTHON="")
    project.write({"Pulumi.yaml": PYTHON.replace("pip", "pip, virtualenv: .venv"), "__main__.py": "", "requirements.txt": ""})
    project.run("stack", "init", "dev")
    refused = project.run("preview", code=1)
    project.run("install")

    assert f"there is no {project.folder}/.venv/bin/python; run: pulumi install" in refused
    assert (project.folder / ".venv/bin/python").exists()


def test_install_leaves_an_interpreter_alone_that_the_environment_names(project: Project, python: Path):
    project.write({"Pulumi.yaml": PYTHON, "__main__.py": "", "requirements.txt": "no-such-package-of-ours\n"})

    assert f"Using the packages of {python}; nothing is installed." in project.run("install")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_engine_host_and_program_without_a_traceback(program, number):
    project = program("import time\nprint('begun', flush=True)\ntime.sleep(60)\n")
    with project.start("preview") as process:
        said = ""
        while "begun" not in said:
            line = process.stdout.readline()
            assert line, said
            said += line
        begun = time.monotonic()
        process.send_signal(number)
        rest, complained = process.communicate(timeout=30)

    assert time.monotonic() - begun < 4
    assert process.returncode != 0
    assert "Traceback" not in said + rest + complained
    assert not of_project(project)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("seconds", [0.1, 0.2, 1], ids=["at once", "while it imports", "while it serves"])
def test_the_language_host_ends_quietly_at_any_moment(project: Project, number, seconds):
    host = subprocess.Popen(
        [project.engine / "bin/pulumi-language-python", "127.0.0.1:1"],
        env=dict(project.environment),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(seconds)
    host.send_signal(number)
    _, complained = host.communicate(timeout=10)

    # Before Python has come as far as the host's first lines, the signal ends it as it ends any program.
    assert (host.returncode in (0, -number), complained) == (True, "")


def of_project(project: Project) -> str:
    """Return the processes that know of the project's folder."""
    found = subprocess.run(["ps", "-e", "-o", "args="], capture_output=True, text=True, check=True).stdout
    return "".join(line for line in found.splitlines() if str(project.folder) in line)


def test_a_component_package_in_python_serves_a_yaml_program(project: Project):
    project.write({**COMPONENT, "Pulumi.yaml": CONSUMER})
    project.run("stack", "init", "dev")
    project.up()

    assert project.outputs() == {"slices": 14}
    assert project.preview()["changeSummary"] == {"same": 2}


def test_the_schema_of_a_component_package_is_its_types(project: Project):
    project.write({**COMPONENT, "Pulumi.yaml": PYTHON})

    assert '"thing:index:Thing"' in project.run("package", "get-schema", "./thing")
