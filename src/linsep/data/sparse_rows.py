"""SparseRows: CSR by its arrays, as encoders make it and kernels read it. SciPy is needed for neither."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.later import scipy
from linsep.types import BoolArray

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Row i has the entries indptr[i], …, indptr[i + 1] − 1: their columns, which rise, and their values; `width` is
    the number of columns."""

    data: Array
    indices: Array
    indptr: Array
    width: int

    @classmethod
    def of(cls, table: Array | SparseRows) -> SparseRows:
        """The entries of a dense table that are not 0; sparse rows as they are."""
        if isinstance(table, SparseRows):
            return table
        rows, columns = np.nonzero(table)
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(table)))])
        return cls(table[rows, columns], columns.astype(np.int32), indptr.astype(np.int32), table.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.indptr) - 1, self.width

    @property
    def nnz(self) -> int:
        return len(self.data)

    def only(self, kept: BoolArray) -> SparseRows:
        """Without the entries that are not kept."""
        starts = np.concatenate([[0], np.cumsum(kept)])[self.indptr]
        return SparseRows(self.data[kept], self.indices[kept], starts.astype(self.indptr.dtype), self.width)

    def toarray(self) -> Array:
        """All entries, zeros too."""
        dense = np.zeros(self.shape, dtype=self.data.dtype)
        dense[np.repeat(np.arange(len(dense)), np.diff(self.indptr)), self.indices] = self.data
        return dense

    def scipy(self) -> Any:
        """As SciPy's csr_matrix, of the same arrays."""
        matrix = scipy.sparse.csr_matrix(self.shape, dtype=self.data.dtype)
        matrix.data, matrix.indices, matrix.indptr = self.data, self.indices, self.indptr
        matrix.has_sorted_indices = matrix.has_canonical_format = True
        return matrix


def is_sparse(X: Any) -> bool:
    """Whether X is one of SciPy's sparse matrices: nothing is, where nobody has loaded them."""
    return "scipy.sparse" in sys.modules and bool(scipy.sparse.issparse(X))


def as_scipy(rows: Any) -> Any:
    """Sparse rows as SciPy's matrix; dense ones as they are."""
    return rows.scipy() if isinstance(rows, SparseRows) else rows


def side_by_side(given: Sequence[Array | SparseRows]) -> SparseRows:
    """All columns of all blocks, in order."""
    blocks = [SparseRows.of(block) for block in given]
    if len(blocks) == 1:
        return blocks[0]
    counts = [np.diff(block.indptr) for block in blocks]
    indptr = np.concatenate([[0], np.cumsum(sum(counts))])
    kind = np.result_type(*(block.indices for block in blocks), np.int32 if indptr[-1] < 2**31 else np.int64)
    data = np.empty(indptr[-1], dtype=np.result_type(*(block.data for block in blocks)))
    indices = np.empty(indptr[-1], dtype=kind)
    place, before = indptr[:-1].copy(), 0  # where each row goes on, and the column that is next
    for block, count in zip(blocks, counts, strict=True):
        at = np.arange(block.nnz) + np.repeat(place - block.indptr[:-1], count)
        data[at], indices[at] = block.data, block.indices + before
        place, before = place + count, before + block.width
    return SparseRows(data, indices, indptr.astype(kind), before)
