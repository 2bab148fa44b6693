"""Columns without penalty that no bound, or a bound on one side only, holds back.

Where nothing holds wⱼ back, Ω* is finite only at vⱼ = 0: the multipliers must balance. With a bound on one side, say
wⱼ ≥ lⱼ, Ω* is lⱼvⱼ for vⱼ ≤ 0 and +∞ beyond. A vⱼ clearly below 0, by more than rounding, owes nothing else: wⱼ* is at
its bound. Any other is taken as if there were no bound, which can only lower P*, and lowers it by nothing where wⱼ* is
inside. Where a common shift of all K scores changes no loss, Σₖ vⱼₖ = 0, and not all vⱼₖ can be clear: there a bound on
one side says nothing, because all classes may move together.

With A those columns and the intercept's ones, and cᵢ ≥ 0 the room that multiplier i has within its domain, R = yθ,

    R ← R − c·A G⁻¹ r,     G = 1/S Σ sᵢcᵢ aᵢaᵢᵀ,   r = 1/S Σ sᵢRᵢaᵢ

balances but for rounding. What is left is charged at |rⱼ|·Bⱼ. The multipliers know a bound Bⱼ ≥ |wⱼ*| themselves:
tilted, R ± σ c·A G⁻¹eⱼ has residual r = ±σeⱼ, so by Fenchel's inequality at w*

    P ≥ P(w*) ≥ D(tilted) ∓ σ wⱼ*,     hence  |wⱼ*| ≤ (P − D(tilted))/σ, the worse of the two signs;

σ is so small that every vⱼ that was clear stays on its side. The residual that R had before adds Q = Σ |rᵢ||wᵢ*| to
P − D. With Bⱼ = (P − D + δ)/σ all |wⱼ*| ≤ Bⱼ/(1 − q), q = Σ |rᵢ|Bᵢ over the least P − D + δ.

For K scores R has K columns that sum to 0 in each row; so must a tilt: eⱼ for class k, less its mean over the classes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from linsep.certify.intercept import settle
from linsep.certify.rounding import column_sums, rounding
from linsep.problem.joint_problem import JointProblem
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Dual, Problem
from linsep.types import BoolArray, FloatArray, IntArray

#: Columns to balance beyond which the argument is not made.
MOST = 200
#: How far a tilt goes, of the room that the multipliers have, and of what is clear.
_FAR = 0.5
#: Of 1/S Σ sᵢ|θᵢxᵢⱼ|: how far from 0 a v is that is clear.
_CLEAR = 1e-7
#: Of the largest multiplier: what is 0 but for rounding.
_NOTHING = 1e-12
#: δ of P.
_SLACK = 1e-4
#: Columns may cease to be clear when others are balanced: how often that is put right.
_ROUNDS = 10


@dataclass(frozen=True, eq=False)
class Unheld:
    """Weights that the multipliers balance, the shape of v, and B ≥ |w*| for them and the intercept, 0 elsewhere.

    exact: weights that have v = 0 without any rounding
    charge: what the intercept costs where no weight is loose
    """

    loose: BoolArray
    reach: FloatArray
    exact: BoolArray
    charge: float = 0.0


@dataclass(frozen=True, eq=False)
class _Frame:
    """A (n, m) with the intercept's ones last where it is free, which rows of v they are, and what of (m, K) must
    balance; room c, shares s/S, and G⁻¹; whether multipliers sum to 0 in each row."""

    A: FloatArray
    places: IntArray
    loose: BoolArray
    room: FloatArray
    share: FloatArray
    inverse: FloatArray
    shifts: bool

    def change(self, r: FloatArray) -> FloatArray:
        """c·A G⁻¹ r: (n, K) for r (m, K)."""
        if self.shifts:  # that r sums to 0 but for rounding is not enough before G⁻¹
            r = r - r.mean(axis=1, keepdims=True)
        return self.room[:, None] * (self.A @ (self.inverse @ r))

    def residual(self, R: FloatArray) -> FloatArray:
        """Of what must balance."""
        return np.where(self.loose, (self.A * self.share[:, None]).T @ R, 0.0)


def unheld(problem: Problem, dual: Dual, primal: float) -> tuple[Dual, Unheld] | None:
    """The multipliers balanced where they must be, and what bounds the weights there; None where their room is not
    enough.

    A row beyond its kink by rounding alone has a multiplier without room: where that is in the way, it is set to 0. So
    is that of a row of weight zero, which may be of any size.
    """
    if not problem.loss.offers("conjugate"):
        return None
    if problem.weights is not None:
        theta = np.where(problem.weights > 0.0, dual.theta.T, 0.0).T
        dual = replace(dual, theta=np.ascontiguousarray(theta))
    found = _found(problem, dual, primal)
    if found is not None or not isinstance(problem, MarginProblem):
        return found
    sizes = np.abs(dual.theta)
    nothing = sizes <= _NOTHING * sizes.max()
    if not dual.theta[nothing].any():
        return None
    return _found(problem, problem.dual(np.where(nothing, 0.0, dual.theta)), primal)


def _found(problem: Problem, dual: Dual, primal: float) -> tuple[Dual, Unheld] | None:
    loose = _loose(problem, dual)
    for _ in range(_ROUNDS):
        found = _balanced(problem, dual, loose)
        if found is None:
            return None
        more, exact = loose | _loose(problem, found), _untouched(problem, found)
        if not more.any() and not (problem.intercept and exact.any()):
            return _settled(problem, dual, Unheld(loose, np.zeros_like(dual.v), exact), primal)
        if (more == loose).all():
            reach = _reach(problem, found, loose, primal)
            return (found, Unheld(loose, reach, exact)) if np.isfinite(reach).all() else None
        loose = more
    return None


def _loose(problem: Problem, dual: Dual) -> BoolArray:
    """Weights without penalty whose v is not clearly on the side where a bound holds them."""
    v, d = dual.v[:-1], problem.design.d
    near = np.where(_untouched(problem, dual), 0.0, _CLEAR * column_sums(problem, dual.theta))
    if not _shifts(problem):
        return problem.penalty.loose(v, near)
    rises, falls = problem.penalty.sides(d)
    return np.asarray((rises | falls)[:, None] & (near > 0.0))


def _untouched(problem: Problem, dual: Dual) -> BoolArray:
    """Weights without penalty whose column is 0 in all rows with θ ≠ 0, or room for one: v is a sum of zeros, balanced
    to the bit."""
    sides = np.logical_or(*problem.penalty.sides(problem.design.d))
    candidates = np.flatnonzero((sides & (dual.v[:-1].T == 0.0)).reshape(-1, len(sides)).any(axis=0))
    untouched = np.zeros(dual.v[:-1].shape, dtype=bool)
    if 0 < len(candidates) <= MOST:
        units = np.zeros((problem.design.d + 1, len(candidates)))
        units[candidates, np.arange(len(candidates))] = 1.0
        present = (problem.design.scores(units) != 0.0).astype(np.float64)
        moving = (dual.theta.T != 0.0) | (_room(problem, dual.theta) > 0.0)
        moving &= True if problem.weights is None else problem.weights > 0.0
        untouched[candidates] = present.T @ moving.T == 0.0
    return untouched


def _balanced(problem: Problem, dual: Dual, loose: BoolArray) -> Dual | None:
    """The multipliers with v = 0 on the loose weights, if there are any, and the intercept, but for rounding.

    So they are for the intercept alone, where untouched columns must stay so: the means of the classes move all rows.
    """
    if not loose.any() and not (problem.intercept and _untouched(problem, dual).any()):
        return dual
    frame = _frame(problem, dual.theta, loose)
    if frame is None:
        return None
    R = _signed(problem, dual.theta)
    for _ in range(3):
        R = R - frame.change(frame.residual(R))
    theta = _signed(problem, R.reshape(dual.theta.shape)).reshape(dual.theta.shape)
    conjugate, magnitude = problem.conjugate_mean(theta)
    if not np.isfinite(conjugate) or not _allowed(problem, theta):
        return None
    return Dual(theta, _adjoint(problem, R), conjugate, magnitude)


def _settled(problem: Problem, dual: Dual, held: Unheld, primal: float) -> tuple[Dual, Unheld]:
    """Where the intercept at most must balance: its residual is settled by the means of the classes (intercept.py)."""
    if not problem.intercept:
        return dual, held
    charge, change = settle(problem, dual.v[-1], primal)
    share = problem.scale if problem.weights is None else problem.weights * problem.scale
    if problem.offset is not None:
        charge -= float(np.sum((change * problem.offset).T * share))
    v = dual.v - _adjoint(problem, change.reshape(problem.design.n, -1))
    v[-1] = 0.0
    return replace(dual, v=v), replace(held, charge=charge)


def _reach(problem: Problem, dual: Dual, loose: BoolArray, primal: float) -> FloatArray:
    """B, the shape of v with the intercept."""
    reach, frame = np.zeros_like(dual.v), _frame(problem, dual.theta, loose)
    if frame is None:
        return np.full_like(reach, inf)
    R, (m, k) = _signed(problem, dual.theta), frame.loose.shape
    wide, least = reach.reshape(len(reach), k), inf
    classes = np.eye(k) - (1.0 / k if _shifts(problem) else 0.0)
    for j, c in zip(*np.nonzero(frame.loose), strict=True):
        r = np.zeros((m, k))
        r[j] = classes[c]
        tilt = frame.change(r)
        size = float(np.abs(frame.A @ (frame.inverse @ r)).max())
        moved = _adjoint(problem, tilt)
        sigma = min(_FAR / size if size > 0.0 else inf, _clear(problem, dual.v[:-1], moved[:-1], loose))
        depth = _SLACK * abs(primal) + max(
            _depth(problem, R + s * sigma * tilt, dual.v[:-1] + s * sigma * moved[:-1], loose, primal)
            for s in (1.0, -1.0)
        )
        wide[frame.places[j], c] = depth / sigma if sigma > 0.0 else inf
        least = min(least, depth)
    sizes = np.abs(frame.A).max(axis=0)
    lost = rounding(problem, 1.0) * m * k * float((np.abs(frame.inverse) * np.outer(sizes, sizes)).max())
    lost += _left(problem, dual, reach) / least if least > 0.0 else inf
    return reach / (1.0 - lost) if lost < 0.5 else np.full_like(reach, inf)


def _left(problem: Problem, dual: Dual, reach: FloatArray) -> float:
    """Q: the residual and its rounding, times B."""
    unit = rounding(problem, 1.0)
    off = np.abs(dual.v)
    off[:-1] += unit * column_sums(problem, dual.theta)
    off[-1] += unit * float(np.abs(dual.theta).max())
    used = reach > 0.0
    return float(off[used] @ reach[used])


def _clear(problem: Problem, v: FloatArray, moved: FloatArray, loose: BoolArray) -> float:
    """The σ that takes no clear v more than part of its way to 0."""
    rises, falls = problem.penalty.sides(problem.design.d)
    clear = ((rises | falls) & ~loose.T).T & (moved != 0.0)
    return _FAR * float((np.abs(v[clear]) / np.abs(moved[clear])).min(initial=inf))


def _depth(problem: Problem, R: FloatArray, v: FloatArray, loose: BoolArray, primal: float) -> float:
    """P − D of tilted multipliers, without the term of the residual; scaled into the domain of Ω*."""
    theta = _signed(problem, R)
    shape = (problem.design.n, *problem.shape[1:])
    penalty, d = problem.penalty, problem.design.d
    a = penalty.l1(d) if v.ndim == 1 else penalty.l1(d)[:, None]
    v = np.where(loose, 0.0, v)
    must = penalty.domain_excess(v) != 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = float(np.where(must & (a > 0.0), a / np.abs(v), 1.0).min(initial=1.0))
    t *= 1.0 - 1e-12
    conjugate, _ = problem.conjugate_mean((t * theta).reshape(shape))
    depth = primal + conjugate + penalty.conjugate(t * v)
    return depth / t if np.isfinite(depth) else inf


def _frame(problem: Problem, theta: FloatArray, loose: BoolArray) -> _Frame | None:
    wide = loose.reshape(len(loose), -1)
    chosen = np.flatnonzero(wide.any(axis=1))
    if len(chosen) > MOST:
        return None
    places = np.append(chosen, [problem.design.d] * int(problem.intercept)).astype(np.int64)
    units = np.zeros((problem.design.d + 1, len(places)))
    units[places, np.arange(len(places))] = 1.0
    A = problem.design.scores(units)
    share = np.full(len(A), problem.scale) if problem.weights is None else problem.weights * problem.scale
    room = _room(problem, theta)
    G = (A * (room * share)[:, None]).T @ A
    scale = np.sqrt(np.maximum(G.diagonal(), 0.0))
    if not (scale > 0.0).all():
        return None
    values = np.linalg.eigvalsh(G / np.outer(scale, scale))
    if values[0] < 1e-11:
        return None
    inverse = np.linalg.inv(G / np.outer(scale, scale)) / np.outer(scale, scale)
    balanced = np.vstack([wide, np.ones((1, wide.shape[1]), dtype=bool)])[places]
    return _Frame(A, places, balanced, room, share, inverse, _shifts(problem))


def _adjoint(problem: Problem, R: FloatArray) -> FloatArray:
    """1/S Σ sᵢRᵢ[xᵢ 1], the shape of v."""
    share = problem.scale if problem.weights is None else (problem.weights * problem.scale)[:, None]
    return problem.design.adjoint(np.ascontiguousarray((R * share).reshape(problem.design.n, *problem.shape[1:])))


def _allowed(problem: Problem, theta: FloatArray) -> bool:
    """Whether one margin's multipliers are in the domain of ℓ*: compiled conjugates take that for granted."""
    if not isinstance(problem, MarginProblem):
        return True
    return bool(((theta >= problem.loss.dual_lower) & (theta <= problem.loss.dual_upper)).all())


def _room(problem: Problem, theta: FloatArray) -> FloatArray:
    """How far each row's multipliers are from the boundary of their domain, at most 1."""
    if isinstance(problem, MarginProblem):
        low, high = problem.loss.dual_lower, problem.loss.dual_upper
        return np.asarray(np.clip(np.minimum(theta - low, high - theta), 0.0, 1.0))
    assert isinstance(problem, JointProblem)
    if not _shifts(problem):
        return np.ones(len(theta))
    q = -theta
    q[np.arange(len(q)), problem.target] += 1.0
    return np.asarray(np.clip(q.min(axis=1), 0.0, 1.0))


def _shifts(problem: Problem) -> bool:
    return isinstance(problem, JointProblem) and problem.loss.shift_invariant


def _signed(problem: Problem, theta: FloatArray) -> FloatArray:
    """R = yθ as (n, K), and back."""
    if isinstance(problem, MarginProblem):
        return np.asarray(problem.target[:, None] * theta.reshape(-1, 1))
    return theta
