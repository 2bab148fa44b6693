"""Columns far from 0. Entries are multiples of 2⁻²⁰ and shifts powers of 2, so that the shifted rows are exact:
weights, their covariance and intervals on probabilities are those of the rows near 0, the intercept's follow by T."""

from typing import Any

import numpy as np
import pytest

from linsep import LogisticRegression
from tests.inference.cases import binary, three

SHIFTS = np.array([2.0**17, -(2.0**20), 8.0])
COVARIANCES = ["model", "robust", "clustered"]


def rounded(X: Any) -> Any:
    return np.round(X * 2.0**20) / 2.0**20


def inferred(X: Any, y: Any, kind: str, alpha: float = 0.0) -> Any:
    clusters = np.arange(len(X)) // 7 if kind == "clustered" else None
    return LogisticRegression(alpha=alpha, tol=1e-8).fit(X, y).inference(X, y, covariance=kind, clusters=clusters)


@pytest.mark.parametrize("alpha", [0.0, 0.01])
@pytest.mark.parametrize("kind", COVARIANCES)
@pytest.mark.parametrize("data", [binary, three], ids=["two", "three"])
def test_errors_do_not_depend_on_where_columns_lie(data: Any, kind: str, alpha: float) -> None:
    X, y = data()
    X = rounded(X)
    shifts = SHIFTS[: X.shape[1]]
    near, far = inferred(X, y, kind, alpha), inferred(X + shifts, y, kind, alpha)
    T = np.eye(X.shape[1] + 1)
    T[-1, :-1] = -shifts
    T = np.kron(np.eye(len(near.others)), T)
    expected = T @ near.covariance @ T.T
    scale = np.sqrt(np.outer(expected.diagonal(), expected.diagonal()))
    np.testing.assert_allclose(far.covariance / scale, expected / scale, atol=1e-8)
    given, wanted = far.predict((X + shifts)[:20]), near.predict(X[:20])
    np.testing.assert_allclose(given.lower, wanted.lower, rtol=1e-8)
    np.testing.assert_allclose(given.upper, wanted.upper, rtol=1e-8)
    if alpha > 0.0:
        np.testing.assert_allclose(far.bias, T @ near.bias, rtol=1e-7)
        np.testing.assert_allclose(far.goodness.parameters, near.goodness.parameters, rtol=1e-8)


def test_a_column_of_zeros_beside_a_penalty_has_no_part_in_the_intervals() -> None:
    X, y = binary()
    padded = np.insert(X, 1, 0.0, axis=1)
    given, wanted = inferred(padded, y, "model", 0.1).predict(padded), inferred(X, y, "model", 0.1).predict(X)
    np.testing.assert_allclose(given.upper, wanted.upper, rtol=1e-9)
