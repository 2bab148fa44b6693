"""A lower bound on the hinge loss without a penalty, from multipliers that balance only up to rounding. NumPy alone.

With aᵢ = yᵢ[xᵢ 1] and θ in [0, 1],

    Σ sᵢ max(0, 1 − ⟨aᵢ, w⟩) ≥ Σ sᵢθᵢ − ⟨r, w⟩,     r = Σ sᵢθᵢaᵢ,

for every w, so r must be 0 exactly. It lies in the span of the rows with θ > 0. Let m rows B with 0 < θ < 1 span them
all: then r = Σ_B δᵢaᵢ for some real δ, and sθ − δ balances exactly. So Σ sᵢθᵢ − Σ|δᵢ| is a bound if sθ − δ stays
within [0, s]. Nothing is known of w.

|δ| on m columns J, H = a_BJᵀ: with N about H⁻¹ and R = I − NH, ‖R‖ < 1, δ = Nr + Rδ gives |δ| ≤ |N||r| + |R|·q,
q = max(|N||r|)/(1 − ‖R‖). That B spans all rows is proved by columns: there are m, or each of the others is a
combination of J, checked in exact arithmetic; or there are but m different rows, up to the sign.
Columns are taken off their means and scaled by powers of two, which changes no span.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import fsum, inf, lcm
from typing import Any, NamedTuple

import numpy as np

from linsep.certify.independent.losses import Margins
from linsep.certify.independent.penalised import Bounds
from linsep.certify.independent.problems import Problems

Array = np.ndarray[Any, Any]

_EPS = float(np.finfo(np.float64).eps)
_LONG = float(np.finfo(np.longdouble).eps)
_DEPENDENT = 1e-10  # of a row's length, below which what is left of it is rounding
_SAFE = 1.01  # makes up for the rounding of bounds themselves
_BLOCK = 1 << 18

#: Entries of [X 1] up to which the argument is made, and the most rows and columns of H.
MOST_ENTRIES, MOST_RANK = 20_000_000, 2000


class Balanced(NamedTuple):
    """A lower bound on the mean loss, and how much it lost to the residual and to rounding."""

    value: float
    charge: float


@dataclass(frozen=True, eq=False)
class Basis:
    """Rows B and columns J; means and powers of two of the columns; N about H⁻¹, |R| by rows, and whether B spans."""

    rows: Array
    columns: Array
    means: Array
    units: Array
    inverse: Array
    error: Array
    spans: bool


def balance_bound(A: Array, s: Array, theta: Array) -> Balanced:
    """The bound for rows A = y[X 1] (or yX) of weights s; −∞ where the argument fails."""
    nothing = Balanced(-inf, inf)
    if theta.shape != s.shape or not ((theta >= 0.0) & (theta <= 1.0)).all():
        return nothing
    total, reached = fsum(s), _weighted(s, theta)
    if not reached.any():
        return Balanced(0.0, 0.0)
    value = fsum(reached) / total
    if not A[reached > 0.0].any():  # r = 0
        return Balanced(value * (1.0 - 8.0 * _EPS), 8.0 * _EPS * value)
    basis = find_basis(A, s, theta)
    if basis is None or not basis.spans:
        return nothing
    delta = _most_change(basis, *residual(A, s, theta))
    room = s[basis.rows] * np.minimum(theta[basis.rows], 1.0 - theta[basis.rows]) * (1.0 - 4.0 * _EPS)
    if not (delta <= room).all():
        return nothing
    charge = _SAFE * fsum(delta) / total + 8.0 * _EPS * value
    return Balanced(value - charge, charge)


def too_many(problems: Problems) -> bool:
    """Entries, for the argument."""
    return len(problems.shares) * (problems.rows.d + 1) > MOST_ENTRIES


def balance_bounds(problems: Problems, stored: Any) -> Bounds:
    """The bounds of problems that share their rows, from the multipliers of each."""
    assert isinstance(problems.loss, Margins)
    rows = [block.with_ones(problems.rows.d) for block in problems.rows.blocks(problems.chosen)]
    X = np.vstack(rows)[:, : problems.rows.d + int(problems.free)]
    found = [
        balance_bound(X * signs[:, None], problems.shares, np.asarray(theta, np.float64))
        for signs, theta in zip(problems.loss.signs.T, stored, strict=True)
    ]
    value, charge = np.array(found).T
    return Bounds(value, np.where(np.isfinite(value), charge, 0.0))


def corrected(A: Array, s: Array, theta: Array, basis: Basis) -> Array:
    """θ with Nr taken off the rows B: it balances up to rounding, but may leave [0, 1]."""
    r, _ = residual(A, s, theta)
    out = theta.copy()
    out[basis.rows] -= (basis.inverse @ _inside(basis, r).astype(np.float64)) / s[basis.rows]
    return out


def _weighted(s: Array, theta: Array) -> Array:
    return np.where(s > 0.0, s * theta, 0.0)


def residual(A: Array, s: Array, theta: Array) -> tuple[Array, Array]:
    """Σ sᵢθᵢaᵢ in the longest precision there is, and what it can be off by."""
    used = np.flatnonzero(_weighted(s, theta))
    r, size = np.zeros(A.shape[1], np.longdouble), np.zeros(A.shape[1])
    step = max(1, _BLOCK // A.shape[1])
    for low in range(0, len(used), step):
        rows = used[low : low + step]
        factors = s[rows].astype(np.longdouble) * theta[rows]
        r += (A[rows] * factors[:, None]).sum(axis=0)
        size += np.abs(factors).astype(np.float64) @ np.abs(A[rows])
    return r, _SAFE * (len(used) + 8.0) * _LONG * size


def _inside(basis: Basis, r: Array) -> Array:
    """r on the columns J, off their means and in their units."""
    return np.asarray(np.ldexp((r - basis.means * r[-1])[basis.columns], -basis.units))


def _most_change(basis: Basis, r: Array, error: Array) -> Array:
    """A bound on |δ|, row by row of B."""
    terms = np.abs(r) + np.abs(basis.means * r[-1])
    error = error + np.abs(basis.means) * error[-1] + 8.0 * _LONG * terms.astype(np.float64)
    most = np.abs(_inside(basis, r)).astype(np.float64) + np.ldexp(error[basis.columns], -basis.units)
    first = _SAFE * np.abs(basis.inverse) @ (_SAFE * most)
    worst = float(basis.error.max(initial=0.0))
    if not worst < 0.5:
        return np.full(len(first), inf)
    return np.asarray(first + _SAFE * basis.error * first.max(initial=0.0) / (1.0 - worst))


# -- the rows that carry the correction ---------------------------------------------------------------------


def find_basis(A: Array, s: Array, theta: Array) -> Basis | None:
    """Independent rows with θ inside (0, 1), those far inside first; None where there are none."""
    used = np.flatnonzero(_weighted(s, theta))
    room = np.minimum(theta, 1.0 - theta)[used]
    free = used[room > 0.0]
    if not len(free):
        return None
    means, units = _frame(A[used])
    inner = np.ldexp(A[free] - means * A[free, -1:], -units)
    B = independent(inner * np.clip(room[room > 0.0], 0.02, 0.2)[:, None])
    J = independent(inner[B].T)
    if len(J) != len(B) or not len(B) or len(B) > MOST_RANK:
        return None
    H = np.ascontiguousarray(inner[np.ix_(B, J)].T)
    try:
        N = np.linalg.inv(H)
    except np.linalg.LinAlgError:
        return None
    m, off = len(B), np.abs(np.eye(len(B)) - N @ H).sum(axis=1)
    error = _SAFE * (off + (m + 8.0) * _EPS * (np.abs(N) @ np.abs(H).sum(axis=1) + 1.0))
    return Basis(free[B], J, means, units[J], N, error, _spans(A[used], A[free[B]], J))


def _frame(A: Array) -> tuple[Array, Array]:
    """What to take off each column, in multiples of the last where that is ±1 throughout, and exponents of its size."""
    means = np.zeros(A.shape[1])
    if A.shape[1] > 1 and (np.abs(A[:, -1]) == 1.0).all():
        means[:-1] = (A[:, :-1] * A[:, -1:]).mean(axis=0)
    sizes = np.abs(A - means * A[:, -1:]).max(axis=0)
    return means, np.where(sizes > 0.0, np.frexp(sizes)[1], 0)


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


def _spans(A: Array, chosen: Array, J: Array) -> bool:
    """Whether the rank of A is at most that of the chosen rows, which are independent: proved, not estimated."""
    others = np.setdiff1d(np.flatnonzero(A.any(axis=0)), J)
    if not len(others) or _different(A) <= len(chosen):
        return True
    try:
        C = np.linalg.solve(chosen[:, J], chosen[:, others])
    except np.linalg.LinAlgError:
        return False
    return all(_combines(A, J, int(k), c) for k, c in zip(others, C.T, strict=True))


def _different(A: Array) -> int:
    """The number of rows that are different and not each other's negative."""
    first = A[np.arange(len(A)), (A != 0.0).argmax(axis=1)]
    return len(np.unique(A * np.where(first < 0.0, -1.0, 1.0)[:, None] + 0.0, axis=0))


def _combines(A: Array, J: Array, k: int, c: Array) -> bool:
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
