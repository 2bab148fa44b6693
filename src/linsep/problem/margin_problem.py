"""The objective with a loss on one margin a row: M = y·(⟨x, w⟩ + b), y in {−1, 1}."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.kernels import native
from linsep.problem.base import MarginLoss
from linsep.problem.problem import Dual, Point, Problem, Products
from linsep.types import FloatArray


@dataclass(frozen=True, eq=False)
class MarginProblem(Problem):
    """One margin a row: target holds −1.0 and 1.0."""

    loss: MarginLoss

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.design.d + 1,)

    def at(self, w: FloatArray, *, single: bool = False) -> Point:
        n, design = self.design.n, self.design
        curve, grad = np.empty(n), np.empty(design.d + 1)
        if self.loss.kernel is None or self.offset is not None:
            return self.at_scores(w, self.scores(w))
        scores = np.empty(n)
        value = native.loss_pass(
            design.matrix, self.loss.kernel, self.target, self.weights, self.scale, w,
            scores, None, curve, grad, design.threads,
        )  # fmt: skip
        return Point(w, scores, self._finish(w, value, grad), grad, curve)

    def at_scores(self, w: FloatArray, scores: FloatArray, gradient: FloatArray | None = None) -> Point:
        """The point at w whose scores are known, and maybe ∇L; without it, sums over the columns are the only pass."""
        value, slopes, curve = self.terms(scores)
        grad = self.design.adjoint(slopes) if gradient is None else gradient.copy()
        return Point(w, scores, self._finish(w, value, grad), grad, curve)

    def terms(self, scores: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Mean loss, and for every row sᵢyᵢℓ′/S and sᵢℓ″/S, from known scores."""
        if self.loss.kernel is not None:
            curve = np.empty_like(scores)
            return *self._kernel_slopes(self.loss.kernel, scores, curve), curve
        margins = self.target * scores
        share = self._share()
        d2 = self.loss.d2(margins) if self.loss.offers("d2") else np.zeros_like(margins)
        return self.mean(self.loss.value(margins)), self.loss.d1(margins) * self.target * share, d2 * share

    def slopes(self, scores: FloatArray) -> tuple[float, FloatArray]:
        """`terms` without the curvatures."""
        if self.loss.kernel is not None:
            return self._kernel_slopes(self.loss.kernel, scores, None)
        return self.terms(scores)[:2]

    def _kernel_slopes(self, kernel: str, scores: FloatArray, curve: FloatArray | None) -> tuple[float, FloatArray]:
        slopes, threads = np.empty_like(scores), self.design.threads
        value = native.loss_values(kernel, scores, self.target, self.weights, self.scale, slopes, curve, threads)
        return value, slopes

    def loss_along(self, point: Point, u: FloatArray, t: float) -> tuple[float, float]:
        if self.loss.kernel is None:
            value, slopes, _ = self.terms(point.scores + t * u)
            return value, float(slopes @ u)
        return native.loss_search(
            self.loss.kernel, point.scores, u, t, self.target, self.weights, self.scale, self.design.threads
        )

    def hess_vec(self, point: Point, v: FloatArray, *, single: bool = False, out: Products | None = None) -> Products:
        Hv, u = out or (np.empty(self.design.d + 1), np.empty(self.design.n))
        native.hessian(self.design.matrix, point.curve, v, u, Hv, self.design.threads)
        self._add_penalty(Hv, v)
        return Hv, u

    def loss_hessian(self, curve: FloatArray) -> FloatArray:
        H = np.triu(self.design.gram(np.maximum(curve, 0.0)))
        return H + np.triu(H, 1).T

    def hessian(self, curve: FloatArray) -> FloatArray:
        H = self.design.gram(np.maximum(curve, 0.0))
        self._regularise(H)
        return H

    def class_curves(self, curve: FloatArray) -> FloatArray:
        return curve[:, None]

    def hessian_floor(self, point: Point, radius: float) -> FloatArray | None:
        floor = self.loss.d2_floor(self.target * point.scores, radius)
        return None if floor is None else self.hessian(self._shared(floor))

    def leads(self, scores: FloatArray) -> tuple[float, float]:
        margins = self.target * scores
        if self.weights is not None:
            margins = margins[self.weights > 0.0]
        return float(margins.min()), float(margins.max())

    def dual_point(self, scores: FloatArray) -> FloatArray:
        return -self.loss.d1(self.target * scores)

    def linearised_dual_point(self, point: Point, u: FloatArray) -> FloatArray:
        theta = np.empty_like(u)
        if self.loss.kernel is not None:
            native.loss_linearised(self.loss.kernel, point.scores, u, self.target, theta, self.design.threads)
            return theta
        margins = self.target * point.scores
        np.negative(self.loss.d1(margins), out=theta)
        if self.loss.offers("d2"):
            theta -= self.loss.d2(margins) * (self.target * u)
            np.clip(theta, self.loss.dual_lower, self.loss.dual_upper, out=theta)
        return theta

    def dual(self, theta: FloatArray) -> Dual:
        theta = theta.copy()
        conjugate, magnitude, r = self._conjugate(theta, self.balance(theta) if self.intercept else (1.0, 1.0))
        return Dual(theta, self.design.adjoint(r), conjugate, magnitude)

    def conjugate_mean(self, theta: FloatArray) -> tuple[float, float]:
        conjugate, magnitude, _ = self._conjugate(theta.copy(), (1.0, 1.0))
        return conjugate, magnitude

    def _conjugate(self, theta: FloatArray, shrink: tuple[float, float]) -> tuple[float, float, FloatArray]:
        """The mean of ℓ*(−θ) + θyo and its size, and sθy/S, for θ that is first shrunk class by class, in place."""
        r = np.empty_like(theta)
        if self.loss.kernel is not None:
            conjugate, magnitude = native.loss_conjugate(
                self.loss.kernel, theta, self.target, self.weights, self.scale, shrink, r, self.design.threads
            )
        else:
            theta *= np.where(self.target > 0, *shrink)
            values = self.loss.conjugate(theta)
            conjugate, magnitude = self.mean(values), self.mean(np.abs(values))
            r = self.pull(theta)
        if self.offset is not None:
            conjugate += float(r @ self.offset)
            magnitude += float(np.abs(r) @ np.abs(self.offset))
        return conjugate, magnitude, r

    def dual_at(self, scores: FloatArray) -> Dual:
        margins = self.target * (scores + self.centre(scores) if self.intercept else scores)
        theta, values = -self.loss.d1(margins), self.loss.fenchel(margins)
        if self.offset is not None:
            values = values + theta * self.target * self.offset
        v = self.design.adjoint(self.pull(theta))
        return Dual(theta, v, self.mean(values), self.mean(np.abs(values)))

    def centre(self, scores: FloatArray, width: float = 1e-15) -> float:
        """The change of b that minimises the mean loss: where its slope is 0, by a bracket and bisection to a width."""

        def slope(shift: float) -> float:
            return float(self.pull(self.loss.d1(self.target * (scores + shift))).sum())

        low, high, step = 0.0, 0.0, 1.0
        while slope(low) > 0.0 and step < 1e12:
            low, step = low - step, 4.0 * step
        while slope(high) < 0.0 and step < 1e12:
            high, step = high + step, 4.0 * step
        while high - low > width * max(1.0, abs(low)):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            low, high = (middle, high) if slope(middle) < 0.0 else (low, middle)
        return low if abs(slope(low)) < abs(slope(high)) else high

    def balance(self, theta: FloatArray) -> tuple[float, float]:
        """Factors for the two classes that make Σ sᵢθᵢyᵢ = 0: the class with the larger sum shrinks towards 0."""
        weighted = theta if self.weights is None else self._shared(theta)
        total, difference = float(weighted.sum()), float(weighted @ self.target)
        plus, minus = 0.5 * (total + difference), 0.5 * (total - difference)
        if not (plus > 0.0 and minus > 0.0):
            return 1.0, 1.0
        return min(1.0, minus / plus), min(1.0, plus / minus)

    def pull(self, theta: FloatArray) -> FloatArray:
        """sθy/S: what v is the sum over the rows of, times [x 1]."""
        return self._shared(theta * self.target)

    def _shared(self, values: FloatArray) -> FloatArray:
        """sᵢ/S times the values; a row of weight zero counts nothing, even if infinite."""
        counted = True if self.weights is None else self.weights > 0.0
        return np.multiply(values, self._share(), out=np.zeros_like(values), where=counted)

    def _share(self) -> FloatArray | float:
        return self.scale if self.weights is None else self.weights * self.scale

    def worse(self, scores: FloatArray, delta: FloatArray) -> FloatArray:
        worse: FloatArray = scores - self.target * delta[:, 0]
        return worse

    def loss_values(self, scores: FloatArray) -> FloatArray:
        return self.loss.value(self.target * scores)
