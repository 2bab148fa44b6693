"""Columns that neither penalty nor bound holds back: their multipliers must balance, vⱼ = 0 for j in U.

With A the columns U and the intercept's ones, and cᵢ ≥ 0 the room that multiplier i has within its domain, R = yθ,

    R ← R − c·A G⁻¹ r,     G = 1/S Σ sᵢcᵢ aᵢaᵢᵀ,   r = 1/S Σ sᵢRᵢaᵢ

balances but for rounding. What is left is charged at |rⱼ|·Bⱼ. The multipliers know a bound Bⱼ ≥ |wⱼ*| themselves:
tilted, R ± σ c·A G⁻¹eⱼ has residual r = ±σeⱼ, so by Fenchel's inequality at w*

    P ≥ P(w*) ≥ D(tilted) ∓ σ wⱼ*,     hence  |wⱼ*| ≤ (P − D(tilted))/σ, the worse of the two signs.

For K scores R has K columns that sum to 0 in each row; so must a tilt: eⱼ for class k, less its mean over the classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from linsep.certify.rounding import rounding
from linsep.problem.joint_problem import JointProblem
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Dual, Problem
from linsep.types import BoolArray, FloatArray

#: Free columns beyond which the argument is not made.
MOST = 200
#: How far a tilt goes, of the room that the multipliers have.
_FAR = 0.5


@dataclass(frozen=True, eq=False)
class _Frame:
    """A (n, m) with the intercept's ones last where it is free, room c, shares s/S, and G⁻¹."""

    A: FloatArray
    room: FloatArray
    share: FloatArray
    inverse: FloatArray

    def change(self, r: FloatArray) -> FloatArray:
        """c·A G⁻¹ r: (n, K) for r (m, K)."""
        return self.room[:, None] * (self.A @ (self.inverse @ r))

    def residual(self, R: FloatArray) -> FloatArray:
        return np.asarray((self.A * self.share[:, None]).T @ R)


def balanced(problem: Problem, dual: Dual, free: BoolArray) -> Dual | None:
    """The multipliers balanced on the free columns and the intercept; None where their room is not enough."""
    frame = _frame(problem, dual.theta, free)
    if frame is None:
        return None
    R = _signed(problem, dual.theta)
    for _ in range(3):
        R = R - frame.change(frame.residual(R))
    theta = _signed(problem, R.reshape(dual.theta.shape)).reshape(dual.theta.shape)
    conjugate, magnitude = problem.conjugate_mean(theta)
    if not np.isfinite(conjugate) or not _allowed(problem, theta):
        return None
    share = frame.share if theta.ndim == 1 else frame.share[:, None]
    v = problem.design.adjoint(np.ascontiguousarray(R.reshape(theta.shape) * share))
    return Dual(theta, v, conjugate, magnitude)


def free_reach(problem: Problem, dual: Dual, free: BoolArray, primal: float) -> FloatArray:
    """Bⱼ ≥ |wⱼ*| for the free columns, then for the intercept: (m,), or (m, K)."""
    frame = _frame(problem, dual.theta, free)
    k = 1 if len(problem.shape) == 1 else int(problem.shape[1])
    shape = (int(free.sum()) + int(problem.intercept), *problem.shape[1:])
    if frame is None:
        return np.full(shape, inf)
    R, m = _signed(problem, dual.theta), frame.A.shape[1]
    reach = np.zeros((m, k))
    classes = np.eye(k) - (1.0 / k if _shifts(problem) else 0.0)
    for j in range(m):
        for c in range(k):
            r = np.zeros((m, k))
            r[j] = classes[c]
            steps = frame.change(r)
            size = np.abs(frame.A @ (frame.inverse @ r)).max()
            sigma = _FAR / float(size) if size > 0.0 else inf
            depths = (_depth(problem, R + s * sigma * steps, primal) for s in (1.0, -1.0))
            reach[j, c] = max(depths) / sigma
    lost = rounding(problem, 1.0) * m * k * float(np.abs(frame.inverse).max() * np.abs(frame.A).max() ** 2)
    factor = 1.0 / (1.0 - lost) if lost < 0.5 else inf
    return (factor * reach).reshape(shape)


def _depth(problem: Problem, R: FloatArray, primal: float) -> float:
    """P − D of tilted multipliers, without the term of the residual; scaled into the domain of Ω*."""
    theta = _signed(problem, R)
    shape = (problem.design.n, *problem.shape[1:])
    share = problem.scale if problem.weights is None else (problem.weights * problem.scale)[:, None]
    v = problem.design.adjoint(np.ascontiguousarray((R * share).reshape(shape)))[:-1]
    penalty, d = problem.penalty, problem.design.d
    free, a = penalty.free(d), penalty.l1(d) if v.ndim == 1 else penalty.l1(d)[:, None]
    v[free] = 0.0
    must = penalty.domain_excess(v) != 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = float(np.where(must & (a > 0.0), a / np.abs(v), 1.0).min(initial=1.0))
    t *= 1.0 - 1e-12
    conjugate, _ = problem.conjugate_mean((t * theta).reshape(shape))
    depth = primal + conjugate + penalty.conjugate(t * v)
    return depth / t if np.isfinite(depth) else inf


def _frame(problem: Problem, theta: FloatArray, free: BoolArray) -> _Frame | None:
    chosen = np.flatnonzero(free)
    if len(chosen) > MOST:
        return None
    units = np.zeros((problem.design.d + 1, len(chosen) + int(problem.intercept)))
    units[chosen, np.arange(len(chosen))] = 1.0
    if problem.intercept:
        units[-1, -1] = 1.0
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
    return _Frame(A, room, share, inverse)


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
