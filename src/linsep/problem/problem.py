"""The objective, and the one seam between a pointwise loss and a linear model.

    P(w, b) = 1/S · Σᵢ sᵢ ℓ(yᵢ, ⟨xᵢ, w⟩ + b) + α/2 ‖w‖²,     S = Σᵢ sᵢ

- ℓ is a function of one margin (`MarginProblem`, y in {−1, 1}) or of K scores (`JointProblem`, y in 0..K−1).
- b is never penalised; without an intercept it stays 0.
- sᵢ are sample weights; weight k means k copies of the row. The loss is a weighted mean, so α does not
  change its meaning with n.
- Weights carry the intercept as their last row: (d + 1,) for one margin, (d + 1, K) for K scores.

For any multipliers θ in the domain of ℓ* with Σᵢ sᵢ θᵢ = 0 where the intercept is free, Fenchel's inequality
gives the lower bound

    D(θ) = −1/S · Σᵢ sᵢ ℓ*(−θᵢ) − ‖v‖² / 2α,     v = 1/S · Σᵢ sᵢ θᵢ yᵢ xᵢ  ≤  P(w, b) for every (w, b).

The solvers reach the data only through these methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from linsep.data.design import Design
from linsep.kernels import native
from linsep.problem.base import JointLoss, Loss, MarginLoss
from linsep.problem.penalties import L2
from linsep.types import FloatArray, IntArray

#: Entries of an intermediate array up to which a softmax Hessian is formed in one product.
_SMALL = 300_000


@dataclass(frozen=True, eq=False)
class Point:
    """A pair (w, b) with everything one pass over the data tells about it.

    scores   ⟨xᵢ, w⟩ + b
    value    P(w, b)
    grad     ∇P, the intercept's entry last (0 where there is none)
    curve    what the second derivative needs: sᵢ ℓ″/S, or the K-score loss's own state
    """

    w: FloatArray
    scores: FloatArray
    value: float
    grad: FloatArray
    curve: FloatArray


@dataclass(frozen=True, eq=False)
class Dual:
    """Multipliers θ and the terms of D(θ): v with the intercept's residual last, the mean of ℓ*(−θ) and of |ℓ*(−θ)|."""

    theta: FloatArray
    v: FloatArray
    conjugate: float
    magnitude: float


@dataclass(frozen=True, eq=False)
class Problem(ABC):
    """What both kinds share: design, weights, penalty, intercept."""

    design: Design
    target: Any
    weights: FloatArray | None
    penalty: L2
    intercept: bool
    loss: Loss
    total: float = field(init=False)

    def __post_init__(self) -> None:
        total = float(self.design.n) if self.weights is None else float(self.weights.sum())
        object.__setattr__(self, "total", total)

    @property
    def alpha(self) -> float:
        return self.penalty.alpha

    @property
    def scale(self) -> float:
        return 1.0 / self.total

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Of the weights with their intercept."""

    @abstractmethod
    def at(self, w: FloatArray, *, single: bool = False) -> Point:
        """One pass: value, gradient and curvature at w."""

    @abstractmethod
    def along(self, point: Point, p: FloatArray, u: FloatArray, t: float) -> tuple[float, float]:
        """P and its slope at w + t p, from the scores u = [X 1] p: the data are not touched."""

    @abstractmethod
    def hess_vec(self, point: Point, v: FloatArray, *, single: bool = False) -> tuple[FloatArray, FloatArray]:
        """∇²P v and the scores [X 1] v, in one pass."""

    @abstractmethod
    def hessian(self, curve: FloatArray) -> FloatArray:
        """∇²P as a matrix over the flattened weights (upper triangle) for given curvatures, negative ones as 0.

        An absent intercept is decoupled; directions that change no loss (a common shift) get some curvature.
        """

    @abstractmethod
    def class_curves(self, curve: FloatArray) -> FloatArray:
        """(n, K): what each class's own block of ∇²P weighs the rows with (K = 1 for one margin)."""

    def class_blocks(self, curve: FloatArray) -> Iterator[FloatArray]:
        """Each class's own diagonal block of ∇²P, (d + 1)² (upper triangle), in float32: for preconditioning.

        One block where all classes have the same, as at w = 0.
        """
        curves = np.maximum(self.class_curves(curve), 0.0).T
        same = bool((curves == curves[0]).all())
        for c in curves[:1] if same else curves:
            H = self.design.gram(np.ascontiguousarray(c), single=True)
            self._regularise(H)
            yield H

    def _regularise(self, H: FloatArray) -> None:
        """Add the penalty to one block of ∇²P; an absent intercept is decoupled."""
        H.ravel()[:: self.design.d + 2][:-1] += self.alpha
        if not self.intercept:
            H[:, -1] = 0.0
            H[-1, -1] = 1.0

    def gauge(self, w: FloatArray) -> FloatArray:
        """w without what changes no score difference; here there is nothing of the kind."""
        return w

    @abstractmethod
    def hessian_floor(self, point: Point, radius: float) -> FloatArray | None:
        """A matrix below ∇²P wherever no score has moved by more than the radius; None where unknown."""

    @abstractmethod
    def leads(self, scores: FloatArray) -> tuple[float, float]:
        """The least and the greatest lead of a row's own class over another: the margin, or z_y − z_k."""

    @abstractmethod
    def dual_point(self, scores: FloatArray, u: FloatArray | None) -> FloatArray:
        """θ = −ℓ′ − ℓ″·u at the scores, brought into the domain of the conjugate; u = [X 1] p or None."""

    @abstractmethod
    def dual(self, theta: FloatArray) -> Dual:
        """The terms of D(θ) at multipliers in the domain, balanced for a free intercept where that is possible."""

    @abstractmethod
    def dual_at(self, scores: FloatArray) -> Dual:
        """The terms of D at θ = −ℓ′, by Fenchel's equality: for a loss whose conjugate is not known.

        With a free intercept the scores are first shifted to where Σ sᵢθᵢyᵢ = 0; any scores give a valid bound.
        """

    @abstractmethod
    def loss_values(self, scores: FloatArray) -> FloatArray:
        """ℓ for every row."""

    def zero(self) -> FloatArray:
        return np.zeros(self.shape)

    def rows(self, chosen: IntArray) -> Self:
        """The same problem on some of its rows."""
        weights = None if self.weights is None else self.weights[chosen]
        return replace(self, design=self.design.rows(chosen), target=self.target[chosen], weights=weights)

    def with_alpha(self, alpha: float) -> Self:
        return replace(self, penalty=L2(alpha))

    def with_design(self, design: Design) -> Self:
        return replace(self, design=design)

    def mean(self, values: FloatArray) -> float:
        """The weighted mean over the rows; a row of weight zero counts nothing, even if infinite."""
        if self.weights is None:
            return float(values.sum()) * self.scale
        kept = self.weights > 0
        return float(values[kept] @ self.weights[kept]) * self.scale

    def value(self, w: FloatArray, scores: FloatArray) -> float:
        """P from known scores, in NumPy."""
        return self.mean(self.loss_values(scores)) + self.penalty.value(w[:-1])

    def total_slope(self) -> float:
        """The gradient's scale: that of ∇P if every loss had slope 1, the root mean square of the rows' norms."""
        return float(np.sqrt(1.0 + self.design.scan.column_squares.sum() / self.design.n))

    def _finish(self, w: FloatArray, value: float, grad: FloatArray) -> float:
        """Add the penalty to value and gradient; an absent intercept has no gradient."""
        grad[:-1] += self.alpha * w[:-1]
        if not self.intercept:
            grad[-1] = 0.0
        return value + self.penalty.value(w[:-1])


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
        if self.loss.kernel is None:
            scores = design.scores(w)
            value, slopes, curve = self.terms(scores)
            grad = design.adjoint(slopes)
        else:
            scores = np.empty(n)
            value = native.loss_pass(
                design.matrix, self.loss.kernel, self.target, self.weights, self.scale, w,
                scores, None, curve, grad, design.threads,
            )  # fmt: skip
        return Point(w, scores, self._finish(w, value, grad), grad, curve)

    def terms(self, scores: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Mean loss, and for every row sᵢyᵢℓ′/S and sᵢℓ″/S, from known scores."""
        if self.loss.kernel is not None:
            slopes, curve = np.empty_like(scores), np.empty_like(scores)
            value = native.loss_values(
                self.loss.kernel,
                scores,
                self.target,
                self.weights,
                self.scale,
                slopes,
                curve,
                self.design.threads,
            )
            return value, slopes, curve
        margins = self.target * scores
        share = self._share()
        d2 = self.loss.d2(margins) if self.loss.offers("d2") else np.zeros_like(margins)
        return self.mean(self.loss.value(margins)), self.loss.d1(margins) * self.target * share, d2 * share

    def along(self, point: Point, p: FloatArray, u: FloatArray, t: float) -> tuple[float, float]:
        if self.loss.kernel is None:
            value, slopes, _ = self.terms(point.scores + t * u)
            slope = float(slopes @ u)
        else:
            value, slope = native.loss_search(
                self.loss.kernel,
                point.scores,
                u,
                t,
                self.target,
                self.weights,
                self.scale,
                self.design.threads,
            )
        w, q = point.w[:-1], p[:-1]
        return value + self.penalty.value(w + t * q), slope + self.alpha * float((w + t * q) @ q)

    def hess_vec(self, point: Point, v: FloatArray, *, single: bool = False) -> tuple[FloatArray, FloatArray]:
        out, u = np.empty(self.design.d + 1), np.empty(self.design.n)
        native.hessian(self.design.matrix, point.curve, v, u, out, self.design.threads)
        out[:-1] += self.alpha * v[:-1]
        if not self.intercept:
            out[-1] = 0.0
        return out, u

    def hessian(self, curve: FloatArray) -> FloatArray:
        H = self.design.gram(np.maximum(curve, 0.0))
        self._regularise(H)
        return H

    def class_curves(self, curve: FloatArray) -> FloatArray:
        return curve[:, None]

    def hessian_floor(self, point: Point, radius: float) -> FloatArray | None:
        floor = self.loss.d2_floor(self.target * point.scores, radius)
        return None if floor is None else self.hessian(floor * self._share())

    def leads(self, scores: FloatArray) -> tuple[float, float]:
        margins = self.target * scores
        return float(margins.min()), float(margins.max())

    def dual_point(self, scores: FloatArray, u: FloatArray | None) -> FloatArray:
        if self.loss.kernel is not None and u is not None:
            theta = np.empty_like(scores)
            native.loss_linearised(self.loss.kernel, scores, u, self.target, theta, self.design.threads)
            return theta
        margins = self.target * scores
        theta = -self.loss.d1(margins)
        if u is not None and self.loss.offers("d2"):
            theta -= self.loss.d2(margins) * (self.target * u)
            np.clip(theta, self.loss.dual_lower, self.loss.dual_upper, out=theta)
        return theta

    def dual(self, theta: FloatArray) -> Dual:
        shrink = self._balance(theta) if self.intercept else (1.0, 1.0)
        theta, r = theta.copy(), np.empty_like(theta)
        if self.loss.kernel is not None:
            conjugate, magnitude = native.loss_conjugate(
                self.loss.kernel, theta, self.target, self.weights, self.scale, shrink, r, self.design.threads
            )
        else:
            theta *= np.where(self.target > 0, *shrink)
            values = self.loss.conjugate(theta)
            conjugate, magnitude = self.mean(values), self.mean(np.abs(values))
            r = theta * self.target * self._share()
        return Dual(theta, self.design.adjoint(r), conjugate, magnitude)

    def dual_at(self, scores: FloatArray) -> Dual:
        margins = self.target * (scores + self._centre(scores) if self.intercept else scores)
        theta, values = -self.loss.d1(margins), self.loss.fenchel(margins)
        v = self.design.adjoint(theta * self.target * self._share())
        return Dual(theta, v, self.mean(values), self.mean(np.abs(values)))

    def _centre(self, scores: FloatArray) -> float:
        """The change of b that minimises the mean loss: where its slope is 0, by a bracket and bisection."""
        share = self.target * self._share()

        def slope(shift: float) -> float:
            return float(self.loss.d1(self.target * (scores + shift)) @ share)

        low, high, width = 0.0, 0.0, 1.0
        while slope(low) > 0.0 and width < 1e12:
            low, width = low - width, 4.0 * width
        while slope(high) < 0.0 and width < 1e12:
            high, width = high + width, 4.0 * width
        while high - low > 1e-15 * max(1.0, abs(low)):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            low, high = (middle, high) if slope(middle) < 0.0 else (low, middle)
        return low if abs(slope(low)) < abs(slope(high)) else high

    def _balance(self, theta: FloatArray) -> tuple[float, float]:
        """Factors for the two classes that make Σ sᵢθᵢyᵢ = 0: the class with the larger sum shrinks towards 0."""
        weighted = theta if self.weights is None else theta * self.weights
        total, difference = float(weighted.sum()), float(weighted @ self.target)
        plus, minus = 0.5 * (total + difference), 0.5 * (total - difference)
        if not (plus > 0.0 and minus > 0.0):
            return 1.0, 1.0
        return min(1.0, minus / plus), min(1.0, plus / minus)

    def _share(self) -> FloatArray | float:
        return self.scale if self.weights is None else self.weights * self.scale

    def loss_values(self, scores: FloatArray) -> FloatArray:
        return self.loss.value(self.target * scores)


@dataclass(frozen=True, eq=False)
class JointProblem(Problem):
    """K scores a row: target holds class numbers."""

    loss: JointLoss
    n_classes: int

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.design.d + 1, self.n_classes)

    def at(self, w: FloatArray, *, single: bool = False) -> Point:
        design, k = self.design, self.n_classes
        if self.loss.kernel is None:
            return self._at_in_numpy(w)
        scores, curve, grad = np.empty((design.n, k)), np.empty((design.n, k)), np.empty((design.d + 1, k))
        value = native.joint_pass(
            design.matrix, self.loss.kernel, self.target, self.weights, self.scale, w, k,
            scores, curve, grad, design.threads, single,
        )  # fmt: skip
        return Point(w, scores, self._finish(w, value, grad), grad, curve)

    def _at_in_numpy(self, w: FloatArray) -> Point:
        scores = self.design.scores(w)
        grad = self.design.adjoint(self.loss.gradient(scores, self.target) * self._share())
        value = self._finish(w, self.mean(self.loss.value(scores, self.target)), grad)
        return Point(w, scores, value, grad, scores)

    def _share(self) -> FloatArray | float:
        return self.scale if self.weights is None else self.weights[:, None] * self.scale

    def along(self, point: Point, p: FloatArray, u: FloatArray, t: float) -> tuple[float, float]:
        z = point.scores + t * u
        if self.loss.kernel is None:
            r = self.loss.gradient(z, self.target) * self._share()
            value = self.mean(self.loss.value(z, self.target))
        else:
            r = np.empty_like(z)
            value = native.joint_values(
                self.loss.kernel,
                z,
                self.target,
                self.weights,
                self.scale,
                self.n_classes,
                r,
                self.design.threads,
            )
        w, q = point.w[:-1], p[:-1]
        slope = float(np.vdot(r, u)) + self.alpha * float(np.vdot(w + t * q, q))
        return value + self.penalty.value(w + t * q), slope

    def hess_vec(self, point: Point, v: FloatArray, *, single: bool = False) -> tuple[FloatArray, FloatArray]:
        if self.loss.kernel is None:
            u = self.design.scores(v)
            out = self.design.adjoint(self.loss.hessian_product(point.scores, self.target, u) * self._share())
        else:
            out, u = np.empty(self.shape), np.empty((self.design.n, self.n_classes))
            native.joint_hessian(
                self.design.matrix, self.loss.kernel, self.target, self.weights, self.scale, point.curve, v,
                self.n_classes, u, out, self.design.threads, single,
            )  # fmt: skip
        out[:-1] += self.alpha * v[:-1]
        if not self.intercept:
            out[-1] = 0.0
        return out, u

    def hessian(self, curve: FloatArray) -> FloatArray:
        """Block (k, l) is [X 1]ᵀ diag(s pₖ(δₖₗ − p_l)) [X 1] for softmax, whose curve holds p."""
        size, k = self.design.d + 1, self.n_classes
        small = self.design.n * size * k * k <= _SMALL
        blocks = self._blocks_at_once(curve) if small else self._blocks_by_gram(curve)
        # A common shift of all classes changes no loss: give it curvature (it never meets the gradient).
        diagonal = np.einsum("jkjk->jk", blocks).max(axis=1)
        shift = np.where(diagonal > 0.0, diagonal, 1.0) / k
        np.einsum("jkjl->jkl", blocks)[...] += shift[:, None, None]
        H = blocks.reshape(size * k, size * k)
        H.ravel()[:: size * k + 1][: self.design.d * k] += self.alpha
        if not self.intercept:
            H[:, -k:] = 0.0
            H[-k:, -k:] = np.eye(k)
        return H

    def _blocks_by_gram(self, curve: FloatArray) -> FloatArray:
        size, k = self.design.d + 1, self.n_classes
        blocks = np.zeros((size, k, size, k))
        share = np.broadcast_to(np.asarray(self._share()), (self.design.n, 1))[:, 0]
        for a in range(k):
            for b in range(a, k):
                p = curve[:, a] * share
                block = self.design.gram(p * (1.0 - curve[:, a]) if a == b else p * curve[:, b])
                block = np.triu(block) + np.triu(block, 1).T
                blocks[:, a, :, b] = blocks[:, b, :, a] = block if a == b else -block
        return blocks

    def _blocks_at_once(self, curve: FloatArray) -> FloatArray:
        """diag(p) − ppᵀ = Σₖ pₖ (eₖ − p)(eₖ − p)ᵀ: one product of the rows √(s pₖ) x ⊗ (eₖ − p)."""
        n, size, k = self.design.n, self.design.d + 1, self.n_classes
        roots = np.sqrt(curve * self._share())[:, :, None] * (np.eye(k) - curve[:, None, :])
        rows = (self._dense_rows[:, None, :, None] * roots[:, :, None, :]).reshape(n * k, size * k)
        return (rows.T @ rows).reshape(size, k, size, k)

    @cached_property
    def _dense_rows(self) -> FloatArray:
        """[X 1] as an array, for small problems."""
        return self.design.scores(np.eye(self.design.d + 1))

    def class_curves(self, curve: FloatArray) -> FloatArray:
        return curve * (1.0 - curve) * self._share()

    def gauge(self, w: FloatArray) -> FloatArray:
        """Σₖ wₖ = 0: where the penalty puts the optimum of a loss that ignores a common shift."""
        centred: FloatArray = w - w.mean(axis=1, keepdims=True)
        return centred

    def hessian_floor(self, point: Point, radius: float) -> FloatArray | None:
        factor = self.loss.hessian_shrinkage(radius)
        return None if factor is None else factor * self.hessian(point.curve)

    def leads(self, scores: FloatArray) -> tuple[float, float]:
        rows = np.arange(len(scores))
        lead = scores[rows, self.target][:, None] - scores
        greatest = float(lead.max())
        lead[rows, self.target] = np.inf
        return float(lead.min()), greatest

    def dual_point(self, scores: FloatArray, u: FloatArray | None) -> FloatArray:
        theta = -self.loss.gradient(scores, self.target)
        if u is None:
            return self.loss.project_dual(theta, self.target)
        theta -= self.loss.hessian_product(scores, self.target, u)
        if self.intercept:
            theta -= self.loss.hessian_product(scores, self.target, self._shift(scores, theta))
        return self.loss.project_dual(theta, self.target)

    def _shift(self, scores: FloatArray, theta: FloatArray) -> FloatArray:
        """A change of the intercepts after which the linearised multipliers of every class sum to 0."""
        share = np.broadcast_to(np.asarray(self._share()).reshape(-1), (len(scores),))
        curvature = self.loss.summed_hessian(scores, self.target, share)
        shift = np.linalg.lstsq(curvature, share @ theta, rcond=1e-12)[0]
        return np.broadcast_to(shift, scores.shape)

    def dual(self, theta: FloatArray) -> Dual:
        return self._dual(theta, self.loss.conjugate(theta, self.target))

    def dual_at(self, scores: FloatArray) -> Dual:
        theta = -self.loss.gradient(scores, self.target)
        return self._dual(theta, self.loss.fenchel(scores, self.target))

    def _dual(self, theta: FloatArray, values: FloatArray) -> Dual:
        v = self.design.adjoint(theta * self._share())
        return Dual(theta, v, self.mean(values), self.mean(np.abs(values)))

    def loss_values(self, scores: FloatArray) -> FloatArray:
        return self.loss.value(scores, self.target)
