"""What keeps the code as ARCHITECTURE.md says it is. Import contracts are import-linter's (`make contracts`)."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fourleaf.hardware.catalogue import VENDORS
from fourleaf.rules import rules
from fourleaf.systems import SYSTEMS

ROOT = Path(__file__).parent.parent
CODE = sorted([*(ROOT / "fourleaf").rglob("*.py"), *(ROOT / "components" / "fourleaf_components").glob("*.py")])
LIMIT = 400


@pytest.mark.parametrize("path", [*CODE, *sorted((ROOT / "tests").rglob("*.py"))], ids=lambda path: str(path.relative_to(ROOT)))
def test_files_stay_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= LIMIT


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_say_what_they_answer(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text())), "a module's first line says what it answers"


def test_no_module_is_a_drawer() -> None:
    drawers = {"utils", "helpers", "common", "misc", "core", "base", "manager"}

    assert not [path for path in CODE if path.stem in drawers]


def test_importing_fourleaf_loads_nothing_heavy() -> None:
    heavy = ("pulumi", "pydantic", "yaml", "jsonschema_rs", "rich", "click")
    program = f"import sys, fourleaf; print([name for name in {heavy} if name in sys.modules])"

    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_the_compile_path_loads_no_pulumi_solver_or_rich() -> None:
    spec = ROOT / "stacks" / "dgx.yaml"
    heavy = ("pulumi", "rich", "ortools", "highspy", "scipy", "numpy", "jsonschema", "kubernetes_validate")
    program = (
        "import sys; from pathlib import Path; from fourleaf.pipeline import run; "
        f"made = run(Path({str(spec)!r}).read_bytes()); assert made.files; print([name for name in {heavy} if name in sys.modules])"
    )

    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip() == "[]"


STAGES = ("plan", "lower", "verify", "checks", "emit")
WORDS = sorted({*VENDORS, *(name for name in SYSTEMS if name not in ("native", "mig")), "volcano", "gpu-operator"})


@pytest.mark.parametrize("path", [path for path in CODE if path.parent.name in STAGES], ids=lambda path: str(path.relative_to(ROOT)))
def test_stages_hold_no_vendors_string(path: Path) -> None:
    """All that is peculiar to a vendor or scheduler lives in its system. Help that names a word of the spec is allowed in checks."""
    texts = [node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    docstrings = {
        ast.get_docstring(node, clean=False)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
    }
    found = [
        (word, text) for text in texts if text not in docstrings for word in WORDS if re.search(rf"\b{re.escape(word)}\b", text.lower())
    ]

    assert not found


def test_codes_and_names_of_rules_are_unique() -> None:
    all_rules = rules()

    assert len({rule.code for rule in all_rules}) == len(all_rules)
    assert len({rule.name for rule in all_rules}) == len(all_rules)


def test_codes_have_their_form_and_summaries_read_in_a_list() -> None:
    for rule in rules():
        assert re.fullmatch(r"FL\d{3}", rule.code)
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
        assert rule.summary
        assert not rule.summary.endswith(".")


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    pages = {path.stem for path in (ROOT / "docs" / "rules").glob("FL*.md")}

    assert {f"{rule.code}-{rule.name}" for rule in rules()} == pages


def test_every_topic_that_is_asked_has_a_taker() -> None:
    """An ask that no system could ever take is a defect: topics are words in code, read from the calls that make asks."""
    taken = {topic for system in SYSTEMS.values() for topic in system.takes}
    asked = set()
    for path in CODE:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Ask":
                asked |= {word.value.value for word in node.keywords if word.arg == "topic" and isinstance(word.value, ast.Constant)}

    assert asked
    assert asked <= taken


def test_needs_stand_below_what_needs_them() -> None:
    order = list(SYSTEMS)
    for name, system in SYSTEMS.items():
        assert all(order.index(below) < order.index(name) for below in system.needs)


def test_every_system_stands_in_a_golden_case() -> None:
    plans = " ".join(path.read_text() for path in (ROOT / "tests" / "golden").glob("*/plan.txt"))

    assert not [name for name in SYSTEMS if not re.search(rf"^  {name} ", plans, re.MULTILINE)]


@pytest.mark.parametrize(("package", "registry"), [("systems", "SYSTEMS"), ("emit", "EMITTERS"), ("checks", "CHECKS")])
def test_what_a_registry_lists_knows_nothing_else_of_it(package: str, registry: str) -> None:
    """The import contracts name modules one by one; this holds for a new one too, before anybody thinks of them."""
    home = ROOT / "fourleaf" / package
    tree = ast.parse((home / "__init__.py").read_text())
    (value,) = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and registry in ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0])
    ]
    modules = {
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == f"fourleaf.{package}"
        for alias in node.names
    }
    listed = modules & {node.value.id for node in ast.walk(value) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)}

    assert len(listed) > 2
    for name in listed:
        imported = {
            part
            for node in ast.walk(ast.parse((home / f"{name}.py").read_text()))
            if isinstance(node, ast.ImportFrom)
            for part in (
                (node.module or "").rpartition(".")[2],
                *(alias.name for alias in node.names if node.module == f"fourleaf.{package}"),
            )
        }
        assert not imported & (listed - {name}), name
