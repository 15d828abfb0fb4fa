"""Runs the command line as its users do: as a process."""

from __future__ import annotations

import os
import pty
import resource
import shlex
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from support import ROOT

BIN = Path(sys.executable).parent
CPU_SECONDS = 5
"""After which the kernel ends a process: several times what the largest input may cost, so that only what never ends meets it."""


class Ended(NamedTuple):
    """A process that has come to its end."""

    code: int
    out: str
    err: str


def environment(**more: str) -> dict[str, str]:
    """Return an environment in which the output hangs on nothing of this machine.

    The installed command runs the code of this checkout, wherever its interpreter was told that fourleaf lies.
    """
    kept = {name: value for name, value in os.environ.items() if name in ("HOME", "TMPDIR")}
    paths = [path for path in (more.pop("PYTHONPATH", ""), str(ROOT)) if path]
    code = {"PATH": f"{BIN}:/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": os.pathsep.join(paths)}
    return {**kept, **code, "LC_ALL": "C.UTF-8", "COLUMNS": "80", "TERM": "dumb", **more}


def fourleaf(*args: str | Path, cwd: Path = ROOT, stdin: bytes = b"", redirect: str = "", env: Mapping[str, str] | None = None) -> Ended:
    """Run a command to its end.

    Args:
        redirect: what a shell reads behind the command: "<&-", "| head -1", "> /dev/full".
    """
    command: list[str] = ["fourleaf", *map(str, args)]
    if redirect:
        command = ["bash", "-o", "pipefail", "-c", f"{shlex.join(command)} {redirect}"]
    return run(command, cwd=cwd, stdin=stdin, env=env)


def run(command: list[str], *, cwd: Path = ROOT, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Ended:
    """Run any program, as `fourleaf`."""
    ended = subprocess.run(
        command, cwd=cwd, input=stdin, env=environment(**(env or {})), capture_output=True, timeout=120, check=False, preexec_fn=_limit
    )
    return Ended(ended.returncode, ended.stdout.decode("utf-8", "surrogateescape"), ended.stderr.decode("utf-8", "surrogateescape"))


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))


def on_terminal(*args: str | Path, cwd: Path = ROOT, columns: int = 80, env: Mapping[str, str] | None = None) -> Ended:
    """Run a command whose standard output is a terminal."""
    master, slave = pty.openpty()
    program = [BIN / "fourleaf", *map(str, args)]
    around = environment(**{"TERM": "xterm-256color", "COLUMNS": str(columns), **(env or {})})
    with subprocess.Popen(program, cwd=cwd, stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.PIPE, env=around) as process:
        os.close(slave)
        pieces = []
        with suppress(OSError):  # the other end has closed
            while piece := os.read(master, 1 << 16):
                pieces.append(piece)
        os.close(master)
        _, err = process.communicate()
    return Ended(process.returncode, b"".join(pieces).decode().replace("\r\n", "\n"), err.decode())


def measured(peak: Path) -> dict[str, str]:
    """Return what makes a command write into a file how many bytes of memory it held at most."""
    return {"PYTHONPATH": str(ROOT / "tests" / "measure"), "PEAK": str(peak)}
