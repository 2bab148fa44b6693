"""Crammer and Singer's loss without a penalty against the same program in its primal form, and against forgery."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from linsep import LinearClassifier, verify
from linsep.certify.independent.balance import Alternatives, balance_bound, others
from linsep.errors import Refused
from tests.certify.fits import failed, unsigned

Array = np.ndarray[Any, Any]


def estimator(**given: Any) -> LinearClassifier:
    return LinearClassifier("hinge", multiclass="crammer_singer", alpha=0.0, **given)


def optimum(X: Array, y: Array, s: Array, free: bool) -> float:
    """min 1/S Σ sᵢξᵢ, ξᵢ ≥ 1 − ⟨w_y − w_k, xᵢ⟩ for every k ≠ y, ξ ≥ 0; no scale of a column, nor its mean beside a free
    intercept, changes it."""
    n, K = len(X), int(y.max()) + 1
    X = X - X.mean(axis=0) if free else X
    X = X / np.maximum(np.abs(X).max(axis=0), 1e-300)
    A = np.c_[X, np.ones(n)] if free else X
    unit, rows = np.eye(K), np.eye(n)
    pairs = [(i, k) for i in range(n) for k in range(K) if k != y[i]]
    table = np.array([np.r_[np.outer(unit[y[i]] - unit[k], A[i]).ravel(), rows[i]] for i, k in pairs])
    size = table.shape[1] - n
    found = linprog(
        np.r_[np.zeros(size), s / s.sum()], A_ub=-table, b_ub=-np.ones(len(table)),
        bounds=[(None, None)] * size + [(0, None)] * n,
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )  # fmt: skip
    return float(found.fun)


def case(kind: str, seed: int) -> tuple[Array, Array, Array]:
    """Rows, class numbers and weights."""
    rng = np.random.default_rng(seed)
    n, d, K = int(rng.integers(20, 60)), int(rng.integers(1, 5)), int(rng.integers(3, 6))
    whole = kind not in ("normal", "wide apart", "a class apart")
    X = rng.integers(-2, 3, size=(n, d)) * 1.0 if whole else rng.normal(size=(n, d))
    y = (2.0 * X @ rng.normal(size=(d, K)) + rng.normal(size=(n, K))).argmax(axis=1)
    y[:K], s = np.arange(K), np.ones(n)
    if kind == "weights":
        s = np.r_[np.ones(K), rng.integers(0, 4, size=n - K) * 0.3]
    elif kind == "dependent":
        X = np.c_[X, 3.0 * np.ones(n), X[:, 0] - 2.0 * X[:, -1], X.sum(axis=1) / 2.0, np.zeros(n)]
    elif kind == "one of several":
        X = np.eye(4)[rng.integers(0, 4, size=n)]
    elif kind == "no rule":
        y = rng.permutation(y)
    elif kind == "a class apart":
        X = np.c_[X, 10.0 * (y == seed % K)]
    elif kind == "wide apart":
        X = X * 10.0 ** rng.integers(-6, 7, size=d) + 10.0 ** rng.integers(0, 3, size=d)
    elif kind == "few rows":
        X = rng.normal(size=(8, 9))
        X, y = np.vstack([X, X[:4]]), np.r_[0, 1, 2, 0, 1, 2, 0, 1, 2, 2, 0, 1]
        s = np.arange(1.0, 13.0)
    return X, y, s


KINDS = [
    "normal", "ties", "weights", "dependent", "one of several", "no rule", "a class apart", "wide apart", "few rows",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("free", [True, False], ids=["free", "none"])
@pytest.mark.parametrize("kind", KINDS)
def test_optimum_bound_and_verdict(kind: str, free: bool, seed: int) -> None:
    X, y, s = case(kind, seed)
    model = estimator(fit_intercept=free).fit(X, y, s)
    certificate, best = model.certificate_, optimum(X, y, s, free)
    assert certificate.holds
    assert certificate.primal == pytest.approx(best, rel=1e-7, abs=1e-9)
    assert certificate.bound <= best + 1e-12
    assert certificate.gap <= 1e-8 * best + 2.0 * certificate.allowance + 1e-12
    assert np.abs(model.coef_.sum(axis=0)).max() <= 1e-9 * np.abs(model.coef_).max()
    assert verify(model, X, y, s), verify(model, X, y, s)


@pytest.mark.parametrize("free", [True, False])
def test_separable_data_attain_zero(free: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = (X @ rng.normal(size=(3, 4))).argmax(axis=1)
    model = estimator(fit_intercept=free).fit(X, y)
    assert model.certificate_.primal == model.certificate_.bound == 0.0
    assert (model.predict(X) == y).all()
    assert verify(model, X, y)


@pytest.mark.parametrize("read", [sparse.csr_array, np.asfortranarray, lambda X: X.astype(np.float32)])
def test_storage(read: Any) -> None:
    X, y, s = case("ties", 3)
    one, other = estimator().fit(X, y, s), estimator().fit(read(X), y, s)
    assert other.certificate_.primal == pytest.approx(one.certificate_.primal, rel=1e-12)
    assert verify(other, read(X), y, s)


def test_the_bound_by_hand() -> None:
    """x = 1 of the first class twice, of two others once: equal scores are best, P = 1. These multipliers balance: each
    class receives as much as its own rows give away, 3/2, 1 and 1; so they prove P ≥ 7/8."""
    rows = Alternatives.of_classes(np.ones((4, 1)), np.array([0, 0, 1, 2]), 3, np.ones(4))
    assert others(np.array([0, 1, 2]), 3).tolist() == [[1, 2], [0, 2], [0, 1]]
    theta = np.array([[0.5, 0.5], [0.25, 0.25], [0.75, 0.25], [0.75, 0.25]])
    found = balance_bound(rows, theta)
    assert found.value == pytest.approx(0.875, rel=1e-13)
    assert found.value <= 0.875
    for outside in (theta * 1.01, theta - 0.3, theta[:-1], theta[:, :1]):
        assert balance_bound(rows, outside).value == -np.inf


def test_any_weights_lie_above_the_bound() -> None:
    """The statement itself: multipliers off balance by e prove nothing above the optimum."""
    X, y, s = case("normal", 2)
    K, rng = int(y.max()) + 1, np.random.default_rng(0)
    model, best = estimator().fit(X, y, s).model_, optimum(X, y, s, True)
    rows = Alternatives.of_classes(np.c_[X, np.ones(len(X))], y, K, s)
    given = -np.take_along_axis(model.dual[0], others(y, K), axis=1)
    for e in (0.0, 1e-13, 1e-9, 1e-5):
        theta = np.maximum(given + e * rng.normal(size=given.shape), 0.0)
        theta /= np.maximum(theta.sum(axis=1, keepdims=True), 1.0)
        assert balance_bound(rows, theta).value <= best + 1e-12
    assert balance_bound(rows, given).value >= best - 1e-9


def test_forged_multipliers_are_found_out() -> None:
    X, y, s = case("normal", 2)
    model = unsigned(estimator().fit(X, y, s).model_)
    assert verify(model, X, y, s)
    theta = model.dual[0]
    for forged in (theta * 1.5, theta * 0.9, np.roll(theta, 1, axis=0), theta[:-1], theta[:, ::-1], -theta):
        assert "bound" in failed(verify(replace(model, run=replace(model.run, dual=(forged,))), X, y, s))
    assert not verify(replace(model, w=model.w * 1.1), X, y, s)


def test_too_large_is_refused_with_the_figures() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 80)), np.arange(300) % 30
    with pytest.raises(Refused, match=r"300 rows, 80 columns, 30 classes: 20,436,300 entries.*rank 2,349.*small alpha"):
        estimator().fit(X, y)
