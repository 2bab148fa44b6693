"""Softmax by preconditioned Newton: the preconditioner follows the point where it is the Hessian of all rows."""

from __future__ import annotations

import numpy as np
import pytest

from linsep import LogisticRegression
from linsep.problem.problem import Point
from linsep.solvers import newton_cg


@pytest.mark.filterwarnings("ignore::linsep.errors.DataWarning")
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_rows_that_large_columns_tell_apart(seed: int, intercept: bool) -> None:
    """P* is 1e-9 and the curvature falls with it: a preconditioner from w = 0 would be off by as much."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 80)) * 10.0 ** rng.uniform(-9, 9, 80)
    model = LogisticRegression(alpha=1.0, fit_intercept=intercept).fit(X, np.arange(30) % 4)
    assert model.model_.run.solver == "whitened"
    assert model.certificate_.holds
    assert model.n_iter_ <= 200


def test_the_step_that_a_bound_is_linearised_along_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class and columns that are rare: the first bound is loose, and a second step follows."""
    rng, n = np.random.default_rng(0), 20_000
    X, rare = rng.normal(size=(n, 32)), rng.random((n, 8)) < np.geomspace(3e-4, 2e-2, 8)
    scores = X @ rng.normal(size=(32, 5)) + rare @ (4.0 * rng.normal(size=(8, 5))) - [0, 1, 2, 4, 6]
    X = np.hstack([X, rare / rare.std(axis=0)])
    y = np.argmax(scores + rng.gumbel(size=(n, 5)), axis=1)
    directions, ordinary = [], newton_cg.conjugate_gradients

    def counted(solver: newton_cg.NewtonCG, problem: object, point: Point, *rest: object) -> newton_cg.Direction:
        directions.append(len(point.scores) == n)
        return ordinary(solver, problem, point, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(newton_cg, "conjugate_gradients", counted)
    model = LogisticRegression(alpha=1e-6, tol=1e-2).fit(X, y)
    assert model.model_.run.solver == "whitened"
    assert (sum(directions), model.n_iter_) == (1, 2)
    best = LogisticRegression(alpha=1e-6, tol=1e-9).fit(X, y).certificate_.bound
    assert model.certificate_.gap <= 5.0 * (model.certificate_.primal - best)
