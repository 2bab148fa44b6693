"""Exact linear algebra by way of a prime: fast where entries have many digits.

`null_vector` finds the one λ (up to a factor) with A λ = 0. Modulo a prime p, A shows its rank and an invertible part
B; B x = b is then solved digit by digit in base p (Dixon): xᵢ = B⁻¹r mod p, r ← (r − B xᵢ)/p. Fractions are recovered
from the digits by Euclid's algorithm, and A λ = 0 is checked in integers: that, not the prime, is the proof.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from linsep.separability.exact import Integers, whole_multiple

_PRIME = 2**31 - 1
Residues = np.ndarray[Any, np.dtype[np.int64]]


def full_rank(A: Integers) -> bool:
    """Whether the columns of A are independent modulo the prime, and so at all; False says nothing."""
    return len(_reduce(A)[2]) == int(A.shape[1])


def null_vector(A: Integers) -> Integers | None:
    """λ, integers, with A λ = 0, where modulo the prime there is one up to a factor; else None."""
    _, rows, columns = _reduce(A)
    free = [j for j in range(A.shape[1]) if j not in set(columns)]
    if len(free) != 1 or not columns:
        return None
    B, b = A[np.ix_(rows, columns)], -A[rows, free[0]]
    bits = sum(
        (max(abs(int(v)) for v in (*row, right)) * len(row)).bit_length() for row, right in zip(B, b, strict=True)
    )
    for x, digits in _lift(B, b):
        solution = _fractions(x, _PRIME**digits)
        if solution is not None:
            whole = whole_multiple([*solution, Fraction(1)])
            out = np.zeros(A.shape[1], dtype=object)
            out[columns], out[free[0]] = whole[:-1], whole[-1]
            if not (A @ out).any():
                return out
        if digits * 30 > 2 * bits + 64:
            break
    return None


def _reduce(A: Integers) -> tuple[Residues, list[int], list[int]]:
    """A modulo the prime in reduced form, and the rows and columns of its pivots."""
    M: Residues = (A % _PRIME).astype(np.int64)
    order, columns = np.arange(len(M)), list[int]()
    for column in range(M.shape[1]):
        r = len(columns)
        places = np.flatnonzero(M[r:, column])
        if not len(places):
            continue
        swap = [r, r + int(places[0])]
        M[swap], order[swap] = M[swap[::-1]], order[swap[::-1]]
        M[r] = M[r] * pow(int(M[r, column]), -1, _PRIME) % _PRIME
        factors = M[:, column].copy()
        factors[r] = 0
        M = (M - factors[:, None] * M[r] % _PRIME) % _PRIME
        columns.append(column)
        if len(columns) == len(M):
            break
    return M, [int(i) for i in order[: len(columns)]], columns


def _lift(B: Integers, b: Integers) -> Any:
    """x with B x = b modulo growing powers of the prime, and the powers: after 4, 8, 16, … digits."""
    n = len(B)
    identity = np.zeros((n, n), dtype=object)
    np.fill_diagonal(identity, 1)
    reduced, rows, _ = _reduce(np.hstack([B, identity]))
    assert len(rows) == n
    inverse = reduced[:, n:]
    x, power, digits, r = np.zeros(n, dtype=object), 1, 0, b.copy()
    while True:
        residue: Residues = (r % _PRIME).astype(np.int64)
        digit = (inverse * residue % _PRIME).sum(axis=1) % _PRIME
        whole = digit.astype(object)
        x, power, digits = x + whole * power, power * _PRIME, digits + 1
        r = (r - B @ whole) // _PRIME
        if digits >= 4 and digits & (digits - 1) == 0:
            yield x, digits


def _fractions(x: Integers, modulus: int) -> list[Fraction] | None:
    """Fractions with small parts that are x modulo the power, a common denominator carried along."""
    common, out, limit = 1, [], isqrt(modulus // 2)
    for value in x:
        part = _fraction(int(value) * common % modulus, modulus, limit)
        if part is None or common * part.denominator > limit:
            return None
        common *= part.denominator
        out.append(part.numerator * Fraction(1, common))
    return out


def _fraction(value: int, modulus: int, limit: int) -> Fraction | None:
    """numerator/denominator ≡ value with |numerator| ≤ limit, by Euclid's algorithm stopped half way."""
    if value <= limit:
        return Fraction(value)
    if modulus - value <= limit:
        return Fraction(value - modulus)
    r0, r1, t0, t1 = modulus, value, 0, 1
    while r1 > limit:
        q = r0 // r1
        r0, r1, t0, t1 = r1, r0 - q * r1, t1, t0 - q * t1
    return None if t1 == 0 else Fraction(r1, t1)
