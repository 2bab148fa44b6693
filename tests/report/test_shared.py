"""Real data, where they are at hand: from the file to the page."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from linsep import ReadOptions, read_table
from linsep.report import build_report, render
from linsep.workflow.recipe import Recipe
from linsep.workflow.train import train
from tests.report.cases import Balance

DATA = Path(os.environ.get("LINSEP_DATA", Path(__file__).parents[3] / "shared" / "data"))


@pytest.mark.parametrize(
    ("name", "target", "sections"),
    [
        ("adult_train.csv.gz", "last", {"curves", "coefficients", "alpha", "warnings", "rows"}),
        ("sms_spam.tsv.gz", 1, {"curves", "words", "rows"}),
        ("letter.tsv.gz", 1, {"curves", "coefficients", "rows"}),
    ],
)
def test_from_file_to_page(name: str, target: str | int, sections: set[str]) -> None:
    if not (DATA / name).exists():
        pytest.skip(f"{name} is not in the folder of shared data")
    table = read_table(str(DATA / name), ReadOptions(target=target, drop_ragged=True))
    given = {} if name.startswith("adult") else {"alpha": 1e-4}
    made = build_report(train(table, Recipe(held_out=0.0, **given)), table)
    assert {section.name for section in made.sections} >= sections
    page = render(made)
    assert Balance(page).faults == []
    assert len(page.encode()) < 500_000
