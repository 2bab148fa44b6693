"""A lower bound on hinge-like losses without a penalty, from multipliers that balance only up to rounding. NumPy alone.

The loss of row i is the largest of 0 and 1 − ⟨aᵢⱼ, w⟩, j = 1..C: for the hinge loss C = 1 and aᵢ = yᵢ[xᵢ 1], for that
of Crammer and Singer w holds K − 1 classes beside the last, and there is an aᵢⱼ = [xᵢ 1] ⊗ (e_y − e_k) for every other
class k. With θᵢⱼ ≥ 0, Σⱼ θᵢⱼ ≤ 1,

    Σ sᵢ maxⱼ max(0, 1 − ⟨aᵢⱼ, w⟩) ≥ Σ sᵢθᵢⱼ − ⟨r, w⟩,     r = Σ sᵢθᵢⱼaᵢⱼ,

for every w, so r must be 0 exactly. It lies in the span of the a with θ > 0. A row divides its weight sᵢ among its
alternatives, θᵢ₀ = 1 − Σⱼ θᵢⱼ for the loss 0 with aᵢ₀ = 0; a move takes δ of it from one that has some to the one that
has most, and r changes by δ(aᵢⱼ − aᵢₖ). Let m moves B span all a with θ > 0: then r = Σ_B δ(aᵢⱼ − aᵢₖ), δ real;
after these moves the multipliers balance exactly. So Σ sᵢθᵢⱼ − Σ|δ| is a bound if none of them falls below 0; a move
between two losses that are not 0 costs nothing. Nothing is known of w.

|δ| on m columns J, H = B_Jᵀ: with N about H⁻¹ and R = I − NH, ‖R‖ < 1, δ = Nr + Rδ gives |δ| ≤ |N||r| + |R|·q,
q = max(|N||r|)/(1 − ‖R‖). That B spans all a is proved by columns: there are m, or each of the others is a
combination of J, checked in exact arithmetic; or there are but m different a, up to the sign.
Columns are taken off their means and scaled by powers of two, which changes no span.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, inf
from typing import Any, NamedTuple

import numpy as np

from linsep.certify.independent.losses import Joint
from linsep.certify.independent.penalised import Bounds
from linsep.certify.independent.problems import Problems
from linsep.certify.independent.span import independent, spans

Array = np.ndarray[Any, Any]

_EPS = float(np.finfo(np.float64).eps)
_LONG = float(np.finfo(np.longdouble).eps)
_SAFE = 1.01  # makes up for the rounding of bounds themselves
_BLOCK = 1 << 18

#: Entries of all a up to which the argument is made, and the most moves and columns of H.
MOST_ENTRIES, MOST_RANK = 20_000_000, 2000


class Balanced(NamedTuple):
    """A lower bound on the mean loss, and how much it lost to the residual and to rounding."""

    value: float
    charge: float


@dataclass(frozen=True, eq=False)
class Alternatives:
    """aᵢⱼ (n, C, D) and the rows' weights; the columns are blocks of equal width, the intercept's last in each."""

    a: Array
    s: Array
    blocks: int = 1

    @classmethod
    def of_margins(cls, A: Array, s: Array) -> Alternatives:
        """The hinge loss, for rows A = y[X 1] (or yX)."""
        return cls(A[:, None, :], s)

    @classmethod
    def of_classes(cls, X: Array, own: Array, classes: int, s: Array) -> Alternatives:
        """Crammer and Singer's loss, for rows [X 1] (or X) and class numbers: a block for each class but the last."""
        n, C = len(X), classes - 1
        a = np.zeros((n, C, classes, X.shape[1]))
        np.put_along_axis(a, others(own, classes)[:, :, None, None], -X[:, None, None, :], axis=2)
        np.put_along_axis(a, np.broadcast_to(own[:, None, None, None], (n, C, 1, 1)), X[:, None, None, :], axis=2)
        return cls(np.ascontiguousarray(a[:, :, :-1]).reshape(n, C, -1), s, C)

    @property
    def flat(self) -> Array:
        """All a as rows."""
        return self.a.reshape(-1, self.a.shape[-1])

    def at(self, i: Array, k: Array) -> Array:
        """aᵢₖ, 0 for k = 0."""
        return np.where((k > 0)[:, None], self.a[i, np.maximum(k, 1) - 1], 0.0)

    def weighted(self, theta: Array) -> Array:
        """sᵢθᵢⱼ."""
        return np.where(self.s[:, None] > 0.0, self.s[:, None] * theta, 0.0)


def others(own: Array, classes: int) -> Array:
    """Every row's other classes, in order."""
    k = np.arange(classes - 1)
    return np.asarray(k + (k >= own[:, None]))


def shares(theta: Array) -> Array:
    """(n, 1 + C): θᵢ₀, at most what it is in exact arithmetic, and θ."""
    left = 1.0 - theta.sum(axis=1, keepdims=True) - (theta.shape[1] - 1) * _EPS
    return np.hstack([np.maximum(left, 0.0), theta])


@dataclass(frozen=True, eq=False)
class Basis:
    """Moves B, of row i from k to c, and what one of them is worth; columns J; means and powers of two of the columns;
    N about H⁻¹, |R| by rows, and whether B spans."""

    i: Array
    k: Array
    c: Array
    columns: Array
    means: Array
    units: Array
    inverse: Array
    error: Array
    spans: bool

    @property
    def worth(self) -> Array:
        """The loss that a move takes its weight from, at w = 0, less that which it gives it to."""
        return 1.0 * (self.k > 0) - 1.0 * (self.c > 0)


def balance_bound(rows: Alternatives, theta: Array) -> Balanced:
    """The bound for multipliers θ (n, C); −∞ where the argument fails."""
    nothing, C = Balanced(-inf, inf), rows.a.shape[1]
    if theta.shape != rows.a.shape[:2] or not (theta >= 0.0).all():
        return nothing
    if not (theta.sum(axis=1) <= 1.0 + 16.0 * (C - 1) * _EPS).all():  # the sums of several may be rounded
        return nothing
    total, reached = fsum(rows.s), rows.weighted(theta).ravel()
    if not reached.any():
        return Balanced(0.0, 0.0)
    value = fsum(reached) / total
    charge = (8.0 + 32.0 * (C - 1)) * _EPS * value
    if not rows.flat[reached > 0.0].any():  # r = 0
        return Balanced(value - charge, charge)
    basis = find_basis(rows, theta)
    if basis is None or not basis.spans:
        return nothing
    delta = _most_change(basis, *residual(rows, theta))
    if not _has_room(rows, theta, basis, delta):
        return nothing
    charge += _SAFE * fsum(np.abs(basis.worth) * delta) / total
    return Balanced(value - charge, charge)


def _has_room(rows: Alternatives, theta: Array, basis: Basis, delta: Array) -> bool:
    """Whether no share falls below 0 after moves of up to δ either way."""
    have = rows.s[:, None] * shares(theta) * (1.0 - 4.0 * _EPS)
    taken = np.zeros_like(have)
    for end in (basis.k, basis.c):
        np.add.at(taken, (basis.i, end), _SAFE * delta)
    return bool((taken[basis.i] <= have[basis.i]).all())


def entries(n: int, columns: int, classes: int = 2) -> int:
    """Of all a; the columns with that of ones."""
    return n * columns * (classes - 1) ** 2


def too_many(problems: Problems) -> bool:
    """Entries, for the argument."""
    classes = problems.loss.columns if isinstance(problems.loss, Joint) else 2
    return entries(len(problems.shares), problems.rows.d + 1, classes) > MOST_ENTRIES


def balance_bounds(problems: Problems, stored: Any) -> Bounds:
    """The bounds of problems that share their rows, from the multipliers of each."""
    blocks = [block.with_ones(problems.rows.d) for block in problems.rows.blocks(problems.chosen)]
    X, loss = np.vstack(blocks)[:, : problems.rows.d + int(problems.free)], problems.loss
    duals = [np.asarray(theta, np.float64) for theta in stored]
    if isinstance(loss, Joint):
        rows = Alternatives.of_classes(X, loss.own, loss.columns, problems.shares)
        inside = duals[0].shape == (len(X), loss.columns) and np.isfinite(loss.conjugate(duals[0])).all()
        theta = -np.take_along_axis(duals[0], others(loss.own, loss.columns), axis=1) if inside else np.empty(0)
        found = [balance_bound(rows, theta)]
    else:
        found = [
            balance_bound(Alternatives.of_margins(X * signs[:, None], problems.shares), theta.reshape(len(theta), -1))
            for signs, theta in zip(loss.signs.T, duals, strict=True)
        ]
    value, charge = np.array(found).T
    return Bounds(value, np.where(np.isfinite(value), charge, 0.0))


def corrected(rows: Alternatives, theta: Array, basis: Basis) -> Array:
    """θ after the moves Nr: it balances up to rounding, but may leave its domain."""
    r, _ = residual(rows, theta)
    delta = (basis.inverse @ _inside(basis, r).astype(np.float64)) / rows.s[basis.i]
    out = np.hstack([np.zeros((len(theta), 1)), theta])
    np.subtract.at(out, (basis.i, basis.k), delta)
    np.add.at(out, (basis.i, basis.c), delta)
    return out[:, 1:]


def residual(rows: Alternatives, theta: Array) -> tuple[Array, Array]:
    """Σ sᵢθᵢⱼaᵢⱼ in the longest precision there is, and what it can be off by."""
    A, C = rows.flat, theta.shape[1]
    used = np.flatnonzero(rows.weighted(theta))
    r, size = np.zeros(A.shape[1], np.longdouble), np.zeros(A.shape[1])
    step = max(1, _BLOCK // A.shape[1])
    for low in range(0, len(used), step):
        some = used[low : low + step]
        factors = rows.s[some // C].astype(np.longdouble) * theta.ravel()[some]
        r += (A[some] * factors[:, None]).sum(axis=0)
        size += np.abs(factors).astype(np.float64) @ np.abs(A[some])
    return r, _SAFE * (len(used) + 8.0) * _LONG * size


def off_means(A: Array, means: Array) -> Array:
    """A with multiples of each block's last column taken off the others: means (blocks, width)."""
    wide = A.reshape(*A.shape[:-1], *means.shape)
    return np.asarray((wide - means * wide[..., -1:]).reshape(A.shape))


def _inside(basis: Basis, r: Array) -> Array:
    """r on the columns J, off their means and in their units."""
    return np.asarray(np.ldexp(off_means(r, basis.means)[basis.columns], -basis.units))


def _most_change(basis: Basis, r: Array, error: Array) -> Array:
    """A bound on |δ|, move by move of B."""
    means = -np.abs(basis.means)
    error = off_means(error, means) + 8.0 * _LONG * off_means(np.abs(r), means).astype(np.float64)
    most = np.abs(_inside(basis, r)).astype(np.float64) + np.ldexp(error[basis.columns], -basis.units)
    first = _SAFE * np.abs(basis.inverse) @ (_SAFE * most)
    worst = float(basis.error.max(initial=0.0))
    if not worst < 0.5:
        return np.full(len(first), inf)
    return np.asarray(first + _SAFE * basis.error * first.max(initial=0.0) / (1.0 - worst))


# -- the moves that carry the correction --------------------------------------------------------------------


def find_basis(rows: Alternatives, theta: Array) -> Basis | None:
    """Independent moves, those of much weight first; None where there are none."""
    weight = shares(theta)
    most = weight.argmax(axis=1)
    room = np.where(rows.s[:, None] > 0.0, weight, 0.0)
    np.put_along_axis(room, most[:, None], 0.0, axis=1)
    i, k = np.nonzero(room)
    if not len(i):
        return None
    used = rows.flat[np.flatnonzero(rows.weighted(theta))]
    means, units = _frame(used, rows.blocks)
    moves = rows.at(i, k) - rows.at(i, most[i])
    inner = np.ldexp(off_means(moves, means), -units)
    B = independent(inner * np.clip(room[i, k], 0.02, 0.2)[:, None])
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
    return Basis(i[B], k[B], most[i[B]], J, means, units[J], N, error, spans(used, moves[B], J))


def _frame(A: Array, blocks: int) -> tuple[Array, Array]:
    """What to take off each column, in multiples of its block's last where that is ±1 or 0 throughout, and exponents of
    its size."""
    wide = A.reshape(len(A), blocks, -1)
    means, level = np.zeros(wide.shape[1:]), wide[..., -1]
    if wide.shape[2] > 1 and np.isin(level, (-1.0, 0.0, 1.0)).all():
        means = np.einsum("mbp,mb->bp", wide, level) / np.maximum((level * level).sum(axis=0), 1.0)[:, None]
        means[:, -1] = 0.0
    sizes = np.abs(off_means(A, means)).max(axis=0)
    return means, np.where(sizes > 0.0, np.frexp(sizes)[1], 0)
