"""The objective, and the one seam between a pointwise loss and a linear model.

    P(w, b) = 1/S · Σᵢ sᵢ ℓ(yᵢ, ⟨xᵢ, w⟩ + b + oᵢ) + Ω(w),     S = Σᵢ sᵢ

- ℓ is a function of one margin (margin_problem.py, y in {−1, 1}) or of K scores (joint_problem.py, y in 0..K−1).
- Ω is the penalty (penalties.py), α/2 ‖w‖² unless said otherwise; b is never penalised; without an intercept it is 0.
- oᵢ are offsets: known parts of the scores, (n,) or (n, K); none of the fitted weights depends on their origin.
- sᵢ are sample weights; weight k means k copies of the row. The loss is a weighted mean, so α does not
  change its meaning with n.
- Weights carry the intercept as their last row: (d + 1,) for one margin, (d + 1, K) for K scores.

For any multipliers θ in the domain of ℓ* with Σᵢ sᵢ θᵢ = 0 where the intercept is free, Fenchel's inequality
gives the lower bound

    D(θ) = −1/S · Σᵢ sᵢ [ℓ*(−θᵢ) + θᵢyᵢoᵢ] − Ω*(v),     v = 1/S · Σᵢ sᵢ θᵢ yᵢ xᵢ,    D(θ) ≤ P(w, b) for every (w, b).

For the ridge Ω*(v) = ‖v‖²/2α.

The solvers reach the data only through these methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import Any, Self, TypeAlias

import numpy as np
from scipy.linalg.blas import daxpy

from linsep.data.design import Design
from linsep.problem.base import Loss
from linsep.problem.penalties import Penalty
from linsep.types import FloatArray, IntArray

#: t → value and slope
Line: TypeAlias = Callable[[float], tuple[float, float]]
#: ∇²P v and [X 1] v
Products: TypeAlias = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class Point:
    """A pair (w, b) with everything one pass over the data tells about it.

    scores   ⟨xᵢ, w⟩ + b + oᵢ
    value    P(w, b)
    grad     ∇P without what is not smooth in Ω, the intercept's entry last (0 where there is none)
    curve    what the second derivative needs: sᵢ ℓ″/S, or the K-score loss's own state
    """

    w: FloatArray
    scores: FloatArray
    value: float
    grad: FloatArray
    curve: FloatArray


@dataclass(frozen=True, eq=False)
class Dual:
    """Multipliers θ and the terms of D(θ): v, the intercept's residual last; the mean of ℓ*(−θ) + θyo and its size.

    off   ‖error of v‖ at most, where v was not summed afresh
    """

    theta: FloatArray
    v: FloatArray
    conjugate: float
    magnitude: float
    off: float = 0.0


@dataclass(frozen=True, eq=False)
class Problem(ABC):
    """What both kinds share: design, weights, penalty, intercept."""

    design: Design
    target: Any
    weights: FloatArray | None
    penalty: Penalty
    intercept: bool
    loss: Loss
    offset: FloatArray | None = field(default=None, kw_only=True)
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
    def loss_along(self, point: Point, u: FloatArray, t: float) -> tuple[float, float]:
        """The mean loss and its slope in t at the scores f + t u."""

    def line(self, point: Point, p: FloatArray, u: FloatArray) -> Line:
        """t → P and its slope at w + t p, from the scores u = [X 1] p: the data are not touched."""
        assert self.penalty.ridge
        w, q, alpha = point.w[:-1], p[:-1], self.alpha
        ww, wq, qq = (float(np.vdot(a, b)) for a, b in ((w, w), (w, q), (q, q)))

        def along(t: float) -> tuple[float, float]:
            if t == 0.0:
                return point.value, float(np.vdot(point.grad, p))
            value, slope = self.loss_along(point, u, t)
            return value + 0.5 * alpha * (ww + t * (2.0 * wq + t * qq)), slope + alpha * (wq + t * qq)

        return along

    @abstractmethod
    def hess_vec(self, point: Point, v: FloatArray, *, single: bool = False, out: Products | None = None) -> Products:
        """∇²P v and the scores [X 1] v, in one pass; into the arrays of an earlier call where they are given."""

    @abstractmethod
    def hessian(self, curve: FloatArray) -> FloatArray:
        """∇²P as a matrix over the flattened weights (upper triangle) for given curvatures, negative ones as 0.

        An absent intercept is decoupled; directions that change no loss (a common shift) get some curvature.
        """

    def loss_hessian(self, curve: FloatArray) -> FloatArray:
        """The second derivative of the mean loss alone, as a full matrix over the flattened weights with intercepts."""
        raise self.loss._lacks("a Hessian in closed form")

    @abstractmethod
    def class_curves(self, curve: FloatArray) -> FloatArray:
        """(n, K): what each class's own block of ∇²P weighs the rows with (K = 1 for one margin)."""

    def total_curve(self, curve: FloatArray) -> float:
        """The sum of `class_curves`."""
        return float(self.class_curves(curve).sum())

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
        H.ravel()[:: self.design.d + 2][:-1] += (
            self.penalty.curvature if self.penalty.ridge else self.penalty.l2(self.design.d)
        )
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
        """The least and the greatest lead of a row's own class over another: the margin, or z_y − z_k.

        Rows of weight zero do not count.
        """

    @abstractmethod
    def dual_point(self, scores: FloatArray) -> FloatArray:
        """θ = −ℓ′ at the scores, brought into the domain of the conjugate."""

    @abstractmethod
    def linearised_dual_point(self, point: Point, u: FloatArray) -> FloatArray:
        """θ = −ℓ′ − ℓ″·u at the point, brought into the domain of the conjugate; u = [X 1] p."""

    @abstractmethod
    def dual(self, theta: FloatArray) -> Dual:
        """The terms of D(θ) at multipliers in the domain, balanced for a free intercept where that is possible."""

    def conjugate_mean(self, theta: FloatArray) -> tuple[float, float]:
        """The mean of ℓ*(−θ) + θyo and its size, for multipliers as they are."""
        raise self.loss._lacks("conjugate")

    @abstractmethod
    def dual_at(self, scores: FloatArray) -> Dual:
        """The terms of D at θ = −ℓ′, by Fenchel's equality: for a loss whose conjugate is not known.

        With a free intercept the scores are first shifted to where Σ sᵢθᵢyᵢ = 0; any scores give a valid bound.
        """

    def worse(self, scores: FloatArray, delta: FloatArray) -> FloatArray:
        """The scores moved by delta (n, number of scores), each in the direction in which its row's loss rises."""
        raise self.loss._lacks("a worse direction of its scores")

    @abstractmethod
    def loss_values(self, scores: FloatArray) -> FloatArray:
        """ℓ for every row."""

    def zero(self) -> FloatArray:
        return np.zeros(self.shape)

    def rows(self, chosen: IntArray) -> Self:
        """The same problem on some of its rows."""
        weights = None if self.weights is None else self.weights[chosen]
        offset = None if self.offset is None else self.offset[chosen]
        design = self.design.rows(chosen)
        return replace(self, design=design, target=self.target[chosen], weights=weights, offset=offset)

    def scores(self, w: FloatArray) -> FloatArray:
        """⟨xᵢ, w⟩ + b + oᵢ."""
        scores = self.design.scores(w)
        if self.offset is not None:
            scores += self.offset
        return scores

    def with_alpha(self, alpha: float) -> Self:
        """The same problem with another α: l1_ratio, factors, bounds and offsets stay."""
        return replace(self, penalty=self.penalty.with_alpha(alpha))

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
        return sqrt(1.0 + self.design.scan.squares / self.design.n)

    def _finish(self, w: FloatArray, value: float, grad: FloatArray) -> float:
        """Add the penalty to value and gradient; an absent intercept has no gradient."""
        self._add_penalty(grad, w)
        return value + self.penalty.value(w[:-1])

    def _add_penalty(self, out: FloatArray, v: FloatArray) -> None:
        """out += the ridge part of Ω times v but for the intercept, which is 0 where there is none."""
        if self.penalty.ridge:  # without a temporary
            size = self.design.d * (out.size // len(out))
            daxpy(v.reshape(-1), out.reshape(-1), n=size, a=self.alpha)
        elif self.penalty.l1_ratio < 1.0:
            out[:-1] += self.penalty.gradient(v[:-1])
        if not self.intercept:
            out[-1] = 0.0
