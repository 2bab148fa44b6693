"""Bases against their formulas, inside scikit-learn, and before every classifier."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_circles
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from linsep import LinearSVM, LogisticRegression, PolynomialBasis, RadialBasis, SigmoidBasis
from linsep.errors import InvalidData, InvalidParameter, LinsepError

X, Y = make_circles(200, noise=0.05, factor=0.4, random_state=0)
BASES = [
    RadialBasis(),
    RadialBasis(5, placement="rows", width=0.7),
    SigmoidBasis(),
    SigmoidBasis(3, width=0.1),
]


@parametrize_with_checks(BASES)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("basis", [*BASES, PolynomialBasis(2)], ids=repr)
@pytest.mark.parametrize("classifier", [LogisticRegression(alpha=1e-3), LinearSVM(alpha=1e-3)], ids=repr)
def test_a_linear_classifier_becomes_non_linear(basis: Any, classifier: Any) -> None:
    assert classifier.fit(X, Y).score(X, Y) < 0.7
    assert make_pipeline(clone(basis), clone(classifier)).fit(X, Y).score(X, Y) > 0.95


@pytest.mark.parametrize("basis", [*BASES, PolynomialBasis(2)], ids=repr)
def test_names_and_set_output(basis: Any) -> None:
    frame = pd.DataFrame(X, columns=["height", "width"])
    out = clone(basis).set_output(transform="pandas").fit_transform(frame)
    assert out.columns.is_unique
    assert out.columns.tolist() == clone(basis).fit(frame).get_feature_names_out().tolist()
    assert any("height" in name for name in out.columns)


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=4, unique=True), st.floats(0.1, 5))
def test_formulas(centres: list[float], width: float) -> None:
    rows = np.random.default_rng(0).normal(size=(7, 1))
    radial = RadialBasis([[c] for c in centres], width=width).fit(rows).transform(rows)
    sigmoid = SigmoidBasis(centres, width=width).fit(rows).transform(rows)
    for j, c in enumerate(centres):
        np.testing.assert_allclose(radial[:, j], np.exp(-((rows[:, 0] - c) ** 2) / (2 * width**2)), rtol=1e-12)
        np.testing.assert_allclose(sigmoid[:, j], 1 / (1 + np.exp(-(rows[:, 0] - c) / width)), rtol=1e-12)


def test_order_of_the_functions_of_two_features() -> None:
    basis = SigmoidBasis([0.0, 1.0], width=1.0).fit(X)
    assert basis.get_feature_names_out().tolist() == [
        "sigmoid(x0 - 0)", "sigmoid(x0 - 1)", "sigmoid(x1 - 0)", "sigmoid(x1 - 1)",
    ]  # fmt: skip
    np.testing.assert_allclose(basis.transform(X)[:, 2], 1 / (1 + np.exp(-X[:, 1])))


def test_centres_that_are_found() -> None:
    corners = np.array([[0.0, 0.0], [0.0, 5.0], [5.0, 0.0]])
    rows = np.repeat(corners, 10, axis=0) + 0.01 * np.random.default_rng(0).normal(size=(30, 2))
    np.testing.assert_allclose(RadialBasis(3).fit(rows).centres_, corners, atol=0.05)
    assert RadialBasis(3).fit(rows).widths_ == pytest.approx(5.0, abs=0.1)
    assert len(RadialBasis(50).fit(corners).centres_) == 3
    drawn = RadialBasis(4, placement="rows").fit(rows).centres_
    assert all((rows == centre).all(axis=1).any() for centre in drawn)
    assert SigmoidBasis(1).fit(rows).centres_.ravel() == pytest.approx(np.median(rows, axis=0))


@pytest.mark.parametrize(
    "basis",
    [
        RadialBasis(0),
        RadialBasis("many"),
        RadialBasis([[0.0]]),
        RadialBasis(placement="grid"),
        RadialBasis(3, width=-1.0),
        RadialBasis([[0.0, 0.0]], width=[1.0, 2.0]),
        SigmoidBasis(-1),
        SigmoidBasis([[0.0], [1.0]]),
        SigmoidBasis(width=0.0),
        SigmoidBasis(2.5),
        SigmoidBasis("5"),
        RadialBasis(2.5),
        RadialBasis(None),
    ],
    ids=repr,
)
def test_bad_parameters(basis: Any) -> None:
    with pytest.raises(LinsepError):
        basis.fit(X)


def test_distances_that_overflow_are_not_numbers_in_silence() -> None:
    with pytest.raises(InvalidData, match="scale X"):
        RadialBasis([[-1e200, 0.0], [1e200, 0.0]]).fit(X)


def test_messages_name_what_is_allowed() -> None:
    with pytest.raises(InvalidParameter, match=r"centres=2\.5: allowed are a whole number"):
        RadialBasis(2.5).fit(X)
    with pytest.raises(InvalidParameter, match="nearest is 'kmeans'"):
        RadialBasis(placement="k-means").fit(X)
    with pytest.raises(InvalidParameter, match="centres have 1 features, but X has 2"):
        RadialBasis([[0.0]]).fit(X)
