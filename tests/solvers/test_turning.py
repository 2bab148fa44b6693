"""Columns that depend on each other and are so large that the penalty is lost beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linsep import LinearClassifier, verify
from linsep.data import as_design
from linsep.problem import losses
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import L2
from linsep.solvers.turning import turned

Array = np.ndarray[Any, Any]

SCHEMES = {
    "log": ("log", "auto"),
    "hinge": ("hinge", "auto"),
    "squared hinge": ("squared_hinge", "auto"),
    "smoothed hinge": ("smoothed_hinge", "auto"),
    "exponential": ("exponential", "auto"),
    "squared": ("squared", "auto"),
    "softmax": ("log", "softmax"),
    "1 of K": ("squared", "one_of_k"),
}


def sums_of_columns(seed: int, n: int, d: int) -> tuple[Array, Array]:
    """A column of 1e9 beside one of 1e-9, and one that is the sum of the first and of a common one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 0] *= 1e9
    X[:, 1] *= 1e-9
    X[:, 4] = X[:, 0] + X[:, 3]
    return X, rng.permutation(np.arange(n) % 4)


@pytest.mark.parametrize("alpha", [1e-6, 1e-4, 1e-1])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", SCHEMES)
def test_certified_and_verified(name: str, intercept: bool, alpha: float) -> None:
    loss, scheme = SCHEMES[name]
    for n, d in ((15, 40), (60, 6)):
        X, y = sums_of_columns(0, n, d)
        y = y if scheme in ("softmax", "one_of_k") else y % 2
        model = LinearClassifier(loss, alpha=alpha, multiclass=scheme, fit_intercept=intercept).fit(X, y)
        # opposite weights on two columns of 1e9: their scores, and so P, are known to 1e-8 and no better
        assert model.certificate_.holds
        assert verify(model, X, y)
        sparsely = LinearClassifier(loss, alpha=alpha, multiclass=scheme, fit_intercept=intercept)
        assert sparsely.fit(sparse.csr_array(X), y).certificate_.primal == pytest.approx(
            model.certificate_.primal, abs=2.0 * model.certificate_.gap + 2.0 * model.certificate_.allowance, rel=1e-4
        )


@pytest.mark.parametrize("intercept", [True, False])
def test_it_is_the_same_problem(intercept: bool) -> None:
    """Scores, norms and so P are those of the given weights, to the rounding of each column."""
    X, y = sums_of_columns(1, 12, 30)
    problem = MarginProblem(as_design(X, 1), 2.0 * (y % 2) - 1.0, None, L2(1e-4), intercept, losses.get("log"))
    turn = turned(problem)
    assert turn is not None
    assert turn.problem.design.d == 12
    v = np.random.default_rng(2).normal(size=13) / np.append(np.sqrt(turn.problem.design.column_squares + 1.0), 1.0)
    v[-1] *= intercept
    w = turn.given(v)
    size = np.abs(X) @ np.abs(w[:-1]) + abs(w[-1])
    assert np.all(np.abs(problem.scores(w) - turn.problem.scores(v)) <= 1e-14 * size)
    assert np.linalg.norm(w[:-1]) == pytest.approx(np.linalg.norm(v[:-1]), rel=1e-13)
    back = turn.given(turn.inside(w))
    assert np.allclose(back[:-1], w[:-1], rtol=1e-9, atol=1e-12 * np.abs(w).max())
    assert abs(back[-1] - w[-1]) <= 1e-14 * size.max()


def test_independent_or_moderate_columns_stay_as_they_are() -> None:
    X, y = sums_of_columns(1, 60, 6)
    signs, loss = 2.0 * (y % 2) - 1.0, losses.get("log")
    apart = np.delete(X, 4, axis=1)
    assert turned(MarginProblem(as_design(X, 1), signs, None, L2(1e-4), True, loss)) is not None
    assert turned(MarginProblem(as_design(apart, 1), signs, None, L2(1e-4), True, loss)) is None
    assert turned(MarginProblem(as_design(X / 1e9, 1), signs, None, L2(1e-4), True, loss)) is None


def test_a_start_from_the_last_weights() -> None:
    X, y = sums_of_columns(3, 15, 40)
    model = LinearClassifier("log", alpha=1e-4, warm_start=True).fit(X, y % 2)
    first = model.n_iter_
    assert first > 3
    assert model.fit(X, y % 2).n_iter_ < first
    assert model.certificate_.relative_gap <= 1e-4


@pytest.mark.parametrize("loss", ["hinge", "log"])
def test_the_same_bits_for_one_and_two_threads(loss: str) -> None:
    X, y = sums_of_columns(4, 15, 40)
    one, two = (LinearClassifier(loss, alpha=1e-4, n_jobs=jobs).fit(X, y % 2) for jobs in (1, 2))
    assert np.array_equal(one.coef_, two.coef_)
    assert one.certificate_.bound == two.certificate_.bound
