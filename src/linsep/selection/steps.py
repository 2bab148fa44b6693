"""Newton steps for F problems at once: by Gram matrices of the folds, or by conjugate gradients."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from linsep.problem.linear_algebra import Factor, factor
from linsep.selection.sight import FoldProblems, Sight
from linsep.types import FloatArray


@dataclass(eq=False)
class Factored:
    """The Hessian of each problem: all folds' Gram matrices less its own, at the mean of the F points.

    Where few rows make the F points lie far apart, so that new matrices twice fail to shrink the decrement, each
    problem gets a Gram matrix at its own point.
    """

    looks_ahead: ClassVar[bool] = False
    problems: FoldProblems
    grams: list[FloatArray] = field(default_factory=list)
    factors: list[Factor] = field(default_factory=list)
    alpha: float = 0.0
    age: int = 0
    own: bool = False
    slow: int = 0

    def begin(self, alpha: float) -> None:
        self.alpha, self.slow = alpha, 0
        self.factors = []

    def direction(self, sight: Sight, grad: FloatArray) -> FloatArray:
        if not self.grams:
            self.grams = self._own(sight) if self.own else self._shared(sight)
            self.age = -1
        self.age += 1
        if not self.factors:
            self.factors = [factor(self._hessian(gram)) for gram in self.grams]
        step = np.empty_like(grad)
        for f, hessian in enumerate(self.factors):
            step[:, f] = hessian.solve(np.ascontiguousarray(grad[:, f]))
        return step

    def renew(self) -> bool:
        self.slow += self.age == 1
        self.own = self.own or self.slow >= 2
        self.grams, self.factors = [], []
        return True

    def _shared(self, sight: Sight) -> list[FloatArray]:
        problem, totals = self.problems.problem, self.problems.totals
        curve = problem.terms(sight.mean)[2] * problem.total
        np.maximum(curve, 0.0, out=curve)
        of_fold = problem.design.fold_grams(curve, self.problems.fold, len(totals))
        everything = of_fold.sum(axis=0)
        return [(everything - gram) / total for gram, total in zip(of_fold, totals, strict=True)]

    def _own(self, sight: Sight) -> list[FloatArray]:
        curves = np.ascontiguousarray(np.maximum(self.problems.curve(sight), 0.0).T)
        return [self.problems.problem.design.gram(curve) for curve in curves]

    def _hessian(self, gram: FloatArray) -> FloatArray:
        H = gram.copy()
        H.ravel()[:: len(H) + 1][:-1] += self.alpha
        if not self.problems.problem.intercept:
            H[:, -1] = 0.0
            H[-1, -1] = 1.0
        return H


@dataclass(eq=False)
class Conjugate:
    """Conjugate gradients on all F systems together, with an estimate of the diagonal as preconditioner."""

    looks_ahead: ClassVar[bool] = True
    problems: FoldProblems
    loose: float = 0.5
    most: int = 100
    alpha: float = 0.0

    def begin(self, alpha: float) -> None:
        self.alpha = alpha

    def direction(self, sight: Sight, grad: FloatArray) -> FloatArray:
        curve = self.problems.curve(sight)
        inverse = self._inverse_diagonal(curve)
        step, r = np.zeros_like(grad), grad.copy()
        q = inverse * r
        rz = _dots(r, q)
        enough = self.loose**2 * rz
        for _ in range(self.most):
            if (rz <= enough).all():
                break
            Hq = self._product(curve, q)
            curvature = _dots(q, Hq)
            t = np.divide(rz, curvature, out=np.zeros_like(rz), where=curvature > 0.0)
            step += _times(q, t)
            r -= _times(Hq, t)
            z = inverse * r
            rz, previous = _dots(r, z), rz
            z += _times(q, np.divide(rz, previous, out=np.zeros_like(rz), where=previous > 0.0))
            q = z
        return step

    def renew(self) -> bool:
        return False  # every step is made from the curvature where it begins

    def _product(self, curve: FloatArray, q: FloatArray) -> FloatArray:
        problem = self.problems.problem
        u = problem.design.scores(q, single=True)
        u *= curve
        Hq = problem.design.adjoint(u, single=True)
        Hq[:-1] += self.alpha * q[:-1]
        if not problem.intercept:
            Hq[-1] = 0.0
        return Hq

    def _inverse_diagonal(self, curve: FloatArray) -> FloatArray:
        """Σᵢ cᵢ xᵢⱼ² is taken as (Σᵢ cᵢ)·(mean of xᵢⱼ²)."""
        design = self.problems.problem.design
        total = curve.sum(axis=0)
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
