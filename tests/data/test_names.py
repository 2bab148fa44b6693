"""Feature names, and rows of rows."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from linsep.data import as_design
from linsep.data.names import check_names, feature_names
from linsep.data.source import locate_non_finite
from linsep.errors import InvalidData, InvalidType

TABLE = {"b": [1.0, 2.0], "a": [3.0, np.inf]}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_names_of_frames(frame: Any) -> None:
    names = feature_names(frame(TABLE))
    assert names is not None
    assert names.dtype == object
    assert names.tolist() == ["b", "a"]
    assert locate_non_finite(frame(TABLE)).startswith("Input X contains infinity in row 1, column 1 ('a')")


@pytest.mark.parametrize("data", [np.ones((2, 2)), [[1, 2]], sparse.eye_array(2), pd.DataFrame(np.ones((2, 2)))])
def test_no_names(data: Any) -> None:
    assert feature_names(data) is None
    assert locate_non_finite(data) is None


def test_names_of_several_types() -> None:
    with pytest.raises(InvalidType, match=r"\['int', 'str'\]"):
        feature_names(pd.DataFrame({"a": [1], 2: [3]}))


def test_long_lists_of_differences_are_cut() -> None:
    fitted = np.array([f"c{j}" for j in range(9)], dtype=object)
    with pytest.raises(InvalidData, match=r"(?s)unseen at fit time:\n- d0\n.*- d4\n- \.\.\.\n.*now missing"):
        check_names(pd.DataFrame({f"d{j}": [1] for j in range(9)}), fitted, "Model")


@pytest.mark.parametrize("storage", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_rows_of_rows(storage: Any) -> None:
    random = np.random.default_rng(0)
    X, w = random.standard_normal((50, 4)), random.standard_normal(5)
    first, second = random.permutation(50)[:30], random.permutation(30)[:7]
    some = as_design(storage(X), 2).rows(first).rows(second)
    assert some.n == 7
    assert np.allclose(some.scores(w), X[first[second]] @ w[:4] + w[4])
