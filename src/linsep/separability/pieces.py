"""Products of integer matrices, exactly and by BLAS: A = Σₖ 2¹⁶ᵏ Aₖ with entries of Aₖ below 2¹⁶ in size, as floats.

A product of two pieces is below 2³², so 2²¹ of them add up in float64 without rounding, in whatever order. What has
the same power of 2¹⁶ is added; from these sums `whole` makes the integers, and `residues` their remainders.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.separability.exact import Integers
from linsep.types import FloatArray

_BITS = 16
Whole = np.ndarray[Any, np.dtype[np.int64]]


def in_pieces(A: Integers | Whole) -> list[FloatArray]:
    """A₀, A₁, …: none for a matrix of zeros."""
    size = max((int(np.abs(row).max()) for row in A if len(row)), default=0).bit_length()
    A = A.astype(np.int64) if size < 63 else A
    rest, signs = np.abs(A), np.sign(A).astype(np.float64)
    pieces = []
    for _ in range(0, size, _BITS):
        pieces.append(signs * (rest & ((1 << _BITS) - 1)).astype(np.float64))
        rest = rest >> _BITS
    return pieces


def product_sums(A: list[FloatArray], B: list[FloatArray]) -> list[Whole]:
    """S₀, S₁, …, with AB = Σₖ 2¹⁶ᵏ Sₖ; entries are whole and below 2⁵³."""
    sums: list[Any] = [0.0] * (len(A) + len(B) - 1) if A and B else []
    for i, left in enumerate(A):
        for j, right in enumerate(B):
            sums[i + j] = sums[i + j] + left @ right
    return [total.astype(np.int64) for total in sums]


def whole(sums: list[Whole], shape: tuple[int, ...]) -> Integers:
    """The integers that the sums stand for."""
    out = np.zeros(shape, dtype=object)
    for total in reversed(sums):
        out = (out << _BITS) + total.astype(object)
    return out


def residues(sums: list[Whole], shape: tuple[int, ...], prime: int) -> Whole:
    """Their remainders modulo a prime below 2³¹."""
    out = np.zeros(shape, dtype=np.int64)
    for total in reversed(sums):
        out = ((out << _BITS) + total) % prime
    return out
