"""What the kernels of columns.hpp do, in plain NumPy: the oracle of their tests."""

from __future__ import annotations

import numpy as np

from linsep.types import FloatArray, IntArray


def select(X: FloatArray, chosen: IntArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Values, columns and starts of the chosen columns by rows, without the zeros."""
    part = X[:, chosen]
    rows, columns = np.nonzero(part)
    starts = np.append(0, np.cumsum(np.bincount(rows, minlength=len(X))))
    return part[rows, columns], columns, starts


def squares(X: FloatArray, c: FloatArray | None) -> FloatArray:
    """Σᵢ cᵢxᵢⱼ²."""
    weights = np.ones(len(X)) if c is None else c
    sums: FloatArray = weights @ X**2
    return sums
