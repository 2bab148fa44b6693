"""All folds at once: Newton's method on F weight vectors that share every pass over the data.

Fold f is left out of problem f,

    P_f(w, b) = 1/S_f · Σ over rows i not in fold f of sᵢ ℓ(yᵢ(⟨xᵢ, w⟩ + b)) + α/2 ‖w‖².

One product [X 1]W gives the scores of all F problems, one product back all their gradients, and the scores of the rows
that a problem has left out come for nothing. The values of α are taken from the largest down: the last solution with
its gradient is where the next step begins.

The steps (`Factored`): the curvatures of all rows at the mean of the F points make F Gram matrices, one a fold; their
sum less the fold's own is problem f's, so that all F Hessians cost one Gram pass. They serve until a step fails to
shrink the decrement tenfold. Where the columns are too many, conjugate gradients on all F at once (`Conjugate`).

What is proved: by convexity P_f* ≥ P_f − ‖∇_w P_f‖²/2α − |∂_b P_f|·(|b| + B), B ≥ |b*| (certify/intercept.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import log, sqrt
from typing import ClassVar, Protocol

import numpy as np

from linsep.errors import LinsepError
from linsep.kernels.threads import single_threaded_blas
from linsep.problem.margin_problem import MarginProblem
from linsep.selection.steps import Conjugate, Factored
from linsep.types import FloatArray, IntArray

#: Steps at one α, and halvings of a step.
_MOST, _HALVINGS = 50, 30
#: A step that shrinks the decrement by less than this asks for new Hessians.
_STALE = 0.1
#: Columns up to which Hessians are formed.
FORMED = 1000


class TooHard(LinsepError):
    """The shared steps make no progress: each problem must be solved on its own."""


@dataclass(frozen=True, eq=False)
class Sight:
    """What one pass shows at W (d + 1, F): scores (n, F), the loss, its gradient; the curvatures (n, F) if asked for.

    loss is the mean over the folds of the mean losses; gradient and curvatures are each fold's own. pointwise: the
    problem of every row F times.
    """

    W: FloatArray
    scores: FloatArray
    loss: float
    grad: FloatArray
    pointwise: MarginProblem

    @cached_property
    def curve(self) -> FloatArray:
        curve = self.pointwise.terms(self.scores.ravel())[2]
        curve *= self.scores.shape[1]
        return curve.reshape(self.scores.shape)


class Steps(Protocol):
    """How to turn gradients into steps; looks_ahead: whether a step costs more than a guess at where it leads."""

    looks_ahead: ClassVar[bool]

    def begin(self, alpha: float) -> None:
        """A new α."""

    def direction(self, sight: Sight, grad: FloatArray) -> FloatArray:
        """About ∇²P⁻¹ grad, for every fold."""

    def renew(self) -> bool:
        """The last step was a poor one: forget what is old, and whether there was anything to forget."""


@dataclass(eq=False)
class SharedFolds:
    """One binary problem over all rows, and the fold of every row."""

    problem: MarginProblem
    fold: IntArray
    count: int
    tol: float
    pointwise: MarginProblem = field(init=False)
    sight: Sight = field(init=False)
    steps: Steps = field(init=False)
    past: list[tuple[float, Sight]] = field(default_factory=list)

    def __post_init__(self) -> None:
        problem, rows = self.problem, np.arange(self.problem.design.n)
        weights = np.ones(len(rows)) if problem.weights is None else problem.weights
        totals = weights.sum() - np.bincount(self.fold, weights=weights, minlength=self.count)
        share = weights[:, None] / totals
        share[rows, self.fold] = 0.0
        # every row F times, with its share in each problem: their mean loss is the mean over the folds
        self.pointwise = MarginProblem(
            problem.design, np.repeat(problem.target, self.count), share.ravel(), problem.penalty, problem.intercept,
            loss=problem.loss,
        )  # fmt: skip
        self.sight = self._see(np.zeros((problem.design.d + 1, self.count)))
        formed = problem.design.d <= FORMED
        self.steps = Factored(problem, self.fold, totals) if formed else Conjugate(problem, self.count)
        self._reach = _Reach.of(problem, self.fold, share)

    def at(self, alpha: float) -> float:
        """Go to the optima at this α; the worst certified excess, relative to the mean of the objectives."""
        with single_threaded_blas():
            self.steps.begin(alpha)
            if self.steps.looks_ahead:
                self.sight = self._ahead(alpha)
            decrement = np.inf
            for _ in range(_MOST):
                grad = self._gradient(self.sight, alpha)
                step = self.steps.direction(self.sight, grad)
                promised = float(np.vdot(grad, step)) / self.count
                value = self._value(self.sight, alpha)
                if 0.5 * promised > self.tol * value and promised > _STALE * decrement and self.steps.renew():
                    step = self.steps.direction(self.sight, grad)
                    promised = float(np.vdot(grad, step)) / self.count
                if 0.5 * promised <= self.tol * value:
                    self.past = [*self.past[-2:], (log(alpha), self.sight)]
                    return self._gap(grad, alpha, value)
                decrement = promised
                self.sight = self._advance(step, promised, alpha)
            raise TooHard("the shared steps did not arrive")

    def left_out(self) -> FloatArray:
        """For every row its score by the problem that did not see it."""
        scores: FloatArray = self.sight.scores[np.arange(len(self.fold)), self.fold]
        return scores

    def _ahead(self, alpha: float) -> Sight:
        """Where the line or the parabola in ln α through the last optima leads, if that is better than the last one.

        The scores are the same combination as the weights, so that only the way back costs half a pass.
        """
        best, found = self._value(self.sight, alpha), None
        for count in (2, 3):
            if len(self.past) < count:
                break
            at, sights = zip(*self.past[-count:], strict=True)
            shares = _lagrange(np.array(at), log(alpha))
            W, scores = (
                sum(share * part for share, part in zip(shares, parts, strict=True))
                for parts in ([sight.W for sight in sights], [sight.scores for sight in sights])
            )
            value = self.pointwise.terms(scores.ravel())[0] + self._penalty(W, alpha)
            if value < best:
                best, found = value, (W, scores)
        return self.sight if found is None else self._see(*found)

    def _see(self, W: FloatArray, scores: FloatArray | None = None) -> Sight:
        design, F = self.problem.design, self.count
        scores = design.scores(W) if scores is None else scores
        loss, slopes = self.pointwise.slopes(scores.ravel())
        grad = design.adjoint(slopes.reshape(-1, F)) * F
        if not self.problem.intercept:
            grad[-1] = 0.0
        return Sight(W, scores, loss, grad, self.pointwise)

    def _gradient(self, sight: Sight, alpha: float) -> FloatArray:
        grad = sight.grad.copy()
        grad[:-1] += alpha * sight.W[:-1]
        return grad

    def _value(self, sight: Sight, alpha: float) -> float:
        return sight.loss + self._penalty(sight.W, alpha)

    def _penalty(self, W: FloatArray, alpha: float) -> float:
        return 0.5 * alpha * float(np.vdot(W[:-1], W[:-1])) / self.count

    def _advance(self, step: FloatArray, promised: float, alpha: float) -> Sight:
        """Along the step, halved until the mean of the objectives falls by a part of what it promises."""
        value, t = self._value(self.sight, alpha), 1.0
        rounding = 1e-13 * abs(value)
        for _ in range(_HALVINGS):
            new = self._see(self.sight.W - t * step)
            if self._value(new, alpha) <= value - 0.1 * t * promised + rounding:
                return new
            t *= 0.5
        raise TooHard("no step lowers the objectives")

    def _gap(self, grad: FloatArray, alpha: float, value: float) -> float:
        gaps = np.square(grad[:-1]).sum(axis=0) / (2.0 * alpha)
        if self.problem.intercept:
            reach = self._reach.at(self.count * value, alpha) + np.abs(self.sight.W[-1])
            gaps += np.abs(grad[-1]) * reach
        return float(gaps.max()) / max(value, np.finfo(np.float64).tiny)


def _lagrange(nodes: FloatArray, at: float) -> FloatArray:
    """What each node's value counts in the polynomial through all of them."""
    return np.array([np.prod([(at - b) / (a - b) for b in nodes if b != a]) for a in nodes])


@dataclass(frozen=True, eq=False)
class _Reach:
    """B ≥ |b*| for every fold from P: the mean margin of a class has a depth, and lies within ‖x̄‖·‖w*‖ of ±b*.

    shares (2, F) of the classes in each problem; norms (2, F) of their means.
    """

    shares: FloatArray
    norms: FloatArray
    start: float
    slope: float

    @staticmethod
    def of(problem: MarginProblem, fold: IntArray, share: FloatArray) -> _Reach:
        shares, norms = [], []
        for sign in (-1.0, 1.0):
            mine = np.where((problem.target == sign)[:, None], share, 0.0)
            sums = problem.design.adjoint(mine)
            shares.append(sums[-1])
            norms.append(np.linalg.norm(sums[:-1], axis=0) / sums[-1])
        at_zero = np.zeros(1)
        start, slope = float(problem.loss.value(at_zero)[0]), -float(problem.loss.d1(at_zero)[0])
        return _Reach(np.stack(shares), np.stack(norms), start, slope)

    def at(self, value: float, alpha: float) -> FloatArray:
        if self.slope <= 0.0:
            return np.full(self.shares.shape[1], np.inf)
        depth = np.maximum((value / self.shares - self.start) / self.slope, 0.0)
        reach: FloatArray = (depth + self.norms * sqrt(2.0 * value / alpha)).max(axis=0)
        return reach
