"""All folds at once: Newton's method on F weight vectors that share every pass over the data.

Fold f is left out of problem f (sight.py). One pass gives the losses and gradients of all F problems, and the scores of
the rows that a problem has left out come for nothing. The values of α are taken from the largest down: the last
solution with its gradient is where the next step begins.

The steps (`Factored`): the curvatures of all rows at the mean of the F points make F Gram matrices, one a fold; their
sum less the fold's own is problem f's, so that all F Hessians cost one Gram pass. They serve until a step fails to
shrink the decrement tenfold. Where the columns are too many, conjugate gradients on all F at once (`Conjugate`).

What is proved: by convexity P_f* ≥ P_f − ‖∇_w P_f‖²/2α − |∂_b P_f|·(|b| + B), B ≥ |b*| (certify/intercept.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log, sqrt
from typing import ClassVar, Protocol

import numpy as np

from linsep.errors import LinsepError
from linsep.kernels import native
from linsep.kernels.threads import single_threaded_blas
from linsep.selection.sight import FoldProblems, Sight
from linsep.selection.steps import Conjugate, Factored
from linsep.types import FloatArray

#: Steps at one α, and halvings of a step.
_MOST, _HALVINGS = 50, 30
#: A step that shrinks the decrement by less than this asks for new Hessians.
_STALE = 0.1
#: Columns up to which Hessians are formed.
FORMED = 1000


class TooHard(LinsepError):
    """The shared steps make no progress: each problem must be solved on its own."""


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
    """The optima of F problems at one α after another, each within tol of its objective."""

    problems: FoldProblems
    tol: float
    sight: Sight = field(init=False)
    steps: Steps = field(init=False)
    past: list[tuple[float, Sight]] = field(default_factory=list)

    def __post_init__(self) -> None:
        problems, d = self.problems, self.problems.problem.design.d
        self.steps = Factored(problems) if d <= FORMED else Conjugate(problems)
        self.sight = self._see(np.zeros((d + 1, problems.count)))
        self._reach = _Reach.of(problems)

    @property
    def count(self) -> int:
        return self.problems.count

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
            value = self.problems.pointwise.terms(scores.ravel())[0] + self._penalty(W, alpha)
            if value < best:
                best, found = value, (W, scores)
        return self.sight if found is None else self.problems.see_scores(*found)

    def _see(self, W: FloatArray) -> Sight:
        return self.problems.see(W, keep=self.steps.looks_ahead)

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
        if self.problems.problem.intercept:
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
    def of(problems: FoldProblems) -> _Reach:
        problem, F = problems.problem, problems.count
        sums = np.empty((problem.design.d + 1, 2 * F))
        parts = problems.fold + F * (problem.target > 0)
        native.class_sums(problem.design.matrix, parts, problem.weights, 1.0, 2 * F, sums, problem.design.threads)
        of_class = sums.reshape(-1, 2, F)
        in_problem = of_class.sum(axis=2, keepdims=True) - of_class  # (d + 1, 2, F): all folds but the problem's own
        shares = in_problem[-1] / problems.totals
        norms = np.linalg.norm(in_problem[:-1], axis=0) / in_problem[-1]
        at_zero = np.zeros(1)
        start, slope = float(problem.loss.value(at_zero)[0]), -float(problem.loss.d1(at_zero)[0])
        return _Reach(shares, norms, start, slope)

    def at(self, value: float, alpha: float) -> FloatArray:
        if self.slope <= 0.0:
            return np.full(self.shares.shape[1], np.inf)
        depth = np.maximum((value / self.shares - self.start) / self.slope, 0.0)
        reach: FloatArray = (depth + self.norms * sqrt(2.0 * value / alpha)).max(axis=0)
        return reach
