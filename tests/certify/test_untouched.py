"""A feature without penalty that only rows of one class have, all beyond the kink: its multipliers are all 0."""

from typing import Any

import numpy as np
import pytest

from linsep import LinearClassifier, verify
from linsep.certify.unpenalised import _untouched
from linsep.data import as_design
from linsep.problem import losses
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import Penalty


def table(seed: int, classes: int) -> tuple[Any, Any]:
    """Two features, and one that is not 0 in two or three rows of the first class."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(40, 3))
    level = X[:, 0] + 0.5 * random.normal(size=40) + 0.5 * classes
    y = np.array(["a", "b", "c"])[np.clip(level.astype(int), 0, classes - 1)]
    X[:, 2] = 0.0
    X[np.flatnonzero(y == "a")[: random.integers(2, 4)], 2] = random.uniform(0.5, 2.0) if seed % 2 else 1.0
    return X, y


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("loss", ["squared_hinge", "smoothed_hinge", "hinge"])
@pytest.mark.parametrize("classes", [2, 3])
def test_fits_are_certified_and_verified(classes: int, loss: str, l1_ratio: float, intercept: bool) -> None:
    for seed in range(4):
        X, y = table(seed, classes)
        model = LinearClassifier(
            loss, alpha=0.01, l1_ratio=l1_ratio, penalty_factors=[1.0, 1.0, 0.0], fit_intercept=intercept,
            multiclass="ovr" if classes == 3 else "auto",
        ).fit(X, y)  # fmt: skip
        assert model.certificate_.relative_gap <= 1e-4
        assert verify(model, X, y)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_nothing_is_verified_that_is_not_optimal(loss: str) -> None:
    X, y = table(0, 2)
    model = LinearClassifier(loss, alpha=0.01, l1_ratio=1.0, penalty_factors=[1.0, 1.0, 0.0]).fit(X, y)
    bound = model.certificate_.bound
    for other in (0.0, 0.5 * model.coef_[0, 2]):  # weights at which the rows come back before their kink
        w = np.append(model.coef_[0], model.intercept_)
        w[2] = other
        scores = np.where(y == "b", 1.0, -1.0) * (X @ w[:-1] + w[-1])
        slack = np.maximum(1.0 - scores, 0.0)
        value = np.mean(slack if loss == "hinge" else slack**2) + 0.01 * np.abs(w[:2]).sum()
        assert value >= bound


def test_a_sum_that_cancels_is_not_one_of_zeros() -> None:
    X, y = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [2.0, 0.0]]), np.array([1.0, -1.0, 1.0, -1.0])
    penalty = Penalty(0.1, 0.0, np.zeros(2), None, None)
    problem = MarginProblem(as_design(X, 1), y, None, penalty, False, losses.get("hinge"))
    dual = problem.dual(np.array([0.5, 0.5, 0.0, 0.0]))
    assert dual.v[:2].tolist() == [0.0, 0.0]
    assert _untouched(problem, dual).tolist() == [False, True]


@pytest.mark.parametrize("seed", [2, 6, 11])
def test_classes_of_a_row_sum_to_zero_after_balancing(seed: int) -> None:
    """Columns far from 0 beside an intercept: what must balance nearly depends on itself, and rounding grows in G⁻¹."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 10)) * (rng.random((40, 10)) < 0.15) + 10.0 * rng.normal(size=10)
    y, factors = rng.integers(0, 3, 40), np.r_[0.0, 0.0, np.ones(8)]
    offset = 3.0 * rng.normal(size=(40, 3))
    model = LinearClassifier("log", alpha=0.02, penalty_factors=factors).fit(X, y, offset=offset)
    assert model.certificate_.holds
    assert verify(model, X, y, offset=offset)


@pytest.mark.parametrize("seed", [0, 1])
def test_a_row_of_weight_zero_may_have_any_multiplier(seed: int) -> None:
    """The exponential loss of a far row on the wrong side: e to the power of hundreds."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 20))
    X[5] *= 100.0
    y = (X[:, 0] + rng.normal(size=40) > 0.0).astype(int)
    y[5], counts = X[5, 0] < 0.0, np.where(np.arange(40) == 5, 0.0, 1.0)
    factors = np.r_[0.0, 0.0, np.ones(18)]
    model = LinearClassifier("exponential", alpha=0.01, penalty_factors=factors).fit(X, y, sample_weight=counts)
    assert model.certificate_.holds
    assert verify(model, X, y, sample_weight=counts)


@pytest.mark.parametrize(
    ("loss", "weight"),
    [("squared", 1.0), ("squared_hinge", 1.0), ("hinge", 1.0), ("squared", 0.0), ("log", 0.0), ("hinge", 0.0)],
)
def test_a_free_column_of_one_row(loss: str, weight: float) -> None:
    """Its weight fits that row exactly: θ = 0 there, to the bit or nearly, where the squared loss has room for more."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = (rng.random((60, 6)) < 0.2).astype(float)
        X[:, 2] = 0.0
        X[41, 2] = 1.0
        y = np.where(X[:, 0] + rng.normal(size=60) > 0.0, 1, 0)
        counts = np.where(np.arange(60) == 41, weight, rng.exponential(size=60))
        model = LinearClassifier(loss, alpha=0.05, l1_ratio=1.0, penalty_factors=[1.0, 1.0, 0.0, 1.0, 1.0, 1.0])
        model.fit(X, y, sample_weight=counts)
        assert model.certificate_.holds
        assert verify(model, X, y, sample_weight=counts)
