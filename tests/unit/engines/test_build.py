"""engines/build.py with a compiler that writes what it was asked for instead of compiling."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ENGINES = Path(__file__).parents[3] / "engines"
PYTHON_HOST = "pulumi-language-python"
GO = """#!/bin/sh
if [ "$1" = env ]; then echo "$FAKE_VERSION"; exit; fi
echo "$PWD: $*" >> "$FAKE_LOG"
[ -z "$FAKE_FAILURE" ] || { echo "no required module provides package x" >&2; exit 1; }
while [ "$1" != -o ]; do shift; done
if [ -n "$FAKE_WAIT" ]; then touch "$FAKE_LOG.begun"; sleep "$FAKE_WAIT"; fi
echo "built" > "$2"
"""


class Cache:
    """An engine home of its own, and the environment that a build runs in."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.log = root / "calls"
        (root / "bin").mkdir()
        (root / "bin" / "go").write_text(GO)
        (root / "bin" / "go").chmod(0o755)
        self.environment = {"PATH": f"{root}/bin:/usr/bin:/bin", "FAKE_LOG": str(self.log), "FAKE_VERSION": "go1.99.1"}

    def start(self, *arguments: str, build: Path = ENGINES / "build.py", **environment: str) -> subprocess.Popen[str]:
        command = [sys.executable, build, "--home", self.home, *arguments]
        return subprocess.Popen(command, env={**self.environment, **environment}, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *arguments: str, **how) -> tuple[int, str, str]:
        process = self.start(*arguments, **how)
        said, complained = process.communicate(timeout=30)
        return process.returncode, said, complained

    def start_and_wait_for_the_compiler(self, seconds: str) -> subprocess.Popen[str]:
        process = self.start("kwok", FAKE_WAIT=seconds)
        end = time.monotonic() + 20
        while not self.log.with_name("calls.begun").exists():
            assert time.monotonic() < end
            time.sleep(0.02)
        return process

    def calls(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of engines/ that a test may change."""
    copy = tmp_path / "engines"
    for path in ENGINES.glob("*/*"):
        if path.is_file():
            (copy / path.parent.name).mkdir(parents=True, exist_ok=True)
            (copy / path.parent.name / path.name).write_bytes(path.read_bytes())
    (copy / "build.py").write_bytes((ENGINES / "build.py").read_bytes())
    return copy


def test_all_is_built_once(cache):
    assert cache.run()[0] == 0
    first = cache.calls()
    code, said, _ = cache.run()

    assert code == 0
    assert len(first) == 5
    assert cache.calls() == first
    assert said.count("up to date") == 6


def test_the_control_plane_bears_its_version_and_the_usual_names(cache):
    cache.run("controlplane")

    call = cache.calls()[0]
    assert call.startswith(f"{ENGINES / 'controlplane'}: build ")
    assert "-X k8s.io/component-base/version.gitVersion=v1.36.3 " in call
    assert "-X k8s.io/component-base/version.gitMinor=36" in call
    folder = cache.home / "controlplane"
    names = {"etcd", "kube-apiserver", "kube-scheduler", "kube-controller-manager", "kubectl"}
    assert {path.name for path in folder.iterdir() if path.is_symlink()} == names
    assert all((folder / name).resolve() == folder / "controlplane" for name in names)


def test_the_provider_lies_where_the_engine_looks_for_it(cache):
    cache.run("pulumi-resource-kubernetes")

    assert (cache.home / "pulumi/plugins/resource-kubernetes-v4.25.0/pulumi-resource-kubernetes").is_file()


@pytest.mark.parametrize("changed", ["go.mod", "go.sum", "main.go"])
def test_a_change_of_a_source_rebuilds_that_program_only(cache, checkout, changed):
    cache.run(build=checkout / "build.py")
    with (checkout / "controlplane" / changed).open("a") as source:
        source.write("\n")
    listed = cache.run("--list", build=checkout / "build.py")[1]
    cache.run(build=checkout / "build.py")

    assert [line.split()[0] for line in listed.splitlines() if " stale " in line] == ["controlplane"]
    assert [call.split(":")[0] for call in cache.calls()[5:]] == [str(checkout / "controlplane")]


def test_a_binary_that_is_gone_is_built_again(cache):
    cache.run("kwok")
    (cache.home / "bin/kwok").unlink()
    cache.run("kwok")

    assert len(cache.calls()) == 2
    assert (cache.home / "bin/kwok").is_file()


def test_the_list_tells_what_is_built(cache):
    cache.run("kwok")
    code, said, _ = cache.run("--list")

    lines = {line.split()[0]: line for line in said.splitlines()}
    assert code == 0
    assert " built " in lines["kwok"]
    assert " missing " in lines["pulumi"]
    assert " 3.274.1 " in lines["pulumi"]
    assert len(lines) == 6


def test_the_home_is_named_by_the_environment(cache, tmp_path):
    command = [sys.executable, ENGINES / "build.py", PYTHON_HOST]
    subprocess.run(command, env={**cache.environment, "FOURLEAF_ENGINE_HOME": str(tmp_path / "other")}, check=True, timeout=30)

    assert os.access(tmp_path / "other/bin/pulumi-language-python", os.X_OK)
    assert os.access(tmp_path / "other/bin/pulumi-language-python-exec", os.X_OK)


def test_without_go_one_line_says_so(cache, tmp_path):
    (tmp_path / "bin" / "go").unlink()
    code, _, complained = cache.run("kwok", PATH=str(tmp_path / "bin"))

    assert code == 3
    assert complained.splitlines() == ["build.py: there is no go on PATH; install Go 1.26.0 or newer from https://go.dev/dl"]


def test_a_go_that_is_too_old_is_named(cache):
    code, _, complained = cache.run("kwok", FAKE_VERSION="go1.25.9")

    assert code == 3
    assert complained.splitlines() == ["build.py: go1.25.9 is too old for engines/kwok; install Go 1.26.0 or newer from https://go.dev/dl"]
    assert cache.calls() == []


def test_without_go_what_is_built_already_is_fine(cache, tmp_path):
    cache.run("kwok")
    (tmp_path / "bin" / "go").unlink()

    assert cache.run("kwok", PATH=str(tmp_path / "bin"))[0] == 0


def test_a_build_that_ends_with_an_error_leaves_the_last_result(cache, checkout):
    cache.run("kwok", build=checkout / "build.py")
    (checkout / "kwok" / "go.sum").write_text("")
    code, _, complained = cache.run("kwok", build=checkout / "build.py", FAKE_FAILURE="yes")

    assert code == 3
    assert "no required module provides package x" in complained
    assert complained.splitlines()[-1] == "build.py: kwok: go build ended with exit code 1, see above"
    assert (cache.home / "bin/kwok").read_text() == "built\n"
    assert " stale " in cache.run("--list", "kwok", build=checkout / "build.py")[1]
    assert not (cache.home / "staging").exists()


def test_an_unknown_program_is_a_usage_error_that_names_the_programs(cache):
    code, _, complained = cache.run("kwock")

    assert code == 2
    assert "no program kwock; there are pulumi, controlplane, " in complained


def test_two_builds_never_run_at_once(cache):
    first = cache.start_and_wait_for_the_compiler("0.5")
    second = cache.run("kwok")

    assert first.wait(30) == 0
    assert second[0] == 0
    assert "another build works in" in second[1]
    assert "kwok: up to date" in second[1]
    assert len(cache.calls()) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_build_leaves_nothing_and_no_traceback(cache, number):
    process = cache.start_and_wait_for_the_compiler("20")
    process.send_signal(number)
    _, complained = process.communicate(timeout=10)

    assert process.returncode == 128 + number
    assert complained == ""
    assert [path.name for path in cache.home.iterdir()] == ["lock"]


def test_a_compiler_that_outlives_its_build_keeps_the_next_one_waiting(cache):
    first = cache.start_and_wait_for_the_compiler("0.8")
    first.kill()
    first.wait(10)
    begun = time.monotonic()
    code, said, _ = cache.run("kwok")

    assert code == 0
    assert "another build works in" in said
    assert time.monotonic() - begun > 0.3


def test_the_record_of_a_build_is_json(cache):
    cache.run("kwok")

    record = json.loads((cache.home / "stamps/kwok.json").read_text())
    assert record["version"] == "0.8.0"
    assert record.keys() == {"digest", "version", "seconds"}
