"""What the pages of the repository say is so: links lead somewhere, commands are there, examples are what is printed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from support import ROOT

import fourleaf
from fourleaf.cli.main import COMMANDS

TRACKED = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
PAGES = sorted(ROOT / path for path in TRACKED if not path.startswith("tests/") and (ROOT / path).is_file())
README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_that_are_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_that_pages_name_are_there(page: Path) -> None:
    named = set(re.findall(r"(?:`|\$ |bin/|run: )fourleaf ([a-z]+)", page.read_text()))

    assert named <= set(COMMANDS)


def test_the_readme_names_every_command() -> None:
    assert not [name for name in COMMANDS if f"`fourleaf {name}" not in README and name != "schema"]


def test_the_readme_shows_what_check_says() -> None:
    """Of the example with one node cut into slices, with another layout."""
    text = (ROOT / "stacks" / "dgx.yaml").read_text().replace("{1g.10gb: 7}", "{3g.40gb: 2, 1g.10gb: 1}")
    shown = re.search(r"```text\n(error\[FL202\].*?)```", README, re.DOTALL)

    assert shown
    assert fourleaf.check(text.encode()).render() == shown[1]


def test_make_targets_that_pages_name_are_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        assert set(re.findall(r"(?:`|^)make ([a-z-]+)", page.read_text(), re.MULTILINE)) <= targets, page


def test_architecture_has_a_row_for_each_part() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    parts = [path for path in (ROOT / "fourleaf").iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()]
    rows = {f"{path.name}/" if path.is_dir() else path.name for path in parts} - {"__init__.py"}

    assert not [row for row in rows if f"`{row}`" not in text]
