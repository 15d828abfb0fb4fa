"""What a rehearsal needs is loaded by a rehearsal alone."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support import ROOT

SPEC = ROOT / "stacks" / "homelab.yaml"
COMPILE = f"from fourleaf.pipeline import run; assert run(open({str(SPEC)!r}, 'rb').read()).files"
HELP = "from fourleaf.cli.main import group; group.main(['--help'], standalone_mode=False)"


@pytest.mark.parametrize("program", [COMPILE, HELP])
def test_nothing_else_loads_it(program: str) -> None:
    code = (
        f"import sys; {program}; print([name for name in sys.modules if name.startswith(('fourleaf.rehearse', 'kubernetes', 'urllib3'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"


def test_without_its_client_a_rehearsal_says_what_to_install() -> None:
    code = (
        "import sys, importlib.util as u; find = u.find_spec; "
        "u.find_spec = lambda name, *more: None if name == 'kubernetes' else find(name, *more); "
        "from fourleaf.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code, "rehearse", SPEC], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 3
    assert "pip install 'fourleaf[rehearse]'" in done.stderr
