"""Columns copied out of sparse rows, against their plain twin, on every instruction set."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from scipy import sparse

from linsep.kernels import available, load, reference_columns

N, D = 700, 40
KINDS = [(np.float64, np.int32), (np.float64, np.int64), (np.float32, np.int32)]


@pytest.fixture(params=available())
def kernels(request: pytest.FixtureRequest) -> ModuleType:
    return load(request.param)


def rows() -> np.ndarray:
    rng = np.random.default_rng(0)
    X = np.where(rng.random((N, D)) < 0.3, rng.normal(size=(N, D)), 0.0)
    X[5] = 0.0
    return X.astype(np.float32).astype(np.float64)


def handle(kernels: ModuleType, X: np.ndarray, value: type, index: type) -> object:
    csr = sparse.csr_array(X)
    return kernels.Matrix.csr(csr.data.astype(value), csr.indices.astype(index), csr.indptr.astype(index), D)


def copy(kernels: ModuleType, matrix: object, n: int, chosen: np.ndarray, value: type) -> tuple[np.ndarray, ...]:
    place = np.full(D, -1, dtype=np.int32)
    place[chosen] = np.arange(len(chosen))
    starts = np.empty(n + 1, dtype=np.int32)
    kernels.columns_count(matrix, place, starts, 2)
    values, columns = np.empty(starts[-1], dtype=value), np.empty(starts[-1], dtype=np.int32)
    kernels.columns_copy(matrix, place, starts, values, columns, 2)
    return values, columns, starts


@pytest.mark.parametrize(("value", "index"), KINDS)
@pytest.mark.parametrize("chosen", [[], [3], [0, 7, 8, 39], list(range(D))])
def test_chosen_columns_are_copied_by_rows(kernels: ModuleType, value: type, index: type, chosen: list[int]) -> None:
    X, columns = rows(), np.array(chosen, dtype=np.int64)
    found = copy(kernels, handle(kernels, X, value, index), N, columns, value)
    for got, expected in zip(found, reference_columns.select(X, columns), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_a_subset_of_the_rows_is_copied_in_its_order(kernels: ModuleType) -> None:
    X, columns = rows(), np.array([1, 2, 30])
    subset = np.array([5, 600, 2, 2, 17], dtype=np.int64)
    matrix = handle(kernels, X, np.float64, np.int32).take(subset)
    found = copy(kernels, matrix, len(subset), columns, np.float64)
    for got, expected in zip(found, reference_columns.select(X[subset], columns), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(("value", "index"), KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_squares_of_columns(kernels: ModuleType, value: type, index: type, weighted: bool) -> None:
    X, out = rows(), np.empty(D)
    c = np.random.default_rng(1).random(N) if weighted else None
    kernels.columns_squares(handle(kernels, X, value, index), c, out, 2)
    np.testing.assert_allclose(out, reference_columns.squares(X, c), rtol=1e-12)
    again = np.empty(D)
    kernels.columns_squares(handle(kernels, X, value, index), c, again, 1)
    np.testing.assert_array_equal(out, again)


def test_what_does_not_fit_is_refused(kernels: ModuleType) -> None:
    matrix, place = handle(kernels, rows(), np.float64, np.int32), np.zeros(D, dtype=np.int32)
    with pytest.raises(ValueError, match="sparse rows"):
        kernels.columns_squares(kernels.Matrix.dense(rows()), None, np.empty(D), 1)
    with pytest.raises(ValueError, match="starts"):
        kernels.columns_count(matrix, place, np.empty(3, dtype=np.int32), 1)
    falling = np.arange(N + 1, dtype=np.int32)[::-1].copy()
    with pytest.raises(ValueError, match="rise"):
        kernels.columns_copy(matrix, place, falling, np.empty(N), np.empty(N, dtype=np.int32), 1)


def test_gram_does_not_depend_on_the_order_of_a_row(kernels: ModuleType) -> None:
    X, c = rows(), np.random.default_rng(2).random(N)
    csr = sparse.csr_array(X)
    backwards = np.concatenate([np.arange(a, b)[::-1] for a, b in zip(csr.indptr, csr.indptr[1:], strict=False)])
    turned = kernels.Matrix.csr(csr.data[backwards], csr.indices[backwards], csr.indptr, D)
    one, other = np.empty((D + 1, D + 1)), np.empty((D + 1, D + 1))
    kernels.gram(handle(kernels, X, np.float64, np.int32), c, None, 1, one, 2, False)
    kernels.gram(turned, c, None, 1, other, 2, False)
    full = np.column_stack([X, np.ones(N)])
    np.testing.assert_allclose(np.triu(one), np.triu((full.T * c) @ full), atol=1e-10)
    np.testing.assert_allclose(np.triu(one), np.triu(other), atol=1e-12)
