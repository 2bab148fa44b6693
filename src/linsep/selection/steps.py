"""Newton steps for F problems at once: by Gram matrices of the folds, or by conjugate gradients."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from linsep.problem.linear_algebra import Factor, factor
from linsep.problem.margin_problem import MarginProblem
from linsep.types import FloatArray, IntArray

if TYPE_CHECKING:
    from linsep.selection.shared import Sight

#: A step of an old Hessian that shrinks the decrement by less than this asks for a new one.
_STALE = 0.1


@dataclass(eq=False)
class Factored:
    """The Hessian of each problem: all folds' Gram matrices less its own, at the mean of the F points."""

    problem: MarginProblem
    fold: IntArray
    totals: FloatArray
    grams: list[FloatArray] = field(default_factory=list)
    factors: list[Factor] = field(default_factory=list)
    alpha: float = 0.0
    fresh: bool = False

    def begin(self, alpha: float) -> None:
        self.alpha = alpha
        self.factors = []

    def direction(self, sight: Sight, grad: FloatArray) -> FloatArray:
        if not self.grams:
            self._form(sight)
        if not self.factors:
            self.factors = [factor(self._hessian(gram, total)) for gram, total in zip(*self._problems(), strict=True)]
        step = np.empty_like(grad)
        for f, hessian in enumerate(self.factors):
            step[:, f] = hessian.solve(np.ascontiguousarray(grad[:, f]))
        return step

    def judge(self, ratio: float, sight: Sight) -> None:
        if ratio > _STALE and not self.fresh:
            self.grams, self.factors = [], []
        self.fresh = False

    def _form(self, sight: Sight) -> None:
        design, problem = self.problem.design, self.problem
        curve = problem.terms(sight.scores.mean(axis=1))[2] * problem.total
        np.maximum(curve, 0.0, out=curve)
        self.grams = []
        for f in range(len(self.totals)):
            mine = np.flatnonzero(self.fold == f)
            self.grams.append(design.rows(mine).gram(curve[mine], single=True))
        self.fresh = True

    def _problems(self) -> tuple[list[FloatArray], FloatArray]:
        everything = np.sum(self.grams, axis=0)
        return [everything - gram for gram in self.grams], self.totals

    def _hessian(self, gram: FloatArray, total: float) -> FloatArray:
        H = gram / total
        H.ravel()[:: len(H) + 1][:-1] += self.alpha
        if not self.problem.intercept:
            H[:, -1] = 0.0
            H[-1, -1] = 1.0
        return H


@dataclass(eq=False)
class Conjugate:
    """Conjugate gradients on all F systems together, with an estimate of the diagonal as preconditioner."""

    problem: MarginProblem
    count: int
    loose: float = 0.1
    most: int = 100
    alpha: float = 0.0

    def begin(self, alpha: float) -> None:
        self.alpha = alpha

    def direction(self, sight: Sight, grad: FloatArray) -> FloatArray:
        inverse = self._inverse_diagonal(sight)
        step, r = np.zeros_like(grad), grad.copy()
        q = inverse * r
        rz = _dots(r, q)
        enough = self.loose**2 * rz
        for _ in range(self.most):
            if (rz <= enough).all():
                break
            Hq = self._product(sight, q)
            curvature = _dots(q, Hq)
            t = np.divide(rz, curvature, out=np.zeros_like(rz), where=curvature > 0.0)
            step += _times(q, t)
            r -= _times(Hq, t)
            z = inverse * r
            rz, previous = _dots(r, z), rz
            z += _times(q, np.divide(rz, previous, out=np.zeros_like(rz), where=previous > 0.0))
            q = z
        return step

    def judge(self, ratio: float, sight: Sight) -> None:
        """Every step is made from the curvature where it begins: nothing grows old."""

    def _product(self, sight: Sight, q: FloatArray) -> FloatArray:
        u = self.problem.design.scores(q, single=True)
        u *= sight.curve
        Hq = self.problem.design.adjoint(u, single=True)
        Hq[:-1] += self.alpha * q[:-1]
        if not self.problem.intercept:
            Hq[-1] = 0.0
        return Hq

    def _inverse_diagonal(self, sight: Sight) -> FloatArray:
        """Σᵢ cᵢ xᵢⱼ² is taken as (Σᵢ cᵢ)·(mean of xᵢⱼ²)."""
        design = self.problem.design
        total = sight.curve.sum(axis=0)
        columns = np.append(design.column_squares / design.n, 1.0)
        estimate = columns[:, None] * total
        estimate[:-1] += self.alpha
        inverse: FloatArray = 1.0 / np.maximum(estimate, np.finfo(np.float64).tiny)
        return inverse


def _dots(a: FloatArray, b: FloatArray) -> FloatArray:
    """⟨a, b⟩ for every column; as a product, because NumPy sums over short rows slowly."""
    products: FloatArray = np.ones(len(a)) @ (a * b)
    return products


def _times(a: FloatArray, t: FloatArray) -> FloatArray:
    """Every column times its own number."""
    scaled: FloatArray = a @ np.diag(t)
    return scaled
