"""Runs the examples of README and docs/, and compares the generated table of solvers."""

from __future__ import annotations

import doctest
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import pytest

from linsep.cli.app import app
from linsep.features.kinds import ENCODERS
from linsep.features.products import Product
from linsep.workflow.decision import Decision
from linsep.workflow.trained import Provenance, Trained
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


def test_the_model_file_is_documented_entry_by_entry():
    """A new field of what `linsep train` keeps needs a word on the page."""
    encoders = [field for kind in ENCODERS.values() for field in fields(kind)]
    named = {field.name for field in (*fields(Trained), *fields(Decision), *fields(Provenance), *fields(Product))}
    named |= {field.name for field in encoders if field.name not in ("source", "unit", "as_kind", "pooled")}
    page = (ROOT / "docs" / "model-file.md").read_text(encoding="utf-8")
    assert not {name for name in named if f"`{name}`" not in page}


def test_every_option_is_documented():
    context, page = click.Context(app), (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    commands = [command for name in app.list_commands(context) if (command := app.get_command(context, name))]
    options = {flag for each in (app, *commands) for p in each.params for flag in (*p.opts, *p.secondary_opts)}
    assert not {flag for flag in options if flag.startswith("--") and not re.search(rf"{flag}(?![\w-])", page)}
