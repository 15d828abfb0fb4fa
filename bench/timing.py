"""Times of whole processes."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
"""Compiled modules are cached, as they are wherever fourleaf is installed."""


class Timed(Struct, frozen=True):
    """One command: median wall clock in ms, most memory in MiB over all runs so far of this process's children."""

    wall: float
    memory: float


def wall(command: Sequence[str | Path]) -> float:
    """Run a command once, two minutes at most, and return its wall clock in ms.

    Raises:
        subprocess.CalledProcessError: the command failed.
    """
    start = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    limit = threading.Timer(120, process.kill)  # a limit of `wait` itself looks every 50 ms whether the process has ended
    limit.start()
    code = process.wait()
    taken = 1000 * (time.perf_counter() - start)
    limit.cancel()
    if code:
        raise subprocess.CalledProcessError(code, command)
    return taken


def timed(command: Sequence[str | Path], runs: int) -> Timed:
    """Run a command some times; the first run, which fills caches, does not count.

    Raises:
        subprocess.CalledProcessError: the command failed.
    """
    walls = [wall(command) for _ in range(runs + 1)]
    return Timed(statistics.median(walls[1:]), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)


def interleaved(commands: Sequence[Sequence[str | Path]], runs: int) -> list[float]:
    """Return the median of each command's wall clock in ms, run in turns, so that all meet the same noise."""
    walls: list[list[float]] = [[] for _ in commands]
    for run in range(runs + 1):
        for command, found in zip(commands, walls, strict=True):
            taken = wall(command)
            if run:
                found.append(taken)
    return [statistics.median(found) for found in walls]


PYTHON = Path(sys.executable)
FOURLEAF = PYTHON.parent / "fourleaf"
