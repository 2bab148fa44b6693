"""The objective with a loss on K scores a row: z = xᵀW + b, y in 0..K−1.

The matrices of second derivatives are those of softmax; `one_of_k` is solved in closed form, Crammer–Singer in the
dual, and a loss of the user's own by its gradient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.cached import cached_property
from linsep.kernels import native
from linsep.problem.balance import balanced
from linsep.problem.base import JointLoss
from linsep.problem.problem import Dual, Point, Problem, Products
from linsep.types import FloatArray

#: Entries of an intermediate array up to which a softmax Hessian is formed in one product.
_SMALL = 300_000


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
        if self.loss.kernel is None or self.offset is not None:
            return self._at_in_numpy(w)
        scores, curve, grad = np.empty((design.n, k)), np.empty((design.n, k)), np.empty((design.d + 1, k))
        value = native.joint_pass(
            design.wide, self.loss.kernel, self.target, self.weights, self.scale, w, k,
            scores, curve, grad, design.threads, single,
        )  # fmt: skip
        return Point(w, scores, self._finish(w, value, grad), grad, curve)

    def _at_in_numpy(self, w: FloatArray) -> Point:
        scores = self.scores(w)
        slopes = self.loss.gradient(scores, self.target)
        grad = self.design.adjoint(slopes * self._share())
        value = self._finish(w, self.mean(self.loss.value(scores, self.target)), grad)
        curve = scores
        if self.loss.name == "softmax":  # its kernels want the probabilities
            curve = slopes
            curve[np.arange(self.design.n), self.target] += 1.0
        return Point(w, scores, value, grad, curve)

    def _share(self) -> FloatArray | float:
        return self.scale if self.weights is None else self.weights[:, None] * self.scale

    def loss_along(self, point: Point, u: FloatArray, t: float) -> tuple[float, float]:
        if self.loss.kernel is None:
            z = point.scores + t * u
            r = self.loss.gradient(z, self.target) * self._share()
            return self.mean(self.loss.value(z, self.target)), float(np.vdot(r, u))
        return native.joint_search(
            self.loss.kernel, point.scores, u, t, self.target, self.weights, self.scale, self.n_classes,
            self.design.threads,
        )  # fmt: skip

    def hess_vec(self, point: Point, v: FloatArray, *, single: bool = False, out: Products | None = None) -> Products:
        if self.loss.kernel is None:
            u = self.design.scores(v)
            Hv = self.design.adjoint(self.loss.hessian_product(point.scores, self.target, u) * self._share())
        else:
            Hv, u = out or (np.empty(self.shape), np.empty((self.design.n, self.n_classes)))
            native.joint_hessian(
                self.design.wide, self.loss.kernel, self.target, self.weights, self.scale, point.curve, v,
                self.n_classes, u, Hv, self.design.threads, single,
            )  # fmt: skip
        self._add_penalty(Hv, v)
        return Hv, u

    def hessian(self, curve: FloatArray) -> FloatArray:
        """Block (k, l) is [X 1]ᵀ diag(s pₖ(δₖₗ − p_l)) [X 1] for softmax, whose curve holds p."""
        size, k = self.design.d + 1, self.n_classes
        blocks = self._blocks(curve)
        # A common shift of all classes changes no loss: give it curvature (it never meets the gradient).
        diagonal = np.einsum("jkjk->jk", blocks).max(axis=1)
        shift = np.where(diagonal > 0.0, diagonal, 1.0) / k
        np.einsum("jkjl->jkl", blocks)[...] += shift[:, None, None]
        H = blocks.reshape(size * k, size * k)
        H.ravel()[:: size * k + 1][: self.design.d * k] += np.repeat(self.penalty.l2(self.design.d), k)
        if not self.intercept:
            H[:, -k:] = 0.0
            H[-k:, -k:] = np.eye(k)
        return H

    def loss_hessian(self, curve: FloatArray) -> FloatArray:
        size = (self.design.d + 1) * self.n_classes
        if self.loss.name == "one_of_k":
            H = np.triu(self.design.gram(2.0 * self._shares))
            return np.asarray(np.kron(H + np.triu(H, 1).T, np.eye(self.n_classes)), dtype=np.float64)
        return self._blocks(curve).reshape(size, size)

    def _blocks(self, curve: FloatArray) -> FloatArray:
        size = self.design.d + 1
        small = self.design.n * size * max(size, self.n_classes**2) <= _SMALL
        return self._blocks_at_once(curve) if small else self._blocks_by_gram(curve)

    def _blocks_by_gram(self, curve: FloatArray) -> FloatArray:
        size, k = self.design.d + 1, self.n_classes
        blocks = np.zeros((size, k, size, k))
        share = self._shares
        for a in range(k):
            for b in range(a, k):
                p = curve[:, a] * share
                block = self.design.gram(p * (1.0 - curve[:, a]) if a == b else p * curve[:, b])
                block = np.triu(block) + np.triu(block, 1).T
                blocks[:, a, :, b] = blocks[:, b, :, a] = block if a == b else -block
        return blocks

    def _blocks_at_once(self, curve: FloatArray) -> FloatArray:
        """All blocks Σᵢ sᵢ (δₖₗ pₖ − pₖ p_l) xᵢ xᵢᵀ as one product with the rows' own xxᵀ."""
        size, k = self.design.d + 1, self.n_classes
        p = np.ascontiguousarray(curve.T)
        shares = p * (self.scale if self.weights is None else self.weights * self.scale)
        seconds = (-shares[:, None, :] * p).reshape(k * k, -1)
        seconds[:: k + 1] += shares
        blocks = (seconds @ self._squared_rows).reshape(k, k, size, size)
        return np.ascontiguousarray(blocks.transpose(2, 0, 3, 1))

    @cached_property
    def _squared_rows(self) -> FloatArray:
        """xxᵀ of every row x of [X 1], for small problems."""
        rows = self.design.scores(np.eye(self.design.d + 1))
        return (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)

    def class_curves(self, curve: FloatArray) -> FloatArray:
        return curve * (1.0 - curve) * self._share()

    def total_curve(self, curve: FloatArray) -> float:
        if self.weights is None:
            return self.scale * (float(curve.sum()) - float(np.vdot(curve, curve)))
        return super().total_curve(curve)

    def gauge(self, w: FloatArray) -> FloatArray:
        """Σₖ wₖ = 0: where the penalty puts the optimum of a loss that ignores a common shift."""
        if not self.loss.shift_invariant:
            return w
        centred: FloatArray = w - w.mean(axis=1, keepdims=True)
        return centred

    def hessian_floor(self, point: Point, radius: float) -> FloatArray | None:
        factor = self.loss.hessian_shrinkage(radius)
        if factor is None:
            return None
        H = self.hessian(point.curve)
        H *= factor
        return H

    def leads(self, scores: FloatArray) -> tuple[float, float]:
        counts = slice(None) if self.weights is None else self.weights > 0.0
        scores, own = scores[counts], self.target[counts]
        rows = np.arange(len(scores))
        lead = scores[rows, own][:, None] - scores
        greatest = float(lead.max())
        lead[rows, own] = np.inf
        return float(lead.min()), greatest

    def dual_point(self, scores: FloatArray) -> FloatArray:
        return self.in_domain(-self.loss.gradient(scores, self.target))

    def linearised_dual_point(self, point: Point, u: FloatArray) -> FloatArray:
        theta = self._linearised(point, u, None)
        if self.intercept and self.loss.name == "softmax":
            return self.balanced(self.in_domain(theta))[0]
        if self.intercept:
            theta = self._linearised(point, u, self._shift(point, theta))
        return self.in_domain(theta)

    def in_domain(self, theta: FloatArray) -> FloatArray:
        """θ, used up, brought into the domain of the conjugate."""
        if self.loss.kernel is None:
            return self.loss.project_dual(theta, self.target)
        native.joint_domain(self.loss.kernel, theta, self.target, self.n_classes, self.design.threads)
        return theta

    def balanced(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Multipliers, used up, that a change of the intercepts makes balanced in every class; and the change."""
        return balanced(theta, self.target, self._shares, self.design.threads)

    @property
    def _shares(self) -> FloatArray:
        """What every row counts, 1 in all."""
        return np.full(self.design.n, self.scale) if self.weights is None else self.weights * self.scale

    def _linearised(self, point: Point, u: FloatArray, shift: FloatArray | None) -> FloatArray:
        """−ℓ′ − ℓ″·(u + shift)."""
        theta = np.empty_like(u)
        if self.loss.kernel is None:
            np.negative(self.loss.gradient(point.scores, self.target), out=theta)
            theta -= self.loss.hessian_product(point.scores, self.target, u if shift is None else u + shift)
            return theta
        native.joint_linearised(
            self.loss.kernel, point.curve, u, shift, self.target, self.n_classes, theta, self.design.threads
        )
        return theta

    def _shift(self, point: Point, theta: FloatArray) -> FloatArray:
        """A change of the intercepts after which the linearised multipliers of every class sum to 0."""
        curvature = self.loss.summed_hessian(point.scores, self.target, self._shares)
        return np.asarray(np.linalg.lstsq(curvature, self._shares @ theta, rcond=1e-12)[0], dtype=np.float64)

    def value_at(self, w: FloatArray) -> float:
        """P(w): the scores alone are computed, and used up."""
        if self.loss.kernel is None or self.offset is not None:
            return self.value(w, self.scores(w))
        mean = native.joint_values(
            self.loss.kernel, self.design.scores(w), self.target, self.weights, self.scale, self.n_classes, None,
            self.design.threads,
        )  # fmt: skip
        return mean + self.penalty.value(w[:-1])

    def dual(self, theta: FloatArray) -> Dual:
        if self.loss.kernel is None or self.offset is not None:
            return self._dual(theta, self.loss.conjugate(theta, self.target))
        shared = np.empty_like(theta)
        mean, size = native.joint_conjugate(
            self.loss.kernel, theta, self.target, self.weights, self.scale, self.n_classes, shared, self.design.threads
        )
        return Dual(theta, self.design.adjoint(shared), mean, size)

    def conjugate_mean(self, theta: FloatArray) -> tuple[float, float]:
        values = self.loss.conjugate(theta, self.target)
        if self.offset is not None:
            values = values + np.einsum("nk,nk->n", theta, self.offset)
        return self.mean(values), self.mean(np.abs(values))

    def dual_at(self, scores: FloatArray) -> Dual:
        theta = -self.loss.gradient(scores, self.target)
        return self._dual(theta, self.loss.fenchel(scores, self.target))

    def _dual(self, theta: FloatArray, values: FloatArray) -> Dual:
        if self.offset is not None:
            values = values + np.einsum("nk,nk->n", theta, self.offset)
        v = self.design.adjoint(theta * self._share())
        return Dual(theta, v, self.mean(values), self.mean(np.abs(values)))

    def worse(self, scores: FloatArray, delta: FloatArray) -> FloatArray:
        own = np.arange(self.design.n), self.target
        worse: FloatArray = scores + delta
        worse[own] = scores[own] - delta[own]
        return worse

    def loss_values(self, scores: FloatArray) -> FloatArray:
        return self.loss.value(scores, self.target)
