"""Facts of the columns from a few passes over the rows: mean, deviation, and the extremes within each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.model import Training
from linsep.types import FloatArray, IntArray

Array = np.ndarray[Any, Any]

#: Rows looked at together; classes times columns beyond which extremes are taken over all rows at once.
_BLOCK, _MOST = 2**22, 10_000_000


@dataclass(frozen=True, eq=False)
class Extremes:
    """The least and the greatest entry of every column within every class, (K, d); K = 1: all rows together."""

    low: Array
    high: Array

    @property
    def constant(self) -> IntArray:
        """Columns that say the same of every row."""
        return np.flatnonzero(self.low.min(axis=0) == self.high.max(axis=0))


def deviations(training: Training) -> FloatArray:
    """The standard deviation of every column, rows counted once."""
    design = training.design
    mean = design.adjoint(np.ones(design.n))[:-1] / design.n
    return np.sqrt(np.maximum(design.column_squares / design.n - mean**2, 0.0))


def extremes(training: Training) -> Extremes:
    """In one look at the rows of positive weight, block by block."""
    design, codes, K = training.design, training.labels.codes, training.n_classes
    if K * design.d > _MOST:
        codes, K = np.zeros(design.n, dtype=np.int64), 1
    rows = np.arange(design.n) if training.weights is None else np.flatnonzero(training.weights > 0.0)
    low, high = np.full((K, design.d), np.inf), np.full((K, design.d), -np.inf)
    order = rows[np.argsort(codes[rows], kind="stable")] if design.sparse else rows
    size = max(_BLOCK // max(design.entries // design.n, 1), 1)
    for start in range(0, len(order), size):
        block = order[start : start + size]
        block = block[np.argsort(codes[block], kind="stable")]
        begins = np.flatnonzero(np.diff(codes[block], prepend=-1))
        here = codes[block[begins]]
        least, most = _within(design.table, block, begins)
        low[here], high[here] = np.minimum(low[here], least), np.maximum(high[here], most)
    return Extremes(low, high)


def _within(table: Any, block: IntArray, begins: IntArray) -> tuple[Array, Array]:
    """Least and greatest of each run of rows; entries that are not stored are zeros."""
    if isinstance(table, np.ndarray):
        entries = table[block]
        return np.minimum.reduceat(entries, begins), np.maximum.reduceat(entries, begins)
    runs = [table[run] for run in np.split(block, begins[1:])]
    return (
        np.vstack([run.min(axis=0).toarray().reshape(1, -1) for run in runs]),
        np.vstack([run.max(axis=0).toarray().reshape(1, -1) for run in runs]),
    )
