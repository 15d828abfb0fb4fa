"""Runs the command line as its users do: as a process."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from support import ROOT

BIN = Path(sys.executable).parent
FOURLEAF = BIN / "fourleaf"
CPU_SECONDS = 5
"""After which the kernel ends a process: far above what any input may cost, so that only what would never end meets it."""


def environment(**more: str) -> dict[str, str]:
    """Return an environment in which output depends on nothing of this machine."""
    kept = {name: value for name, value in os.environ.items() if name in ("HOME", "TMPDIR", "COVERAGE_PROCESS_START")}
    return {**kept, "PATH": f"{BIN}:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "COLUMNS": "80", "TERM": "dumb", **more}


@dataclass(frozen=True, slots=True)
class Ended:
    code: int
    out: str
    err: str
    memory: int
    """Bytes of memory that it held at most."""


def fourleaf(
    *args: str | Path,
    cwd: Path = ROOT,
    stdin: IO[bytes] | bytes | int | None = None,
    env: Mapping[str, str] | None = None,
    stdout: IO[bytes] | int | None = None,
) -> Ended:
    """Run a command to its end.

    Args:
        stdin: what it reads: a file, or the bytes themselves; nothing by default.
        stdout: where its output goes instead of the result.
    """
    out, out_file = _pipe_or(stdout)
    given = subprocess.DEVNULL if stdin is None else subprocess.PIPE if isinstance(stdin, bytes) else stdin
    with subprocess.Popen(
        [FOURLEAF, *map(str, args)],
        cwd=cwd,
        stdin=given,
        stdout=out_file,
        stderr=subprocess.PIPE,
        env=dict(env or environment()),
        preexec_fn=_limit,  # noqa: PLW1509
    ) as process:
        said, complained = process.communicate(stdin if isinstance(stdin, bytes) else None)
    del out
    return Ended(process.returncode, (said or b"").decode(), complained.decode(), 0)
