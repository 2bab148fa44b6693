"""Real data, where they are present: the known verdicts, in the promised time with room for a busy machine."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from linsep import separability
from linsep.separability import Verdict

DATA = Path(os.environ.get("LINSEP_DATA", Path(__file__).parents[3] / "shared" / "data"))


def file(name: str) -> str:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{name} is not in the folder of shared data")
    return str(path)


def test_mushrooms_are_separable() -> None:
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(file("mushrooms.svm.gz"))
    result = separability(X, y)
    assert result.separable
    assert result.proved


def test_covtype_is_quasi_separable_by_six_soil_types() -> None:
    frame = pytest.importorskip("polars").read_parquet(file("covtype.parquet"))
    X = np.ascontiguousarray(frame[:, :-1].to_numpy(), dtype=np.float64)
    result = separability(X, frame[:, -1].to_numpy() == 2)
    assert not result.separable
    assert result.proved
    assert result.verdict is Verdict.QUASI_SEPARABLE
    assert [frame.columns[j] for j in result.features] == [f"Soil_Type{k}" for k in (1, 5, 7, 14, 15, 37)]
    assert len(result.rows) == 5633
