"""L1, penalty factors, bounds and offsets, as a user meets them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

from linsep import LeastSquaresClassifier, LinearClassifier, LinearSVM, LogisticRegression, verify
from linsep.errors import InvalidData, InvalidParameter, InvalidType, Refused
from tests.estimators.cases import CANCER_X, CANCER_Y, IRIS_X, IRIS_Y

CENTRED = IRIS_X - IRIS_X.mean(axis=0)
FACTORS = np.r_[0.0, 0.0, np.ones(28)]
SHAPES: list[dict[str, Any]] = [
    {"l1_ratio": 1.0},
    {"l1_ratio": 0.5},
    {"l1_ratio": 1.0, "penalty_factors": FACTORS},
    {"bounds": (0, None)},
    {"l1_ratio": 0.7, "bounds": (-0.2, 0.3), "penalty_factors": FACTORS},
    {"l1_ratio": 1.0, "fit_intercept": False},
]


@pytest.mark.parametrize("multiclass", ["softmax", "ovr"])
def test_centred_iris_along_ten_decades(multiclass: str) -> None:
    """scikit-learn 15903: solvers that disagreed on this."""
    kept = []
    for alpha in np.logspace(-7, 3, 11):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = LogisticRegression(alpha=alpha, l1_ratio=1.0, multiclass=multiclass).fit(CENTRED, IRIS_Y)
        assert model.certificate_.holds
        assert verify(model, CENTRED, IRIS_Y)
        kept.append(int(np.count_nonzero(model.coef_)))
    assert kept[-1] == 0
    assert kept[0] > 5
    assert kept == sorted(kept, reverse=True)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "estimator",
    [LogisticRegression(), LinearSVM("squared_hinge"), LeastSquaresClassifier(), LinearClassifier("exponential")],
)
def test_every_shape_is_certified_and_verified(estimator: Any, shape: dict[str, Any]) -> None:
    model = clone(estimator).set_params(alpha=0.01, **shape).fit(CANCER_X, CANCER_Y)
    assert model.certificate_.holds
    assert verify(model, CANCER_X, CANCER_Y)
    if shape.get("l1_ratio") == 1.0:
        assert (model.coef_ == 0.0).any()
        assert "exactly 0" in model.summary()


def test_sparse_input_gives_the_same_model() -> None:
    X = np.where(np.abs(CANCER_X) > 1.0, CANCER_X, 0.0)
    one = LogisticRegression(alpha=0.01, l1_ratio=1.0).fit(X, CANCER_Y)
    other = LogisticRegression(alpha=0.01, l1_ratio=1.0).fit(sparse.csr_array(X), CANCER_Y)
    assert one.coef_ == pytest.approx(other.coef_, abs=1e-7)
    assert ((one.coef_ == 0.0) == (other.coef_ == 0.0)).all()


def test_bounds_hold_exactly() -> None:
    model = LogisticRegression(alpha=1e-3, bounds=(-0.5, 0.25)).fit(CANCER_X, CANCER_Y)
    assert model.coef_.min() == -0.5
    assert model.coef_.max() == 0.25
    assert "bounded" in model.summary()


def test_a_factor_multiplies_alpha() -> None:
    """Factors 4 at α are factors 1 at 4α."""
    one = LogisticRegression(alpha=0.01, l1_ratio=0.5, penalty_factors=np.full(30, 4.0)).fit(CANCER_X, CANCER_Y)
    other = LogisticRegression(alpha=0.04, l1_ratio=0.5).fit(CANCER_X, CANCER_Y)
    assert one.coef_ == pytest.approx(other.coef_, abs=1e-7)


def test_the_lasso_certificate_claims_no_distance() -> None:
    lasso = LogisticRegression(alpha=0.01, l1_ratio=1.0).fit(CANCER_X, CANCER_Y)
    both = LogisticRegression(alpha=0.01, l1_ratio=0.5).fit(CANCER_X, CANCER_Y)
    assert lasso.certificate_.distance == np.inf
    assert both.certificate_.distance == pytest.approx(np.sqrt(2 * both.certificate_.gap / 0.005))


@pytest.mark.parametrize(
    "change", [{"l1_ratio": 0.9}, {"factors": np.full(30, 1.1)}, {"lower": np.full(30, -1.0)}, {"upper": np.zeros(30)}]
)
def test_a_changed_penalty_is_found(change: dict[str, Any]) -> None:
    from dataclasses import replace

    model = LogisticRegression(alpha=0.01, l1_ratio=1.0).fit(CANCER_X, CANCER_Y).model_
    assert not verify(replace(model, objective=replace(model.objective, **change)), CANCER_X, CANCER_Y)


# -- offsets ------------------------------------------------------------------------------------------------


def test_an_offset_is_part_of_training_alone() -> None:
    offset = 0.5 * CANCER_X[:, 0]
    model = LogisticRegression(alpha=0.01).fit(CANCER_X, CANCER_Y, offset=offset)
    scores = CANCER_X @ model.coef_[0] + model.intercept_[0]
    assert model.decision_function(CANCER_X) == pytest.approx(scores)
    assert model.decision_function(CANCER_X, offset=offset) == pytest.approx(scores + offset)
    assert verify(model, CANCER_X, CANCER_Y, offset=offset)
    assert not verify(model, CANCER_X, CANCER_Y)
    assert not verify(model, CANCER_X, CANCER_Y, offset=offset + 1e-9)


@pytest.mark.parametrize("multiclass", ["softmax", "ovr"])
@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_offsets_of_several_classes(multiclass: str, l1_ratio: float) -> None:
    offset = np.random.default_rng(0).normal(size=(150, 3))
    model = LogisticRegression(alpha=0.01, l1_ratio=l1_ratio, multiclass=multiclass).fit(IRIS_X, IRIS_Y, offset=offset)
    assert model.certificate_.holds
    assert verify(model, IRIS_X, IRIS_Y, offset=offset)


def test_a_constant_offset_moves_the_intercept() -> None:
    plain = LogisticRegression(alpha=0.01, l1_ratio=0.5).fit(CANCER_X, CANCER_Y)
    moved = LogisticRegression(alpha=0.01, l1_ratio=0.5).fit(CANCER_X, CANCER_Y, offset=np.full(len(CANCER_Y), 2.0))
    assert moved.intercept_[0] == pytest.approx(plain.intercept_[0] - 2.0, abs=1e-6)
    assert moved.coef_ == pytest.approx(plain.coef_, abs=1e-6)


@pytest.mark.parametrize("offset", [np.zeros(3), np.zeros((569, 2)), np.full(569, np.nan)])
def test_offsets_of_the_wrong_kind_are_refused(offset: Any) -> None:
    with pytest.raises(InvalidData, match="offset"):
        LogisticRegression().fit(CANCER_X, CANCER_Y, offset=offset)
    with pytest.raises(Refused, match="offset"):
        LogisticRegression(multiclass="ovo").fit(IRIS_X, IRIS_Y, offset=np.zeros((150, 3)))


# -- parameters ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"l1_ratio": -0.1}, InvalidParameter),
        ({"l1_ratio": 1.1}, InvalidParameter),
        ({"l1_ratio": "lasso"}, InvalidType),
        ({"penalty_factors": [1.0, 2.0]}, InvalidParameter),
        ({"penalty_factors": -np.ones(30)}, InvalidParameter),
        ({"penalty_factors": np.full(30, np.nan)}, InvalidParameter),
        ({"penalty_factors": "none"}, InvalidType),
        ({"bounds": 1.0}, InvalidType),
        ({"bounds": (1.0, 0.0)}, InvalidParameter),
        ({"bounds": (np.nan, None)}, InvalidParameter),
        ({"bounds": (np.inf, None)}, InvalidParameter),
        ({"bounds": (np.zeros(3), None)}, InvalidParameter),
    ],
)
def test_parameters_are_checked(wrong: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=next(iter(wrong))):
        LogisticRegression(**wrong).fit(CANCER_X, CANCER_Y)


def test_the_hinge_loss_is_refused_for_now() -> None:
    with pytest.raises(
        Refused, match=r"no solver takes this combination.*continuous derivative, such as 'squared_hinge'"
    ):
        LinearSVM(l1_ratio=1.0).fit(CANCER_X, CANCER_Y)


def test_scikit_learns_checks_pass_with_l1() -> None:
    for estimator, check in estimator_checks_generator(LogisticRegression(l1_ratio=1.0, alpha=1e-3)):
        check(estimator)
