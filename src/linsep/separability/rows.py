"""Chosen rows of a design as float64 arrays, for the few that are worked on in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from linsep.data.design import Design
from linsep.separability.accurate import row_dots
from linsep.types import FloatArray, IntArray


def sparse_rows(design: Design, chosen: IntArray) -> Any:
    """The rows as CSR, float64."""
    return sparse.csr_array(design.table[chosen], dtype=np.float64)


def dense_rows(design: Design, chosen: IntArray) -> FloatArray:
    """The rows as a table, float64."""
    rows = design.table[chosen]
    return np.asarray(rows.toarray() if design.sparse else rows, dtype=np.float64)


def accurate_scores(design: Design, chosen: IntArray, w: FloatArray) -> FloatArray:
    """⟨w, x⟩ + b of the rows as if in twice the precision, b the last entry of w."""
    if not design.sparse:
        rows = dense_rows(design, chosen)
        return row_dots(np.column_stack([rows, np.ones(len(rows))]), w)
    rows = sparse_rows(design, chosen)
    counts = np.diff(rows.indptr)
    inside = np.arange(counts.max(initial=0)) < counts[:, None]
    values, factors = np.zeros(inside.shape), np.zeros(inside.shape)
    values[inside], factors[inside] = rows.data, w[rows.indices]
    ones = np.ones(len(chosen))
    return row_dots(np.column_stack([values, ones]), np.column_stack([factors, w[-1] * ones]))


def accurate_combination(design: Design, chosen: IntArray, c: FloatArray) -> FloatArray:
    """Σᵢ cᵢxᵢ over chosen rows, which may repeat, as if in twice the precision."""
    out = np.zeros(design.d)
    if design.sparse:
        _combine_columns(sparse_rows(design, chosen).tocsc(), c, out)
        return out
    distinct, where = np.unique(chosen, return_inverse=True)
    stored = dense_rows(design, distinct)
    step = max(1, (1 << 22) // max(1, len(chosen)))
    for first in range(0, design.d, step):
        out[first : first + step] = row_dots(np.ascontiguousarray(stored[where, first : first + step].T), c)
    return out


def _combine_columns(columns: Any, c: FloatArray, out: FloatArray) -> None:
    """Columns with about as many entries together, as rows of a table that zeros fill up."""
    counts = np.diff(columns.indptr)
    lengths = np.frexp(np.maximum(counts, 1) - 0.5)[1]  # counts in (2^(l−1), 2^l]
    for length in np.unique(lengths[counts > 0]):
        these = np.flatnonzero((lengths == length) & (counts > 0))
        size = 1 << int(length)
        places = columns.indptr[these, None] + np.arange(size)
        inside = np.arange(size) < counts[these, None]
        values, factors = np.zeros(places.shape), np.zeros(places.shape)
        values[inside], factors[inside] = columns.data[places[inside]], c[columns.indices[places[inside]]]
        out[these] = row_dots(values, factors)
