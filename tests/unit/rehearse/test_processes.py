"""Programs and their folder go with the process that started them, however it goes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fourleaf.rehearse.processes import Processes, ProgramEndedError

ROOT = Path(__file__).parents[3]
STARTER = """
import sys, time
from fourleaf.rehearse.processes import Processes
with Processes("fourleaf-test-") as processes:
    processes.start("first", ["sleep", "60"])
    processes.start("second", ["sh", "-c", "echo $$; sleep 60"])
    while not (processes.folder / "second.log").read_text():
        time.sleep(0.01)
    print(processes.folder, flush=True)
    time.sleep(60)
"""


def gone(group: int) -> bool:
    """Whether no process of a group is left; one that is dead already and waits for its parent counts as gone."""
    done = subprocess.run(["ps", "-e", "-o", "pgid=,stat="], capture_output=True, text=True, check=True)
    return not any(line.split()[0] == str(group) and not line.split()[1].startswith("Z") for line in done.stdout.splitlines())


def soon(holds, seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.02)
    return False


def start_two(processes: Processes) -> int:
    processes.start("first", ["sleep", "60"])
    processes.start("second", ["sleep", "60"])
    return processes._running["first"].pid


def test_at_the_end_programs_and_folder_are_gone():
    with Processes("fourleaf-test-") as processes:
        group = start_two(processes)
        assert not gone(group)

    assert gone(group)
    assert not processes.folder.exists()


def test_after_an_exception_programs_and_folder_are_gone():
    processes = Processes("fourleaf-test-")
    group = start_two(processes)
    with pytest.raises(ZeroDivisionError), processes:
        raise ZeroDivisionError

    assert gone(group)
    assert not processes.folder.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_signal_takes_programs_and_folder_along(number):
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # whoever runs the tests may be below nohup
    )
    folder = Path(starter.stdout.readline().strip())
    second = int((folder / "second.log").read_text())
    group = os.getpgid(second)
    assert not gone(group)
    starter.send_signal(number)
    starter.wait(60)
    starter.stdout.close()

    assert soon(lambda: gone(group))
    assert soon(lambda: not folder.exists())


def test_the_interrupt_of_a_terminal_does_not_reach_them():
    with Processes("fourleaf-test-") as processes:
        assert start_two(processes) != os.getpgid(0)


def test_a_program_that_ends_is_reported_with_its_last_lines():
    with Processes("fourleaf-test-") as processes:
        processes.start("etcd", ["sh", "-c", "seq 30; echo no space left; exit 7"])
        with pytest.raises(ProgramEndedError) as raised:
            soon(lambda: processes.check() is not None)

        assert (raised.value.name, raised.value.code) == ("etcd", 7)
        assert raised.value.log.splitlines()[0] == "12"
        assert raised.value.log.splitlines()[-1] == "no space left"


def test_a_second_close_does_nothing():
    processes = Processes("fourleaf-test-")
    start_two(processes)
    processes.close()
    processes.close()

    assert not processes.folder.exists()


def test_others_cannot_read_the_folder():
    with Processes("fourleaf-test-") as processes:
        assert processes.folder.stat().st_mode & 0o077 == 0
