"""What every classifier that is not a `LinearModel` shares: the labels read, rows scored, the largest score wins.

A subclass calls `_begin` in `fit`, which checks X and y and remembers classes and features, and then gives
`decision_function`: (n,) for two classes, positive for the second, else (n, K). `LinearDiscriminant` scores by
`coef_` (m, d) and `intercept_` (m,), m = 1 for two classes.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from linsep.data.reading import Expected, checked_scores, read_rows
from linsep.errors import Refused
from linsep.estimators import parameters
from linsep.model import LinearRule, Objective, Training, read_training
from linsep.types import FloatArray

Array = np.ndarray[Any, Any]


class Discriminant(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classes by scores, the first of equals."""

    classes_: Array
    n_features_in_: int

    def _begin(self, X: Any, y: Any, sample_weight: Any = None, class_weight: Any = None) -> Training:
        """X, y and weights, read and checked; classes and features are remembered."""
        training = self._read(X, y, sample_weight, class_weight)
        self._remember(training)
        return training

    def _read(self, X: Any, y: Any, sample_weight: Any = None, class_weight: Any = None) -> Training:
        return read_training(X, y, sample_weight, class_weight, self._threads(), type(self).__name__)

    def _remember(self, training: Training) -> None:
        self.classes_ = training.labels.classes
        self.n_features_in_ = training.design.d
        if training.names is not None:
            self.feature_names_in_ = training.names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _threads(self) -> int:
        return parameters.threads(getattr(self, "n_jobs", None))

    def _expected(self) -> Expected:
        if not hasattr(self, "classes_"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments first."
            )
        return Expected(self.n_features_in_, getattr(self, "feature_names_in_", None), type(self).__name__)

    def decision_function(self, X: Any) -> FloatArray:
        """Class scores: (n,), positive for the second of two classes, or (n, K)."""
        raise NotImplementedError

    def predict(self, X: Any) -> Array:
        """The class of every row."""
        scores = self.decision_function(X)
        chosen = (scores > 0.0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        classes: Array = self.classes_[chosen]
        return classes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LinearDiscriminant(Discriminant):
    """Scores ⟨x, w⟩ + b."""

    coef_: FloatArray
    intercept_: FloatArray

    def decision_function(self, X: Any) -> FloatArray:
        """Class scores: (n,), positive for the second of two classes, or (n, K)."""
        expected = self._expected()
        w = np.ascontiguousarray(np.vstack([self.coef_.T, self.intercept_]))
        design = read_rows(X, expected, w.shape[1], self._threads())
        return checked_scores(design, w.ravel() if w.shape[1] == 1 else w, X)

    def save(self, path: str | PathLike[str], *, force: bool = False) -> Path:
        """Write the weights to one file, which `linsep.load` reads as a `LinearRule`; the place written to."""
        return self.as_rule().save(path, force=force)

    def as_rule(self) -> LinearRule:
        """The weights as a value that works without the estimator."""
        self._expected()
        if not hasattr(self, "coef_"):
            raise Refused(f"this {type(self).__name__} has no linear weights (coef_), which a LinearRule is made of")
        w = np.ascontiguousarray(np.vstack([self.coef_.T, self.intercept_]))
        names = getattr(self, "feature_names_in_", None)
        how = self._probability_objective(), getattr(self, "calibration_", None)
        return LinearRule(w, self.classes_, names, type(self).__name__, self.summary(), *how)

    def summary(self) -> str:
        """The fitted classifier in words."""
        raise NotImplementedError

    def _probability_objective(self) -> Objective | None:
        """What turns scores into probabilities; None where there are none."""
        return None
