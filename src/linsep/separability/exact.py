"""Exact arithmetic: floats are whole numbers times a power of two, so rows become integers, and integers do not round.

- `integers`: rows of floats as integers, each up to a power of two (signs and zeros stay what they are);
- `null_space`: an integer basis of {v : A v = 0}, one vector a free column, by elimination without fractions
  (Bareiss: every division is exact, every number is a minor of A);
- `Simplex`: whether 0 is a mean of given integer vectors, by the simplex method with integer pivots.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np

from linsep.solvers.patience import seconds_left
from linsep.types import FloatArray

#: An array of Python integers.
Integers = np.ndarray[Any, np.dtype[np.object_]]

_NONE = 2**40  # larger than every exponent of a float
_PLAIN = 1000  # bits of integers that are floats but for rounding, whatever power of two divides them


def integers(rows: FloatArray) -> tuple[Integers, list[int]]:
    """Each row times the smallest power of two that makes it whole, and minus the exponents of these powers."""
    mantissa, exponent = np.frexp(np.asarray(rows, dtype=np.float64))
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    zeros = np.frexp((whole & -whole).astype(np.float64))[1].astype(np.int64) - 1  # at the end of the binary number
    power = exponent.astype(np.int64) - 53 + zeros
    used = whole != 0
    lowest = np.where(used, power, _NONE).min(axis=1, initial=_NONE)
    lowest[lowest == _NONE] = 0
    shift = np.where(used, power - lowest[:, None], 0)
    whole = np.where(used, whole >> np.maximum(zeros, 0), 0)
    out = whole.astype(object)
    moved = shift != 0
    out[moved] = [int(m) << int(s) for m, s in zip(whole[moved], shift[moved], strict=True)]
    return out, [int(p) for p in lowest]


def bits(values: Integers) -> int:
    """Of the largest."""
    return max((abs(int(v)) for v in values), default=0).bit_length()


def to_floats(values: Integers) -> FloatArray:
    """The integers divided by one power of two that leaves them below 1, rounded to nearest."""
    size = bits(values)
    if size <= _PLAIN:
        return np.asarray(np.ldexp(np.array([float(int(v)) for v in values]), -size))
    return np.array([float(Fraction(int(v), 1 << size)) for v in values])


def are_floats(values: Integers) -> bool:
    """Whether `to_floats` rounds none of them."""
    size = bits(values)
    if size <= _PLAIN:
        return all(int(float(int(v))) == v for v in values)
    return all(Fraction(f) * (1 << size) == int(v) for f, v in zip(to_floats(values).tolist(), values, strict=True))


def primitive(values: Integers) -> Integers:
    """The integers without their common divisor."""
    divisor = gcd(*(int(v) for v in values)) or 1
    return np.array([int(v) // divisor for v in values], dtype=object)


def whole_multiple(values: list[Fraction]) -> Integers:
    """The smallest positive multiple of the fractions that is whole, without common divisor."""
    common = 1
    for v in values:
        common = common * v.denominator // gcd(common, v.denominator)
    return primitive(np.array([int(v * common) for v in values], dtype=object))


def eliminate(A: Integers) -> tuple[Integers, list[int], int]:
    """Reduced rows of A, their pivot columns, and the number D on every pivot: D·(row echelon form)."""
    A, pivots, D = A.copy(), list[int](), 1
    for column in range(A.shape[1]):
        r = len(pivots)
        places = [i for i in range(r, len(A)) if A[i, column] != 0]
        if not places:
            continue
        A[[r, places[0]]] = A[[places[0], r]]
        pivot, row, factors = A[r, column], A[r].copy(), A[:, column].copy()
        A = (A * pivot - np.outer(factors, row)) // D
        A[r], D = row, pivot
        pivots.append(column)
        if len(pivots) == len(A):
            break
    return A[: len(pivots)], pivots, D


def null_space(A: Integers) -> Integers:
    """(columns of A, k): an integer basis of {v : A v = 0}."""
    reduced, pivots, D = eliminate(A)
    free = [j for j in range(A.shape[1]) if j not in set(pivots)]
    N = np.zeros((A.shape[1], len(free)), dtype=object)
    for k, j in enumerate(free):
        N[j, k] = D
        N[pivots, k] = -reduced[:, j]
        N[:, k] = primitive(N[:, k])
    return N


def solve(A: Integers, b: Integers) -> list[Fraction] | None:
    """A solution x of A x = b with zeros on the free columns, or None."""
    reduced, pivots, D = eliminate(np.column_stack([A, b]))
    if A.shape[1] in pivots:
        return None
    x = [Fraction(0)] * A.shape[1]
    for row, column in zip(reduced, pivots, strict=True):
        x[column] = Fraction(int(row[-1]), int(D))
    return x


@dataclass
class Simplex:
    """Whether λ ≥ 0 with Σ λᵢaᵢ = 0, Σ λᵢ = 1 exists: phase one of the simplex method, exactly.

    The columns are gᵢ = (aᵢ, 1) and the right side is e = (0, …, 0, 1); artificial columns form the first basis and
    their sum is minimised. The inverse of the basis B is kept as integers, M = D·B⁻¹ with D = det B > 0, and a pivot
    α = M g changes it by exact divisions, M ← (α_r M − α M_r)/D, D ← α_r (row r stays).

    At the end either the artificial sum is 0, and x = M e/D holds the weights λ; or the prices y have ⟨y, gᵢ⟩ ≤ 0 for
    all i and ⟨y, e⟩ > 0, and then v = −y without its last entry has ⟨v, aᵢ⟩ > 0 for all i. Ties and stalls are broken
    by Bland's rule, so it ends.
    """

    size: int
    rows: Integers = field(init=False)
    basis: list[int] = field(init=False)
    M: Integers = field(init=False)
    D: int = 1
    pivots: int = 0

    def __post_init__(self) -> None:
        self.rows = np.zeros((0, self.size + 1), dtype=object)
        self.basis = [-1 - k for k in range(self.size + 1)]  # negative: artificial
        self.M = np.zeros((self.size + 1, self.size + 1), dtype=object)
        np.fill_diagonal(self.M, 1)

    def add(self, vectors: Integers) -> None:
        """More vectors aᵢ, numbered on from those before."""
        ones = np.full((len(vectors), 1), 1, dtype=object)
        self.rows = np.vstack([self.rows, np.hstack([vectors, ones])])

    def run(self, patience: int) -> bool | None:
        """True: 0 is a mean, see `weights`; False: see `direction`; None: more than `patience` pivots in all."""
        stalled, last = 0, Fraction(2)
        while (left := self._artificial()) > 0:
            prices = self._prices()
            gains = self.rows @ prices if len(self.rows) else np.zeros(0, dtype=object)
            candidates = np.flatnonzero(gains > 0)
            if not len(candidates):
                return False
            if self.pivots >= patience:
                return None
            seconds_left()
            stalled, last = (0, left) if left < last else (stalled + 1, last)
            bland = stalled > self.size
            self._pivot(int(candidates[0] if bland else max(candidates, key=lambda i: gains[i])))
        return True

    def weights(self) -> dict[int, Fraction]:
        """λᵢ > 0 by the number of the vector."""
        x = {i: Fraction(int(v), int(self.D)) for i, v in zip(self.basis, self.M[:, -1], strict=True) if i >= 0}
        return {i: value for i, value in x.items() if value > 0}

    def direction(self) -> Integers:
        """v with ⟨v, aᵢ⟩ > 0 for all i."""
        return primitive(-self._prices()[:-1])

    def _artificial(self) -> Fraction:
        total = sum(v for i, v in zip(self.basis, self.M[:, -1], strict=True) if i < 0)
        return Fraction(int(total), int(self.D))

    def _prices(self) -> Integers:
        return np.asarray(self.M[[i < 0 for i in self.basis]].sum(axis=0))

    def _pivot(self, entering: int) -> None:
        alpha = self.M @ self.rows[entering]
        x = self.M[:, -1]
        able = [k for k in range(len(alpha)) if alpha[k] > 0]
        r = min(able, key=lambda k: (Fraction(int(x[k]), int(alpha[k])), self.basis[k]))
        row = self.M[r].copy()
        self.M = (self.M * alpha[r] - np.outer(alpha, row)) // self.D
        self.M[r], self.D = row, alpha[r]
        self.basis[r] = entering
        self.pivots += 1
