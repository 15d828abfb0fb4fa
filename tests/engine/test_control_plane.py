"""The control plane of a rehearsal: it comes up, it behaves as a cluster's, and nothing of it stays."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from engine.cluster import Cluster, eventually, pod

from fourleaf.rehearse.plane import ControlPlane, NotReadyError
from fourleaf.rehearse.processes import ProgramEndedError
from fourleaf.rehearse.programs import Programs, find

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]
HOLD = """
import sys, time
from pathlib import Path
from fourleaf.rehearse.plane import ControlPlane
from fourleaf.rehearse.programs import find
with ControlPlane(find()) as plane:
    print(plane.folder, plane.server, flush=True)
    time.sleep(120)
"""


def of_plane(folder: Path) -> list[int]:
    """Return the processes whose working directory is the plane's folder, removed or not."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            target = str(link.readlink())
        except OSError:
            continue
        if target.removesuffix(" (deleted)") == str(folder):
            found.append(int(link.parent.name))
    return found


def test_it_is_ready_and_of_the_version_that_it_was_built_from(cluster: Cluster):
    version = cluster.kubectl("version", "--output=json")

    assert cluster.plane.get("/readyz") == b"ok"
    assert '"gitVersion": "v1.36.3"' in version
    assert '"minor": "36"' in version


def test_objects_are_applied_server_side(cluster: Cluster):
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "applied", "labels": {"team": "vision"}}})
    found = cluster.get("namespace", "applied", "--show-managed-fields")

    assert found["metadata"]["labels"]["team"] == "vision"
    assert {entry["operation"] for entry in found["metadata"]["managedFields"] if entry["manager"] == "kubectl"} == {"Apply"}


def test_a_new_node_has_no_taint(cluster: Cluster):
    cluster.node("untainted")

    assert "taints" not in cluster.get("node", "untainted")["spec"]


def test_the_scheduler_places_pods_as_long_as_there_are_cards(cluster: Cluster):
    cluster.namespace("placed")
    cluster.node("gpu-1", **{"nvidia.com/gpu": "2"})
    cluster.apply(*(pod("placed", f"p{number}", **{"nvidia.com/gpu": "1"}) for number in range(3)))

    def judged():
        pods = cluster.get("pods", "--namespace=placed")["items"]
        return pods if all(item["status"].get("conditions") for item in pods) else None

    pods = eventually(judged)
    nodes = [item["spec"].get("nodeName", "") for item in pods]
    waiting = next(item for item in pods if "nodeName" not in item["spec"])
    assert sorted(nodes) == ["", "gpu-1", "gpu-1"]
    assert "Insufficient nvidia.com/gpu" in waiting["status"]["conditions"][0]["message"]
    cluster.kubectl("delete", "pods", "--all", "--namespace=placed", "--grace-period=0", "--force")


def test_bound_pods_run_where_kwok_is(cluster: Cluster, kwok):
    cluster.namespace("running")
    cluster.node("cpu-1")
    cluster.apply(pod("running", "p", cpu="1"))
    cluster.kubectl("wait", "pod/p", "--namespace=running", "--for=condition=Ready", "--timeout=30s")
    cluster.kubectl("delete", "pod", "p", "--namespace=running", "--timeout=30s")  # returns when it is gone


def test_service_accounts_get_tokens_that_the_server_takes(cluster: Cluster):
    cluster.namespace("tokens")
    token = cluster.kubectl("create", "token", "default", "--namespace=tokens").strip()
    who = cluster.kubectl("auth", "whoami", f"--token={token}", "--output=jsonpath={.status.userInfo.username}")

    assert who == "system:serviceaccount:tokens:default"


def test_nothing_is_left_after_an_ordinary_end(programs: Programs):
    with ControlPlane(programs) as plane:
        assert len(of_plane(plane.folder)) == 4

    assert of_plane(plane.folder) == []
    assert not plane.folder.exists()


def test_nothing_is_left_after_an_exception(programs: Programs):
    plane = ControlPlane(programs)
    with pytest.raises(ZeroDivisionError), plane:
        raise ZeroDivisionError

    assert of_plane(plane.folder) == []
    assert not plane.folder.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_after_a_signal(programs: Programs, number: signal.Signals):
    holder = subprocess.Popen([sys.executable, "-c", HOLD], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    with holder:
        folder = Path(holder.stdout.readline().split()[0])
        assert len(of_plane(folder)) == 4
        holder.send_signal(number)

    assert eventually(lambda: not of_plane(folder), 5)
    assert eventually(lambda: not folder.exists(), 5)


def test_two_planes_live_side_by_side(programs: Programs, plane: ControlPlane):
    with ControlPlane(programs) as other:
        assert other.server != plane.server
        assert other.get("/readyz") == plane.get("/readyz") == b"ok"


def test_a_flag_that_a_program_does_not_know_is_an_error_with_its_own_words(programs: Programs):
    plane = ControlPlane(programs, flags={"kube-apiserver": ["--no-such-flag"]})
    with pytest.raises(ProgramEndedError) as raised, plane:
        pass

    assert raised.value.name == "kube-apiserver"
    assert "unknown flag: --no-such-flag" in raised.value.log
    assert not plane.folder.exists()


def test_a_plane_that_is_not_ready_in_time_is_an_error(programs: Programs):
    plane = ControlPlane(programs, timeout=0.2)
    begun = time.monotonic()
    with pytest.raises(NotReadyError) as raised, plane:
        pass

    assert raised.value.seconds == 0.2
    assert time.monotonic() - begun < 3
    assert not plane.folder.exists()


def test_one_binary_that_is_all_programs_serves(programs: Programs):
    binary = Path(programs.etcd[0]).with_name("controlplane")
    with ControlPlane(find(binary)) as plane:
        assert plane.get("/readyz") == b"ok"


def test_more_flags_reach_the_programs(programs: Programs):
    with ControlPlane(programs, flags={"kube-apiserver": ["--runtime-config=resource.k8s.io/v1beta1=true"]}) as plane:
        assert b'"groupVersion":"resource.k8s.io/v1beta1"' in plane.get("/apis/resource.k8s.io")
