"""Every page of docs/rules is true: its spec fails where marked, prints what the page shows, and the mended one passes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from rule_pages import Page, compiled, found, marks, pages, printed, renewed

from fourleaf.diag import Severity
from fourleaf.rules import rules

PAGES = pages()
RULES = {rule.code: rule for rule in rules()}
TESTS = Path(__file__).parent
ROOT = TESTS.parent
SECTIONS = ["Why it matters", "Fails", "Passes", "Sources"]

each_page = pytest.mark.parametrize("page", PAGES, ids=[page.path.stem for page in PAGES])
each_executable_page = pytest.mark.parametrize(
    "page", [page for page in PAGES if page.failing], ids=[page.path.stem for page in PAGES if page.failing]
)


@each_page
def test_a_page_has_the_form_of_all_pages(page: Page) -> None:
    rule = RULES[page.code]
    wanted = SECTIONS if page.failing else [name for name in SECTIONS if name != "Passes"]

    assert page.title == f"# {rule.code} {rule.name}"
    assert re.fullmatch(r"[A-Z][^\n]*\.", page.sentence), "one sentence on one line stands below the title"
    assert list(page.sections) == wanted
    assert all(text.strip() for text in page.sections.values())
    assert page.failing or page.sections["Fails"].strip()[0].isupper()


@each_page
def test_a_page_names_its_sources_and_the_day_they_were_read(page: Page) -> None:
    items = re.findall(r"^- .*(?:\n  .*)*", page.sections["Sources"], re.MULTILINE)

    assert items
    assert "\n".join(items) == page.sections["Sources"].strip()
    for item in items:
        ours = re.search(r"`((?:docs|schemas|fourleaf)/[\w./-]+)`$", item)
        assert re.search(r"read 20\d\d-\d\d-\d\d$", item) or (ours and (ROOT / ours[1]).exists()), item


@each_executable_page
def test_the_failing_spec_fails_where_it_is_marked(page: Page) -> None:
    for spec, _ in page.failing:
        wanted = marks(spec.text)

        assert page.code in {code for _, _, code in wanted}
        assert found(compiled(spec.text)) == wanted


@each_executable_page
def test_the_page_shows_what_is_printed(page: Page, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--snapshot-update") and renewed(page) != page.text:
        page.path.write_text(renewed(page), encoding="utf-8")
        pytest.fail("the page was written anew")
    for spec, said in page.failing:
        assert said, "each yaml block of Fails is followed by a text block: `make golden` writes it"
        assert said.text == printed(compiled(spec.text))


@each_executable_page
def test_the_mended_spec_passes(page: Page) -> None:
    assert [block.kind for block in page.passing].count("yaml") == len(page.passing) > 0
    for spec in page.passing:
        made = compiled(spec.text)

        assert not [one.message for one in made.diagnostics if one.rule.code == page.code or one.severity is Severity.ERROR]
        assert made.files


@pytest.mark.parametrize("page", [page for page in PAGES if page.failing and RULES[page.code].allowable], ids=lambda page: page.path.stem)
def test_what_is_allowed_stands_in_no_sets_way(page: Page) -> None:
    for spec, _ in page.failing:
        tree = yaml.safe_load(spec.text)
        codes = sorted({code for _, _, code in marks(spec.text)})
        tree["spec"].setdefault("policy", {}).setdefault("allow", []).extend({"code": code, "reason": "known"} for code in codes)

        assert compiled(json.dumps(tree)).files


def test_what_no_spec_can_break_has_a_test_of_its_own() -> None:
    """A page without a spec shows nothing that is executed, so another test must name its code."""
    others = "\n".join(path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py") if path.name != Path(__file__).name)
    untested = [page.path.stem for page in PAGES if not page.failing and not re.search(rf"\b{page.code}\b", others)]

    assert not untested
