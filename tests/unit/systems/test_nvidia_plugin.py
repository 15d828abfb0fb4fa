"""The device plugin alone: its pod, the runtime behind it, and what its hosts must bring."""

import pytest
from clusters import at, lowered, objects_of, planned, pool, todo_of, workload

from fourleaf.diag import Diagnostic
from fourleaf.ir import Plan, Pool, Ref
from fourleaf.systems import SYSTEMS

NAME = "nvidia-device-plugin"


def cluster(*pools: Pool, distribution: str = "kubeadm") -> Plan:
    work = [workload("llm", vendor="nvidia")]
    return planned(*pools, workloads=work, distribution=distribution, allocation={"nvidia": "plugin", "intel": "dra"})


def desk(os: str = "ubuntu-24.04", card: str = "rtx-4070", **more: object) -> Pool:
    return pool("desk", (card, 1), nodes=["desk-1"], os=os, **more)  # type: ignore[arg-type]


def pod(made: Plan) -> object:
    return at(objects_of(made, NAME, "DaemonSet")[NAME].body, "spec", "template", "spec")


def found(made: Plan) -> list[Diagnostic]:
    component = next(one for one in made.components if one.system == NAME)
    return list(SYSTEMS[NAME].check(made, component))


def test_it_runs_upstreams_image_without_any_privilege_but_the_sockets() -> None:
    spec = pod(cluster(desk()))
    container = at(spec, "containers", 0)  # type: ignore[arg-type]
    assert at(container, "image") == "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"
    assert at(container, "securityContext") == {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    assert at(spec, "volumes", 0, "hostPath", "path") == at(container, "volumeMounts", 0, "mountPath") == "/var/lib/kubelet/device-plugins"  # type: ignore[arg-type]


def test_it_runs_on_the_named_nodes_alone_and_tolerates_their_taints() -> None:
    spec = pod(cluster(desk(taints=["team=x:NoExecute"])))
    term = at(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms", 0)  # type: ignore[arg-type]
    assert term == {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["desk-1"]}]}
    assert [at(one, "key") for one in at(spec, "tolerations")] == ["nvidia.com/gpu", "team"]  # type: ignore[arg-type, union-attr]


def test_nodes_that_nothing_names_are_labelled_first() -> None:
    made = cluster(pool("desk", ("t4", 1), nodes=2))
    (todo,) = (one for one in lowered(made).prerequisites if one.what.startswith("label"))
    assert todo.command == "kubectl label node <each node of pool desk> fourleaf.dev/pool=desk --overwrite"


def test_kubeadm_gets_a_runtime_class_and_pods_name_it() -> None:
    made = cluster(desk())
    assert objects_of(made, NAME, "RuntimeClass")["nvidia"].body == {"handler": "nvidia"}
    assert at(pod(made), "runtimeClassName") == Ref("RuntimeClass.node.k8s.io", "nvidia")  # type: ignore[arg-type]
    (binding,) = lowered(made).bindings
    assert binding.runtime_class == "nvidia"


@pytest.mark.parametrize("distribution", ["k3s", "rke2"])
def test_k3s_and_rke2_make_the_runtime_class_themselves(distribution: str) -> None:
    made = cluster(desk(), distribution=distribution)
    assert not objects_of(made, NAME, "RuntimeClass")
    assert at(pod(made), "runtimeClassName") == "nvidia"  # type: ignore[arg-type]
    assert [todo.brings for todo in todo_of(made, NAME) if todo.brings] == [Ref("RuntimeClass.node.k8s.io", "nvidia")]


def test_images_of_eks_start_every_pod_through_the_runtime() -> None:
    made = cluster(desk("amazon-linux-2023"), distribution="eks")
    assert "runtimeClassName" not in pod(made)  # type: ignore[operator]
    assert not objects_of(made, NAME, "RuntimeClass")
    assert [todo.what for todo in todo_of(made, NAME)] == ["NVIDIA's driver on the nodes of pool desk (amazon-linux-2023)"]


def test_a_person_installs_driver_and_toolkit() -> None:
    driver, toolkit = todo_of(cluster(desk()), NAME)
    assert "NVIDIA's driver" in driver.what
    assert toolkit.command == "sudo nvidia-ctk runtime configure --runtime=containerd && sudo systemctl restart containerd"


def test_talos_brings_both_as_extensions() -> None:
    made = cluster(desk("talos-1.13"), distribution="talos")
    (todo,) = lowered(made).prerequisites[-1:]
    assert "siderolabs/nvidia-container-toolkit-production" in todo.text
    assert "default_runtime_name" not in todo.text
    assert 'base_runtime_spec = "/etc/cri/conf.d/base-spec.json"' in todo.text


def test_docker_desktop_gets_the_plugin_and_a_doubt() -> None:
    made = cluster(pool("desk", ("rtx-4070", 1), nodes=["docker-desktop"], os="docker-desktop-4"), distribution="docker-desktop")
    assert "runtimeClassName" not in pod(made)  # type: ignore[operator]
    (one,) = found(made)
    assert (one.rule.code, one.severity) == ("FL160", "warning")


def test_nodes_of_kind_come_from_nvkind() -> None:
    (todo,) = todo_of(cluster(desk(), distribution="kind"), NAME)
    assert "nvkind" in todo.text


def test_hosts_with_a_plugin_of_their_own_take_no_second() -> None:
    (one,) = found(cluster(desk("bottlerocket-1"), distribution="eks"))
    assert one.rule.code == "FL159"
    labels = {"gke-no-default-nvidia-gpu-device-plugin": "true"}
    assert [one.rule.code for one in found(cluster(desk(), distribution="gke"))] == ["FL159"]
    assert not found(cluster(desk(labels=labels), distribution="gke"))
