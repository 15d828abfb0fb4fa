"""Where the programs of a control plane are looked for."""

import pytest

from fourleaf.rehearse.programs import MissingProgramsError, find

FOUR = ("etcd", "kube-apiserver", "kube-scheduler", "kube-controller-manager")


def executable(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """A machine that has none of them."""
    monkeypatch.setenv("FOURLEAF_ENGINE_HOME", str(tmp_path / "engine"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    return tmp_path


def test_a_folder_with_the_usual_names_serves(nowhere):
    for name in FOUR:
        executable(nowhere / "assets" / name)
    programs = find(nowhere / "assets")

    assert programs.etcd == (str(nowhere / "assets/etcd"),)
    assert programs.manager == (str(nowhere / "assets/kube-controller-manager"),)
    assert programs.kubectl is None


def test_one_binary_is_all_of_them(nowhere):
    binary = executable(nowhere / "all")
    programs = find(binary)

    assert programs.apiserver == (str(binary), "kube-apiserver")
    assert programs.kubectl == (str(binary), "kubectl")


def test_a_folder_with_the_one_binary_serves(nowhere):
    binary = executable(nowhere / "assets" / "controlplane")

    assert find(nowhere / "assets").scheduler == (str(binary), "kube-scheduler")


def test_a_link_is_kept_since_its_name_tells_the_binary_what_to_be(nowhere):
    binary = executable(nowhere / "assets" / "controlplane")
    (nowhere / "assets" / "etcd").symlink_to(binary)

    assert find(nowhere / "assets").etcd == (str(nowhere / "assets/etcd"),)


def test_what_was_built_here_comes_before_path(nowhere):
    executable(nowhere / "engine/controlplane/controlplane")
    for name in FOUR:
        executable(nowhere / "path" / name)

    assert find().etcd == (str(nowhere / "engine/controlplane/controlplane"), "etcd")


def test_path_serves_where_nothing_was_built(nowhere):
    for name in (*FOUR, "kubectl"):
        executable(nowhere / "path" / name)

    assert find().kubectl == (str(nowhere / "path/kubectl"),)


def test_what_is_missing_is_named_with_where_to_get_it(nowhere):
    for name in FOUR[:2]:
        executable(nowhere / "assets" / name)
    with pytest.raises(MissingProgramsError) as raised:
        find(nowhere / "assets")

    assert raised.value.missing == {
        "kube-scheduler": "https://kubernetes.io/releases/download",
        "kube-controller-manager": "https://kubernetes.io/releases/download",
    }
    assert raised.value.looked == (nowhere / "assets",)


def test_a_file_that_cannot_be_run_does_not_serve(nowhere):
    for name in FOUR:
        executable(nowhere / "assets" / name)
    (nowhere / "assets/etcd").chmod(0o644)
    with pytest.raises(MissingProgramsError) as raised:
        find(nowhere / "assets")

    assert list(raised.value.missing) == ["etcd"]


def test_programs_of_two_places_are_not_mixed(nowhere):
    for name in FOUR[:3]:
        executable(nowhere / "engine/controlplane" / name)
    for name in FOUR[1:]:
        executable(nowhere / "path" / name)
    with pytest.raises(MissingProgramsError) as raised:
        find()

    assert raised.value.looked == (nowhere / "engine/controlplane", nowhere / "path")
