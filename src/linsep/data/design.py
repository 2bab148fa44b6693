"""A design: n rows of d features, read in place by the kernels, whatever their storage.

Weights carry the intercept as their last row: ``w`` is (d + 1,) for one score a row, (d + 1, K) for K.
Every method is one pass over the rows, on at most `threads` threads, with the same bits for any number.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from linsep.cached import cached_property
from linsep.kernels import native
from linsep.kernels.threads import single_threaded_blas
from linsep.later import scipy
from linsep.types import BoolArray, FloatArray, IntArray

#: Starts the keys of the fingerprint; certify/verifier.py has the same.
SALT = 1


@dataclass(frozen=True, eq=False)
class Scan:
    """What one look at every entry tells: hash, finiteness, Σ xᵢⱼ², and where it costs nothing that of the columns."""

    fingerprint: int
    finite: bool
    squares: float
    column_squares: FloatArray | None


@dataclass(frozen=True, eq=False)
class Design:
    """The rows, as the only door to the data.

    matrix   the kernels' handle
    source   the arrays it reads, as they were given wherever possible
    single   the entries are exact in float32, so products with many vectors may run in it
    chosen   the rows of the source that are meant; None: all
    kept     what a fit leaves for the next one on the same rows
    """

    matrix: Any
    source: Any
    single: bool
    sparse: bool
    threads: int
    chosen: IntArray | None = None
    kept: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def n(self) -> int:
        return int(self.matrix.n)

    @property
    def d(self) -> int:
        return int(self.matrix.d)

    @property
    def entries(self) -> int:
        """Stored entries: n·d, or the non-zeros."""
        return int(self.matrix.nnz)

    @cached_property
    def table(self) -> Any:
        """All rows as NumPy or SciPy knows them: the array that was given, or CSR."""
        if not self.sparse:
            return self.source if self.chosen is None else self.source[self.chosen]
        rows = scipy.sparse.csr_array(self.source, shape=(len(self.source[2]) - 1, self.d))
        return rows if self.chosen is None else rows[self.chosen]

    @cached_property
    def columns(self) -> Any:
        """The kernels' handle of the transpose: a row of it is a column of X."""
        if not self.sparse:
            return native.Matrix.dense(self.table.T)
        columns, kind = self._by_columns, self.source[2].dtype
        parts = (columns.indices.astype(kind, copy=False), columns.indptr.astype(kind, copy=False))
        return native.Matrix.csr(columns.data, *parts, self.n)

    @cached_property
    def column_counts(self) -> IntArray:
        """The stored entries of every column."""
        if not self.sparse:
            return np.full(self.d, self.n, dtype=np.int64)
        return np.asarray(np.diff(self._by_columns.indptr), dtype=np.int64)

    @cached_property
    def _by_columns(self) -> Any:
        return self.table.tocsc()

    @cached_property
    def wide(self) -> Any:
        """The handle for passes with K scores: with the columns of sparse rows beside it where they are more than
        the rows, for then sums over the rows are best made column by column (kernels/sparse.hpp)."""
        if not self.sparse or self.d < self.n or self.matrix.subset:
            return self.matrix
        return self.matrix.with_columns(self.columns)

    @cached_property
    def most_entries(self) -> int:
        """The stored entries of the fullest row."""
        if not self.sparse:
            return self.d
        counts = np.diff(self.source[2])
        return int((counts if self.chosen is None else counts[self.chosen]).max(initial=0))

    def scores(self, w: FloatArray, *, single: bool = False) -> FloatArray:
        """X w + b: (n,) or (n, K)."""
        k = 1 if w.ndim == 1 else w.shape[1]
        out = np.empty(self.n if w.ndim == 1 else (self.n, k))
        native.scores(self.matrix, w, k, out, self.threads, single)
        return out

    def sides(self, w: FloatArray) -> BoolArray | None:
        """Whether X w + b > 0 for every row, with one score a row; None where a score is not finite."""
        out = np.empty(self.n, dtype=np.bool_)
        return out if native.sides(self.matrix, w, out, self.threads) else None

    def adjoint(self, r: FloatArray, *, single: bool = False) -> FloatArray:
        """[X 1]ᵀ r: (d + 1,) or (d + 1, K).

        By the columns of sparse rows where a solver has asked for them (`wide`): one product is not worth a transpose.
        """
        k = 1 if r.ndim == 1 else r.shape[1]
        out = np.empty(self.d + 1 if r.ndim == 1 else (self.d + 1, k))
        handle = self.wide if k > 1 and "wide" in self.__dict__ else self.matrix
        native.adjoint(handle, r, k, out, self.threads, single)
        return out

    def gram(self, c: FloatArray, *, single: bool = False) -> FloatArray:
        """[X 1]ᵀ diag(c) [X 1] for c ≥ 0; only the upper triangle is meaningful."""
        gram: FloatArray = self._grams(c, None, 1, single)[0]
        return gram

    def fold_grams(self, c: FloatArray, fold: IntArray, count: int) -> FloatArray:
        """(count, d + 1, d + 1): such a matrix of the rows of every fold, in one pass, in float32 products."""
        return self._grams(c, fold, count, single=True)

    def _grams(self, c: FloatArray, fold: IntArray | None, count: int, single: bool) -> FloatArray:
        """The kernel's threads call BLAS, whose own threads would wait for each other."""
        out = np.empty((count, self.d + 1, self.d + 1))
        with single_threaded_blas():
            native.gram(self.matrix, c, fold, count, out, self.threads, single)
        return out

    def row_norms(self, q: FloatArray | None = None) -> FloatArray:
        """Σⱼ qⱼxᵢⱼ² for every row; ‖xᵢ‖² without q."""
        out = np.empty(self.n)
        native.row_norms(self.matrix, q, out, self.threads)
        return out

    def rows(self, chosen: IntArray) -> Design:
        """The chosen rows, in place: an index, not a copy."""
        chosen = np.ascontiguousarray(chosen, dtype=np.int64)
        inside = chosen if self.chosen is None else self.chosen[chosen]
        return replace(self, matrix=self.matrix.take(chosen), chosen=inside)

    @cached_property
    def scan(self) -> Scan:
        """The fingerprint of the entries and whether all are finite, in one pass."""
        squares = None if self.sparse else np.empty(self.d)
        fingerprint, finite, total = native.scan(self.matrix, SALT, squares, self.threads)
        return Scan(fingerprint, finite, total, squares)

    @cached_property
    def column_squares(self) -> FloatArray:
        """Σᵢ xᵢⱼ² for every column."""
        squares = self.scan.column_squares
        return self.weighted_squares(None) if squares is None else squares

    def weighted_squares(self, c: FloatArray | None) -> FloatArray:
        """Σᵢ cᵢxᵢⱼ² for every column of sparse rows; c is 1 without it."""
        squares = np.empty(self.d)
        native.columns_squares(self.matrix, c, squares, self.threads)
        return squares

    def select(self, chosen: IntArray) -> Design:
        """The chosen columns of sparse rows, in rising order, as rows of their own: a copy."""
        place = np.full(self.d, -1, dtype=np.int32)
        place[chosen] = np.arange(len(chosen), dtype=np.int32)
        starts = np.empty(self.n + 1, dtype=np.int32)
        native.columns_count(self.matrix, place, starts, self.threads)
        values = np.empty(starts[-1], dtype=np.float32 if self.single else np.float64)
        columns = np.empty(starts[-1], dtype=np.int32)
        native.columns_copy(self.matrix, place, starts, values, columns, self.threads)
        matrix = native.Matrix.csr(values, columns, starts, len(chosen))
        return replace(self, matrix=matrix, source=(values, columns, starts), chosen=None)
