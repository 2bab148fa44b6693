"""More than two classes, against any reference: equal to statsmodels' MNLogit."""

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import sparse

from linsep import LogisticRegression
from tests.inference.cases import three, with_ones

X, Y = three()
CLUSTERS = np.arange(len(X)) // 5
MODEL = LogisticRegression(alpha=0).fit(X, Y)
KINDS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"covariance": "robust"}, {"cov_type": "HC0"}),
    ({"covariance": "clustered", "clusters": CLUSTERS}, {"cov_type": "cluster", "cov_kwds": {"groups": CLUSTERS}}),
]


def expected_with(reference: str, kind: dict[str, Any]) -> Any:
    """statsmodels takes the first class as its reference: the given one is put first."""
    order = [reference, *(c for c in "abc" if c != reference)]
    codes = np.array([order.index(c) for c in Y])
    return sm.MNLogit(codes, with_ones(X)).fit(disp=0, method="newton", tol=1e-14, maxiter=200, **kind)


@pytest.mark.parametrize("reference", ["a", "b", "c"])
@pytest.mark.parametrize(("ours", "theirs"), KINDS, ids=["model", "HC0", "clustered"])
def test_equal_to_statsmodels(reference: str, ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    expected = expected_with(reference, theirs)
    found = MODEL.inference(X, Y, reference=reference, **ours)
    np.testing.assert_allclose(found.estimates, expected.params.T.ravel(), rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(found.covariance, expected.cov_params(), rtol=1e-6, atol=1e-10)
    np.testing.assert_allclose(found.p_values, expected.pvalues.T.ravel(), rtol=1e-6, atol=1e-12)
    g = found.goodness
    assert g is not None
    mine = (g.log_likelihood, g.null_log_likelihood, g.p_value, g.aic, g.bic, g.mcfadden)
    theirs_too = (expected.llf, expected.llnull, expected.llr_pvalue, expected.aic, expected.bic, expected.prsquared)
    np.testing.assert_allclose(mine, theirs_too, rtol=1e-6)


def test_names() -> None:
    found = MODEL.inference(X, Y, reference="b")
    assert found.names == ("a: x0", "a: x1", "a: intercept", "c: x0", "c: x1", "c: intercept")
    assert found.columns()["class"].tolist() == ["a"] * 3 + ["c"] * 3


def test_weights_are_repetitions_and_storage_does_not_matter() -> None:
    weights = np.random.default_rng(3).integers(0, 4, len(X))
    copies = np.repeat(np.arange(len(X)), weights)
    rows = sparse.csr_matrix(X)
    weighted = LogisticRegression(alpha=0).fit(rows, Y, weights).inference(rows, Y, weights, covariance="robust")
    repeated = LogisticRegression(alpha=0).fit(X[copies], Y[copies])
    other = repeated.inference(X[copies], Y[copies], covariance="robust")
    np.testing.assert_allclose(weighted.covariance, other.covariance, rtol=1e-7, atol=1e-12)


def test_without_an_intercept() -> None:
    model = LogisticRegression(alpha=0, fit_intercept=False).fit(X, Y)
    expected = sm.MNLogit(np.searchsorted(["a", "b", "c"], Y), X).fit(disp=0, method="newton", tol=1e-14)
    found = model.inference(X, Y)
    np.testing.assert_allclose(found.covariance, expected.cov_params(), rtol=1e-6)
    assert found.goodness is not None
    assert found.goodness.null_log_likelihood == pytest.approx(-len(X) * np.log(3))


def test_a_penalty_in_the_gauge_of_softmax() -> None:
    """H from differences of the gradient of the objective itself, in the coordinates of the weights against "a"."""
    alpha = 0.05
    found = LogisticRegression(alpha=alpha, tol=1e-10).fit(X, Y).inference(X, Y)
    A, codes = with_ones(X), np.searchsorted(["a", "b", "c"], Y)

    def objective(theta: Any, penalty: float) -> float:
        W = np.column_stack((np.zeros(3), theta.reshape(2, 3).T))
        Z = A @ W
        W = W - W.mean(axis=1, keepdims=True)
        loss = np.log(np.exp(Z).sum(axis=1)) - Z[np.arange(len(Z)), codes]
        return float(loss.sum() + 0.5 * penalty * len(X) * (W[:2] ** 2).sum())

    def hessian(penalty: float) -> Any:
        h, E = 1e-3, np.eye(6)
        f = objective
        return np.array(
            [
                [
                    sum(s * t * f(found.estimates + h * (s * a + t * b), penalty) for s in (1, -1) for t in (1, -1))
                    / (4 * h * h)
                    for b in E
                ]
                for a in E
            ]
        )

    H, J = hessian(alpha), hessian(0.0)
    inverse = np.linalg.inv(H)
    np.testing.assert_allclose(found.covariance, inverse @ J @ inverse, rtol=1e-3, atol=1e-7)
    np.testing.assert_allclose(found.bias, -inverse @ (H - J) @ found.estimates, rtol=1e-3, atol=1e-5)
