"""Intervals on predicted probabilities."""

from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.special import logit, softmax

from linsep import LinearClassifier, LogisticRegression
from linsep.errors import InvalidData, InvalidParameter, Refused
from tests.inference.cases import binary, three, with_ones


def test_two_classes_are_those_of_statsmodels() -> None:
    X, y = binary()
    new = binary(20, seed=1)[0]
    model = LogisticRegression(alpha=0).fit(X, y)
    expected = sm.GLM(y, with_ones(X), family=sm.families.Binomial()).fit(tol=1e-14)
    frame = expected.get_prediction(with_ones(new)).summary_frame(alpha=0.1)
    for reference in (0, 1):
        found = model.inference(X, y, level=0.9, reference=reference).predict(new)
        np.testing.assert_allclose(found.probabilities[:, 1], frame["mean"], rtol=1e-8)
        np.testing.assert_allclose(found.lower[:, 1], frame["mean_ci_lower"], rtol=1e-8)
        np.testing.assert_allclose(found.upper[:, 1], frame["mean_ci_upper"], rtol=1e-8)
        np.testing.assert_allclose(found.lower[:, 0], 1.0 - found.upper[:, 1], rtol=1e-8)
    assert list(found.columns()) == ["probability 1", "lower 1", "upper 1"]


@pytest.mark.parametrize("reference", ["a", "c"])
def test_three_classes_by_differences(reference: str) -> None:
    """The delta method on log odds with a gradient by differences; the same for every reference."""
    X, y = three()
    new = three(10, seed=2)[0]
    model = LogisticRegression(alpha=0).fit(X, y)
    found = model.inference(X, y, reference=reference)
    places = ["abc".index(c) for c in found.others]

    def odds(theta: Any) -> Any:
        Z = np.zeros((len(new), 3))
        Z[:, places] = with_ones(new) @ theta.reshape(2, 3).T
        return logit(softmax(Z, axis=1))

    h = 1e-6
    G = np.stack([(odds(found.estimates + h * e) - odds(found.estimates - h * e)) / (2 * h) for e in np.eye(6)], -1)
    errors = np.sqrt(np.einsum("nkp,pq,nkq->nk", G, found.covariance, G))
    given = found.predict(new)
    np.testing.assert_allclose(given.probabilities, model.predict_proba(new), rtol=1e-7)
    np.testing.assert_allclose(logit(given.upper), odds(found.estimates) + 1.959963984540054 * errors, rtol=1e-5)
    np.testing.assert_allclose(logit(given.lower), odds(found.estimates) - 1.959963984540054 * errors, rtol=1e-5)
    assert len(given.columns()) == 9


def test_far_rows_stay_between_0_and_1() -> None:
    X, y = three()
    found = LogisticRegression(alpha=0).fit(X, y).inference(X, y).predict(1e3 * X[:5])
    assert np.isfinite(found.lower).all()
    assert (found.lower >= 0.0).all()
    assert (found.upper <= 1.0).all()
    assert (found.lower <= found.upper).all()


def test_wrong_rows_are_refused() -> None:
    X, y = binary()
    found = LogisticRegression(alpha=0).fit(X, y).inference(X, y)
    with pytest.raises(InvalidData, match="2 features"):
        found.predict(X[:, :2])
    with pytest.raises(InvalidData, match="NaN"):
        found.predict(np.full((1, 3), np.nan))
    with pytest.raises(InvalidParameter, match="level"):
        found.predict(X, level=1.5)
    margins = LinearClassifier("squared_hinge").fit(X, y).inference(X, y, covariance="robust")
    with pytest.raises(Refused, match="no probabilities"):
        margins.predict(X)
    assert np.isnan(margins.odds_ratios).all()
