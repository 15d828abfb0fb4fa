"""What holds for every test; the marker of proofs against real programs, and those programs."""

from __future__ import annotations

import pytest
from hypothesis import settings
from support import lacking

from fourleaf.rehearse.programs import MissingProgramsError, Programs, find

settings.register_profile("ci", derandomize=True, deadline=None, database=None, print_blob=True)
settings.load_profile("ci")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "engine: runs against the real programs that `make engine` builds")


@pytest.fixture(scope="session")
def programs() -> Programs:
    """The programs of a control plane; FOURLEAF_ENGINE=required makes a skip a failure."""
    try:
        found = find()
    except MissingProgramsError as missing:
        lacking(f"{missing}: run make engine")
    if found.kubectl is None:
        lacking("there is no kubectl beside the control plane's programs: run make engine")
    return found
