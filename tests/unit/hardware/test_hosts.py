import pytest
from msgspec.structs import fields

from fourleaf.data import load
from fourleaf.hardware import Distribution, Host
from fourleaf.hardware.catalogue import distributions, find_distribution, find_host, hosts, hosts_of, listed_hosts
from fourleaf.kube import Version

FAMILIES = load("hardware/data/hosts.yaml")["families"]


def host(word: str) -> Host:
    found = find_host(word).one
    assert found is not None, word
    return found


@pytest.mark.parametrize("name", hosts())
def test_a_host_is_whole(name: str) -> None:
    made = hosts()[name]
    assert made.name == name == f"{made.family}-{made.version}"
    assert isinstance(made.immutable, bool)
    assert isinstance(made.systemd, bool)
    assert made.source
    assert made.read == "2026-11-29"
    assert isinstance(made.version, str)
    if made.kubernetes:
        first, last = made.kubernetes
        assert Version.parse(first) <= Version.parse(last)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_no_key_that_is_not_read(family: str) -> None:
    read = {field.name for field in fields(Host)} - {"name", "family", "version", "kubernetes"} | {"versions", "free", "aliases"}
    assert set(FAMILIES[family]) <= read
    assert FAMILIES[family].get("versions") or FAMILIES[family].get("free")


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("talos-1.12", "talos-1.12"), ("Talos 1.12", "talos-1.12"), ("ubuntu24.04", "ubuntu-24.04"), ("al2023", "amazon-linux-2023"),
        ("amazon-linux-2023", "amazon-linux-2023"), ("rhcos-4.22", "rhcos-4.22"), ("bottlerocket", "bottlerocket-1"),
        ("cos-121", "cos-121"), ("container-optimized-os-121", "cos-121"), ("flatcar-4230.2.3", "flatcar-4230.2.3"),
    ],
)  # fmt: skip
def test_words_that_people_use(word: str, name: str) -> None:
    assert host(word).name == name


def test_a_family_without_a_version_fits_each_of_them() -> None:
    assert [made.name for made in find_host("ubuntu").matches] == ["ubuntu-22.04", "ubuntu-24.04", "ubuntu-26.04"]
    assert find_host("talos").ambiguous


def test_every_family_that_a_distribution_runs_on_is_listed() -> None:
    families = {family for one in distributions().values() for family in hosts_of(one)}

    assert {host.family for host in listed_hosts()} == families
    assert [host.name for host in listed_hosts() if host.family == "cos"] == ["cos-<version>"]


def test_a_free_family_takes_any_version_and_asks_for_one() -> None:
    assert host("flatcar-4230.2.3").version == "4230.2.3"
    assert host("flatcar-4230.2.3").immutable
    assert find_host("flatcar").matches == ()
    assert find_host("flatcar").near == ("flatcar-<version>",)
    assert find_host("flatcar-stable").matches == ()


@pytest.mark.parametrize("word", ["talos-1.9", "talos-112", "talos-1.12.4", "ubuntu-2404", "windows-2022", ""])
def test_other_hosts_are_unknown_and_bring_the_nearest_names(word: str) -> None:
    found = find_host(word)
    assert found.matches == ()
    assert set(found.near) <= set(hosts())


def test_a_near_host_is_named() -> None:
    assert "ubuntu-24.04" in find_host("ubunto-24.04").near


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("talos-1.10", "1.28", "1.33"),
        ("talos-1.12", "1.30", "1.35"),
        ("talos-1.13", "1.31", "1.36"),
        ("talos-1.14", "1.33", "1.37"),
        ("rhcos-4.20", "1.33", "1.33"),
    ],
)
def test_hosts_that_are_tied_to_releases_of_kubernetes(name: str, first: str, last: str) -> None:
    assert hosts()[name].kubernetes == (first, last)
    assert hosts()["ubuntu-24.04"].kubernetes is None


def test_talos_enforces_baseline_and_has_no_systemd() -> None:
    assert {(made.immutable, made.systemd, made.pod_security) for made in hosts().values() if made.family == "talos"} == {
        (True, False, "baseline")
    }
    assert {made.family for made in hosts().values() if made.pod_security} == {"talos"}


def test_an_operator_cannot_install_a_driver_on_these_hosts() -> None:
    frozen = {family for family, record in FAMILIES.items() if record["immutable"]}
    assert frozen == {"talos", "bottlerocket", "flatcar", "cos", "docker-desktop"}


def test_the_distributions_are_those_of_the_language() -> None:
    assert list(distributions()) == [
        "kubeadm", "talos", "k3s", "rke2", "k0s", "microk8s", "openshift", "eks", "gke", "aks", "kind", "docker-desktop",
    ]  # fmt: skip


@pytest.mark.parametrize("name", distributions())
def test_a_distribution_is_whole(name: str) -> None:
    made = distributions()[name]
    assert made.name == name
    assert set(made.hosts) <= set(FAMILIES)
    assert made.source
    assert made.read == "2026-11-29"
    assert all(isinstance(value, str) for value in made.traits.values())
    if made.host:
        assert host(made.host).family in made.hosts
    record = load("hardware/data/distributions.yaml")["distributions"][name]
    assert set(record) <= {field.name for field in fields(Distribution)} - {"name"}


def test_every_tied_family_runs_on_a_distribution_that_lists_it() -> None:
    tied = set(load("hardware/data/distributions.yaml")["tied"])
    assert tied <= {family for made in distributions().values() for family in made.hosts}


@pytest.mark.parametrize(
    ("name", "some", "none"),
    [
        ("talos", "talos", "ubuntu rhcos"), ("openshift", "rhcos", "talos ubuntu"), ("docker-desktop", "docker-desktop", "ubuntu"),
        ("kubeadm", "ubuntu debian flatcar rhel", "talos rhcos cos bottlerocket docker-desktop"), ("k3s", "sles ubuntu", "talos"),
        ("gke", "cos ubuntu", "talos debian"), ("eks", "amazon-linux bottlerocket", "cos"), ("aks", "azure-linux ubuntu", "amazon-linux"),
    ],
)  # fmt: skip
def test_hosts_of_a_distribution(name: str, some: str, none: str) -> None:
    families = set(hosts_of(distributions()[name]))
    assert families >= set(some.split())
    assert not families & set(none.split())


def test_a_distribution_is_found_whatever_its_case() -> None:
    assert find_distribution("Docker Desktop").one is distributions()["docker-desktop"]
    assert find_distribution("K3S").one is distributions()["k3s"]
    assert find_distribution("rke3").near[0] == "rke2"


def test_containerd_sockets_that_are_not_the_usual_one() -> None:
    sockets = {name: made.traits["containerdSocket"] for name, made in distributions().items() if "containerdSocket" in made.traits}
    assert sockets == {
        "k3s": "/run/k3s/containerd/containerd.sock",
        "rke2": "/run/k3s/containerd/containerd.sock",
        "k0s": "/run/k0s/containerd.sock",
        "microk8s": "/var/snap/microk8s/common/run/containerd.sock",
    }
