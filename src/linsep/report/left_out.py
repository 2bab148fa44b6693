"""Honest predictions of training rows: the scores that fits without each of them would give, from one fit.

See `selection/left_out.py` for the formula. Without them a curve over training rows shows what the model remembers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.errors import Refused
from linsep.model import LinearModel, Training, probability
from linsep.quality import Predictions
from linsep.selection.left_out import left_out
from linsep.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Judged:
    """Predictions that may be judged by, the rows they are of, and what they are in words.

    flattering: they are of rows that the fit has seen, as it saw them
    """

    predictions: Predictions
    rows: IntArray
    words: str
    flattering: bool = False

    @classmethod
    def all_rows(cls, predictions: Predictions, words: str, *, flattering: bool = False) -> Judged:
        return cls(predictions, np.arange(len(predictions.truth)), words, flattering)


def left_out_predictions(model: LinearModel, training: Training, fitted: Predictions) -> Judged:
    """Predictions as left out; refuses where no shortcut exists."""
    if not model.objective.penalty.ridge:
        raise Refused("left-out scores need a penalty of squares alone")
    found = left_out(model, training)
    if found.extreme:
        raise Refused(f"{found.extreme:,} rows decide their own score")
    scores = model.class_scores(found.scores)
    chances = _probabilities(model, found.scores)
    predicted = (scores > 0.0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
    weights = None if fitted.weights is None else fitted.weights[found.rows]
    predictions = Predictions(fitted.truth[found.rows], predicted, scores, chances, fitted.priors, weights)
    some = "" if len(found.rows) == training.design.n else f"{len(found.rows):,} of "
    words = f"{some}the training rows, each scored as by a fit without it (approximate leave-one-out)"
    return Judged(predictions, found.rows, words)


def _probabilities(model: LinearModel, scores: FloatArray) -> FloatArray | None:
    factors = model.origin.class_factors
    if model.calibration is not None:
        return model.calibration.probabilities(model.class_scores(scores), factors)
    if not model.gives_probabilities:
        return None
    return probability.probabilities(scores, model.objective.scheme, model.objective.loss, factors)
