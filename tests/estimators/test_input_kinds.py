"""The same data in any container give the same model, and labels come back as they were given."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from linsep import LogisticRegression, verify
from linsep.data import as_design
from tests.estimators.cases import IRIS_X, IRIS_Y

BITS = (np.median(IRIS_X, axis=0) < IRIS_X).astype(np.uint8)


def read_only(array: Any) -> Any:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def wide_indices(array: Any) -> Any:
    csr = sparse.csr_array(array)
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return csr


CONTAINERS: dict[str, Any] = {
    "fortran": np.asfortranarray,
    "read-only": read_only,
    "list": np.ndarray.tolist,
    "every other row of a larger array": lambda a: np.repeat(a, 2, axis=0)[::2],
    "columns of a larger array": lambda a: np.hstack([a, a])[:, 4:],
    "object": lambda a: a.astype(object),
    "CSR": sparse.csr_array,
    "CSR matrix": sparse.csr_matrix,
    "CSR int64": wide_indices,
    "CSC": sparse.csc_array,
    "COO": sparse.coo_array,
    "pandas": pd.DataFrame,
    "pandas nullable": lambda a: pd.DataFrame(a).astype("Float64"),
    "pandas Arrow": lambda a: pd.DataFrame(a).astype("double[pyarrow]"),
    "pandas sparse": lambda a: pd.DataFrame(a).astype(pd.SparseDtype(float, 0.0)),
    "pandas sparse around 1": lambda a: pd.DataFrame(a).astype(pd.SparseDtype(float, 1.0)),
    "other byte order": lambda a: a.astype(a.dtype.newbyteorder()),
    "polars": pl.DataFrame,
    "arrow": lambda a: pa.table({f"c{j}": column for j, column in enumerate(a.T)}),
}


def same(a: Any, b: Any) -> bool:
    close = np.allclose(a.coef_, b.coef_, rtol=1e-7, atol=1e-9)
    data = ("X", "y", "weights")  # the weights of the model may differ in their last bits, and so its own fingerprints
    return close and all(a.model_.fingerprints[name] == b.model_.fingerprints[name] for name in data)


@pytest.fixture(scope="module")
def model() -> LogisticRegression:
    return LogisticRegression(alpha=1e-2).fit(IRIS_X, IRIS_Y)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.filterwarnings("ignore:X has feature names")
def test_containers(model: LogisticRegression, container: str) -> None:
    data = CONTAINERS[container](IRIS_X)
    other = LogisticRegression(alpha=1e-2).fit(data, IRIS_Y)
    assert same(other, model)
    assert (other.predict(data) == model.predict(IRIS_X)).all()
    assert np.allclose(model.decision_function(data), model.decision_function(IRIS_X))


@pytest.mark.parametrize("kind", [np.uint8, np.bool_, np.int8, np.int32, np.float16, np.float32, np.int64])
def test_element_types_that_hold_the_same_numbers(kind: Any) -> None:
    model = LogisticRegression(alpha=1e-2).fit(BITS.astype(np.float64), IRIS_Y)
    assert same(LogisticRegression(alpha=1e-2).fit(BITS.astype(kind), IRIS_Y), model)
    if kind is not np.float16:  # SciPy has no sparse float16
        assert same(LogisticRegression(alpha=1e-2).fit(sparse.csr_array(BITS.astype(kind)), IRIS_Y), model)


@pytest.mark.parametrize("mode", ["r", "c"])
def test_memory_maps(model: LogisticRegression, tmp_path: Path, mode: Any) -> None:
    np.save(tmp_path / "X.npy", IRIS_X)
    np.save(tmp_path / "y.npy", IRIS_Y)
    X, y = (np.load(tmp_path / f"{name}.npy", mmap_mode=mode) for name in "Xy")
    assert same(LogisticRegression(alpha=1e-2).fit(X, y), model)


LABELS: dict[str, Any] = {
    "strings": np.array(["no", "yes"]),
    "objects": np.array(["no", "yes"], dtype=object),
    "booleans": np.array([False, True]),
    "negative integers": np.array([-7, -3]),
    "far integers": np.array([-(2**62), 2**62]),
    "small unsigned integers": np.array([3, 255], dtype=np.uint8),
    "whole floats": np.array([-1.0, 1.0]),
    "zero and one": np.array([0, 1]),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_come_back_as_given(kind: str) -> None:
    names = LABELS[kind]
    y = names[(IRIS_Y == 2).astype(int)]
    model = LogisticRegression(alpha=1e-2).fit(IRIS_X, y)
    plain = LogisticRegression(alpha=1e-2).fit(IRIS_X, IRIS_Y == 2)
    assert (model.classes_ == names).all()
    assert model.classes_.dtype == names.dtype == model.predict(IRIS_X).dtype
    assert (model.coef_ == plain.coef_).all()
    assert (model.predict(IRIS_X) == names[plain.predict(IRIS_X).astype(int)]).all()
    assert (LogisticRegression(alpha=1e-2).fit(IRIS_X, y.tolist()).coef_ == plain.coef_).all()


@pytest.mark.parametrize(
    "series",
    [pd.Series, pl.Series, lambda y: pd.Series(y, index=range(150, 300)), lambda y: pd.Categorical(y)],
    ids=["pandas", "polars", "pandas with another index", "categorical"],
)
def test_labels_in_series(series: Any) -> None:
    y = np.array(["a", "b", "c"])[IRIS_Y]
    model = LogisticRegression(alpha=1e-2).fit(IRIS_X, series(y))
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.score(IRIS_X, y) > 0.9


def test_frames_of_strange_dtypes() -> None:
    frame = pd.DataFrame({"a": IRIS_X[:, 0], "b": BITS[:, 1], "c": BITS[:, 2].astype(bool)})
    model = LogisticRegression(alpha=1e-2).fit(frame, IRIS_Y)
    same_numbers = LogisticRegression(alpha=1e-2).fit(frame.to_numpy(dtype=float), IRIS_Y)
    assert np.allclose(model.coef_, same_numbers.coef_)
    nullable = frame.astype({"a": "Float64", "b": "Int64", "c": "boolean"})
    assert np.allclose(LogisticRegression(alpha=1e-2).fit(nullable, IRIS_Y).coef_, model.coef_)


def test_frames_are_not_spread_out_nor_made_objects() -> None:
    sparse_columns = pd.DataFrame(BITS).astype(pd.SparseDtype(np.uint8, 0))
    design = as_design(sparse_columns, 1)
    assert design.sparse
    nullable = pd.DataFrame(BITS).astype({0: "Int8", 1: "boolean", 2: "Float32", 3: "float[pyarrow]"})
    assert as_design(nullable, 1).source.dtype == np.float32
    assert as_design(nullable.astype({0: "Int32"}), 1).source.dtype == np.float64
    assert as_design(IRIS_X.astype(">f4"), 1).source.dtype == np.float32


@pytest.mark.parametrize("name", ["matrix", "column_names", "sparse", "tocsr", "dtypes", "columns"])
def test_a_column_of_any_name(name: str) -> None:
    """pandas has its columns as attributes too."""
    frame = pd.DataFrame(IRIS_X, columns=["a", name, "c", "d"])
    model = LogisticRegression().fit(frame, IRIS_Y)
    assert model.feature_names_in_.tolist() == ["a", name, "c", "d"]
    assert verify(model, frame, IRIS_Y)


def test_difficult_but_legal() -> None:
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 5))
    y = X[:, 0] + random.standard_normal(60) > 0
    cases = {
        "a constant column": np.c_[X, np.full(60, 7.0)],
        "a zero column": np.c_[X, np.zeros(60)],
        "only constant columns": np.ones((60, 2)),
        "duplicate columns": np.hstack([X, X]),
        "duplicate rows": np.repeat(X[:20], 3, axis=0),
        "fewer rows than columns": random.standard_normal((60, 200)),
        "very different scales": np.c_[X, 1e9 * X[:, 1], 1e-9 * X[:, 2]],
        "one column": X[:, :1],
    }
    for name, data in cases.items():
        model = LogisticRegression().fit(data, y)
        assert model.certificate_.holds, name
