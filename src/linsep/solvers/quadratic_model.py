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
from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.kernels import native
from linsep.problem.joint_problem import JointProblem
from linsep.problem.linear_algebra import factor
from linsep.problem.problem import Point, Problem
from linsep.types import FloatArray, IntArray

#: Weights up to which ∇²L is formed: beyond, columns are swept. Dense rows have more to win from products of matrices.
FORMED, FORMED_DENSE = 1000, 2000
_TINY = float(np.finfo(np.float64).tiny)


def is_formed(problem: Problem) -> bool:
    weights = (problem.design.d + 1) * _classes(problem)
    most = FORMED if problem.design.sparse or _classes(problem) > 1 else FORMED_DENSE
    return weights <= most


def model_at(problem: Problem, point: Point, working: IntArray) -> QuadraticModel:
    """The model at the point, over the columns of the working set."""
    if is_formed(problem):
        return FormedModel(problem, point)
    if isinstance(problem, JointProblem) and problem.loss.name == "softmax":
        return SoftmaxModel(problem, point, working)
    return ColumnModel(problem, point, working)


class QuadraticModel(ABC):
    """z: the best weights so far, the shape of w."""

    z: FloatArray

    @abstractmethod
    def minimise(self, violation: float, sweeps: int) -> float:
        """Coordinate descent until no slope is off by more than the violation; what is left of it is returned."""


@dataclass(frozen=True, eq=False)
class Terms:
    """What the coordinates of a model have beside ∇²L: slopes, start, penalty, bounds; z is what descends."""

    g: FloatArray
    w: FloatArray
    a: FloatArray
    c: FloatArray
    lower: FloatArray
    upper: FloatArray
    z: FloatArray

    @classmethod
    def of(cls, problem: Problem, w: FloatArray, g: FloatArray, columns: IntArray | slice) -> Terms:
        """Of chosen columns, K weights each; w and g are (columns,) or (columns, K)."""
        d, k = problem.design.d, 1 if w.ndim == 1 else w.shape[1]
        lower, upper = problem.penalty.box(d)
        parts = (problem.penalty.l1(d), problem.penalty.l2(d), lower, upper)
        a, c, low, high = (np.ascontiguousarray(np.repeat(part[columns], k)) for part in parts)
        start = np.ascontiguousarray(w).ravel()
        return cls(np.ascontiguousarray(g).ravel(), start, a, c, low, high, start.copy())

    def native(self) -> Any:
        return native.PrimalTerms(self.g, self.w, self.a, self.c, self.lower, self.upper, self.z)


class FormedModel(QuadraticModel):
    """∇²L as a matrix H; the intercepts are minimised out: H_ww − H_wb H_bb⁺ H_bw."""

    def __init__(self, problem: Problem, point: Point) -> None:
        k, size = _classes(problem), problem.design.d * _classes(problem)
        full, g = problem.loss_hessian(point.curve), loss_gradient(problem, point).ravel()
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
        self._terms = Terms.of(problem, point.w[:-1], slope, slice(None))
        self._native = self._terms.native()
        self.z = point.w

    def minimise(self, violation: float, sweeps: int) -> float:
        left = np.inf
        for _ in range(20):
            left, _, finished = native.primal_gram(self._H, self._native, violation, sweeps)
            if finished or not self._jump():
                break
        t = self._terms
        p = np.append(t.z - t.w, 1.0)
        z = np.append(t.z, self._point.w[-1].ravel() - self._solve @ p)
        self.z = z.reshape(self._point.w.shape)
        return left

    def _jump(self) -> bool:
        """Newton on the weights that are neither 0 nor at a bound, as far as none of them becomes either."""
        t, z = self._terms, self._terms.z
        moving = np.flatnonzero((z > t.lower) & (z < t.upper) & ((z != 0.0) | (t.a == 0.0)))
        if not len(moving):
            return False
        slope = t.g + self._H @ (z - t.w) + t.c * z + t.a * np.sign(z)
        system = self._H[np.ix_(moving, moving)]
        system.ravel()[:: len(moving) + 1] += t.c[moving]
        step = -factor(system).solve(slope[moving])
        at, ends = z[moving], np.where(step > 0.0, t.upper[moving], t.lower[moving])
        crosses = (t.a[moving] > 0.0) & (at * step < 0.0)
        ends = np.where(crosses, 0.0, ends)
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(step == 0.0, np.inf, (ends - at) / step)
        longest = float(room.min(initial=np.inf))
        if not np.isfinite(step).all():
            return False
        z[moving] = at + min(longest, 1.0) * step
        if longest < 1.0:
            z[moving[room == longest]] = ends[room == longest]
        return True


class ColumnModel(QuadraticModel):
    """√c·x for every column of the working set; q = √c·X(z − w) is kept. 1 of K: K of them on the same columns."""

    def __init__(self, problem: Problem, point: Point, working: IntArray) -> None:
        self._problem, self._point, self._working = problem, point, working
        curve = _common_curve(problem, point)
        root = np.sqrt(curve)
        self._packed, self._h = _packed(problem, working, root)
        self._total, self._mean = float(curve.sum()), None
        if problem.intercept and self._total > 0.0:
            means = problem.design.adjoint(curve)[:-1][working] / self._total
            self._mean = means * np.sqrt(self._total)
            self._h = np.maximum(self._h - self._mean * self._mean, 1e-14 * self._h)
        self._h = np.maximum(self._h, _TINY)
        g, k = loss_gradient(problem, point), _classes(problem)
        slopes = g[:-1][working].reshape(len(working), k)
        if self._mean is not None:
            slopes = slopes - np.outer(self._mean / np.sqrt(self._total), g[-1].reshape(k))
        start = point.w[:-1][working].reshape(len(working), k)
        self._terms = [Terms.of(problem, start[:, i], slopes[:, i], working) for i in range(k)]
        self._native = [terms.native() for terms in self._terms]
        self._q = [np.zeros(problem.design.n) for _ in range(k)]
        self._intercept = g[-1].reshape(k)
        self.z = point.w

    def minimise(self, violation: float, sweeps: int) -> float:
        left = 0.0
        z = self._point.w.copy()
        for i, (terms, handle, q) in enumerate(zip(self._terms, self._native, self._q, strict=True)):
            found, _, _ = native.primal_columns(self._packed, handle, self._h, self._mean, q, violation, sweeps)
            left = max(left, found)
            b = 0.0
            if self._mean is not None:
                moved = float(self._mean @ (terms.z - terms.w)) / np.sqrt(self._total)
                b = -self._intercept[i] / self._total - moved
            if z.ndim == 1:
                z[self._working] = terms.z
                z[-1] += b
            else:
                z[self._working, i] = terms.z
                z[-1, i] += b
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


def loss_gradient(problem: Problem, point: Point) -> FloatArray:
    """∇L, the intercept's last: ∇P without the ridge part of Ω."""
    g = point.grad.copy()
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


def _packed(problem: Problem, working: IntArray, root: FloatArray) -> tuple[Any, FloatArray]:
    values, rows, starts = _entries(problem, working, root)
    sums = _sums(values * values, rows, starts, None)
    return native.PackedColumns(values, rows, starts, problem.design.n), sums


def _sums(values: FloatArray, rows: Any, starts: IntArray, weights: FloatArray | None) -> FloatArray:
    """Of every column, its entries weighed by row."""
    sums, filled = np.zeros(len(starts) - 1), np.flatnonzero(np.diff(starts))
    if len(filled):
        terms = values if weights is None else values * weights[rows]
        sums[filled] = np.add.reduceat(terms, starts[filled])
    return sums
