"""Imported when Python starts, where PYTHONPATH leads here: at its end the process writes how many bytes it held at most."""

import atexit
import os
import re
from pathlib import Path


def _write() -> None:
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert peak
    Path(os.environ["PEAK"]).write_text(str(int(peak[1]) * 1024))


atexit.register(_write)
