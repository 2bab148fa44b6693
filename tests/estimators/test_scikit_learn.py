"""Inside scikit-learn: pipelines, searches, routing, clones, tags, HTML."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from linsep import (
    LeastSquaresClassifier,
    LinearClassifier,
    LinearSVM,
    LogisticRegression,
    MarginLoss,
    OneVsOne,
)
from tests.estimators.cases import CANCER_X, CANCER_Y, ESTIMATORS, IRIS_X, IRIS_Y


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_clone_and_pickle(estimator: Any) -> None:
    assert clone(estimator).get_params() == estimator.get_params()
    model = clone(estimator).fit(IRIS_X, IRIS_Y)
    again = pickle.loads(pickle.dumps(model))
    assert (again.decision_function(IRIS_X) == model.decision_function(IRIS_X)).all()
    assert not hasattr(clone(model), "model_")


def test_parameters_of_the_special_ones() -> None:
    assert "loss" not in LogisticRegression().get_params()
    assert "loss" not in LeastSquaresClassifier().get_params()
    assert LinearSVM().get_params()["loss"] == "hinge"
    assert LinearClassifier(multiclass=OneVsOne()).get_params()["multiclass"] == OneVsOne()


def test_pipeline_with_frames_and_set_output() -> None:
    frame = pd.DataFrame(IRIS_X, columns=["a", "b", "c", "d"])
    pipe = make_pipeline(StandardScaler().set_output(transform="pandas"), LogisticRegression())
    pipe.fit(frame, IRIS_Y)
    assert pipe[-1].feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert pipe.score(frame, IRIS_Y) > 0.9
    chosen = SelectFromModel(LogisticRegression(), max_features=2).set_output(transform="pandas")
    assert chosen.fit_transform(frame, IRIS_Y).shape == (150, 2)


def test_sparse_pipeline() -> None:
    pipe = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression(alpha=1e-2))
    assert pipe.fit(np.round(IRIS_X), IRIS_Y).score(np.round(IRIS_X), IRIS_Y) > 0.8


def test_grid_search() -> None:
    grid = {"alpha": [1e-4, 1e-2, 1.0], "fit_intercept": [True, False], "loss": ["log", "squared_hinge"]}
    search = GridSearchCV(LinearClassifier(), grid, cv=3).fit(IRIS_X, IRIS_Y)
    assert search.best_score_ > 0.9
    assert search.best_estimator_.certificate_.holds
    assert cross_val_score(LogisticRegression(), CANCER_X, CANCER_Y, scoring="neg_log_loss").mean() > -0.5


def test_metadata_routing() -> None:
    weights = np.random.default_rng(0).integers(1, 4, 150)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = LogisticRegression().set_fit_request(sample_weight=True)
        pipe = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), inner)
        pipe.fit(IRIS_X, IRIS_Y, sample_weight=weights)
        inner = LogisticRegression().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(inner, {"alpha": [1e-2]})
        search.fit(IRIS_X, IRIS_Y, sample_weight=weights)
    scaled = pipe[0].transform(IRIS_X)
    assert (pipe[-1].coef_ == LogisticRegression().fit(scaled, IRIS_Y, sample_weight=weights).coef_).all()


def test_calibration() -> None:
    model = CalibratedClassifierCV(LinearSVM("squared_hinge"), cv=3).fit(CANCER_X, CANCER_Y)
    assert model.predict_proba(CANCER_X).shape == (569, 2)


class Cosh(MarginLoss):
    """ln cosh(1 − M): a user's own loss."""

    convex = True

    def value(self, M: Any) -> Any:
        return np.logaddexp(1 - M, M - 1) - np.log(2.0)

    def d1(self, M: Any) -> Any:
        return np.tanh(M - 1)

    def d2(self, M: Any) -> Any:
        return 1 - np.tanh(M - 1) ** 2


@pytest.mark.parametrize("scheme", ["ovr", "ovo", "ecoc"])
def test_a_users_own_loss(scheme: str) -> None:
    model = LinearClassifier(Cosh(), multiclass=scheme, alpha=1e-2).fit(IRIS_X, IRIS_Y)
    assert model.model_.loss == "Cosh"
    assert model.certificate_.holds
    assert clone(model).fit(IRIS_X, IRIS_Y).score(IRIS_X, IRIS_Y) > 0.8


def test_html_shows_the_certificate() -> None:
    model = LogisticRegression()
    assert "certificate" not in model._repr_html_()
    model.fit(IRIS_X, np.array(["<a>", "b", "c"])[IRIS_Y])
    for html in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert "linsep-certificate" in html
        assert "holds: P = " in html
        assert "&lt;a&gt;" in html
        assert "(<a>" not in html
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert "text/html" not in model._repr_mimebundle_()


def test_tags() -> None:
    tags = LogisticRegression().__sklearn_tags__()
    assert tags.input_tags.sparse
    assert tags.estimator_type == "classifier"
    assert tags.target_tags.required


def test_attributes_are_not_to_be_set() -> None:
    model = LogisticRegression().fit(IRIS_X, IRIS_Y)
    with pytest.raises(AttributeError):
        model.coef_ = np.zeros((3, 4))  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0, 0] = 1.0
