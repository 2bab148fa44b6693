"""Dual coordinate descent: what the free intercept costs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from linsep import LinearClassifier


@pytest.mark.parametrize("tol", [1e-4, 1e-6])
@pytest.mark.parametrize("loss", ["log", "squared_hinge"])
def test_a_free_intercept_takes_no_more_than_twice_the_sweeps(loss: str, tol: float) -> None:
    rng = np.random.default_rng(0)
    n, d, words = 6_000, 8_000, 60
    often = 1.0 / np.arange(1, d + 1) ** 0.9
    columns = rng.choice(d, n * words, p=often / often.sum())
    X = sparse.csr_matrix((np.ones(n * words), columns, np.arange(0, n * words + 1, words)), shape=(n, d))
    X.sum_duplicates()
    X = sparse.csr_matrix(X.multiply(1.0 / np.sqrt(X.multiply(X).sum(axis=1))))
    y = 3.0 * (X @ rng.normal(size=d)) + 0.5 + rng.logistic(size=n) > 0.0
    fits = [
        LinearClassifier(loss, alpha=1.0 / n, fit_intercept=free, solver="dual_cd", tol=tol).fit(X, y)
        for free in (False, True)
    ]
    assert all(fit.certificate_.relative_gap <= tol for fit in fits)
    assert fits[1].n_iter_ <= 2 * fits[0].n_iter_
