"""Crammer and Singer's SVM on small problems whose columns are of very different size."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linsep import LinearClassifier, verify
from tests.certify.test_exact import KINDS, SHAPES, fitted, rows, sample_weights

Array = np.ndarray[Any, Any]


def badly_scaled(seed: int) -> tuple[Array, Array, float]:
    rng = np.random.default_rng(seed)
    n, d, K = int(rng.integers(20, 200)), int(rng.integers(2, 11)), int(rng.integers(3, 7))
    alpha = 10.0 ** rng.uniform(-4, -1)
    y = np.r_[np.arange(K), rng.integers(0, K, n - K)]
    X = (rng.normal(size=(n, d)) + rng.normal(size=(K, d))[y]) * 10 ** rng.uniform(-3, 3, d)
    return X, y, alpha


@pytest.mark.parametrize("seed", [*range(8), 43, 60, 68, 203, 214, 322])
def test_columns_of_any_size_are_certified(seed: int) -> None:
    X, y, alpha = badly_scaled(seed)
    model = LinearClassifier("hinge", multiclass="crammer_singer", alpha=alpha, fit_intercept=bool(seed % 2))
    model.fit(X, y)
    assert model.certificate_.relative_gap < 1e-6
    assert verify(model, X, y)


@pytest.mark.parametrize("intercept", [True, False])
def test_columns_of_one_size_have_the_same_optimum(intercept: bool) -> None:
    """Scaled by powers of 2 and with the penalty left to the small columns, nothing changes but the numbers."""
    X, y, _ = badly_scaled(43)
    X = X / X.std(axis=0)
    values = []
    for scale in (1.0, 2.0**10, 2.0**-10):
        model = LinearClassifier("hinge", multiclass="crammer_singer", alpha=1e-3 * scale**2, fit_intercept=intercept)
        model.fit(X * scale, y)
        assert model.certificate_.holds
        values.append((model.certificate_.primal, model.certificate_.bound))
    assert max(bound for _, bound in values) <= min(value for value, _ in values) * (1 + 1e-12)


@pytest.mark.filterwarnings("ignore::linsep.errors.DataWarning")
def test_rows_that_leave_their_corners_early_in_a_step() -> None:
    """Rare columns on the side of one class: the slope along a step jumps to nearly 0, and P rises from there."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3_000, 40)) @ (rng.normal(size=(40, 40)) * np.geomspace(1.0, 0.1, 40)[:, None])
    y = np.argmax(X @ rng.normal(size=(40, 4)) + 4.0 * rng.gumbel(size=(len(X), 4)), axis=1)
    rare = (rng.random((len(X), 10)) < np.geomspace(0.002, 0.05, 10)) & (y[:, None] == rng.integers(0, 4, 10))
    X[:, :10] = rare / np.maximum(rare.std(axis=0), 1e-3)
    model = LinearClassifier("hinge", multiclass="crammer_singer", alpha=1e-4, fit_intercept=False)
    assert model.fit(X, y).certificate_.holds


def test_many_classes_without_a_rule() -> None:
    """Multipliers spread over many classes: the free intercepts' sums must be balanced, or the bound says nothing."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 20)), np.arange(500) % 100
    fitted = LinearClassifier("hinge", alpha=1e-2, multiclass="crammer_singer").fit(X, y)
    assert fitted.certificate_.holds
    assert fitted.certificate_.relative_gap <= 1e-4
    assert verify(fitted, X, y), verify(fitted, X, y)


@pytest.mark.parametrize("intercept", [True, False])
def test_a_thousand_classes(intercept: bool) -> None:
    """Sweeps over the few classes of a row that matter; each row's multipliers say for which it has any."""
    rng = np.random.default_rng(0)
    y = np.arange(2_000) % 1_000
    X = rng.normal(size=(1_000, 12))[y] + 0.5 * rng.normal(size=(2_000, 12))
    fitted = LinearClassifier("hinge", alpha=1e-3, multiclass="crammer_singer", fit_intercept=intercept).fit(X, y)
    assert fitted.certificate_.holds
    assert verify(fitted, X, y), verify(fitted, X, y)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("classes", [4, 50])
def test_rows_without_entries(classes: int, intercept: bool) -> None:
    """Texts of unknown words: without an intercept each loses 1, and the bound has to say so."""
    rng = np.random.default_rng(0)
    y = np.arange(1_000) % classes
    X = (rng.random((1_000, 400)) < 0.02) + (y[:, None] == np.arange(400))
    X[:50] = 0.0
    model = LinearClassifier("hinge", alpha=1e-3, multiclass="crammer_singer", fit_intercept=intercept)
    assert model.fit(sparse.csr_array(X.astype(np.float64)), y).certificate_.holds


@pytest.mark.parametrize("seed", [4, 10, 12, 13, 14, 16, 34, 42, 46, 48])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_very_different_size(kind: str, shape: tuple[int, int], seed: int) -> None:
    """Newton's steps hold back where no row curves a column of 1e9, and go by slopes where values are all but equal."""
    X, y = rows(kind, shape, 3, seed)
    weights, given = sample_weights(y, seed // 2), sparse.csr_array(X) if seed % 3 else X
    for alpha in (1e-3, 1e-5):
        model = fitted("crammer_singer", given, y, weights, alpha=alpha, fit_intercept=bool(seed % 2))
        assert model.certificate_.holds, alpha


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shape", [(12, 30), (40, 6)])
def test_a_large_column_that_tells_a_class_from_the_others(shape: tuple[int, int], seed: int) -> None:
    """σ times the square of the scores' rounding is no way down, and no Newton step follows it to weights of 1e9."""
    rng = np.random.default_rng(seed)
    n, d = shape
    y = rng.permutation(np.r_[0, 1, 2, rng.integers(0, 3, n - 3)])
    X = rng.normal(size=shape) + 0.3 * (y[:, None] == np.arange(d))
    X[:, 0] = 1e9 * np.abs(X[:, 0]) * np.where(y > 0, 1.0, -1.0)
    model = LinearClassifier("hinge", multiclass="crammer_singer", alpha=1e-2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        claim = model.fit(X, y).certificate_
    assert claim.gap <= max(0.05 * claim.primal, 1e-9)
