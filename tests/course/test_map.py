"""docs/course.md has a row, an example and a picture for every topic, and leaves out nothing that is built."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import linsep
from linsep.plot import gallery

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "course.md").read_text(encoding="utf-8")
MAP, ERRATA = PAGE.split("## Errata of the usual formulas\n")
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in MAP.splitlines()
    if line.startswith("| ") and not line.startswith("| topic")
]
#: Names that are settings and results of what the map shows, not topics; and what is beyond the course: inference, and
#: the way from a file to rows of numbers and back.
OTHER = {
    "Certificate", "Clustered", "GradientStatus", "Inference", "Joint", "JointLoss", "LinearModel", "Margins",
    "ModelBased", "PerceptronStatus", "Robust", "Separability", "Status", "Verification", "errors", "functional_margin",
    "infer", "show_config", "BagOfWords", "LinearRule", "TableEncoder", "load",
    "ReadOptions", "Schema", "Table", "read_table",
    "Diagnosis", "Plan",
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_topic_has_its_four_cells_and_an_example(row: list[str]) -> None:
    topic, formula, where, picture = row
    assert formula
    assert "`" in where
    assert "](pictures/" in picture
    after = MAP.split(f"**{topic}.**")
    assert len(after) == 2, f"one paragraph begins with **{topic}.**"
    assert ">>> " in re.split(r"\n\*\*|\n## ", after[1])[0]


def test_every_topic_has_a_picture_of_its_own() -> None:
    """But for one-vs-rest and one-vs-one, which have a panel each of the same."""
    topics: dict[str, list[str]] = {}
    for topic, _, _, picture in ROWS:
        topics.setdefault(re.findall(r"\(pictures/([\w.-]+)\)", picture)[0], []).append(topic)
    shared = {file: names for file, names in topics.items() if len(names) > 1}
    assert shared == {"ambiguous-regions.png": ["One-vs-rest", "One-vs-one"]}


def test_every_picture_has_a_place() -> None:
    for file in [picture.file for picture in gallery.PICTURES] + [gallery.MOVING[0]]:
        assert f"(pictures/{file})" in MAP, file


def test_every_public_name_has_a_place() -> None:
    missing = [name for name in linsep.__all__ if name not in OTHER and f"`{name}" not in MAP]
    assert not missing
    assert set(linsep.__all__) >= OTHER


def test_every_erratum_is_checked() -> None:
    errata = re.split(r"\n\*\*", ERRATA)[1:]
    assert len(errata) >= 5
    assert all(">>> " in erratum for erratum in errata)
