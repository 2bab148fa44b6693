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
from linsep.separability.pieces import in_pieces, product_sums, residues, whole
from linsep.solvers.patience import seconds_left

_PRIME = 2**31 - 1
_PANEL = 64  # columns that are eliminated at once
Residues = np.ndarray[Any, np.dtype[np.int64]]


def full_rank(A: Integers) -> bool:
    """Whether the columns of A are independent modulo the prime, and so at all; False says nothing."""
    return len(_reduce(_modulo(A))[2]) == int(A.shape[1])


def null_vector(A: Integers) -> Integers | None:
    """λ, integers, with A λ = 0, where modulo the prime there is one up to a factor; else None."""
    _, rows, columns = _reduce(_modulo(A))
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
            found = whole_multiple([*solution, Fraction(1)])
            out = np.zeros(A.shape[1], dtype=object)
            out[columns], out[free[0]] = found[:-1], found[-1]
            if not (A @ out).any():
                return out
        if digits * 30 > 2 * bits + 64:
            break
    return None


def _modulo(A: Integers) -> Residues:
    out: Residues = (A % _PRIME).astype(np.int64)
    return out


def _times(A: Residues, B: Residues) -> Residues:
    return residues(product_sums(in_pieces(A), in_pieces(B)), (A.shape[0], B.shape[1]), _PRIME)


def _reduce(M: Residues) -> tuple[Residues, list[int], list[int]]:
    """M modulo the prime in reduced form, and the rows and columns of its pivots; panel by panel of its columns.

    With G the pivots' part of a panel in the rows R that hold them: R ← G⁻¹R, and the others lose their share of it.
    """
    M, order, columns = M.copy(), np.arange(len(M)), list[int]()
    for first in range(0, M.shape[1], _PANEL):
        seconds_left()
        r = len(columns)
        _, chosen, pivots = _eliminate(M[r:, first : first + _PANEL])
        here = [first + j for j in pivots]
        if not here:
            continue
        places = [r + i for i in chosen]
        moved = np.concatenate([np.arange(r), places, np.setdiff1d(np.arange(r, len(M)), places)])
        M, order, held = M[moved], order[moved], slice(r, r + len(here))
        M[held, first:] = _times(_inverse(M[held, here]), M[held, first:])
        rest = np.delete(np.arange(len(M)), held)
        M[rest, first:] = (M[rest, first:] - _times(M[rest][:, here], M[held, first:])) % _PRIME
        columns += here
        if len(columns) == len(M):
            break
    return M, [int(i) for i in order[: len(columns)]], columns


def _inverse(A: Residues) -> Residues:
    """Of a matrix that has one."""
    n = len(A)
    plain = _eliminate if n <= _PANEL else _reduce
    reduced, rows, _ = plain(np.hstack([A, np.eye(n, dtype=np.int64)]))
    assert len(rows) == n
    return reduced[:, n:]


def _eliminate(A: Residues) -> tuple[Residues, list[int], list[int]]:
    """As `_reduce`, column by column."""
    M, order, columns = A.copy(), np.arange(len(A)), list[int]()
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
    n, pieces, inverse = len(B), in_pieces(B), in_pieces(_inverse(_modulo(B)))
    x, power, digits, r = np.zeros(n, dtype=object), 1, 0, b[:, None].copy()
    while True:
        seconds_left()
        digit = residues(product_sums(inverse, in_pieces(_modulo(r))), (n, 1), _PRIME)
        x, power, digits = x + digit[:, 0].astype(object) * power, power * _PRIME, digits + 1
        r = (r - whole(product_sums(pieces, in_pieces(digit)), (n, 1))) // _PRIME
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
