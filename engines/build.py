#!/usr/bin/env python3
"""Builds the real programs that proofs run against, from Go modules, into a cache outside the repository.

    python3 engines/build.py [--list] [--home DIR] [--jobs N] [PROGRAM]...

Each program is a folder here with its go.mod and go.sum, and a `main.go` where upstream's main package does not serve. A program is
built when the digest of those files and of its recipe below differs from that of its last build; one build runs at a time, also
across processes. The home is --home, else FOURLEAF_ENGINE_HOME, else ~/.cache/fourleaf/engine:

    bin/            pulumi and its language hosts, kwok
    controlplane/   one binary and links to it by the usual names: etcd, kube-apiserver, ...
    pulumi/         a folder like PULUMI_HOME: plugins/resource-kubernetes-v.../
    stamps/         a record of each build

Exit codes: 0; 2 usage; 3 Go is missing or too old, or a build ended with an error. Needs Python 3.11 and nothing else.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENT = 3
LIMIT = 3600
"""Seconds that one build may take; the longest takes a quarter of an hour on two idle cores."""


class BuildError(Exception):
    """What keeps a program from being built, in one line."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program, how it is built and where it goes.

    `binary` and `links` are paths below the home; a link points to the binary. `stamps` are linker variables; `{version}`, `{major}`
    and `{minor}` in them are of `module`, as the go.mod pins it. A program without `package` is made of its `copies`
    (path below the home: file in its folder).
    """

    name: str
    module: str = ""
    package: str = ""
    binary: str = ""
    links: tuple[str, ...] = ()
    tags: str = ""
    stamps: Mapping[str, str] = field(default_factory=dict)
    copies: Mapping[str, str] = field(default_factory=dict)

    @property
    def files(self) -> tuple[str, ...]:
        return (self.binary, *self.links, *self.copies) if self.binary else tuple(self.copies)


PROVIDER = "4.25.0"
"""The release that the provider answers as: pulumi-kubernetes of that version asks for exactly it."""

PROGRAMS = (
    Program(
        "pulumi",
        module="github.com/pulumi/pulumi/pkg/v3",
        package="github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
        binary="bin/pulumi",
        # Those of upstream's release build: https://github.com/pulumi/pulumi/blob/v3.274.1/.goreleaser.yml
        tags="osusergo,grpcnotrace",
        stamps={"github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": "v{version}"},
    ),
    Program(
        "controlplane",
        module="k8s.io/kubernetes",
        package=".",
        binary="controlplane/controlplane",
        links=tuple(f"controlplane/{name}" for name in ("etcd", "kube-apiserver", "kube-scheduler", "kube-controller-manager", "kubectl")),
        # Unstamped it says v0.0.0-master, and clients refuse what they think it is too old for.
        stamps={
            "k8s.io/component-base/version.gitVersion": "v{version}",
            "k8s.io/component-base/version.gitMajor": "{major}",
            "k8s.io/component-base/version.gitMinor": "{minor}",
        },
    ),
    Program(
        "pulumi-resource-kubernetes",
        module="github.com/pulumi/pulumi-kubernetes/provider/v4",
        package=".",
        binary=f"pulumi/plugins/resource-kubernetes-v{PROVIDER}/pulumi-resource-kubernetes",
        stamps={"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version.Version": PROVIDER},
    ),
    Program(
        "pulumi-language-yaml",
        module="github.com/pulumi/pulumi-yaml",
        package="github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
        binary="bin/pulumi-language-yaml",
    ),
    Program(
        "pulumi-language-python",
        copies={
            "bin/pulumi-language-python": "launch.sh",
            "bin/pulumi-language-python.py": "host.py",
            "bin/pulumi-language-python-exec": "exec.py",
            "bin/pulumi-language-python-generate": "generate.py",
        },
    ),
    Program("kwok", module="sigs.k8s.io/kwok", package="sigs.k8s.io/kwok/cmd/kwok", binary="bin/kwok"),
)


def default_home() -> Path:
    named = os.environ.get("FOURLEAF_ENGINE_HOME")
    return Path(named) if named else Path.home() / ".cache" / "fourleaf" / "engine"


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def version(program: Program) -> str:
    """Return the version of its module, without the v; empty for a program of ours."""
    if not program.module:
        return ""
    text = (HERE / program.name / "go.mod").read_text()
    found = re.search(rf"^(?:require)?\s*{re.escape(program.module)} v(\S+)", text, re.MULTILINE)
    if found is None:
        raise AssertionError(f"{program.name}/go.mod does not require {program.module}")
    return found[1]


def digest(program: Program) -> str:
    """Return the digest of all that a program is built from."""
    folder = HERE / program.name
    sources = [folder / name for name in program.copies.values()] or [folder / "go.mod", folder / "go.sum", *sorted(folder.glob("*.go"))]
    total = hashlib.sha256(repr(program).encode())
    for path in sources:
        content = path.read_bytes()
        total.update(f"{path.name} {len(content)}\n".encode() + content)
    return total.hexdigest()


def stamp(program: Program, home: Path) -> Path:
    return home / "stamps" / f"{program.name}.json"


def state(program: Program, home: Path) -> str:
    """Return "built", "stale" or "missing"."""
    try:
        known = json.loads(stamp(program, home).read_text())["digest"]
    except (OSError, ValueError, KeyError):
        return "missing"
    if not all((home / name).exists() for name in program.files):
        return "missing"
    return "built" if known == digest(program) else "stale"


def require_go(programs: Sequence[Program]) -> None:
    """See that there is a Go that is new enough for all of them."""
    wanted, name = max((_go_line(program), program.name) for program in programs)
    need = ".".join(map(str, wanted))
    try:
        done = subprocess.run(["go", "env", "GOVERSION"], cwd="/", env=_environment(), capture_output=True, text=True, timeout=60)
    except FileNotFoundError:
        raise BuildError(f"there is no go on PATH; install Go {need} or newer from https://go.dev/dl") from None
    said = done.stdout.strip() or done.stderr.strip()
    found = re.search(r"go(\d+)\.(\d+)(?:\.(\d+))?", said)
    if found is None:
        raise BuildError(f"go env GOVERSION answers {said!r}; install Go {need} or newer from https://go.dev/dl")
    if tuple(int(part or 0) for part in found.groups()) < wanted:
        raise BuildError(f"{said} is too old for engines/{name}; install Go {need} or newer from https://go.dev/dl")


def _go_line(program: Program) -> tuple[int, ...]:
    found = re.search(r"^go (\d+)\.(\d+)(?:\.(\d+))?", (HERE / program.name / "go.mod").read_text(), re.MULTILINE)
    if found is None:
        raise AssertionError(f"{program.name}/go.mod has no go line")
    return tuple(int(part or 0) for part in found.groups())


def _environment() -> dict[str, str]:
    # GOTOOLCHAIN: the Go that was checked is the one that builds, none is fetched on the way.
    return {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOWORK": "off"}


def build(program: Program, home: Path, jobs: int, lock: int) -> None:
    """Build a program and put it in its place: each file by a rename, the record last."""
    begun = time.monotonic()
    wanted = digest(program)
    staging = home / "staging"
    shutil.rmtree(staging, ignore_errors=True)  # of a build that was killed; the lock is ours
    for name in program.files:
        (staging / name).parent.mkdir(parents=True, exist_ok=True)
    try:
        for target, source in program.copies.items():
            shutil.copyfile(HERE / program.name / source, staging / target)
            (staging / target).chmod(0o755)
        if program.package:
            _compile(program, staging / program.binary, jobs, lock)
        for link in program.links:
            (staging / link).symlink_to(os.path.relpath(program.binary, Path(link).parent))
        for name in program.files:
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (staging / name).replace(home / name)
        seconds = round(time.monotonic() - begun)
        record = staging / "stamp"
        record.write_text(json.dumps({"digest": wanted, "version": version(program), "seconds": seconds}) + "\n")
        stamp(program, home).parent.mkdir(exist_ok=True)
        record.replace(stamp(program, home))
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _compile(program: Program, target: Path, jobs: int, lock: int) -> None:
    number = version(program)
    major, minor = number.split(".")[:2]
    linker = ["-s", "-w"]
    for variable, value in program.stamps.items():
        linker += ["-X", f"{variable}={value.format(version=number, major=major, minor=minor)}"]
    command = ["go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", f"-ldflags={' '.join(linker)}", "-o", str(target)]
    command += [f"-tags={program.tags}"] if program.tags else []
    command += [f"-p={jobs}"] if jobs else []
    # A group of its own, so that an interrupt of this process ends the compilers that Go starts, too; the lock's descriptor, so that
    # one that outlives this process keeps the next build waiting.
    with subprocess.Popen(
        [*command, program.package],
        cwd=HERE / program.name,
        env=_environment(),
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
        pass_fds=[lock],
    ) as compiler:
        try:
            _, complaint = compiler.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            raise BuildError(f"{program.name}: go build took more than {LIMIT} s") from None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(compiler.pid, signal.SIGKILL)
    if compiler.returncode != 0:
        sys.stderr.write(complaint)
        raise BuildError(f"{program.name}: go build ended with exit code {compiler.returncode}, see above")


@contextlib.contextmanager
def only_one(home: Path) -> Iterator[int]:
    """Hold the lock of a home, waiting where another build has it; yield its descriptor.

    A lock ends with the last process that holds its descriptor, however that ends.
    """
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"another build works in {home}: waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock.fileno()


def show(programs: Sequence[Program], home: Path) -> None:
    """Print a line a program: name, version, state, size, path."""
    for program in programs:
        path = home / program.files[0]
        size = f"{path.stat().st_size / 1e6:.0f} MB" if path.exists() and program.binary else ""
        say(f"{program.name:28}{version(program) or '-':42}{state(program, home):9}{size:>7}  {path}")


def make(programs: Sequence[Program], home: Path, jobs: int) -> None:
    """Build those that are not built."""
    with only_one(home) as lock:
        stale = [program for program in programs if state(program, home) != "built"]
        compiled = [program for program in stale if program.package]
        if compiled:
            require_go(compiled)
        for program in programs:
            if program not in stale:
                say(f"{program.name}: up to date")
                continue
            say(f"{program.name}: building")
            build(program, home, jobs, lock)
            say(f"{program.name}: {json.loads(stamp(program, home).read_text())['seconds']} s")


def main(arguments: Sequence[str]) -> int:
    named = {program.name: program for program in PROGRAMS}
    parser = argparse.ArgumentParser(prog="build.py", description="Build the real programs that proofs run against.")
    parser.add_argument("program", nargs="*", metavar="PROGRAM", help=f"what to build, all if none is named: {', '.join(named)}")
    parser.add_argument("--list", action="store_true", help="print what is built, and build nothing")
    parser.add_argument("--home", type=Path, default=default_home(), help="where to (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=0, help="how many compilers at a time (default: Go's own, one a core)")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.program if name not in named]
    if unknown:
        parser.error(f"no program {unknown[0]}; there are {', '.join(named)}")
    programs = [named[name] for name in asked.program] or list(PROGRAMS)
    home = asked.home.resolve()
    if asked.list:
        show(programs, home)
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the compiler is ended and the staging folder goes
    try:
        make(programs, home, asked.jobs)
    except BuildError as reason:
        sys.stderr.write(f"build.py: {reason}\n")
        return ENVIRONMENT
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
