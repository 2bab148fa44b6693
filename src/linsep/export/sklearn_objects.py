"""A model as scikit-learn's own objects, fitted: for places where linsep is not installed.

    two classes, log or exponential loss    LogisticRegression
    softmax                                 LogisticRegression
    ovr with probabilities                  OneVsRestClassifier(LogisticRegression)
    ovo by votes                            OneVsOneClassifier(LinearSVC)
    anything else                           LinearSVC, which has coef_, decision_function and predict

Predictions and probabilities are the model's. So are coef_ and intercept_, but for the exponential loss, whose
probabilities σ(2s) are those of a logistic regression with twice the weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from linsep.errors import InvalidData, Refused
from linsep.export.scoring import Array, Scoring, encoder_of, read_scoring
from linsep.export.sklearn_table import table_union
from linsep.features.encoding import TableEncoding
from linsep.problem.reductions import OneVsOne


def to_sklearn(model: Any, columns: TableEncoding | None = None) -> Any:
    """The fitted estimator of scikit-learn that gives the same predictions and probabilities.

    columns: the `TableEncoder` that made the features; then it is a pipeline for the raw table, a frame of pandas.
    """
    scoring = read_scoring(model)
    columns = encoder_of(model) if columns is None else columns
    if columns is None:
        return _estimator(scoring)
    from sklearn.pipeline import Pipeline

    if len(columns.columns_) != len(scoring.w) - 1:
        raise InvalidData(f"the encoder has {len(columns.columns_)} columns, the model {len(scoring.w) - 1} features")
    union, turn = table_union(columns)
    w = np.vstack([turn @ scoring.w[:-1], scoring.w[-1:]])
    return Pipeline([("columns", union), ("model", _estimator(replace(scoring, w=w, names=None)))])


def _estimator(scoring: Scoring) -> Any:
    if scoring.link != "none" and (scoring.shift.any() or scoring.link == "calibrated"):
        why = "class weights are divided out of its probabilities" if scoring.shift.any() else "it is calibrated"
        raise Refused(
            f"no estimator of scikit-learn gives both the predictions and the probabilities of this model: {why}. "
            "Export to ONNX or SQL, or fit without class_weight and probability=True"
        )
    make = _MAKERS.get((scoring.decide, scoring.link))
    if make is None:
        raise Refused(
            "scikit-learn has no one-vs-one classifier that decides by sums of scores; fit with multiclass='ovo', "
            "which decides by votes, or export to ONNX or SQL"
        )
    return make(scoring) if scoring.cut is None else _with_costs(make(scoring), scoring)


def _with_costs(estimator: Any, scoring: Scoring) -> Any:
    """The estimator behind the threshold that costs ask for; scikit-learn's includes its end."""
    from sklearn.model_selection import FixedThresholdClassifier

    assert scoring.cut is not None
    k, threshold = scoring.cut
    whole = FixedThresholdClassifier(
        estimator,
        threshold=float(np.nextafter(threshold, 1.0)),
        pos_label=scoring.classes[k],
        response_method="predict_proba",
    )
    whole.estimator_ = estimator
    return whole


def _dress(estimator: Any, scoring: Scoring, classes: Array, columns: slice | list[int]) -> Any:
    """Give an estimator the attributes that its fit would have."""
    scale = scoring.scale if scoring.link in ("logistic", "normalised") else 1.0
    estimator.coef_ = np.ascontiguousarray(scale * scoring.coef[columns])
    estimator.intercept_ = scale * scoring.intercept[columns]
    estimator.classes_ = classes
    estimator.n_features_in_ = estimator.coef_.shape[1]
    estimator.n_iter_ = np.ones(1, dtype=np.int32)
    if scoring.names is not None:
        estimator.feature_names_in_ = np.array(scoring.names, dtype=object)
    return estimator


def _logistic_regression(scoring: Scoring) -> Any:
    from sklearn.linear_model import LogisticRegression

    return _dress(LogisticRegression(), scoring, scoring.classes, slice(None))


def _linear_svc(scoring: Scoring) -> Any:
    from sklearn.svm import LinearSVC

    return _dress(LinearSVC(), scoring, scoring.classes, slice(None))


def _one_vs_rest(scoring: Scoring) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import LabelBinarizer

    whole = OneVsRestClassifier(LogisticRegression())
    sides = np.array([0, 1])
    whole.estimators_ = [_dress(LogisticRegression(), scoring, sides, [k]) for k in range(len(scoring.classes))]
    whole.label_binarizer_ = LabelBinarizer(sparse_output=True).fit(scoring.classes)
    return _outside(whole, scoring)


def _one_vs_one(scoring: Scoring) -> Any:
    from sklearn.multiclass import OneVsOneClassifier
    from sklearn.svm import LinearSVC

    whole = OneVsOneClassifier(LinearSVC())
    sides = np.array([0, 1])
    pairs = len(OneVsOne.pairs(len(scoring.classes))[0])
    whole.estimators_ = [_dress(LinearSVC(), scoring, sides, [j]) for j in range(pairs)]
    whole.pairwise_indices_ = None
    return _outside(whole, scoring)


def _outside(whole: Any, scoring: Scoring) -> Any:
    """What the classifier around the others knows of the features."""
    whole.n_features_in_ = len(scoring.w) - 1
    if not hasattr(whole, "classes_"):  # some versions take it from the label binarizer
        whole.classes_ = scoring.classes
    if scoring.names is not None:
        whole.feature_names_in_ = np.array(scoring.names, dtype=object)
    return whole


_MAKERS: dict[tuple[str, str], Callable[[Scoring], Any]] = {
    ("margin", "logistic"): _logistic_regression,
    ("margin", "none"): _linear_svc,
    ("largest", "softmax"): _logistic_regression,
    ("largest", "normalised"): _one_vs_rest,
    ("largest", "none"): _linear_svc,
    ("votes", "none"): _one_vs_one,
}
