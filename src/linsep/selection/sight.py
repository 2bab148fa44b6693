"""F problems that each leave out one fold of the rows, and what one pass over the data shows of all of them.

P_f(w, b) = 1/S_f · Σ over rows i not in fold f of sᵢ ℓ(yᵢ(⟨xᵢ, w⟩ + b)) + α/2 ‖w‖²
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.cached import cached_property
from linsep.kernels import native
from linsep.problem.margin_problem import MarginProblem
from linsep.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Sight:
    """What one pass shows at W (d + 1, F).

    loss     the mean over the folds of the mean losses
    grad     (d + 1, F): each problem's own gradient of its mean loss
    mean     (n,): of each row's scores under the F problems
    left     (n,): its score by the problem that leaves it out
    scores   (n, F), if they were asked for
    """

    W: FloatArray
    loss: float
    grad: FloatArray
    mean: FloatArray
    left: FloatArray
    scores: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class FoldProblems:
    """One binary problem over all rows, and the fold of every row."""

    problem: MarginProblem
    fold: IntArray
    count: int

    @cached_property
    def totals(self) -> FloatArray:
        """S_f, what the rows of each problem weigh."""
        weights = np.ones(len(self.fold)) if self.problem.weights is None else self.problem.weights
        totals: FloatArray = weights.sum() - np.bincount(self.fold, weights=weights, minlength=self.count)
        return totals

    def see(self, W: FloatArray, *, keep: bool) -> Sight:
        """One pass; keep: all scores."""
        problem, n, F = self.problem, len(self.fold), self.count
        if problem.loss.kernel is None:
            return self.see_scores(W, problem.design.scores(W))
        scores = np.empty((n, F)) if keep else None
        mean, left, grad = np.empty(n), np.empty(n), np.empty(W.shape)
        loss = native.fold_pass(
            problem.design.matrix, problem.loss.kernel, problem.target, problem.weights, self.fold, 1.0 / self.totals,
            W, scores, mean, left, grad, problem.design.threads,
        )  # fmt: skip
        return Sight(W, loss / F, self._without_intercept(grad), mean, left, scores)

    def see_scores(self, W: FloatArray, scores: FloatArray) -> Sight:
        """From known scores: only the way back reads the data."""
        loss, slopes = self.pointwise.slopes(scores.ravel())
        grad = self._without_intercept(self.problem.design.adjoint(slopes.reshape(scores.shape)) * self.count)
        left = scores[np.arange(len(scores)), self.fold]
        return Sight(W, loss, grad, scores.mean(axis=1), left, scores)

    def _without_intercept(self, grad: FloatArray) -> FloatArray:
        """The gradient, 0 for the intercepts where there are none."""
        if not self.problem.intercept:
            grad[-1] = 0.0
        return grad

    def curve(self, sight: Sight) -> FloatArray:
        """(n, F): sᵢℓ″/S_f of every row in every problem, 0 in that of its fold."""
        scores = self.problem.design.scores(sight.W) if sight.scores is None else sight.scores
        curve = self.pointwise.terms(scores.ravel())[2]
        curve *= self.count
        return curve.reshape(scores.shape)

    @cached_property
    def pointwise(self) -> MarginProblem:
        """Every row F times, with its share in each problem: the mean loss is the mean over the folds."""
        problem, rows = self.problem, np.arange(len(self.fold))
        weights = np.ones(len(rows)) if problem.weights is None else problem.weights
        share = weights[:, None] / self.totals
        share[rows, self.fold] = 0.0
        return MarginProblem(
            problem.design, np.repeat(problem.target, self.count), share.ravel(), problem.penalty, problem.intercept,
            loss=problem.loss,
        )  # fmt: skip
