"""Settings from a file: names are checked, values are checked, errors say where."""

from __future__ import annotations

from pathlib import Path

import pytest

from linsep.errors import InvalidData, InvalidParameter
from linsep.workflow.recipe import Recipe, read_config


def test_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('loss = "hinge"\nalpha = 1e-3\ncost = [1, 5]\npositive = "yes"\n')
    recipe = Recipe.from_record(read_config(file))
    assert (recipe.loss, recipe.alpha, recipe.cost, recipe.seed) == ("hinge", 1e-3, (1.0, 5.0), 0)
    assert Recipe.from_record(recipe.record()) == recipe


def test_an_unknown_setting_is_named_with_the_nearest() -> None:
    with pytest.raises(InvalidParameter, match=r"unknown setting 'foldz'.*nearest is 'folds'"):
        Recipe.from_record({"foldz": 3})


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"held_out": 1.0}, "share of the rows"),
        ({"folds": 1}, "from 2 on"),
        ({"cost": [1]}, "two positive numbers"),
        ({"cost": [1, 0]}, "two positive numbers"),
        ({"cost": "ab"}, "two positive numbers"),
    ],
)
def test_values_are_checked(given: dict[str, object], words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        Recipe.from_record(given)


def test_files_that_are_no_settings(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text("loss = \n")
    with pytest.raises(InvalidData, match=r"not a TOML file.*line 1"):
        read_config(broken)
    with pytest.raises(InvalidData, match="cannot read"):
        read_config(tmp_path / "absent.toml")
    broken.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidData, match="not UTF-8"):
        read_config(broken)
