"""`predict_proba` for a classifier whose fit has no shortcut to left-out scores: five folds, where it was asked for.

A perceptron's scores have no scale of their own: it grows with the number of updates. So the scores that a fold's run
gives to its left-out rows are scaled to those that the run on all rows gives them.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from linsep.errors import InvalidData, NotConverged
from linsep.estimators.discriminant import Array, LinearDiscriminant
from linsep.model import Training
from linsep.model.calibration import Calibration
from linsep.selection.calibrate import Evidence, fit_calibration
from linsep.selection.dealing import deal
from linsep.types import FloatArray, IntArray

_FOLDS = 5


def _asked(estimator: Any) -> bool:
    return hasattr(estimator, "calibration_") if hasattr(estimator, "classes_") else estimator.probability is True


class FoldProbability(LinearDiscriminant):
    """Probabilities by `calibration_`."""

    calibration_: Calibration
    probability: bool

    def _chosen(self, scores: FloatArray) -> IntArray:
        """The number of the class that `predict` takes."""
        raise NotImplementedError

    @available_if(_asked)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """P(class), (n, K), columns in the order of `classes_`; the largest is that of `predict`'s class."""
        scores = self.decision_function(X)
        return self.calibration_.probabilities(scores, winner=self._chosen(scores))

    @available_if(_asked)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> FloatArray:
        """ln P(class), (n, K)."""
        scores = self.decision_function(X)
        return self.calibration_.log_probabilities(scores)

    def _calibrate(self, training: Training, seed: int) -> Calibration:
        """From the scores of rows left out by folds, every class in every fold."""
        codes, rows = training.labels.codes, training.design.table
        fewest = int(np.bincount(codes).min())
        if fewest < 2:
            raise InvalidData("a class has one row, and probabilities need left-out rows of every class: give two rows")
        fold = deal(codes, min(_FOLDS, len(codes)), None, seed)
        full = self.decision_function(rows)
        scores = np.empty_like(full)
        for k in range(int(fold.max()) + 1):
            held, train = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
            found = self._without(rows, training.labels.classes[codes], train, held)
            scores[held] = found * (_size(full[held]) / _size(found))
        return fit_calibration(Evidence(scores, codes, np.ones(len(codes)), f"{int(fold.max()) + 1} folds"))

    def _without(self, rows: Any, y: Array, train: IntArray, held: IntArray) -> FloatArray:
        """Scores of the held rows by a run on the others."""
        other = clone(self).set_params(probability=False)
        square = self.__sklearn_tags__().input_tags.pairwise
        given = rows[np.ix_(train, train)] if square else rows[train]
        asked = rows[np.ix_(held, train)] if square else rows[held]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)
            scores: FloatArray = other.fit(given, y[train]).decision_function(asked)
        return scores


def _size(scores: FloatArray) -> float:
    """The root mean square, 1 where all are 0."""
    return float(np.sqrt(np.mean(scores * scores))) or 1.0
