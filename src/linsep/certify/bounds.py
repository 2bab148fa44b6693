"""Lower bounds on the optimum.

With a penalty: the dual value at multipliers θ (problem/problem.py has the formula). The point decides whether
the bound is worth anything. θ = −ℓ′ alone leaves ‖∇P‖²/2α; linearised along a Newton step p,

    θ = −ℓ′ − ℓ″·[X 1]p,     v = α(w + p) − r,   r = ∇²P p + ∇P,

so what is left is ‖r‖²/2α and terms of third order. The free intercept demands Σ sᵢθᵢyᵢ = 0, which clipping
and rounding break: first the multipliers of the class in excess are shrunk (`Problem.dual`), then what is left is
charged at |r_b|·B with B ≥ |b*| from the level set of P.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, log2, sqrt

import numpy as np

from linsep.certify.certificate import Kind
from linsep.problem.joint_problem import JointProblem
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Dual, Point, Problem
from linsep.types import FloatArray

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Bound:
    """A lower bound on P*, the multipliers that prove it, and its share of rounding."""

    value: float
    kind: Kind
    allowance: float = 0.0
    theta: FloatArray | None = None


NO_BOUND = Bound(-inf, Kind.NONE)


def dual_bound(problem: Problem, dual: Dual, primal: float) -> Bound:
    """D(θ) less the charge for the intercept's residual and for rounding; `primal` is any value of P.

    Rounding covers the sums of D and P, and that of the scores ⟨x, w⟩ and of v, whose terms may be far larger than
    the sums (`_products`).
    """
    quadratic = problem.penalty.conjugate(dual.v[:-1])
    gap = primal + dual.conjugate + quadratic
    allowance = rounding(problem, dual.magnitude + quadratic + abs(primal) + 2.0 * _products(problem, dual, gap))
    charge = residual = 0.0
    if problem.intercept:
        reach = intercept_reach(problem, primal)
        charge = float(np.abs(dual.v[-1]).sum()) * reach
        residual = min(charge, rounding(problem, reach))  # the part of the charge that is rounding
    value = -dual.conjugate - quadratic - allowance - charge
    return Bound(value, Kind.DUALITY_GAP, allowance + residual, dual.theta) if isfinite(value) else NO_BOUND


def _products(problem: Problem, dual: Dual, gap: float) -> float:
    """At least 1/S Σ sᵢ|θᵢ| Σⱼ|wⱼxᵢⱼ| with w = v/α: by Cauchy and Schwarz Σⱼ |wⱼ|·√(Σᵢ xᵢⱼ²)·√(Σᵢ (sᵢθᵢ/S)²).

    Once more by Cauchy and Schwarz, ‖w‖·√(Σ xᵢⱼ²) is no less than the sum over j; it serves where even so rounding is
    next to nothing beside the gap.
    """
    share = problem.scale if problem.weights is None else problem.weights * problem.scale
    spread = np.sqrt(np.square(dual.theta.T * share).sum(axis=-1))
    v = dual.v[:-1]
    columns = sqrt(problem.design.scan.squares) * np.sqrt(np.einsum("j...,j...->...", v, v))
    if 2.0 * rounding(problem, float(np.sum(columns * spread)) / problem.alpha) > 0.01 * gap:
        columns = np.sqrt(problem.design.column_squares) @ np.abs(v)
    return float(np.sum(columns * spread)) / problem.alpha


def plain_bound(problem: Problem, w: FloatArray) -> Bound:
    """The bound at θ = −ℓ′(w): valid anywhere, worth little far from the optimum. For a fit that was cut short."""
    if problem.alpha == 0.0 or not problem.loss.convex:
        return NO_BOUND
    scores = problem.design.scores(w)
    primal = problem.value(w, scores)
    if not problem.loss.offers("conjugate"):
        return dual_bound(problem, problem.dual_at(scores), primal)
    return dual_bound(problem, problem.dual(problem.dual_point(scores, None)), primal)


def nonnegative(problem: Problem) -> Bound:
    """P ≥ 0, by θ = 0: tight without a penalty where a hinge-like loss vanishes on every row."""
    if not problem.loss.attained:
        return NO_BOUND
    theta = np.zeros(problem.design.n if len(problem.shape) == 1 else (problem.design.n, problem.shape[1]))
    return Bound(0.0, Kind.DUALITY_GAP, rounding(problem, 1.0), theta)


def newton_bound(problem: Problem, point: Point, u: FloatArray, new: Point) -> Bound:
    """The bound after a Newton step from `point` along scores u to `new`.

    A loss without a conjugate is bounded at the new point's own θ = −ℓ′.
    """
    if problem.alpha == 0.0:
        return NO_BOUND
    if not problem.loss.offers("conjugate"):
        return dual_bound(problem, problem.dual_at(new.scores), new.value)
    return dual_bound(problem, problem.dual(problem.dual_point(point.scores, u)), new.value)


def rounding(problem: Problem, magnitude: float) -> float:
    """What summing n terms of this magnitude in blocks, and dots of d terms, can be off by."""
    return _EPS * (8.0 + log2(problem.design.n + 1.0) + log2(problem.design.d + 1.0)) * magnitude


def intercept_reach(problem: Problem, primal: float) -> float:
    """B ≥ |b*|, from P(w*, b*) ≤ P.

    ‖w*‖ ≤ √(2P/α). The loss lies above its tangent at 0, so by Jensen's inequality the mean margin of class k
    (with share S_k/S of the weight) is at least −(P S/S_k − ℓ(0)) / |ℓ′(0)|; the mean score of its rows is
    ⟨x̄_k, w*⟩ + b*, and ‖x̄_k‖ is bounded by the norms of the class means.
    """
    if problem.alpha == 0.0 or not isfinite(primal):
        return inf
    shares, mean_norms = class_facts(problem)
    radius = sqrt(2.0 * max(primal, 0.0) / problem.alpha)
    if isinstance(problem, MarginProblem):
        at_zero = np.zeros(1)
        start, slope = float(problem.loss.value(at_zero)[0]), abs(float(problem.loss.d1(at_zero)[0]))
        if slope == 0.0:
            return inf
        depth = np.maximum(primal / shares - start, 0.0) / slope
        return float((depth + mean_norms * radius).max())
    assert isinstance(problem, JointProblem)
    # |b_j − b_k| ≤ P S/S_k + ‖x̄_k‖·√2‖W‖ for losses with ℓ ≥ z_j − z_y; squares: |mean z_k| ≤ 1 + √P.
    return float((primal / shares + 1.0 + sqrt(max(primal, 0.0)) + sqrt(2.0) * mean_norms * radius).max())


def class_facts(problem: Problem) -> tuple[FloatArray, FloatArray]:
    """For every class its share of the weight and the norm of its mean row (one pass, remembered)."""
    known: tuple[FloatArray, FloatArray] | None = problem.__dict__.get("_class_facts")
    if known is None:
        codes = problem.target if isinstance(problem, JointProblem) else (problem.target > 0).astype(np.int64)
        count = int(problem.shape[1]) if isinstance(problem, JointProblem) else 2
        share = problem.scale if problem.weights is None else problem.weights * problem.scale
        shares = np.bincount(codes, weights=np.broadcast_to(share, codes.shape), minlength=count)
        # ‖x̄_k‖ ≤ the root mean square of its rows' norms
        squares = np.bincount(codes, weights=problem.design.row_norms() * share, minlength=count)
        tiny = np.finfo(np.float64).tiny
        known = (np.maximum(shares, tiny), np.sqrt(squares / np.maximum(shares, tiny)))
        object.__setattr__(problem, "_class_facts", known)
    return known
