"""A design against NumPy: sums over rows and columns, and the columns that wide sparse rows have beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linsep.data.design import Design
from linsep.data.source import as_design

WIDE, TALL = (30, 50), (50, 30)


def rows(shape: tuple[int, int], index: type = np.int32) -> Any:
    random = np.random.default_rng(0)
    X = sparse.csr_array(random.normal(size=shape) * (random.random(shape) < 0.3))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return X


def has_columns(design: Design) -> bool:
    return design.wide is not design.matrix


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_wide_sparse_rows_have_their_columns_beside_them(index: type) -> None:
    X = rows(WIDE, index)
    design, R = as_design(X, 1), np.random.default_rng(1).normal(size=(30, 3))
    assert has_columns(design)
    expected = np.vstack([X.T @ R, R.sum(axis=0)])
    np.testing.assert_allclose(design.adjoint(R), expected, rtol=1e-12, atol=1e-12)


def test_others_have_none() -> None:
    """Tall rows, dense rows, and some of the rows: their columns are those of all."""
    chosen = np.array([3, 1, 3, 20])
    part = as_design(rows(WIDE), 1).rows(chosen)
    assert not any(has_columns(d) for d in (as_design(rows(TALL), 1), as_design(rows(WIDE).toarray(), 1), part))
    R = np.random.default_rng(1).normal(size=(4, 2))
    expected = np.vstack([rows(WIDE).toarray()[chosen].T @ R, R.sum(axis=0)])
    np.testing.assert_allclose(part.adjoint(R), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("storage", [np.ascontiguousarray, np.asfortranarray, sparse.csr_array])
@pytest.mark.parametrize("shape", [WIDE, TALL])
def test_squares(storage: Any, shape: tuple[int, int]) -> None:
    X = rows(shape).toarray()
    design = as_design(storage(X), 1)
    np.testing.assert_allclose(design.column_squares, (X**2).sum(axis=0), rtol=1e-13)
    np.testing.assert_allclose(design.row_norms(), (X**2).sum(axis=1), rtol=1e-13)
    assert design.scan.squares == pytest.approx((X**2).sum(), rel=1e-13)
