"""Predictions at the edges: wrong features, names, unfitted, what exists when."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from linsep import LinearClassifier, LinearSVM, LogisticRegression
from linsep.errors import InvalidData, InvalidParameter, InvalidType
from tests.estimators.cases import CANCER_X, CANCER_Y, IRIS_X, IRIS_Y


@pytest.fixture(scope="module")
def model() -> LogisticRegression:
    return LogisticRegression(alpha=1e-2).fit(CANCER_X, CANCER_Y)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array, np.ndarray.tolist])
def test_wrong_number_of_features(model: LogisticRegression, storage: Any) -> None:
    for method in (model.predict, model.decision_function, model.predict_proba):
        with pytest.raises(InvalidData, match="X has 29 features, but LogisticRegression is expecting 30"):
            method(storage(CANCER_X[:, :29]))


def test_wrong_shapes(model: LogisticRegression) -> None:
    with pytest.raises(InvalidData, match="got 1D array"):
        model.predict(CANCER_X[0])
    with pytest.raises(InvalidData, match=r"0 sample\(s\)"):
        model.predict(CANCER_X[:0])


def test_not_fitted() -> None:
    with pytest.raises(NotFittedError, match="LogisticRegression instance is not fitted yet"):
        LogisticRegression().predict(CANCER_X)
    with pytest.raises(NotFittedError):
        LogisticRegression().summary()
    for name in ("coef_", "classes_", "certificate_", "n_features_in_", "feature_names_in_", "history_"):
        assert not hasattr(LogisticRegression(), name)


def test_probabilities_exist_only_where_they_mean_something() -> None:
    assert hasattr(LogisticRegression(), "predict_proba")
    assert hasattr(LinearClassifier("exponential"), "predict_log_proba")
    assert not hasattr(LinearSVM(), "predict_proba")
    assert not hasattr(LogisticRegression(multiclass="ovo"), "predict_proba")
    assert not hasattr(LinearClassifier("nonsense"), "predict_proba")
    # two classes always use the margin, which has probabilities
    assert hasattr(LogisticRegression(multiclass="ovo").fit(CANCER_X, CANCER_Y), "predict_proba")
    assert not hasattr(LogisticRegression(multiclass="ovo").fit(IRIS_X, IRIS_Y), "predict_proba")


def test_one_row_is_as_many(model: LogisticRegression) -> None:
    alone = np.concatenate([model.decision_function(row[None]) for row in CANCER_X])
    assert np.allclose(alone, model.decision_function(CANCER_X), rtol=1e-12)
    labels = np.concatenate([model.predict(row[None]) for row in CANCER_X])
    assert (labels == model.predict(CANCER_X)).all()


def test_names_are_kept_and_checked() -> None:
    frame = pd.DataFrame(IRIS_X, columns=["sl", "sw", "pl", "pw"])
    model = LogisticRegression().fit(frame, IRIS_Y)
    assert model.feature_names_in_.tolist() == ["sl", "sw", "pl", "pw"]
    assert "pl" in model.summary()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(frame)
    with pytest.raises(InvalidData, match="must be in the same order"):
        model.predict(frame[["sw", "sl", "pl", "pw"]])
    with pytest.raises(InvalidData, match=r"unseen at fit time:\n- x\n.*now missing:\n- sl\n"):
        model.predict(frame.rename(columns={"sl": "x"}))
    with pytest.warns(UserWarning, match="X does not have valid feature names, but LogisticRegression was"):
        model.predict(IRIS_X)
    with pytest.warns(UserWarning, match="X has feature names, but LogisticRegression was fitted without"):
        LogisticRegression().fit(IRIS_X, IRIS_Y).predict(frame)
    with pytest.raises(InvalidType, match=r"\['int', 'str'\] as feature name"):
        LogisticRegression().fit(frame.rename(columns={"sl": 0}), IRIS_Y)
    assert not hasattr(
        model.fit(frame.rename(columns=dict(zip(frame.columns, range(4), strict=True))), IRIS_Y),
        "feature_names_in_",
    )


def test_n_jobs_is_checked_at_predict_too(model: LogisticRegression) -> None:
    other = LogisticRegression(n_jobs=1).fit(CANCER_X, CANCER_Y)
    other.n_jobs = 0
    with pytest.raises(InvalidParameter, match="n_jobs=0"):
        other.predict(CANCER_X)


def test_threads_change_nothing() -> None:
    random = np.random.default_rng(0)
    X = random.standard_normal((20_000, 12))
    y = X[:, 0] + random.standard_normal(20_000) > 0
    one, two = (LogisticRegression(n_jobs=k).fit(X, y) for k in (1, 2))
    assert (one.coef_ == two.coef_).all()
    assert one.certificate_ == two.certificate_
    assert (one.decision_function(X) == two.decision_function(X)).all()
