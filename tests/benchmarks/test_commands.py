"""The benchmark of whole processes: the same rows for both sides, and both predict them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import commands

CASE = commands.Case("none.csv", "kind", pd.read_csv)


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    size, colour = rng.normal(size=300), rng.choice(["red", "green"], size=300)
    return pd.DataFrame({"size": size, "colour": colour, "kind": np.where(size + (colour == "red") > 0.5, "a", "b")})


def test_a_split_holds_every_row_once(tmp_path: Path) -> None:
    truth = commands.split(CASE, frame(), 3, tmp_path)
    old, new = pd.read_csv(tmp_path / "old.csv"), pd.read_csv(tmp_path / "new.csv")
    assert len(truth) == len(new) == 60
    assert list(new.columns) == ["size", "colour"]
    np.testing.assert_array_equal(np.sort([*old["size"], *new["size"]]), np.sort(frame()["size"]))


def test_both_sides_predict_the_rows(tmp_path: Path) -> None:
    found = commands.compare(CASE, frame(), 2, tmp_path)
    for wall, processor, accuracy in (runs for side in found.values() for runs in side.T):
        assert wall > 0.0
        assert processor > 0.0
        assert accuracy > 0.9
    assert commands.line("none", found).count("|") == 9
