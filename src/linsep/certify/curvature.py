"""A lower bound without a penalty: strong convexity around the point.

Let H be a matrix below ∇²P wherever no score has moved by more than r, λ² = ∇Pᵀ H⁻¹ ∇P, and ρ the largest
‖xᵢ‖ in the norm of H⁻¹ (x with its 1 for the intercept). Steps p with ‖p‖_H ≤ r/ρ move no score by more than
r, so there P(w + p) ≥ P(w) + ⟨∇P, p⟩ + ½‖p‖²_H. If 2λρ ≤ r, P exceeds P(w) all around that ball: a minimiser
exists inside it, and

    P(w) − P* ≤ λ²/2.
"""

from __future__ import annotations

import numpy as np

from linsep.certify.bounds import NO_BOUND, Bound, rounding
from linsep.certify.certificate import Kind
from linsep.problem.linear_algebra import Factor, factor
from linsep.problem.problem import Point, Problem

_ROWS = 4096


def curvature_bound(problem: Problem, point: Point) -> Bound:
    """The bound at a point near the optimum, or none."""
    gradient = point.grad.ravel()
    radius = 0.0
    for _ in range(4):
        H = problem.hessian_floor(point, radius)
        if H is None:
            return NO_BOUND
        local = factor(H)
        whitened = local.whiten(gradient)
        decrement = float(np.sqrt(whitened @ whitened))
        if not local.full_rank and not _same_range(problem, local, point):
            return NO_BOUND
        needed = 2.0 * decrement * _largest_row(problem, local)
        if needed <= radius or decrement == 0.0:
            allowance = rounding(problem, abs(point.value))
            return Bound(point.value - 0.5 * decrement**2 - allowance, Kind.LOCAL_CURVATURE, allowance)
        radius = 1.1 * needed
    return NO_BOUND


def _largest_row(problem: Problem, local: Factor) -> float:
    """max over rows (and scores) of ‖x‖ in the norm of H⁻¹, block by block of rows."""
    size = problem.design.d + 1
    classes = 1 if len(problem.shape) == 1 else problem.shape[1]
    roots = local.inverse_root()  # (size·K, r): H⁻¹ = roots rootsᵀ
    largest = 0.0
    for k in range(classes):
        W = np.ascontiguousarray(roots.reshape(size, classes, -1)[:, k, :])
        if not problem.intercept:
            W[-1] = 0.0
        for low in range(0, problem.design.n, _ROWS):
            rows = np.arange(low, min(low + _ROWS, problem.design.n))
            scores = problem.design.rows(rows).scores(W)
            largest = max(largest, float(np.einsum("ij,ij->i", scores, scores).max()))
    return float(np.sqrt(largest))


def _same_range(problem: Problem, local: Factor, point: Point) -> bool:
    """A singular H will do if it is singular only where no score can change."""
    full = factor(problem.hessian(np.full_like(point.curve, 1.0 / point.curve.size)))
    return full.rank == local.rank if len(problem.shape) == 1 else False
