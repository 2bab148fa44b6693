"""Sums of products as if in twice the precision (Ogita, Rump and Oishi, SIAM J. Scientific Computing 26, 2005).

A product is p + e exactly, p = fl(ab); a sum is s + e exactly, s = fl(a + b). The errors e are summed beside the
values, so that Σ aⱼbⱼ comes out with a relative error of about eps + eps²·Σ|aⱼbⱼ| / |Σ aⱼbⱼ|: right even where
almost everything cancels, as it does between two sets that nearly touch.
"""

from __future__ import annotations

import numpy as np

from linsep.types import FloatArray

_SPLIT = 2.0**27 + 1.0
#: Entries worked on at once.
_BLOCK = 1 << 18


def two_sum(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """s + e = a + b exactly."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def two_product(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """p + e = ab exactly."""
    p = a * b
    a_high, b_high = a * _SPLIT, b * _SPLIT
    a_high, b_high = a_high - (a_high - a), b_high - (b_high - b)
    a_low, b_low = a - a_high, b - b_high
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


def _row_sums(A: FloatArray, B: FloatArray) -> FloatArray:
    value, error = two_product(A, B)
    while value.shape[1] > 1:
        half, odd = divmod(value.shape[1], 2)
        s, e = two_sum(value[:, :half], value[:, half : 2 * half])
        e += error[:, :half] + error[:, half : 2 * half]
        value = np.hstack([s, value[:, -1:]]) if odd else s
        error = np.hstack([e, error[:, -1:]]) if odd else e
    total: FloatArray = (value + error)[:, 0]
    return total


def row_dots(A: FloatArray, B: FloatArray) -> FloatArray:
    """Σⱼ aᵢⱼbᵢⱼ of every row of two tables, or of a table and one vector."""
    out, step = np.empty(len(A)), max(1, _BLOCK // max(1, A.shape[1]))
    for first in range(0, len(A), step):
        part = slice(first, first + step)
        out[part] = _row_sums(A[part], B[part] if B.ndim == 2 else np.broadcast_to(B, A[part].shape))
    return out
