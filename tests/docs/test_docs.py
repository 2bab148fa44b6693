"""Runs the examples of README and docs/, and compares the generated table of solvers."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs import solver_matrix

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_run(page: Path) -> None:
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_links_between_pages_exist() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_page_is_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        links = re.findall(r"\]\((?!http)([^)#]+\.md)", page.read_text(encoding="utf-8"))
        waiting += [target for link in links if (target := (page.parent / link).resolve()) not in reached]
    assert set(PAGES) <= reached


def test_readme_lists_every_page_once() -> None:
    lines = re.findall(r"(?m)^\| \[docs/([\w-]+\.md)\]", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert sorted(lines) == sorted(page.name for page in (ROOT / "docs").glob("*.md"))


def test_solver_table_is_up_to_date() -> None:
    """If this fails: python -m tests.docs.solver_matrix."""
    assert solver_matrix.PAGE.read_text(encoding="utf-8") == solver_matrix.page_with(solver_matrix.table())


def test_readme_shows_what_summary_prints() -> None:
    """The doctest skips it, because gap and seconds differ from machine to machine; here all but the numbers counts."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    source, shown = re.search(r"```python\n(.*?)>>> print\(model.summary.*?\n(.*?)>>> ", page, re.S).groups()  # type: ignore[union-attr]
    names: dict[str, Any] = {}
    exec(re.sub(r"(?m)^(>>>|\.\.\.) ", "", source), names)
    number = re.compile(r"-?\d[\d,.]*(e[-+]\d+)?")
    assert number.sub("#", shown).split() == number.sub("#", names["model"].summary()).split()
