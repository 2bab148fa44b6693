"""Certificates in bad scales against the optimum to fifty digits, and against the verifier."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linsep import LinearClassifier, verify
from linsep.errors import NoOptimum
from tests.certify.cases import CONVEX, JOINT
from tests.certify.exact import Exact

Array = np.ndarray[Any, Any]

ALPHAS = [1.0, 1e-3, 1e-5, 1e-7]
SHAPES = [(12, 6), (9, 20)]
KINDS = ["large", "large constant", "large copies", "large constant copies", "any constant copies"]
SCHEMES = {"softmax": "log", "crammer_singer": "hinge", "one_of_k": "squared"}


def rows(kind: str, shape: tuple[int, int], classes: int, seed: int) -> tuple[Array, Array]:
    """Columns of 1e9 beside 1e-9, or of sizes from 1e-5 to 1e5; constant ones; copies of columns and rows, the latter
    of whatever class."""
    rng = np.random.default_rng(seed)
    n, d = shape
    y = rng.permutation(np.r_[np.arange(classes), rng.integers(0, classes, n - classes)])
    X = rng.normal(size=shape) + 0.3 * (y[:, None] == np.arange(d))
    X *= 10.0 ** rng.uniform(-5, 5, d) if "any" in kind else np.r_[1e9, 1e-9, np.ones(d - 2)]
    if "constant" in kind:
        X[:, 2], X[:, 3] = 1e9, 0.0
    if "copies" in kind:
        X[:, -2:] = X[:, 1::-1]
        X[n // 2 : n // 2 + 3] = X[:3]
    return X, y


def fitted(loss: str, X: Any, y: Array, weights: Array | None, **settings: Any) -> LinearClassifier:
    model = LinearClassifier(SCHEMES.get(loss, loss), multiclass=loss if loss in SCHEMES else "auto", **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(X, y, sample_weight=weights)


def sample_weights(y: Array, seed: int) -> Array | None:
    """Of every other case; the first row of each class has one."""
    if seed % 2:
        return None
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.2, 3.0, len(y)) * (rng.random(len(y)) > 0.1)
    weights[np.unique(y, return_index=True)[1]] = 1.0
    return np.asarray(weights)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", [*CONVEX, *JOINT])
def test_certified_and_verified(loss: str, kind: str) -> None:
    """Every combination ends with a certificate, and the verifier says the same of it.

    But for two: where α is 1e-7, copies of rows in other classes beside columns of 1e9 may leave more than 1e-3 to
    rounding under the exponential loss, and sweeps and Newton's steps for Crammer and Singer's may stall. They say so.
    """
    seed, hard = 0, loss in {"exponential", "crammer_singer"}
    for shape in [*SHAPES, (30, 80)]:
        for alpha in ALPHAS:
            for intercept in (True, False):
                seed += 1
                X, y = rows(kind, shape, 3 if loss in JOINT else 2, seed)
                weights, given = sample_weights(y, seed // 2), sparse.csr_array(X) if seed % 3 else X
                model = fitted(loss, given, y, weights, alpha=alpha, fit_intercept=intercept)
                assert model.certificate_.holds or (hard and alpha < 1e-6), (shape, alpha, intercept)
                found = verify(model, given, y, sample_weight=weights)
                assert found.ok == model.certificate_.holds, (shape, alpha, intercept)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", CONVEX)
def test_the_gap_is_no_less_than_the_true_excess(loss: str, kind: str) -> None:
    known = 0
    for seed, alpha in enumerate(ALPHAS):
        X, y = rows(kind, SHAPES[seed % 2], 2, 100 + seed)
        weights, intercept = sample_weights(y, seed), seed % 4 > 1
        model = fitted(loss, X, y, weights, alpha=alpha, fit_intercept=intercept)
        w, b, claim = model.coef_[0], float(np.ravel(model.intercept_)[0]), model.certificate_
        exact = Exact(loss, X, 2.0 * y - 1.0, weights, alpha, intercept)
        dual: Any = model.model_.dual[0]
        best = exact.optimum(w, b) if loss != "hinge" else exact.hinge_optimum(dual)
        assert best is None or exact.value(w, b) - best <= claim.gap
        assert best is None or claim.bound <= best
        known += best is not None
    assert known > 0


@pytest.mark.parametrize("alpha", [1e-5, 1e-7])
def test_an_optimum_of_almost_nothing(alpha: float) -> None:
    """A column of 1e9 tells the classes apart: P* is about 1e-18 α, and w* has margins of 1, rounded by 1e-16."""
    X, y = rows("large", (12, 30), 2, 0)
    X[:, 0] = 1e9 * np.abs(X[:, 0]) * (2 * y - 1)
    for loss in ("hinge", "squared_hinge", "smoothed_hinge"):
        model = fitted(loss, X, y, None, alpha=alpha, fit_intercept=False)
        assert model.certificate_.primal < 1e-19
        assert model.certificate_.gap <= 1e-14
        assert model.certificate_.holds
        assert verify(model, X, y)


def test_the_slope_of_a_row_that_does_not_count() -> None:
    """A row of weight 0 on the wrong side has a slope of e^30 under the exponential loss, and no share in rounding."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10, 16)) * 10.0 ** rng.uniform(-5, 5, 16), np.arange(10) % 2
    weights = np.r_[np.ones(8), 0.0, 0.0]
    model = fitted("exponential", X, y, weights, alpha=1e-6)
    X[8:] = -1e2 * X[:2]
    again = fitted("exponential", X, y, weights, alpha=1e-6)
    assert model.certificate_.holds
    assert again.certificate_.holds
    assert again.certificate_.allowance <= 1e-12


@pytest.mark.parametrize("loss", CONVEX)
def test_columns_without_penalty_that_tell_the_rows_apart(loss: str) -> None:
    """P* = 0: attained by the hinges, and certified; the others have no optimum, and are not, however small P is."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 25)) * 10.0 ** rng.uniform(-3, 3, 25), np.arange(12) % 2
    model = LinearClassifier(loss, alpha=1e-2, l1_ratio=0.5, penalty_factors=np.r_[np.zeros(20), np.ones(5)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            model.fit(X, y)
        except NoOptimum:
            return
    assert model.certificate_.holds == (loss not in {"log", "exponential"})
    assert verify(model, X, y).ok == model.certificate_.holds
