"""The weights of one fold as a classifier that scikit-learn's scorers can ask."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from linsep.model import Objective, probability
from linsep.selection.scoring import FoldFit
from linsep.types import FloatArray, IntArray

Array = np.ndarray[Any, Any]


def _gives_probabilities(classifier: FoldClassifier) -> bool:
    return probability.available(classifier.objective.scheme, classifier.objective.loss)


class FoldClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Weights of one fold as scikit-learn's scorers know a fitted classifier; lacking classes come last."""

    def __init__(self, learnt: FoldFit, classes: Array, present: IntArray, objective: Objective) -> None:
        self.learnt = learnt
        self.classes = classes
        self.present = present
        self.objective = objective

    @property
    def classes_(self) -> Array:
        return self.classes

    @property
    def n_features_in_(self) -> int:
        return self.learnt.n_features

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def decision_function(self, X: Any) -> FloatArray:
        """(n,) for two classes, else (n, K)."""
        scores = self.learnt.scores_of(X)
        if len(self.classes) == 2 and scores.shape[1] == 1:
            return scores[:, 0]
        known = self.objective.scheme.retrieve(scores, len(self.present), self.objective.loss)
        return self._spread(known, known.min(axis=1, keepdims=True) - 1.0)

    def predict(self, X: Any) -> Array:
        decided = self.decision_function(X)
        codes = (decided > 0.0).astype(np.int64) if decided.ndim == 1 else decided.argmax(axis=1)
        labels: Array = self.classes[codes]
        return labels

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """(n, K)."""
        known = probability.probabilities(self.learnt.scores_of(X), self.objective.scheme, self.objective.loss)
        return self._spread(known, np.zeros((len(known), 1)))

    def _spread(self, known: FloatArray, others: FloatArray) -> FloatArray:
        every = np.repeat(others, len(self.classes), axis=1)
        every[:, self.present] = known
        return every
