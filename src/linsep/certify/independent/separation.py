"""Checks a verdict on separability by its witness, with NumPy and exact integers alone.

Conditions: for a row of class c and another class k, z_c − z_k > 0 (≥ 0), z = ⟨w, x⟩ + b. A direction is checked on
every row: where |z_c − z_k| exceeds γ·(|x| |w|), the most that rounding can do, the sign is sure; the other rows are
computed again in integers, since every float is a whole number times a power of two. A combination is added up exactly:
Σ λᵢaᵢ = 0 with λ > 0 excludes strict separation. Combinations face by face exclude quasi-separation: each is 0 on the
subspace that those before leave, and on the last subspace every condition is 0.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from linsep.certify.independent.identity import Checks, _digest, class_numbers
from linsep.certify.independent.rows import Block, Rows, fingerprint

Array = np.ndarray[Any, Any]

_UNIT = 2.0**-53
_PRIME = (1 << 31) - 1  # products of two remainders are int64 numbers
_NEAR = 1e-6  # relative difference within which two margins or residuals are the same


def check_separability(checks: Checks, witness: Any, X: Any, y: Any) -> None:
    """Notes every check; the verdict holds if all pass."""
    rows = Rows(X)
    shape = (witness.n_rows, witness.n_features)
    if not checks("shape", rows.shape == shape, f"X has the shape {rows.shape}, the verdict is on {shape}"):
        return
    codes = class_numbers(y, witness.classes) if np.shape(y)[:1] == rows.shape[:1] else None
    if codes is None:
        checks("labels", False, "y holds labels that are not among the classes, or not one a row")
        return
    names = "\n".join(map(str, np.asarray(witness.classes).tolist())).encode()
    found = {"y": _digest(names + codes.astype("<u4").tobytes()), "X": fingerprint(rows)}
    for key, here in found.items():
        there = witness.fingerprint.get(key)
        checks("data", here == there, f"{key} is not that of the verdict (fingerprint {here}, then {there})")
    question = _Question(rows, codes, len(witness.classes), bool(witness.fit_intercept))
    name = witness.verdict.name
    if name in ("SEPARABLE", "QUASI_SEPARABLE"):
        _check_direction(checks, witness, question, strict=name == "SEPARABLE")
    if name in ("QUASI_SEPARABLE", "NOT_SEPARABLE"):
        _check_hull(checks, witness, question)
    if name == "NOT_SEPARABLE" and witness.faces:
        _check_faces(checks, witness, question)
    if not witness.proved:
        checks("proof", False, "the verdict was given without a complete proof")


class _Question:
    """The conditions: rows, their classes, and whether hyperplanes may miss the origin."""

    def __init__(self, rows: Rows, codes: Array, K: int, intercept: bool) -> None:
        self.rows, self.codes, self.K, self.intercept = rows, codes, K, intercept
        self.width = rows.d + intercept

    def signs(self, W: Array) -> Array:
        """(n, K): the signs of z_c − z_k, 0 for k = c, exactly, for W (d + 1, K) of integers."""
        size = max(abs(int(v)) for v in W.ravel()).bit_length()
        F = np.array([[float(Fraction(int(v), 1 << size)) for v in row] for row in W])
        out = np.zeros((len(self.codes), self.K), np.int64)
        terms = (self.rows.d + 12) * _UNIT
        for block in self.rows.blocks(width=self.rows.d):
            own = self.codes[block.rows]
            Z = block.scores(F[:-1]) + F[-1]
            most = block.each(np.abs).scores(np.abs(F[:-1])) + np.abs(F[-1])
            place = np.arange(len(own))
            margins = Z[place, own][:, None] - Z
            slack = terms / (1.0 - terms) * (most[place, own][:, None] + most) + 1e-300
            signs = np.where(np.abs(margins) > slack, np.sign(margins), 0.0).astype(np.int64)
            signs[place, own] = 0
            for c, k in {(int(c), int(k)) for c in np.unique(own) for k in range(self.K) if k != c}:
                unsure = np.flatnonzero((own == c) & (np.abs(margins[:, k]) <= slack[:, k]))
                if len(unsure):
                    signs[unsure, k] = _exact_signs(_dense(block, unsure, self.rows.d), W[:, c] - W[:, k])
            out[block.where] = signs
        return out

    def vectors(self, combination: Any) -> tuple[Array, list[int]]:
        """The vectors a of a combination as integers (m, (K − 1)·width), each up to a power of two, and the powers."""
        chosen = np.asarray(combination.rows)
        distinct, place = np.unique(chosen, return_inverse=True)
        blocks = self.rows.blocks(distinct, self.rows.d)
        A = np.vstack([_dense(block, np.arange(len(block.rows)), self.rows.d) for block in blocks])
        x, powers = _integers(A[place, : self.width])
        out = np.zeros((len(x), self.K, self.width), object)
        place = np.arange(len(x))
        out[place, self.codes[chosen]] += x
        out[place, np.asarray(combination.others)] -= x
        return out[:, 1:].reshape(len(x), -1), powers

    def sensible(self, combination: Any) -> bool:
        """Rows and classes exist, no row is held against its own class, weights are > 0 and sum up to 1."""
        chosen, others = np.asarray(combination.rows), np.asarray(combination.others)
        if not len(chosen) == len(others) == len(combination.weights) > 0:
            return False
        within = (chosen >= 0).all() and (chosen < len(self.codes)).all() and np.isin(others, np.arange(self.K)).all()
        if not within or (self.codes[chosen] == others).any():
            return False
        weights = [Fraction(w) for w in combination.weights]
        return all(w > 0 for w in weights) and sum(weights) == 1


# -- directions ---------------------------------------------------------------------------------------------


def _check_direction(checks: Checks, witness: Any, question: _Question, strict: bool) -> None:
    W = _weights(witness, question)
    if not checks("direction", W is not None, "w, b and their exact values disagree or have wrong shapes"):
        return
    assert W is not None
    signs = question.signs(W)
    other = np.arange(question.K)[None, :] != question.codes[:, None]
    if strict:
        checks("sides", bool((signs[other] > 0).all()), "some row is not strictly on its side")
        margin = _margin(question, _floats(W)) if (signs[other] > 0).all() else np.nan
        same = bool(abs(margin - witness.margin) <= _NEAR * abs(margin)) or margin < 1e-9
        checks("margin", same and witness.margin > 0, f"it is {margin:.6g}, claimed {witness.margin:.6g}")
    else:
        checks(
            "sides",
            bool((signs >= 0).all()) and bool((signs > 0).any()),
            "some row is on the wrong side, or none is off",
        )
        rows = np.flatnonzero((signs > 0).any(axis=1))
        checks("rows", np.array_equal(rows, witness.rows), "those strictly on their side are others")
    features = np.flatnonzero((W[:-1] != 0).any(axis=1))
    checks("features", np.array_equal(features, witness.features), "those with a weight are others")


def _weights(witness: Any, question: _Question) -> Array | None:
    """(d + 1, K) integers: the exact direction; None where floats and fractions disagree."""
    d, K = question.rows.d, question.K
    w, b = np.asarray(witness.w, np.float64), np.atleast_1d(np.asarray(witness.b, np.float64))
    if K == 2 and w.shape == (d,):
        w, b = np.stack([np.zeros(d), w], axis=1), np.array([0.0, b[0]])
    if w.shape != (d, K) or b.shape != (K,) or (not question.intercept and b.any()):
        return None
    F = np.vstack([w, b])
    if not np.isfinite(F).all():
        return None
    if witness.exact is None:
        return _integers(F.reshape(1, -1))[0].reshape(F.shape)
    E = np.full(F.shape, Fraction(0), object)
    for k, part in enumerate(witness.exact, start=1):
        if len(part) != question.width:
            return None
        E[: question.width, k] = [Fraction(v) for v in part]
    rounded = np.array([[float(v) for v in row] for row in E])
    if not np.allclose(rounded, F, rtol=1e-12, atol=0.0):
        return None
    common = 1
    for v in E.ravel():
        common = common * v.denominator // gcd(common, v.denominator)
    return np.array([[int(v * common) for v in row] for row in E], object)


def _margin(question: _Question, F: Array) -> float:
    least = np.inf
    for block in question.rows.blocks():
        own = question.codes[block.rows]
        Z = block.scores(F[:-1]) + F[-1]
        lengths = np.linalg.norm(F[:-1, :, None] - F[:-1, None, :], axis=0)[own]
        lengths[np.arange(len(own)), own] = np.nan
        least = min(least, float(np.nanmin((Z[np.arange(len(own)), own][:, None] - Z) / lengths)))
    return least


def _floats(W: Array) -> Array:
    size = max(abs(int(v)) for v in W.ravel()).bit_length()
    return np.array([[float(Fraction(int(v), 1 << size)) for v in row] for row in W])


# -- combinations -------------------------------------------------------------------------------------------


def _check_hull(checks: Checks, witness: Any, question: _Question) -> None:
    hull = witness.hull
    if hull is None:
        checks("proof", False, "no common point of the hulls was found")
        return
    if not checks("weights", question.sensible(hull), "they are not positive, do not sum up to 1, or name no rows"):
        return
    if witness.residual == 0.0:
        checks("common point", not _sum(question, hull).any(), "the combination is not 0")
    elif question.K == 2:
        balanced, found = _distance(question, hull)
        close = found <= witness.residual * (1.0 + _NEAR)
        checks("residual", balanced and close, f"the distance is {found:.6g}, claimed {witness.residual:.6g}")


def _distance(question: _Question, hull: Any) -> tuple[bool, float]:
    """Whether both classes have the same weight in all, and the distance of their points (or from 0)."""
    signs = 2 * question.codes[hull.rows] - 1
    sides = sum((Fraction(w) * int(s) for w, s in zip(hull.weights, signs, strict=True)), Fraction(0))
    R = np.zeros((len(question.codes), 1))
    R[hull.rows, 0] = [float(w) * int(s) for w, s in zip(hull.weights, signs, strict=True)]
    gap = np.zeros((question.rows.d, 1))
    for block in question.rows.blocks():
        gap += block.adjoint(R[block.where], question.rows.d)
    times = 2.0 if question.intercept else 1.0
    return sides == 0 or not question.intercept, times * float(np.linalg.norm(gap))


def _sum(question: _Question, combination: Any) -> Array:
    """Σ λᵢaᵢ, up to a positive factor that makes it whole."""
    vectors, powers = question.vectors(combination)
    weights, lowest = [Fraction(w) for w in combination.weights], min(powers)
    common = lcm(*(w.denominator for w in weights))
    whole = [w.numerator * (common // w.denominator) << (p - lowest) for w, p in zip(weights, powers, strict=True)]
    return np.asarray(np.array(whole, object) @ vectors)


def _check_faces(checks: Checks, witness: Any, question: _Question) -> None:
    """No direction but those with all margins 0 violates nothing."""
    N: Array | None = None
    waiting: list[Array] = []  # vectors of combinations that N does not know of yet
    for combination in witness.faces:
        if not checks("face", question.sensible(combination), "its weights are not positive or do not sum up to 1"):
            return
        sums = _sum(question, combination)
        if waiting and sums.any():
            N, waiting = _left(N, waiting), []
        zero = not sums.any() or (N is not None and not (sums @ N).any())
        checks("face", zero, "a combination is not 0 on what those before it leave")
        waiting.append(question.vectors(combination)[0])
    for v in _left(N, waiting).T:
        W = np.zeros((question.rows.d + 1, question.K), object)
        W[: question.width, 1:] = v.reshape(question.K - 1, question.width).T
        checks("spanning", not question.signs(W).any(), "a row is not settled by the combinations")


def _left(N: Array | None, vectors: list[Array]) -> Array:
    """A basis of what is orthogonal to the vectors, within that of N; one combination after another keeps it small."""
    if N is None and _full_rank(np.vstack(vectors)):
        return np.zeros((vectors[0].shape[1], 0), object)
    for A in vectors:
        here = _null_space(A if N is None else A @ N)
        N = here if N is None else np.asarray(N @ here)
    assert N is not None
    return N


# -- integers -----------------------------------------------------------------------------------------------


def _dense(block: Block, places: Array, d: int) -> Array:
    """Some rows of a block as (x, 1)."""
    if block.dense is not None:
        return np.hstack([block.dense[places], np.ones((len(places), 1))])
    return block.with_ones(d)[places]


def _integers(rows: Array) -> tuple[Array, list[int]]:
    """Each row times a power of two that makes it whole, and minus the exponents."""
    ratios = [[float(v).as_integer_ratio() for v in row] for row in rows]
    powers = [max(q.bit_length() - 1 for _, q in row) for row in ratios]
    out = [[p << (e + 1 - q.bit_length()) for p, q in row] for row, e in zip(ratios, powers, strict=True)]
    return np.array(out, object).reshape(rows.shape), [-e for e in powers]


def _exact_signs(rows: Array, u: Array) -> Array:
    """The signs of rows @ u, once for equal rows."""
    used = np.flatnonzero(u != 0)
    if not len(used):
        return np.zeros(len(rows), np.int64)
    distinct, same = np.unique(rows[:, used], axis=0, return_inverse=True)
    values = _integers(distinct)[0] @ u[used]
    return np.array([(v > 0) - (v < 0) for v in values], np.int64)[same.ravel()]


def _full_rank(A: Array) -> bool:
    """Whether the columns are independent modulo a prime, and so at all."""
    A, m = (A % _PRIME).astype(np.int64), A.shape[1]
    for column in range(m):
        places = np.flatnonzero(A[column:, column] != 0)
        if not len(places):
            return False
        A[[column, column + places[0]]] = A[[column + places[0], column]]
        A[column] = A[column] * pow(int(A[column, column]), -1, _PRIME) % _PRIME
        A[column + 1 :] = (A[column + 1 :] - np.outer(A[column + 1 :, column], A[column]) % _PRIME) % _PRIME
    return True


def _null_space(A: Array) -> Array:
    """An integer basis of {v : A v = 0}, by elimination without fractions."""
    A, pivots, last = A.copy(), list[int](), 1
    for column in range(A.shape[1]):
        r = len(pivots)
        places: Array = np.flatnonzero(A[r:, column] != 0)
        if not len(places):
            continue
        A[[r, r + places[0]]] = A[[r + places[0], r]]
        row, pivot = A[r].copy(), A[r, column]
        A = (A * pivot - np.outer(A[:, column].copy(), row)) // last
        A[r], last = row, pivot
        pivots.append(column)
    free = [j for j in range(A.shape[1]) if j not in pivots]
    N = np.zeros((A.shape[1], len(free)), object)
    for k, j in enumerate(free):
        N[j, k] = last
        N[pivots, k] = -A[: len(pivots), j]
        N[:, k] //= gcd(*N[:, k])
    return N
