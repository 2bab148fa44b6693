"""A lower bound by strong convexity around the point: without a penalty, and where the dual's rounding is too coarse.

Let H be a matrix below ∇²P wherever no score has moved by more than r, λ² = ∇Pᵀ H⁻¹ ∇P, and ρ the largest
‖xᵢ‖ in the norm of H⁻¹ (x with its 1 for the intercept). Steps p with ‖p‖_H ≤ r/ρ move no score by more than
r, so there P(w + p) ≥ P(w) + ⟨∇P, p⟩ + ½‖p‖²_H. If 2λρ ≤ r, P exceeds P(w) all around that ball: a minimiser
exists inside it, and

    P(w) − P* ≤ λ²/2.

ρ is found exactly, or for less as ‖x‖ ≤ Σⱼ|xⱼ|σⱼ ≤ √(m Σⱼ xⱼ²σⱼ²), σⱼ = ‖eⱼ‖ in that norm, m the entries of x: that is
enough where Newton has come near, for λ falls as its square. H is formed and factored, which sets the limit: with more
than `MOST_UNKNOWNS` weights the matrices at work would need more than about 4 GiB, and there is no bound.

Scores are rounded by δ ≤ ε Σⱼ|wⱼxᵢⱼ|. That changes P by Σ sᵢ|θᵢ|δᵢ/S at most, and ∇P by Xᵀ(c δ), whose length in the
norm of H⁻¹ is at most √(Σ cᵢδᵢ²), c = sℓ″/S; the sums in ∇P add their own. In that norm the rounding of a large column
is small, where the dual has its square over 2α.

The sums in H are off by ε√(HᵢᵢHⱼⱼ). As |xⱼ| ≤ σⱼ‖x‖_H, that changes ‖x‖²_H by the share η = ε(Σⱼ σⱼ√Hⱼⱼ)² at most:
(1 − η)H is below ∇²P for certain. Where columns all but depend on each other η is large, and there is no bound.
"""

from __future__ import annotations

import numpy as np

from linsep.certify.bounds import NO_BOUND, Bound, column_sums, rounding, value_rounding
from linsep.certify.certificate import Kind
from linsep.problem.linear_algebra import Factor, factor
from linsep.problem.problem import Point, Problem
from linsep.types import FloatArray

_ROWS = 4096
#: Weights with their intercepts at most: eight matrices of that size, about what is held at once, are 4 GiB.
MOST_UNKNOWNS = 8_192
#: A radius that costs H next to nothing.
_NEAR = 0.01
#: A radius beyond which no loss has much curvature left.
_FAR = 10.0
#: Products up to which ρ is found exactly where the inequality is too coarse.
_MOST_WORK = 1 << 40
#: What rounding may leave of H, at least.
_CERTAIN = 0.5


def formable(problem: Problem) -> bool:
    """Whether ∇²P fits into memory as a matrix."""
    return int(np.prod(problem.shape)) <= MOST_UNKNOWNS


def curvature_bound(problem: Problem, point: Point, before: Factor | None = None) -> Bound:
    """The bound at a point near the optimum, or none; before: the factor of a ∇²P near the point's, if there is one."""
    if not formable(problem):
        return NO_BOUND
    gradient = _steepest(problem, point).ravel()
    theta = problem.dual_point(point.scores)
    sums = column_sums(problem, theta)
    noise = rounding(problem, abs(point.value)) + value_rounding(problem, point.w, theta)
    radius = 0.0
    if before is not None:
        decrement = float(np.linalg.norm(before.whiten(gradient)))
        radius = 2.5 * decrement * _largest_row(problem, before.inverse_root(), decrement)
        if not radius <= _FAR:
            return NO_BOUND
    for _ in range(4):
        roots = _certain_roots(problem, point, radius)
        if roots is None:
            return NO_BOUND
        square = float(np.square(roots.T @ gradient).sum())
        decrement = float(np.sqrt(square)) + _gradient_rounding(problem, point, roots, sums)
        needed = 2.0 * decrement * _largest_row(problem, roots, decrement)
        if needed <= radius:
            allowance = noise + 0.5 * (decrement**2 - square)
            return Bound(point.value - 0.5 * square - allowance, Kind.LOCAL_CURVATURE, allowance)
        radius = 1.1 * needed
    return NO_BOUND


def _certain_roots(problem: Problem, point: Point, radius: float) -> FloatArray | None:
    """Roots of the inverse of what rounding leaves of H, (1 − η)H; None where that is not enough."""
    H = problem.hessian_floor(point, radius)
    if H is None:
        return None
    lengths = np.sqrt(np.maximum(H.diagonal(), 0.0))
    local = factor(H, certain=True)
    del H
    if not local.full_rank and not _same_range(problem, local, point):
        return None
    roots = local.inverse_root()
    sigma = np.sqrt(np.einsum("jr,jr->j", roots, roots))
    certain = 1.0 - rounding(problem, float(sigma @ lengths) ** 2)
    if not certain >= _CERTAIN:
        return None
    roots /= np.sqrt(certain)
    return roots


def _steepest(problem: Problem, point: Point) -> FloatArray:
    """∇P, or in its place the subgradient nearest to 0: Ω(w + p) ≥ Ω(w) + ⟨z, p⟩ for z in ∂Ω(w)."""
    if problem.penalty.ridge:
        return point.grad
    gradient = point.grad.copy()
    gradient[:-1] -= problem.penalty.gradient(point.w[:-1])
    gradient[:-1] += problem.penalty.subgradient(point.w[:-1], gradient[:-1])
    return gradient


def _gradient_rounding(problem: Problem, point: Point, roots: FloatArray, sums: FloatArray) -> float:
    """How far off the Newton decrement may be."""
    unit = rounding(problem, 1.0)
    added = np.vstack([sums.reshape(problem.design.d, -1), np.full((1, roots.shape[0] // (problem.design.d + 1)), 1.0)])
    columns = np.sqrt(problem.design.column_squares / problem.design.n)
    w = np.abs(point.w).reshape(problem.design.d + 1, -1).max(axis=1)
    used = columns > 0.0
    share = np.divide(w[:-1], columns, out=np.zeros_like(columns), where=used)
    rows = problem.design.row_norms(share) * float(w[:-1] @ columns) + w[-1] ** 2
    curve = problem.class_curves(point.curve).sum(axis=1)
    return unit * (float(np.linalg.norm(np.abs(roots).T @ added.ravel())) + float(np.sqrt(2.0 * np.abs(curve) @ rows)))


def _largest_row(problem: Problem, roots: FloatArray, decrement: float) -> float:
    """At least the max over rows (and scores) of ‖x‖ in the norm of H⁻¹; exactly where more may be too coarse."""
    size = problem.design.d + 1
    classes = 1 if len(problem.shape) == 1 else problem.shape[1]
    sigma = np.einsum("jr,jr->j", roots, roots).reshape(size, classes).max(axis=1)
    rows = problem.design.row_norms(sigma[:-1]) + float(problem.intercept) * sigma[-1]
    largest = float(np.sqrt((problem.design.most_entries + 1.0) * rows.max()))
    if 2.0 * decrement * largest <= _NEAR or problem.design.n * classes * roots.size > _MOST_WORK:
        return largest
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
    """Without a penalty a singular H will do if it is singular only where no loss can change.

    Losses change with [X 1]p: that is rank [X 1] dimensions, times K − 1 where a common shift of all K scores changes
    nothing; the d + 1 shifts of the columns have a curvature of their own (`Problem.hessian`).
    """
    if problem.alpha > 0.0 or not problem.penalty.ridge:
        return False
    counted = np.ones(problem.design.n) if problem.weights is None else 1.0 * (problem.weights > 0.0)
    rows = problem.design.gram(counted / problem.design.n)
    if not problem.intercept:
        rows[:, -1] = 0.0
        rows[-1, -1] = 1.0
    size, rank = len(rows), factor(rows, certain=True).rank
    return local.rank == (rank if len(problem.shape) == 1 else rank * (problem.shape[1] - 1) + size)
