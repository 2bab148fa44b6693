"""scikit-learn's own objects."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

from linsep import LogisticRegression
from linsep.errors import Refused
from linsep.export import to_sklearn
from tests.export.models import COLUMNS, MODELS, WEIGHTED, Y3, X, rows, rules

SUPPORTED = {name: model for name, model in MODELS.items() if "scores" not in name and name not in WEIGHTED}


@pytest.mark.parametrize("model", SUPPORTED.values(), ids=SUPPORTED)
def test_same_answers(model: Any) -> None:
    new = rows()
    exported = to_sklearn(model)
    assert type(exported).__module__.startswith("sklearn.")
    check_is_fitted(exported)
    np.testing.assert_array_equal(exported.predict(new), model.predict(new))
    assert hasattr(exported, "predict_proba") == model.gives_probabilities
    if model.gives_probabilities:
        near = new[np.abs(new).max(axis=1) < 100]  # further away scikit-learn divides 0 by 0 for one-vs-rest
        np.testing.assert_allclose(exported.predict_proba(near), model.predict_proba(near), atol=1e-12)
    assert pickle.loads(pickle.dumps(exported)).predict(new[:3]).tolist() == model.predict(new[:3]).tolist()


@pytest.mark.parametrize("model", WEIGHTED.values(), ids=WEIGHTED)
def test_weighted_decisions_come_without_probabilities(model: Any) -> None:
    """scikit-learn's would be those of the weighted classes."""
    exported = to_sklearn(model)
    np.testing.assert_array_equal(exported.predict(rows()), model.predict(rows()))
    assert not hasattr(exported, "predict_proba")


def test_scores_and_weights() -> None:
    exported = to_sklearn(MODELS["log softmax"])
    np.testing.assert_array_equal(exported.coef_, MODELS["log softmax"].coef)
    np.testing.assert_allclose(exported.decision_function(X), MODELS["log softmax"].decision_function(X), rtol=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_other_estimators() -> None:
    for estimator in rules().values():
        np.testing.assert_array_equal(to_sklearn(estimator).predict(X), estimator.predict(X))


def test_names_are_checked_as_scikit_learn_does() -> None:
    frame = pd.DataFrame(X, columns=COLUMNS)
    exported = to_sklearn(LogisticRegression(alpha=1e-2).fit(frame, Y3))
    assert exported.feature_names_in_.tolist() == COLUMNS
    with pytest.raises(ValueError, match="feature names"):
        exported.predict(frame.rename(columns={"select": "other"}))


def test_in_a_pipeline_and_cloned() -> None:
    exported = to_sklearn(MODELS["log"])
    pipeline = make_pipeline(FunctionTransformer().fit(X), exported)
    np.testing.assert_array_equal(pipeline.predict(X), MODELS["log"].predict(X))
    assert not hasattr(clone(exported), "coef_")


def test_sums_of_scores_are_refused() -> None:
    name = next(name for name in MODELS if "scores" in name)
    with pytest.raises(Refused, match="by sums of scores"):
        to_sklearn(MODELS[name])
