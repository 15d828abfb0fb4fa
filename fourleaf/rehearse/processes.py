"""Programs that live no longer than the process that started them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

GUARD = """
read -r word && exit
kill -s KILL -- "-$1"
for again in 1 2 3 4 5 6 7 8 9 10; do rm -rf -- "$2" 2>/dev/null && exit; sleep 0.2; done
"""
"""Reads a word that comes only at a proper end; where the pipe breaks instead, this process is gone and its programs go too."""
TAIL = 20
"""Lines of a log that an error shows."""


class ProgramEndedError(Exception):
    """A program ended by itself.

    Attributes:
        name: the program.
        code: its exit code, negative for a signal.
        log: the last lines that it wrote.
    """

    def __init__(self, name: str, code: int, log: str) -> None:
        super().__init__(f"{name} ended with exit code {code}\n{log}")
        self.name = name
        self.code = code
        self.log = log


class Processes:
    """Background programs in a folder of their own; a context manager.

    At its end, however that comes (an exception, a signal, SIGKILL of this process), all of them are killed and the folder is
    removed, so nothing that they store needs to be saved. They form one process group, which a terminal's Ctrl-C does not reach.

    Attributes:
        folder: their working directory, readable by this user only; `NAME.log` in it is what a program wrote.
    """

    def __init__(self, prefix: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=prefix))
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._guard: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def start(self, name: str, command: Sequence[str]) -> None:
        """Start a program. Its name is its log's."""
        leader = next(iter(self._running.values()), None)
        with (self.folder / f"{name}.log").open("wb") as log:
            self._running[name] = subprocess.Popen(
                command,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=leader.pid if leader else 0,
            )
        if leader is None:
            group = str(self._running[name].pid)
            self._guard = subprocess.Popen(["/bin/sh", "-c", GUARD, "guard", group, self.folder], stdin=subprocess.PIPE, process_group=0)

    def check(self) -> None:
        """Raise ProgramEndedError if one of them has ended."""
        for name, process in self._running.items():
            code = process.poll()
            if code is not None:
                raise ProgramEndedError(name, code, self.log(name))

    def log(self, name: str) -> str:
        """Return the last lines that a program wrote."""
        lines = (self.folder / f"{name}.log").read_text(errors="replace").splitlines()
        return "\n".join(lines[-TAIL:])

    def close(self) -> None:
        """End them all; a second call does nothing."""
        leader = next(iter(self._running.values()), None)
        if leader is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(leader.pid, signal.SIGKILL)
            for process in self._running.values():
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        self._running.clear()
        if self._guard is not None:
            self._guard.communicate(b"done\n")
            self._guard = None
