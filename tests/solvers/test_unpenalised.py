"""Smooth losses without a penalty and with many columns: Newton by conjugate gradients ends with exact steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize, sparse, special

from linsep import LinearClassifier, verify
from linsep.certify import Kind, curvature
from linsep.data import as_design
from linsep.diagnosis.checks import unprovable
from linsep.errors import NotCertified

Array = np.ndarray[Any, Any]


def data(n: int, d: int, classes: int = 2, entries: int = 10) -> tuple[Any, Array]:
    rng = np.random.default_rng(0)
    columns = rng.integers(0, d, size=n * entries)
    X = sparse.csr_array((rng.normal(size=n * entries), columns, np.arange(0, n * entries + 1, entries)), shape=(n, d))
    X.sum_duplicates()
    scores = X @ rng.normal(size=(d, classes)) * 0.5
    return X, (scores + 1.5 * rng.gumbel(size=scores.shape)).argmax(axis=1)


@pytest.mark.parametrize("free", [True, False], ids=["free", "none"])
@pytest.mark.parametrize("loss", ["log", "exponential", "squared_hinge", "smoothed_hinge"])
def test_margins(loss: str, free: bool) -> None:
    X, y = data(3_000, 150)
    fitted = LinearClassifier(loss, alpha=0.0, solver="newton_cg", fit_intercept=free).fit(X, y)
    exact = LinearClassifier(loss, alpha=0.0, solver="newton", fit_intercept=free, tol=1e-12).fit(X, y)
    certificate = fitted.certificate_
    assert certificate.kind is Kind.LOCAL_CURVATURE
    assert certificate.bound <= exact.certificate_.primal <= certificate.primal * (1.0 + 1e-14)
    assert certificate.relative_gap <= 1e-4
    assert verify(fitted, X, y), verify(fitted, X, y)


@pytest.mark.parametrize("solver", ["newton_cg", "whitened"])
def test_softmax(solver: str) -> None:
    X, y = data(3_000, 40, classes=4)
    fitted = LinearClassifier("log", alpha=0.0, solver=solver).fit(X, y)

    def mean_loss(w: Array) -> tuple[float, Array]:
        W = w.reshape(-1, 4)
        Z = X @ W[:-1] + W[-1]
        R = special.softmax(Z, axis=1)
        R[np.arange(len(y)), y] -= 1.0
        value = (special.logsumexp(Z, axis=1) - Z[np.arange(len(y)), y]).mean()
        return value, np.vstack([X.T @ R, R.sum(axis=0)]).ravel() / len(y)

    options = {"ftol": 1e-15, "gtol": 1e-9, "maxiter": 5_000, "maxfun": 10_000}
    best = optimize.minimize(mean_loss, np.zeros(41 * 4), jac=True, method="L-BFGS-B", options=options).fun
    assert fitted.certificate_.bound <= best
    assert fitted.certificate_.primal <= best * (1.0 + 1e-4)
    assert fitted.certificate_.relative_gap <= 1e-4
    assert verify(fitted, X, y), verify(fitted, X, y)


def test_columns_that_depend_on_each_other() -> None:
    """One of several in each of two features: their columns sum to the intercept's."""
    rng = np.random.default_rng(0)
    places = np.c_[rng.integers(0, 30, 4_000), 30 + rng.integers(0, 20, 4_000)]
    X = sparse.csr_array((np.ones(8_000), places.ravel(), np.arange(0, 8_001, 2)), shape=(4_000, 50))
    y = (X @ rng.normal(size=50) + rng.logistic(size=4_000) > 0.0).astype(int)
    fitted = LinearClassifier("log", alpha=0.0, solver="newton_cg").fit(X, y)
    assert fitted.certificate_.relative_gap <= 1e-4
    assert verify(fitted, X, y), verify(fitted, X, y)


@pytest.mark.parametrize("loss", ["log", "squared"])
def test_more_than_3000_columns(loss: str) -> None:
    X, y = data(30_000, 3_050)
    fitted = LinearClassifier(loss, alpha=0.0).fit(X, y)
    assert fitted.model_.run.solver == {"log": "newton_cg", "squared": "least_squares"}[loss]
    assert fitted.certificate_.holds
    assert fitted.certificate_.relative_gap <= 1e-4


@pytest.mark.parametrize(("loss", "solver"), [("log", "newton_cg"), ("squared", "least_squares")])
def test_beyond_the_memory_the_fit_says_so(monkeypatch: pytest.MonkeyPatch, loss: str, solver: str) -> None:
    for module in (curvature, unprovable):
        monkeypatch.setattr(module, "MOST_UNKNOWNS", 100)
    monkeypatch.setattr("linsep.solvers.least_squares.MOST_UNKNOWNS", 100)
    X, y = data(3_000, 150)
    with pytest.warns(NotCertified, match=r"151² numbers \(0.0 GB\); it is formed up to 100²"):
        LinearClassifier(loss, alpha=0.0, solver=solver).fit(X, y)


def test_the_fullest_row() -> None:
    X = sparse.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0], [1.0, 1.0, 1.0]]))
    assert as_design(X, 1).most_entries == 3
    assert as_design(X, 1).rows(np.array([1, 0])).most_entries == 2
    assert as_design(X.toarray(), 1).most_entries == 3
