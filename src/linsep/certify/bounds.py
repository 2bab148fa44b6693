"""Lower bounds on the optimum.

With a penalty: the dual value at multipliers θ (problem/problem.py has the formula). The point decides whether
the bound is worth anything. θ = −ℓ′ alone leaves ‖∇P‖²/2α; linearised along a Newton step p,

    θ = −ℓ′ − ℓ″·[X 1]p,     v = α(w + p) − r,   r = ∇²P p + ∇P,

so what is left is ‖r‖²/2α and terms of third order. The free intercept demands Σ sᵢθᵢyᵢ = 0, which clipping
and rounding break: first the multipliers of the class in excess are shrunk (`Problem.dual`), then what is left is
charged: at |r_b|·B with B ≥ |b*| from the level set of P, or better (intercept.py) where that matters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite, sqrt

import numpy as np

from linsep.certify.bound import NO_BOUND, Bound
from linsep.certify.certificate import Kind
from linsep.certify.intercept import class_means, intercept_reach, mean_limits, settle
from linsep.certify.penalised import penalised_bound
from linsep.certify.rounding import (
    column_sums,
    least_allowance,
    rounding,
    row_lengths,
    row_products,
    spread,
    value_rounding,
)
from linsep.problem.problem import Dual, Point, Problem
from linsep.types import FloatArray

__all__ = [
    "NO_BOUND", "Bound", "column_sums", "dual_bound", "linearised_bound", "newton_bound", "nonnegative", "plain_bound",
    "rounding", "value_rounding",
]  # fmt: skip

#: M⁻¹r, perhaps into the second array, which it may use if it has one
Preconditioner = Callable[[FloatArray, FloatArray | None], FloatArray]

#: A gap beyond this many times the excess is loose.
TIGHT = 3.5
#: How many times the rounding of the sums that of the products may be without another look.
_SUMS = 1e4
#: Numbers, one a row and class, up to which the means of the classes are worth a pass.
_MEANS = 1 << 24
#: Share of the gap from which a better charge for the intercept is worth a pass.
_SMALL = 0.03


def dual_bound(problem: Problem, dual: Dual, primal: float) -> Bound:
    """D(θ) less the charge for the intercept's residual and for rounding; `primal` is any value of P.

    Rounding covers the sums of D and P, that of the scores ⟨x, w⟩ and of v, whose terms may be far larger than
    the sums (`products`), and the square of v's own; and what v is known to be off by.
    """
    if not problem.penalty.ridge:
        return penalised_bound(problem, dual, primal)
    v, charge, residual = dual.v[:-1], 0.0, 0.0
    quadratic = problem.penalty.conjugate(v)
    gap = primal + dual.conjugate + quadratic
    allowance = rounding(problem, dual.magnitude + quadratic + abs(primal))
    allowance += _rounded_products(problem, dual, gap, _SUMS * allowance)
    if problem.intercept:
        r = dual.v[-1]
        reach = intercept_reach(problem, primal)
        charge = float(np.abs(r).sum()) * reach
        if not charge <= _SMALL * max(gap, allowance):
            charge, change = settle(problem, r, primal)
            v = v - _mean_rows(problem, change)
            quadratic = problem.penalty.conjugate(v)
            if problem.offset is not None:  # the tangents hold b + o back, not b
                charge -= float(np.sum(_shared(problem, change) * problem.offset))
        residual = min(charge, rounding(problem, 1.0 + abs(primal)))  # the part of the charge that is rounding
    if dual.off:
        allowance += dual.off * (float(np.linalg.norm(v)) + 0.5 * dual.off) / problem.alpha
    value = -dual.conjugate - quadratic - allowance - charge
    return Bound(value, Kind.DUALITY_GAP, allowance + residual, dual.theta) if isfinite(value) else NO_BOUND


def _rounded_products(problem: Problem, dual: Dual, gap: float, fine: float) -> float:
    """Twice what rounding does to 1/S Σ sᵢ|θᵢ| Σⱼ|wⱼxᵢⱼ|, w = v/α, and the square of what it does to v.

    By Cauchy and Schwarz the sum is at most ‖v‖·√(Σⱼ cⱼ²)/α, c the `column_sums`, and that needs only Σ xᵢⱼ². Where
    this is not next to nothing beside the gap, it is taken column by column; and by rows where it is not fine then, for
    a column of 1e9 may be that of a few rows whose θ is 0.
    """
    v, theta = dual.v[:-1], dual.theta
    little = 0.01 * gap
    length = sqrt(problem.design.scan.squares) * float(np.linalg.norm(spread(problem, theta)))
    twice = 2.0 * rounding(problem, length * float(np.linalg.norm(v)) / problem.alpha)
    square = rounding(problem, length) ** 2 / (2.0 * problem.alpha)
    if twice > little:
        products = float(np.sum(column_sums(problem, theta) * np.abs(v))) / problem.alpha
        twice = 2.0 * rounding(problem, products)
    if twice > max(little, fine):
        means = _largest_means(problem)
        twice = min(twice, 2.0 * rounding(problem, row_products(problem, v, theta, means) / problem.alpha))
    if square > max(little, fine):
        length = row_lengths(problem, theta, _largest_means(problem))
        square = min(square, rounding(problem, length) ** 2 / (2.0 * problem.alpha))
    return twice + square


def _largest_means(problem: Problem) -> FloatArray:
    """The largest |x̄| of a class, by columns; 0 without a free intercept."""
    if not problem.intercept:
        return np.zeros(problem.design.d)
    small = int(np.prod(problem.shape[1:])) * problem.design.n <= _MEANS
    largest: FloatArray = (class_means if small else mean_limits)(problem).max(axis=1)
    return largest


def _mean_rows(problem: Problem, change: FloatArray) -> FloatArray:
    """1/S Σ sᵢ changeᵢ xᵢ."""
    return problem.design.adjoint(np.ascontiguousarray(_shared(problem, change)))[:-1]


def _shared(problem: Problem, change: FloatArray) -> FloatArray:
    """sᵢ/S times the row."""
    share = problem.scale if problem.weights is None else problem.weights * problem.scale
    return (change.T * share).T


def plain_bound(problem: Problem, w: FloatArray) -> Bound:
    """The bound at θ = −ℓ′(w): valid anywhere, worth little far from the optimum. For a fit that was cut short."""
    if (problem.alpha == 0.0 and problem.penalty.ridge) or not problem.loss.convex:
        return NO_BOUND
    scores = problem.scores(w)
    primal = problem.value(w, scores)
    if not problem.loss.offers("conjugate"):
        return dual_bound(problem, problem.dual_at(scores), primal)
    bound = dual_bound(problem, problem.dual(problem.dual_point(scores)), primal)
    # features without penalty may leave no multipliers that balance, but for 0
    return _at_zero(problem) if bound is NO_BOUND and problem.loss.kernel is not None else bound


def nonnegative(problem: Problem) -> Bound:
    """P ≥ 0: tight without a penalty where a hinge-like loss vanishes on every row."""
    return _at_zero(problem) if problem.loss.attained else NO_BOUND


def _at_zero(problem: Problem) -> Bound:
    """P ≥ 0, by θ = 0."""
    theta = np.zeros(problem.design.n if len(problem.shape) == 1 else (problem.design.n, problem.shape[1]))
    return Bound(0.0, Kind.DUALITY_GAP, least_allowance(problem), theta)


def newton_bound(problem: Problem, point: Point, u: FloatArray, new: Point) -> Bound:
    """The bound after a Newton step from `point` along scores u to `new`.

    A loss without a conjugate is bounded at the new point's own θ = −ℓ′.
    """
    if problem.alpha == 0.0:
        return NO_BOUND
    if not problem.loss.offers("conjugate"):
        return dual_bound(problem, problem.dual_at(new.scores), new.value)
    return dual_bound(problem, problem.dual(problem.linearised_dual_point(point, u)), new.value)


@dataclass(frozen=True, eq=False)
class Linearised:
    """A bound; an estimate of the point's excess; the last step p that a bound was tried with."""

    bound: Bound
    excess: float
    step: FloatArray | None


def linearised_bound(
    problem: Problem, point: Point, precondition: Preconditioner, most: int, known: Bound = NO_BOUND
) -> Linearised:
    """The better of a known bound and of that linearised at the point itself.

    What a Newton step has left of third order is of the next order here. Conjugate residuals: every p keeps
    r = −∇P − ∇²P p shortest, because the bound loses ‖r‖²/2α. The quadratic model gains ⟨∇P, p⟩²/2⟨p, ∇²P p⟩ along p
    and at most ‖r‖²/2α more, so a known bound may turn out to be tight after the first step. A new one is tried where
    the second is no larger than the first, and again further on, as long as that pays: balancing the multipliers costs
    what r does not tell. Products may run in float32: the bound itself is evaluated afresh.
    """
    steps, best, share, step = _Residuals(problem, point), known, 1.0, None
    for left in reversed(range(most)):
        if not steps.advance(precondition):
            break
        gap = point.value - best.value
        if gap <= TIGHT * steps.gain:
            break
        if steps.lost > share * steps.gain and left:
            continue
        step = steps.p.copy()
        dual = problem.dual(problem.linearised_dual_point(point, problem.design.scores(step)))
        found, before = dual_bound(problem, dual, point.value), gap
        best = max(best, found, key=lambda bound: bound.value)
        gap = point.value - best.value
        if gap <= TIGHT * steps.gain or (share < 1.0 and gap > 0.7 * before):
            break
        share *= 0.1
    return Linearised(best, steps.gain + 0.5 * min(steps.lost, steps.gain), step)


class _Residuals:
    """Conjugate residuals for ∇²P p = −∇P: p, what the quadratic model gains along it, and ‖r‖²/2α."""

    def __init__(self, problem: Problem, point: Point) -> None:
        self._problem, self._point = problem, point
        self._r, self._spare = -point.grad, np.empty_like(point.scores)
        self._before: list[tuple[float, FloatArray, FloatArray]] = []
        self.p, self.gain, self.lost = np.zeros_like(point.w), 0.0, inf

    def advance(self, precondition: Preconditioner) -> bool:
        """One more product; False where nothing is left to be gained."""
        r, g = self._r, self._point.grad
        q = precondition(r, None).copy()
        out = np.empty_like(g), self._spare
        Hq, self._spare = self._problem.hess_vec(self._point, q, single=True, out=out)
        for square, Hd, d in self._before:
            t = float(np.vdot(Hq[:-1], Hd[:-1])) / square
            Hq -= t * Hd
            q -= t * d
        square = float(np.vdot(Hq[:-1], Hq[:-1]))
        if square == 0.0:
            return False
        self._before.append((square, Hq, q))
        t = float(np.vdot(r[:-1], Hq[:-1])) / square
        self.p += t * q
        r -= t * Hq
        curvature = -float(np.vdot(self.p, g + r))
        if curvature > 0.0:
            self.gain = max(self.gain, 0.5 * float(np.vdot(g, self.p)) ** 2 / curvature)
        self.lost = self._problem.penalty.conjugate(r[:-1])
        return True
