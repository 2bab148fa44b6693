"""The result as a value, as frames, in words; the L2 penalty; other libraries' names for it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression as Sklearn

from linsep import LeastSquaresClassifier, LinearClassifier, LinearSVM, LogisticRegression, infer
from linsep.errors import InvalidParameter
from tests.inference.cases import ENDOMETRIAL_X, ENDOMETRIAL_Y, binary, three, with_ones

X, Y = binary()
FRAME = pd.DataFrame(X, columns=["age", "income", "dose"])


def test_a_penalty_states_covariance_and_bias() -> None:
    alpha = 1e-2
    found = LogisticRegression(alpha=alpha, tol=1e-10).fit(X, Y).inference(X, Y)
    A = with_ones(X)
    p = 1.0 / (1.0 + np.exp(-A @ found.estimates))
    J = A.T @ (A * (p * (1 - p))[:, None])
    Q = len(X) * alpha * np.diag([1.0, 1.0, 1.0, 0.0])
    inverse = np.linalg.inv(J + Q)
    np.testing.assert_allclose(found.covariance, inverse @ J @ inverse, rtol=1e-8)
    np.testing.assert_allclose(found.bias, -inverse @ Q @ found.estimates, rtol=1e-8)
    assert found.goodness is not None
    assert found.goodness.parameters == pytest.approx(np.trace(inverse @ J))
    assert np.isnan(found.goodness.p_value)
    assert "bias" in found.statement


def test_penalty_factors() -> None:
    """Twice the factor is twice α; 0 leaves a column free."""
    model = LogisticRegression(alpha=1e-2).fit(X, Y).model_
    half = replace(model, objective=replace(model.objective, alpha=5e-3, factors=np.full(3, 2.0)))
    np.testing.assert_allclose(infer(half, X, Y).covariance, infer(model, X, Y).covariance, rtol=1e-9)
    free = replace(model, objective=replace(model.objective, factors=np.zeros(3)))
    plain = LogisticRegression(alpha=0).fit(X, Y).inference(X, Y)
    np.testing.assert_allclose(infer(free, X, Y).covariance, plain.covariance, rtol=1e-9)


def test_bias_is_what_a_small_penalty_does() -> None:
    alpha = 1e-6
    plain = LogisticRegression(alpha=0).fit(X, Y).inference(X, Y)
    found = LogisticRegression(alpha=alpha).fit(X, Y).inference(X, Y)
    np.testing.assert_allclose(found.estimates - plain.estimates, found.bias, rtol=5e-3, atol=1e-9)
    assert plain.bias is None


def test_frames() -> None:
    found = LogisticRegression(alpha=0).fit(FRAME, Y).inference(FRAME, Y)
    table = found.frame()
    assert isinstance(table, pl.DataFrame)
    assert table["feature"].to_list() == ["age", "income", "dose", "intercept"]
    other = found.frame("pandas")
    assert isinstance(other, pd.DataFrame)
    np.testing.assert_allclose(other["odds_ratio_upper"], found.odds_ratio_intervals[:, 1])
    with pytest.raises(InvalidParameter, match="nearest is 'pandas'"):
        found.frame("panda")


def test_summary() -> None:
    found = LogisticRegression(alpha=0).fit(FRAME, Y).inference(FRAME, Y)
    text = found.summary()
    assert str(found) == text
    for word in ("age", "odds ratio", "[0.025", "AIC", "LR = ", "McFadden", "log odds of 1 against 0", "200 rows"):
        assert word in text
    rows, y = three()
    text = LogisticRegression(alpha=0).fit(rows, y).inference(rows, y, reference="b", level=0.8).summary()
    for word in ("c: x1", "every other class against b", "[0.1"):
        assert word in text
    margins = LinearClassifier("squared_hinge", alpha=0).fit(X, Y).inference(X, Y, covariance="robust").summary()
    assert "odds" not in margins
    assert "M-estimate" in margins


def test_few_rows_are_pointed_out() -> None:
    found = LogisticRegression(alpha=0).fit(X[:35], Y[:35]).inference(X[:35], Y[:35])
    assert any("firth" in note for note in found.notes)


def test_alpha_in_the_words_of_others() -> None:
    model = LogisticRegression(alpha=1e-3, tol=1e-10).fit(X, Y)
    text = model.summary()
    assert "LogisticRegression(C=5)" in text
    assert "LIBLINEAR -s 0 -c 5" in text
    assert "lambda = 0.001, standardize = FALSE" in text
    other = Sklearn(C=5, tol=1e-10, max_iter=10_000).fit(X, Y)
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-4)
    # glmnet 4.1-6: glmnet(X, Y, family = "binomial", alpha = 0, lambda = 0.01, standardize = FALSE, thresh = 1e-14)
    ridge = LogisticRegression(alpha=1e-2, tol=1e-10).fit(X, Y)
    np.testing.assert_allclose(ridge.coef_[0], [1.0625328265, -0.1201500697, 0.3098381201], rtol=1e-7)
    np.testing.assert_allclose(ridge.intercept_, 1.4768965445, rtol=1e-7)
    assert "-s 3" in LinearSVM().fit(X, Y).summary()
    assert "RidgeClassifier(alpha=0.01)" in LeastSquaresClassifier().fit(X, Y).summary()
    rows, y = three()
    assert "multinomial" in LogisticRegression().fit(rows, y).summary()
    assert "elsewhere" not in LinearClassifier("smoothed_hinge").fit(X, Y).summary()
    assert "elsewhere" not in LogisticRegression(penalty="firth").fit(ENDOMETRIAL_X, ENDOMETRIAL_Y).summary()
