"""The rows of X in blocks of float64, dense or CSR, and their fingerprint; X is never copied as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

_ENTRIES = 2**19  # in a block
_SALT = 1  # of the fingerprint


class Block(NamedTuple):
    """Some rows: as a dense float64 array, or as entries with their column and row within the block."""

    where: slice
    rows: Array
    dense: Array | None
    entries: Array
    columns: Array
    owner: Array

    def scores(self, W: Array) -> Array:
        """X W for W (d, m)."""
        if self.dense is not None:
            return np.asarray(self.dense @ W)
        sums = [np.bincount(self.owner, self.entries * w[self.columns], len(self.rows)) for w in W.T]
        return np.stack(sums, axis=1)

    def adjoint(self, R: Array, d: int) -> Array:
        """Xᵀ R for R (rows, m)."""
        if self.dense is not None:
            return np.asarray(self.dense.T @ R)
        return np.stack([np.bincount(self.columns, self.entries * r[self.owner], d) for r in R.T], axis=1)

    def squares(self) -> Array:
        """‖xᵢ‖²."""
        if self.dense is not None:
            return np.asarray(np.einsum("ij,ij->i", self.dense, self.dense))
        return np.asarray(np.bincount(self.owner, self.entries**2, len(self.rows)))

    def each(self, function: Callable[[Array], Array]) -> Block:
        """The block with every entry replaced by a function of it that keeps 0."""
        if self.dense is not None:
            return self._replace(dense=function(self.dense))
        return self._replace(entries=function(self.entries))

    def less(self, shift: Array) -> Block:
        """The block, dense, with numbers taken off its columns."""
        return self._replace(dense=self.with_ones(len(shift))[:, :-1] - shift)

    def products(self) -> tuple[Array, Array, Array, Array]:
        """Of sparse rows all products of two entries of a row: row, both columns and value."""
        counts = np.bincount(self.owner, minlength=len(self.rows))
        starts, others = np.cumsum(counts) - counts, counts[self.owner]
        first = np.repeat(np.arange(len(self.owner)), others)
        second = np.arange(len(first)) - np.repeat(np.cumsum(others) - others - starts[self.owner], others)
        return self.owner[first], self.columns[first], self.columns[second], self.entries[first] * self.entries[second]

    def with_ones(self, d: int) -> Array:
        """The rows as a dense array with a column of ones."""
        A = np.zeros((len(self.rows), d + 1))
        A[:, -1] = 1.0
        if self.dense is not None:
            A[:, :-1] = self.dense
        else:
            np.add.at(A, (self.owner, self.columns), self.entries)
        return A


class Rows:
    """X: anything that NumPy reads as a table, a sparse matrix with data, indices and indptr, or what holds such a
    `matrix`.

    shift: what is taken off every column, or None
    """

    def __init__(self, X: Any) -> None:
        self.dense: Array | None = None
        self.shift: Array | None = None
        self.shape: tuple[int, ...]
        frame = hasattr(type(X), "iloc")  # of pandas, whose columns are attributes too
        held = None if isinstance(X, np.ndarray) or frame else getattr(X, "matrix", None)
        X = X if held is None or callable(held) else held
        if hasattr(X, "tocsr") and not frame:
            csr = X if getattr(X, "format", None) == "csr" else X.tocsr()
            self.data, self.indices, self.indptr = csr.data, csr.indices, csr.indptr
            self.shape = tuple(csr.shape)
        else:
            array = np.asarray(X)
            self.dense = array if array.dtype.kind in "fiub" else array.astype(np.float64)
            self.shape = array.shape

    @property
    def d(self) -> int:
        return self.shape[1]

    def less(self, shift: Array) -> Rows:
        """The same rows with numbers (d,) taken off their columns: dense, and block by block."""
        other = copy(self)
        other.shift = shift
        return other

    @property
    def few(self) -> bool:
        """Sparse, and most entries are 0."""
        return self.dense is None and self.shift is None and 4 * len(self.data) < self.shape[0] * self.shape[1]

    def blocks(self, chosen: Array | None = None, width: int = 0) -> Iterator[Block]:
        """All rows, or those chosen; width: what a row needs in memory, if more than its entries."""
        n = self.shape[0] if chosen is None else len(chosen)
        full = self.dense is not None or self.shift is not None
        entries = self.d if full else len(self.data) // max(self.shape[0], 1)
        size = max(_ENTRIES // max(entries, width, 1), 1)
        for low in range(0, n, size):
            where = slice(low, min(low + size, n))
            rows = np.arange(where.start, where.stop) if chosen is None else chosen[where]
            block = self._sparse_block(where, rows) if self.dense is None else self._dense_block(where, rows)
            yield block if self.shift is None else block.less(self.shift)

    def _dense_block(self, where: slice, rows: Array) -> Block:
        assert self.dense is not None
        contiguous = rows[-1] - rows[0] + 1 == len(rows)
        part = self.dense[rows[0] : rows[-1] + 1] if contiguous else self.dense[rows]
        none = np.empty(0, np.int64)
        return Block(where, rows, np.ascontiguousarray(part, np.float64), none, none, none)

    def _sparse_block(self, where: slice, rows: Array) -> Block:
        starts = self.indptr[rows].astype(np.int64)
        counts = self.indptr[rows + 1].astype(np.int64) - starts
        owner = np.repeat(np.arange(len(rows)), counts)
        before = np.cumsum(counts) - counts
        places = np.arange(len(owner)) + np.repeat(starts - before, counts)
        entries, columns = self.data[places], self.indices[places].astype(np.int64)
        place = owner * self.d + columns
        if (np.diff(place) <= 0).any():  # out of order, or stored in parts, whose sum is meant
            order = np.argsort(place, kind="stable")
            first = np.flatnonzero(np.diff(place[order], prepend=-1))
            entries = np.add.reduceat(entries[order], first)
            owner, columns = owner[order[first]], columns[order[first]]
        return Block(where, rows, None, entries.astype(np.float64), columns, owner)


def fingerprint(rows: Rows) -> str:
    """Σ over xᵢⱼ ≠ 0 of (lo(xᵢⱼ) + lo(k))(hi(xᵢⱼ) + hi(k)) mod 2⁶⁴, in hexadecimal, with k = rᵢ xor cⱼ.

    lo and hi are the halves of the entry as a float64 and of k, rᵢ and cⱼ keys of row and column; inner sums mod 2³².
    """
    column_keys = _keys(np.arange(rows.d), _SALT ^ 0xFFFFFFFF)
    total = np.zeros(1, np.uint64)
    for block in rows.blocks():
        row_keys = _keys(block.rows, _SALT)
        if block.dense is None:
            bits, r, c = block.entries.view(np.uint64), row_keys[block.owner], column_keys[block.columns]
        else:
            bits, r, c = block.dense.view(np.uint64), row_keys[:, None], column_keys[None, :]
        key = r ^ c
        terms = (bits.astype(np.uint32) + key.astype(np.uint32)).astype(np.uint64)
        terms *= (bits >> np.uint64(32)).astype(np.uint32) + (key >> np.uint64(32)).astype(np.uint32)
        terms[bits << np.uint64(1) == 0] = 0
        total += terms.sum(dtype=np.uint64)
    return f"{int(total[0]):016x}"


def _keys(places: Array, salt: int) -> Array:
    z = places.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(salt)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
