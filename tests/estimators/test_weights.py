"""Weights are copies: the same objective, and the same solution within the certificates."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from linsep import LinearClassifier, LogisticRegression
from tests.estimators.cases import ESTIMATORS, IRIS_X, IRIS_Y

COUNTS = np.random.default_rng(3).integers(0, 4, 150)


def apart(a: Any, b: Any) -> float:
    """How far two certified solutions of one strongly convex problem can be from each other, with room."""
    return 2.0 * (a.certificate_.distance + b.certificate_.distance) + 1e-7


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_weights_are_copies(estimator: Any, storage: Any) -> None:
    weighted = clone(estimator).fit(storage(IRIS_X), IRIS_Y, sample_weight=COUNTS)
    repeated = clone(estimator).fit(storage(np.repeat(IRIS_X, COUNTS, axis=0)), np.repeat(IRIS_Y, COUNTS))
    assert weighted.certificate_.primal == pytest.approx(repeated.certificate_.primal, rel=2e-4)
    assert np.linalg.norm(weighted.coef_ - repeated.coef_) <= apart(weighted, repeated)


def test_the_scale_of_all_weights_does_not_matter() -> None:
    one = LogisticRegression().fit(IRIS_X, IRIS_Y)
    for factor in (1e-6, 7.0, 1e9):
        many = LogisticRegression().fit(IRIS_X, IRIS_Y, sample_weight=factor)
        assert np.linalg.norm(one.coef_ - many.coef_) <= apart(one, many)


def test_class_weights_multiply_sample_weights() -> None:
    both = LogisticRegression(class_weight={0: 2.0, 2: 5.0}).fit(IRIS_X, IRIS_Y, sample_weight=COUNTS)
    product = COUNTS * np.array([2.0, 1.0, 5.0])[IRIS_Y]
    alone = LogisticRegression().fit(IRIS_X, IRIS_Y, sample_weight=product)
    assert (both.coef_ == alone.coef_).all()
    named = np.array(["a", "b", "c"])[IRIS_Y]
    strings = LogisticRegression(class_weight={"a": 2.0, "c": 5.0}).fit(IRIS_X, named, sample_weight=COUNTS)
    assert (strings.coef_ == alone.coef_).all()


def test_balanced_makes_every_class_count_the_same() -> None:
    rows = np.r_[0:50, 50:60, 100:125]
    X, y = IRIS_X[rows], IRIS_Y[rows]
    balanced = LogisticRegression(class_weight="balanced").fit(X, y)
    by_hand = LogisticRegression().fit(X, y, sample_weight=np.array([1 / 50, 1 / 10, 1 / 25])[y])
    assert np.linalg.norm(balanced.coef_ - by_hand.coef_) <= apart(balanced, by_hand)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("solver", ["auto", "newton_cg", "whitened"])
def test_a_row_of_weight_zero_may_have_an_infinite_loss(solver: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = (X[:, 0] + rng.normal(size=40) > 0.0).astype(int)
    far, label = np.vstack([[-3e4, 0.0, 0.0], X]), np.r_[1, y]
    model = LinearClassifier("exponential", alpha=1e-6, solver=solver)
    model.fit(far, label, sample_weight=np.r_[0.0, np.ones(40)])
    assert model.certificate_.holds
    assert model.certificate_.primal == pytest.approx(
        LinearClassifier("exponential", alpha=1e-6).fit(X, y).certificate_.primal, rel=1e-4
    )
