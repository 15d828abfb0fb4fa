"""`python -m bench quick`: cold start against bare Python, and growth with the size of the spec."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from bench.generate import spec
from bench.timing import FOURLEAF, PYTHON, interleaved, timed, wall

ROOT = Path(__file__).parent.parent


def quick() -> None:
    """Print what a change may cost: start-up, growth, and that nodes are free."""
    bare = [PYTHON, "-c", "pass"]
    commands = {
        "fourleaf --help": [FOURLEAF, "--help"],
        "fourleaf check stacks/dgx.yaml": [FOURLEAF, "check", ROOT / "stacks" / "dgx.yaml"],
        "fourleaf check stacks/homelab.yaml": [FOURLEAF, "check", ROOT / "stacks" / "homelab.yaml"],
    }
    floor, *found = interleaved([bare, *commands.values()], 15)
    print(f"python -c pass                       {floor:7.1f} ms")
    for (name, _), taken, bar in zip(commands.items(), found, (6, 20, 20), strict=True):
        print(f"{name:36} {taken:7.1f} ms  {taken / floor:5.1f} times (bar {bar})")
    with tempfile.TemporaryDirectory() as folder:
        _growth(Path(folder), found[1])
        _fleet(Path(folder) / "fleet")


def _growth(folder: Path, start: float) -> None:
    sizes = {"small": spec(200, 500), "large": spec(2000, 5000, 4000), "nodes": spec(200, 500, 40000)}
    times = {}
    for name, text in sizes.items():
        path = folder / f"{name}.yaml"
        path.write_text(text)
        found = timed([FOURLEAF, "compile", path, "-o", folder / f"out-{name}"], 1 if name == "large" else 3)
        times[name] = found.wall
        print(f"compile, {name:6} ({text.count(chr(10)):6} lines)      {found.wall:7.0f} ms, at most {found.memory:.0f} MiB so far")
    growth = (times["large"] - start) / (times["small"] - start)
    print(f"ten times the tenants and workloads: {growth:.1f} times beyond start-up (bar 11)")
    print(f"a hundred times the nodes:           {times['nodes'] / times['small']:.2f} times")


def _fleet(folder: Path) -> None:
    """Print what many clusters of one leaf take in one command: they share the start, and the waits for the disk."""
    folder.mkdir()
    text = (ROOT / "stacks" / "homelab.yaml").read_text()
    for number in range(500):
        (folder / f"{number}.yaml").write_text(text.replace("name: homelab", f"name: homelab-{number}"))
    specs = sorted(folder.glob("*.yaml"))
    for command, more in (("check", []), ("compile", ["--each", "-o", folder / "out"])):
        one = timed([FOURLEAF, command, specs[0], *more], 5).wall
        shutil.rmtree(folder / "out", ignore_errors=True)
        all_of_them = wall([FOURLEAF, command, *specs, *more])
        print(f"{command:7} of 500 clusters                {all_of_them:7.0f} ms  {all_of_them / one:5.1f} times one (bar 20)")


if __name__ == "__main__":
    if sys.argv[1:] != ["quick"]:
        sys.exit("usage: python -m bench quick")
    quick()
