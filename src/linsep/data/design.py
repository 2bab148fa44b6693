"""A design: n rows of d features, read in place by the kernels, whatever their storage.

Weights carry the intercept as their last row: ``w`` is (d + 1,) for one score a row, (d + 1, K) for K.
Every method is one pass over the rows, on at most `threads` threads, with the same bits for any number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from linsep.kernels import native
from linsep.types import FloatArray, IntArray

#: Starts the keys of the fingerprint; certify/verify.py has the same.
SALT = 1


@dataclass(frozen=True, eq=False)
class Scan:
    """What one look at every entry tells: hash, finiteness, Σᵢ xᵢⱼ² for every column."""

    fingerprint: int
    finite: bool
    column_squares: FloatArray


@dataclass(frozen=True, eq=False)
class Design:
    """The rows, as the only door to the data.

    matrix   the kernels' handle
    source   the arrays it reads, as they were given wherever possible
    single   the entries are exact in float32, so products with many vectors may run in it
    """

    matrix: Any
    source: Any
    single: bool
    sparse: bool
    threads: int

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

    def scores(self, w: FloatArray, *, single: bool = False) -> FloatArray:
        """X w + b: (n,) or (n, K)."""
        k = 1 if w.ndim == 1 else w.shape[1]
        out = np.empty(self.n if w.ndim == 1 else (self.n, k))
        native.scores(self.matrix, w, k, out, self.threads, single)
        return out

    def adjoint(self, r: FloatArray, *, single: bool = False) -> FloatArray:
        """[X 1]ᵀ r: (d + 1,) or (d + 1, K)."""
        k = 1 if r.ndim == 1 else r.shape[1]
        out = np.empty(self.d + 1 if r.ndim == 1 else (self.d + 1, k))
        native.adjoint(self.matrix, r, k, out, self.threads, single)
        return out

    def gram(self, c: FloatArray, *, single: bool = False) -> FloatArray:
        """[X 1]ᵀ diag(c) [X 1] for c ≥ 0; only the upper triangle is meaningful."""
        out = np.empty((self.d + 1, self.d + 1))
        native.gram(self.matrix, c, out, self.threads, single)
        return out

    def row_norms(self, q: FloatArray | None = None) -> FloatArray:
        """Σⱼ qⱼxᵢⱼ² for every row; ‖xᵢ‖² without q."""
        out = np.empty(self.n)
        native.row_norms(self.matrix, q, out, self.threads)
        return out

    def rows(self, chosen: IntArray) -> Design:
        """The chosen rows, in place: an index, not a copy."""
        return replace(self, matrix=self.matrix.take(np.ascontiguousarray(chosen, dtype=np.int64)))

    @cached_property
    def scan(self) -> Scan:
        """The fingerprint of the entries, whether all are finite, and the columns' squares, in one pass."""
        squares = np.empty(self.d)
        fingerprint, finite = native.scan(self.matrix, SALT, squares, self.threads)
        return Scan(int(fingerprint), bool(finite), squares)
