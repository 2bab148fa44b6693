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
    distinct, where = np.unique(chosen, return_inverse=True)
    stored: Any = sparse_rows(design, distinct).tocsc() if design.sparse else dense_rows(design, distinct)
    step = max(1, (1 << 22) // max(1, len(chosen)))
    for first in range(0, design.d, step):
        part = stored[:, first : first + step]
        part = part.toarray() if design.sparse else part
        out[first : first + step] = row_dots(np.ascontiguousarray(part[where].T), c)
    return out
