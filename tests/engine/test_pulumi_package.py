"""`pulumi package add` under the real engine: a program in Python gets an SDK of the component package, from a folder and from git."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest
import yaml
from engine.cluster import Cluster
from engine.forge import HOST, Forge
from engine.project import Project
from support import lacking

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]
LEFT = shutil.ignore_patterns(".*", "__pycache__", "venv", "out", "dist", "build", "bench", "tests", "engines")
"""What of the checkout a package is not made of."""
PROGRAM = """\
import pulumi
import fourleaf_fourleaf as fourleaf

layout = fourleaf.MigLayout(
    "layout",
    kubernetes=fourleaf.KubernetesArgs(version="1.35", feature_gates={"DRAPartitionableDevices": True}),
    pools=[
        {
            "name": "dgx",
            "nodes": ["dgx-1"],
            "os": "ubuntu-24.04",
            "driver": {"by": "host", "version": "580.95.05", "kernel_modules": "open"},
            "gpus": [{"card": "h100-80gb", "count": 8}],
            "partition": {"mig": {"layout": {"1g.10gb": 7}}},
        }
    ],
)
pulumi.export("config", layout.config_name)
pulumi.export("resources", layout.resources)
"""


def environment_of(python: Path, folder: Path) -> None:
    """Make a virtualenv that has an interpreter's packages, as if they had been installed: tests have no network."""
    wanted = "import hatchling, pip, sysconfig; print(sysconfig.get_path('purelib'))"
    done = subprocess.run([python, "-c", wanted], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        lacking(f"{python} has no pip or no hatchling, which packages are built with")
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True, timeout=60)
    inside = sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)})
    Path(inside, "shared.pth").write_text(done.stdout)


@pytest.fixture
def consumer(project: Project, python: Path) -> Project:
    """A program in Python that has no SDK of the components yet."""
    project.write({"Pulumi.yaml": "name: consumer\nruntime:\n  name: python\n  options: {toolchain: pip, virtualenv: venv}\n"})
    project.write({"requirements.txt": "pulumi>=3,<4\n", "__main__.py": PROGRAM})
    project.run("stack", "init", "dev")
    return project


@pytest.fixture
def installing(consumer: Project, python: Path) -> Project:
    """The program beside a checkout; both have a virtualenv of their own, into which the engine installs."""
    shutil.copytree(ROOT, consumer.folder.parent / "checkout", ignore=LEFT)
    environment_of(python, consumer.folder.parent / "checkout" / "components" / "venv")
    environment_of(python, consumer.folder / "venv")
    # pip takes the negated option's own value: 0 is what --no-build-isolation sets.
    consumer.use(FOURLEAF_ENGINE_PYTHON="", PIP_NO_INDEX="1", PIP_NO_BUILD_ISOLATION="0")
    consumer.use(PATH=f"{consumer.engine / 'bin'}:{python.parent}:{os.environ['PATH']}")
    return consumer


def packages(project: Project) -> object:
    """Return the packages that a project lists."""
    return yaml.safe_load((project.folder / "Pulumi.yaml").read_text())["packages"]


def test_a_program_in_python_gets_an_sdk_from_the_folder(installing: Project, cluster: Cluster) -> None:
    added = installing.run("package", "add", "../checkout/components")
    offline = installing.preview()["changeSummary"]
    installing.kubeconfig = cluster.plane.kubeconfig
    installing.up()
    outputs = installing.outputs()

    assert "import fourleaf_fourleaf as fourleaf" in added
    assert packages(installing) == {"fourleaf": "../checkout/components"}
    assert (installing.folder / "requirements.txt").read_text() == "pulumi>=3,<4\n./sdks/fourleaf-fourleaf\n"
    assert offline == {"create": 4}
    assert outputs["resources"] == ["nvidia.com/mig-1g.10gb"]
    assert cluster.get("configmap", outputs["config"], "--namespace=gpu-operator")["data"]
    assert installing.preview()["changeSummary"] == {"same": 4}
    cluster.kubectl("delete", "configmap", outputs["config"], "--namespace=gpu-operator")


def test_a_mistake_in_a_program_with_the_sdk_is_told_by_its_property(installing: Project) -> None:
    installing.run("package", "add", "../checkout/components")
    installing.write({"__main__.py": PROGRAM.replace("1g.10gb", "1g.12gb")})
    said = installing.run("preview", code=1)

    assert "property pools[0].partition.mig.layout.1g.12gb has a problem: FL201: h100-80gb has no MIG profile 1g.12gb" in said


def test_a_fresh_clone_of_the_project_gets_the_sdk_again(installing: Project, python: Path) -> None:
    installing.run("package", "add", "../checkout/components")
    shutil.rmtree(installing.folder / "sdks")
    shutil.rmtree(installing.folder / "venv")
    environment_of(python, installing.folder / "venv")
    installing.run("install")

    assert installing.preview()["changeSummary"] == {"create": 4}


def own_plugins(project: Project) -> None:
    """Give a project plugins of its own, of which the built ones are the first: what it fetches is not for other tests."""
    plugins = Path(project.environment["PULUMI_HOME"], "plugins")
    built = plugins.resolve()
    plugins.unlink()
    plugins.mkdir()
    for program in built.glob("*/*"):  # the engine follows no links to folders
        (plugins / program.parent.name).mkdir(exist_ok=True)
        (plugins / program.parent.name / program.name).symlink_to(program)


@pytest.mark.parametrize("by", ["tag", "commit"])
def test_a_program_in_python_gets_an_sdk_from_git(consumer: Project, tmp_path: Path, by: str) -> None:
    own_plugins(consumer)
    shutil.copytree(ROOT, tmp_path / "checkout", ignore=LEFT)
    with Forge(tmp_path / "forge") as forge:
        commit = forge.publish(tmp_path / "checkout", "example/fourleaf", "v0.1.0")
        source = f"{HOST}/example/fourleaf/components@{'v0.1.0' if by == 'tag' else commit}"
        consumer.use(PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION="", **forge.environment)
        consumer.run("package", "add", f"https://{source}")
    sdk = consumer.folder / "sdks" / "fourleaf-fourleaf"
    # The interpreter of all programs is not installed into.
    consumer.use(PYTHONPATH=str(sdk), PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION="true")

    assert packages(consumer) == {"fourleaf": source}
    assert f'version = "{"0.1.0" if by == "tag" else f"0.0.0+x{commit}"}"' in (sdk / "pyproject.toml").read_text()
    assert consumer.preview()["changeSummary"] == {"create": 4}
