"""One look at F problems that each leave out a fold, against F plain sums over the rows that each of them has."""

from dataclasses import replace

import numpy as np
import pytest

from linsep.model import read_training
from linsep.problem import losses
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import L2
from linsep.selection.sight import FoldProblems

F = 3


def problems(weighted: bool, intercept: bool) -> tuple[FoldProblems, np.ndarray]:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(40, 5)), np.where(rng.random(40) < 0.5, -1.0, 1.0)
    weights = rng.integers(1, 4, 40).astype(float) if weighted else None
    design = read_training(X, y, None, None, 1).design
    problem = MarginProblem(design, y, weights, L2(0.1), intercept, loss=losses.get("log"))
    return FoldProblems(problem, np.arange(40) % F, F), X


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("known", [True, False])
def test_as_separate_problems(known: bool, weighted: bool, intercept: bool) -> None:
    folds, X = problems(weighted, intercept)
    y, fold = folds.problem.target, folds.fold
    s = np.ones(40) if folds.problem.weights is None else folds.problem.weights
    W = np.random.default_rng(5).normal(size=(6, F))
    Z = X @ W[:-1] + W[-1]
    sight = folds.see_scores(W, Z.copy()) if known else folds.see(W, keep=True)
    loss, curve = 0.0, folds.curve(replace(sight, scores=None) if known else sight)
    for f in range(F):
        inside = fold != f
        share, p = s[inside] / s[inside].sum(), 1.0 / (1.0 + np.exp(y[inside] * Z[inside, f]))
        loss += share @ np.logaddexp(0.0, -y[inside] * Z[inside, f]) / F
        slopes = -share * y[inside] * p
        np.testing.assert_allclose(sight.grad[:-1, f], X[inside].T @ slopes, atol=1e-12)
        np.testing.assert_allclose(sight.grad[-1, f], slopes.sum() if intercept else 0.0, atol=1e-12)
        np.testing.assert_allclose(curve[inside, f], share * p * (1.0 - p), atol=1e-12)
        np.testing.assert_allclose(curve[~inside, f], 0.0)
    np.testing.assert_allclose(sight.loss, loss, rtol=1e-12)
    np.testing.assert_allclose(sight.mean, Z.mean(axis=1), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(sight.left, Z[np.arange(40), fold], rtol=1e-10, atol=1e-12)
