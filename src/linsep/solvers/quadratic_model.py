"""The penalised quadratic model of proximal Newton, and its minimiser on a working set of columns.

    m(z) = ⟨∇L, z − w⟩ + ½ (z − w)ᵀ ∇²L (z − w) + Ω(z),     L the mean loss, intercepts free and part of z.

| model          | ∇²L                                             | for                                        |
|----------------|-------------------------------------------------|--------------------------------------------|
| FormedModel    | a matrix, formed in one pass; all columns       | few weights                                |
| ColumnModel    | columns √c·x of the working set, packed         | one margin, or 1 of K: class by class      |
| SoftmaxModel   | columns of the working set, all K scores at once | softmax                                    |

All are minimised by coordinate descent (kernels/primal.hpp). A call goes on where the last one ended, so accuracy can
be asked for in parts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from linsep.kernels import native
from linsep.problem.joint_problem import JointProblem
from linsep.problem.problem import Point, Problem
from linsep.solvers.column_descent import ColumnDescent, PackedColumns
from linsep.solvers.descent import Terms, descend
from linsep.types import BoolArray, FloatArray, IntArray

#: Weights up to which ∇²L is formed: beyond, columns are swept. Dense rows have more to win from products of matrices.
FORMED, FORMED_DENSE = 1000, 2000
#: What a weight may change the scores of its rows by in one step over columns.
_SCORE = 10.0
#: Mean of ℓ″x² beside that of x² below which a column has lost its curvature.
_LOST = 1e-6
_TINY = float(np.finfo(np.float64).tiny)


def is_formed(problem: Problem) -> bool:
    weights = (problem.design.d + 1) * _classes(problem)
    most = FORMED if problem.design.sparse or _classes(problem) > 1 else FORMED_DENSE
    return weights <= most


def model_at(problem: Problem, point: Point, working: IntArray) -> QuadraticModel:
    """The model at the point, over the columns of the working set."""
    if is_formed(problem):
        return FormedModel(problem, point, problem.loss_hessian(point.curve))
    if isinstance(problem, JointProblem) and problem.loss.name == "softmax":
        return SoftmaxModel(problem, point, working)
    return ColumnModel(problem, point, working)


class QuadraticModel(ABC):
    """z: the best weights so far, the shape of w."""

    z: FloatArray

    @abstractmethod
    def minimise(self, violation: float, sweeps: int) -> float:
        """Coordinate descent until no slope is off by more than the violation; what is left of it is returned."""


class FormedModel(QuadraticModel):
    """∇²L as a matrix H, or what stands for it; the intercepts are minimised out: H_ww − H_wb H_bb⁺ H_bw."""

    def __init__(self, problem: Problem, point: Point, full: FloatArray) -> None:
        k, size = _classes(problem), problem.design.d * _classes(problem)
        g = loss_gradient(problem, point).ravel()
        H, slope = full[:size, :size], g[:size]
        self._solve = np.zeros((k, size + 1))  # the change of b is −solve·(p, 1)
        if problem.intercept:
            inverse = np.linalg.pinv(full[size:, size:], rcond=1e-10, hermitian=True)
            self._solve = np.asarray(inverse @ np.column_stack([full[size:, :size], g[size:]]), dtype=np.float64)
            H = H - full[:size, size:] @ self._solve[:, :size]
            slope = slope - full[:size, size:] @ self._solve[:, size]
        # a column that is constant beside an intercept has lost its curvature to rounding
        diagonal = H.diagonal()
        H = np.ascontiguousarray(H) if H.base is not None else H
        H.ravel()[:: size + 1] = np.maximum(diagonal, 1e-14 * full.diagonal()[:size] + _TINY)
        self._H, self._point = H, point
        reach = np.where(self._lost(problem, full), np.repeat(_reach(problem, slice(None)), k), np.inf)
        self._terms = Terms.of(problem, point.w[:-1], slope, slice(None)).within(reach)
        self.z = point.w

    @staticmethod
    def _lost(problem: Problem, full: FloatArray) -> BoolArray:
        """Columns whose rows have next to no curvature here, beside their squares."""
        squares = np.repeat(problem.design.column_squares / problem.design.n, _classes(problem))
        return np.asarray(full.diagonal()[: len(squares)] <= _LOST * squares)

    def minimise(self, violation: float, sweeps: int) -> float:
        t = self._terms
        left = descend(self._H, t, violation, sweeps)
        p = np.append(t.z - t.w, 1.0)
        z = np.append(t.z, self._point.w[-1].ravel() - self._solve @ p)
        self.z = z.reshape(self._point.w.shape)
        return left


class ColumnModel(QuadraticModel):
    """√c·x for every column of the working set; q = √c·X(z − w) is kept. 1 of K: K of them on the same columns."""

    def __init__(self, problem: Problem, point: Point, working: IntArray) -> None:
        curve, k = _common_curve(problem, point), _classes(problem)
        self._point, self._working, self._total = point, working, float(curve.sum())
        values, rows, starts = _entries(problem, working, np.sqrt(curve))
        h, mean = _sums(values * values, rows, starts, None), None
        g = loss_gradient(problem, point)
        slopes, self._b = g[:-1][working].reshape(len(working), k), g[-1].reshape(k)
        if problem.intercept and self._total > 0.0:
            # of each column, by the weights c, times √Σc: what the intercept takes out of it
            mean = _sums(values, rows, starts, np.sqrt(curve)) / np.sqrt(self._total)
            h = np.maximum(h - mean * mean, 1e-14 * h)
            slopes = slopes - np.outer(mean, self._b) / np.sqrt(self._total)
        design = problem.design
        columns = PackedColumns(values, rows, starts, design.n, np.maximum(h, _TINY), mean, design.threads)
        start = point.w[:-1][working].reshape(len(working), k)
        terms = (Terms.of(problem, start[:, i], slopes[:, i], working) for i in range(k))
        reach = _reach(problem, working)
        self._descents = [ColumnDescent(columns, each.within(reach)) for each in terms]
        self.z = point.w

    def minimise(self, violation: float, sweeps: int) -> float:
        left, z = 0.0, self._point.w.copy()
        view = z.reshape(len(z), -1)
        for i, descent in enumerate(self._descents):
            left = max(left, descent.descend(violation, sweeps))
            view[self._working, i] = descent.terms.z
            if descent.columns.mean is not None:
                view[-1, i] -= self._b[i] / self._total + descent.centre / np.sqrt(self._total)
        self.z = z
        return left


class SoftmaxModel(QuadraticModel):
    """All K scores of a row at once: sᵢ pᵢₖ (uᵢₖ − Σ p u) is kept, u = [X 1](z − w).

    One column's block of ∇²L is at most 2 Σ s x² p(1 − p) on the diagonal, by Gershgorin: K weights move at once.
    """

    def __init__(self, problem: JointProblem, point: Point, working: IntArray) -> None:
        n, k = problem.design.n, problem.n_classes
        self._point, self._working = point, working
        share = np.full(n, problem.scale) if problem.weights is None else problem.weights * problem.scale
        p = np.ascontiguousarray(point.curve)
        values, rows, starts = _entries(problem, working, None)
        g = loss_gradient(problem, point)[working]
        terms = Terms.of(problem, point.w[working], g, working)
        curves = share[:, None] * p * (1.0 - p)
        h = 2.0 * np.stack([_sums(values * values, rows, starts, c) for c in curves.T], axis=1)
        if problem.intercept:
            values, rows = np.append(values, np.ones(n)), np.append(rows, np.arange(n, dtype=np.int32))
            starts = np.append(starts, starts[-1] + n)
            nothing, endless = np.zeros(k), np.full(k, np.inf)
            start = point.w[-1]
            extra = (point.grad[-1], start, nothing, nothing, -endless, endless, start)
            parts = (terms.g, terms.w, terms.a, terms.c, terms.lower, terms.upper, terms.z)
            terms = Terms(*(np.concatenate(pair) for pair in zip(parts, extra, strict=True)))
            h = np.vstack([h, 2.0 * curves.sum(axis=0)])
        self._terms, self._native = terms, terms.native()
        self._packed = native.PackedColumns(values, rows, starts, n)
        self._arrays = (np.maximum(h, _TINY), p, share, np.zeros((n, k)))
        self._intercept = problem.intercept
        self.z = point.w

    def minimise(self, violation: float, sweeps: int) -> float:
        left, _, _ = native.primal_joint(self._packed, self._native, *self._arrays, violation, sweeps)
        k, z = self._point.w.shape[1], self._point.w.copy()
        found = self._terms.z.reshape(-1, k)
        z[self._working] = found[: len(self._working)]
        if self._intercept:
            z[-1] = found[-1]
        self.z = z
        return left


def _reach(problem: Problem, working: IntArray | slice) -> FloatArray:
    """How far a weight may go in a step: where a column's rows have lost their curvature, the model is no guide."""
    design = problem.design
    squares, counts = design.column_squares[working], design.column_counts[working]
    root = np.sqrt(np.divide(counts, squares, out=np.full(len(squares), np.inf), where=squares > 0.0))
    return np.asarray(_SCORE * root, dtype=np.float64)


def loss_gradient(problem: Problem, point: Point) -> FloatArray:
    """∇L, the intercept's last: ∇P without the ridge part of Ω."""
    g = point.grad.copy()
    if problem.penalty.l1_ratio < 1.0:
        g[:-1] -= problem.penalty.gradient(point.w[:-1])
    return g


def _classes(problem: Problem) -> int:
    return 1 if len(problem.shape) == 1 else int(problem.shape[1])


def _common_curve(problem: Problem, point: Point) -> FloatArray:
    """sᵢℓ″/S, or 2sᵢ/S for 1 of K."""
    if isinstance(problem, JointProblem):
        share = problem.scale if problem.weights is None else problem.weights * problem.scale
        return np.broadcast_to(2.0 * np.asarray(share), (problem.design.n,)).copy()
    return np.maximum(point.curve, 0.0)


def _entries(problem: Problem, working: IntArray, root: FloatArray | None) -> tuple[FloatArray, Any, IntArray]:
    """The entries of the columns one after the other, times the root, and their rows; where each column starts."""
    design = problem.design
    starts = np.zeros(len(working) + 1, dtype=np.int64)
    np.cumsum(design.column_counts[working], out=starts[1:])
    values, rows = np.empty(starts[-1]), np.empty(starts[-1], dtype=np.int32)
    native.primal_pack(design.columns, working, starts, root, values, rows, design.threads)
    return values, rows, starts


def _sums(values: FloatArray, rows: Any, starts: IntArray, weights: FloatArray | None) -> FloatArray:
    """Of every column, its entries weighed by row."""
    sums, filled = np.zeros(len(starts) - 1), np.flatnonzero(np.diff(starts))
    if len(filled):
        terms = values if weights is None else values * weights[rows]
        sums[filled] = np.add.reduceat(terms, starts[filled])
    return sums
