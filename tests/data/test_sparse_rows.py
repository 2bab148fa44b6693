"""Sparse rows without SciPy: the same arrays that SciPy makes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from linsep.data.source import as_design, locate_non_finite
from linsep.data.sparse_rows import SparseRows, as_scipy, is_sparse, side_by_side
from linsep.errors import InvalidData


def table(rows: int, columns: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.normal(size=(rows, columns)) * (random.random((rows, columns)) < 0.3)


def assert_same(rows: SparseRows, expected: sparse.csr_matrix) -> None:
    found = rows.scipy()
    assert found.shape == expected.shape
    assert found.has_canonical_format
    for name in ("data", "indices", "indptr"):
        assert getattr(found, name).dtype == getattr(expected, name).dtype
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("shape", [(7, 5), (1, 3), (4, 1), (3, 0)])
def test_the_entries_of_a_dense_table(shape):
    dense = table(*shape, seed=1)
    rows = SparseRows.of(dense)
    assert_same(rows, sparse.csr_matrix(dense))
    assert rows.nnz == np.count_nonzero(dense)
    np.testing.assert_array_equal(rows.toarray(), dense)
    assert SparseRows.of(rows) is rows


def test_blocks_side_by_side():
    blocks = [table(9, 4, 1), table(9, 1, 2), np.zeros((9, 3)), np.ones((9, 2))]
    mixed = [SparseRows.of(blocks[0]), *blocks[1:]]
    expected = sparse.hstack([sparse.csr_matrix(block) for block in blocks], format="csr")
    assert_same(side_by_side(mixed), sparse.csr_matrix(expected))


def test_entries_left_out():
    dense = table(9, 4, 3)
    assert_same(
        SparseRows.of(dense).only(SparseRows.of(dense).data > 0.0), sparse.csr_matrix(np.where(dense > 0.0, dense, 0.0))
    )


def test_the_design_reads_the_arrays_in_place():
    rows = SparseRows.of(table(9, 4, 4))
    design, same = as_design(rows, 1), as_design(rows.scipy(), 1)
    assert design.source[0] is rows.data
    assert design.sparse
    assert (design.n, design.d, design.scan.fingerprint) == (9, 4, same.scan.fingerprint)


def test_what_is_wrong_is_found_as_in_other_rows():
    with pytest.raises(InvalidData, match=r"0 feature\(s\)"):
        as_design(SparseRows.of(np.zeros((3, 0))), 1)
    dense = table(9, 4, 5)
    dense[6, 2] = np.inf
    assert "infinity in row 6, column 2" in str(locate_non_finite(SparseRows.of(dense)))


def test_dense_rows_stay_as_they_are():
    dense = table(3, 2, 6)
    assert as_scipy(dense) is dense
    assert not is_sparse(dense)
    assert is_sparse(as_scipy(SparseRows.of(dense)))
