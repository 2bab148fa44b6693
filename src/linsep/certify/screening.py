"""Columns whose weight is certainly 0: gap-safe screening.

ℓ has second derivatives of at most L, so ℓ* is 1/L-strongly convex, and so is P* − D around the optimal multipliers:
with any θ, and D the lower bound it proves (charges included),

    1/2L · 1/S Σ sᵢ(θᵢ − θᵢ*)² ≤ P − D = gap,     |vⱼ − vⱼ*| ≤ √(1/S Σ sᵢxᵢⱼ²) · √(2L·gap).

wⱼ* = 0 wherever |vⱼ*| < αρfⱼ, and where a bound at 0 is in the way of the sign of vⱼ*. So a column whose v is nearer to
0 than the threshold by more than that distance has weight 0 at every optimum (Ndiaye, Fercoq, Gramfort, Salmon 2017).
"""

from __future__ import annotations

from math import isfinite, sqrt

import numpy as np

from linsep.certify.bound import Bound
from linsep.problem.joint_problem import JointProblem
from linsep.problem.problem import Problem
from linsep.types import BoolArray

#: Bounds of the second derivative of K-score losses, as a matrix.
_JOINT = {"softmax": 0.5, "one_of_k": 2.0}


def certainly_zero(problem: Problem, primal: float, bound: Bound) -> BoolArray:
    """For every column, whether all its weights are 0 at every optimum; nothing is known where all are False."""
    d, curvature = problem.design.d, _curvature(problem)
    gap = primal - bound.value + bound.allowance
    if bound.v is None or curvature is None or not isfinite(gap):
        return np.zeros(d, dtype=bool)
    weight = 1.0 if problem.weights is None else float(problem.weights.max())
    columns = np.sqrt(problem.design.column_squares * (weight * problem.scale))
    off = columns * sqrt(2.0 * curvature * max(gap, 0.0)) * (1.0 + 1e-9)
    v = bound.v[:-1].reshape(d, -1)
    a, (lower, upper) = problem.penalty.l1(d), problem.penalty.box(d)
    rise, fall = v.max(axis=1) + off < a, v.min(axis=1) - off > -a
    inside = (lower <= 0.0) & (upper >= 0.0)
    zero: BoolArray = inside & (rise | (upper == 0.0)) & (fall | (lower == 0.0)) & (problem.penalty.alpha > 0.0)
    held: BoolArray = zero & ((a > 0.0) | ((upper == 0.0) & (lower == 0.0)))
    return held


def _curvature(problem: Problem) -> float | None:
    """L: a bound of ℓ″."""
    if isinstance(problem, JointProblem):
        return _JOINT.get(problem.loss.name)
    curvature: float | None = getattr(problem.loss, "curvature", None)
    return curvature
