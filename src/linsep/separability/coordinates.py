"""The working set in few coordinates: only inner products matter, and m rows span at most m dimensions.

Up to a few thousand columns the rows are taken as they are, with the origin moved to a given centre, which no
difference of the classes notices. Wider rows become those of the pivoted Cholesky factor L of their inner products,
LLᵀ = YXXᵀY, of as many columns as its rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpstrf

from linsep.data.design import Design
from linsep.separability.nearest import Nearest
from linsep.separability.rows import dense_rows, sparse_rows
from linsep.types import FloatArray, IntArray

#: Wider than this, and than the working set is long: inner products.
WIDE = 2000


@dataclass(frozen=True, eq=False)
class Working:
    """table: signed rows in coordinates; source: the signed rows themselves; scale: the largest length."""

    table: FloatArray
    source: Any
    scale: float

    def direction(self, found: Nearest) -> FloatArray:
        """Σ λᵢyᵢxᵢ in the features' own coordinates."""
        if self.source is self.table:
            return found.z
        return np.asarray(self.source[found.chosen].T @ found.weights, dtype=np.float64)


def working_coordinates(design: Design, chosen: IntArray, y: FloatArray, centre: FloatArray) -> Working:
    """The chosen rows times their signs."""
    if design.d <= max(WIDE, len(chosen)):
        rows = dense_rows(design, chosen)
        rows -= centre
        rows *= y[chosen, None]
        return Working(rows, rows, float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max())))
    source: Any = sparse_rows(design, chosen) if design.sparse else dense_rows(design, chosen)
    source = source.multiply(y[chosen, None]).tocsr() if design.sparse else y[chosen, None] * source
    gram = source @ source.T
    gram = gram.toarray() if design.sparse else gram
    factor, pivots, rank, _ = dpstrf(gram, lower=1)
    table = np.empty((len(chosen), rank))
    table[pivots - 1] = np.tril(factor)[:, :rank]
    return Working(table, source, float(np.sqrt(np.diagonal(gram).max())))
