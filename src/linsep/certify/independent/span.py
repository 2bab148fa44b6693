"""Rows that span all others: found but for rounding, and proved in exact arithmetic. NumPy alone."""

from __future__ import annotations

from fractions import Fraction
from math import fsum, lcm
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

_DEPENDENT = 1e-10  # of a row's length, below which what is left of it is rounding


def independent(rows: Array) -> Array:
    """Indices of rows that are independent but for rounding, by Gram and Schmidt: always the longest that is left."""
    left, chosen = rows.copy(), list[int]()
    squares = np.einsum("ij,ij->i", left, left)
    least = _DEPENDENT**2 * float(squares.max(initial=0.0))
    while len(chosen) < min(rows.shape):
        i = int(np.argmax(squares))
        if squares[i] <= least:
            break
        chosen.append(i)
        q = left[i] / np.sqrt(squares[i])
        left -= np.outer(left @ q, q)
        squares = np.einsum("ij,ij->i", left, left)
        squares[chosen] = 0.0
    return np.array(chosen, np.int64)


def spans(A: Array, chosen: Array, J: Array) -> bool:
    """Whether the rank of A is at most that of the chosen, which are independent: proved, not estimated."""
    others = np.setdiff1d(np.flatnonzero(A.any(axis=0)), J)
    if not len(others) or _different(A) <= len(chosen):
        return True
    try:
        C = np.linalg.solve(chosen[:, J], chosen[:, others])
    except np.linalg.LinAlgError:
        return False
    return all(combines(A, J, int(k), c) for k, c in zip(others, C.T, strict=True))


def _different(A: Array) -> int:
    """The number of rows that are different and not each other's negative."""
    first = A[np.arange(len(A)), (A != 0.0).argmax(axis=1)]
    return len(np.unique(A * np.where(first < 0.0, -1.0, 1.0)[:, None] + 0.0, axis=0))


def combines(A: Array, J: Array, k: int, c: Array) -> bool:
    """Whether column k is Σ cⱼ·(column j) exactly, c the simple fractions next to the given."""
    if not (np.isfinite(c).all() and np.abs(c).max() < 1e6):
        return False
    simple = [Fraction(float(v)).limit_denominator(1000) for v in c]
    common = lcm(*(v.denominator for v in simple))
    factors = [*(int(v * common) for v in simple), -common]
    if max(map(abs, factors)) >= 1 << 24:
        return False
    some = np.flatnonzero(factors)
    table = A[:, np.append(J, k)[some]]
    with np.errstate(over="ignore", invalid="ignore"):
        high = table.astype(np.float32).astype(np.float64)  # 24 bits, and 29 are left: products with 24 are exact
        parts = np.hstack([high, table - high]) * np.tile(np.array(factors, np.float64)[some], 2)
    tiny = (table != 0.0) & (np.abs(table) < 1e-30)  # fewer bits in float32
    return bool(np.isfinite(parts).all()) and not tiny.any() and all(fsum(row) == 0.0 for row in parts)
