"""What is said of left-out rows: their loss, or the value of a scikit-learn scorer.

The loss of a row is the one that was minimised: of its K scores, or of its margin; where the classes are told apart by
several binary problems, the mean over those that the row takes part in.

A row whose class the training part lacks is a certain mistake, and any honest loss for it may be infinite. It counts
with a fixed loss, the same for every α, and so does not move the choice: a margin of −1, or for K scores its own class
one below all others. To a scorer such a class has the lowest score and the probability 0.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linsep.data import as_design
from linsep.data.labels import Labels
from linsep.errors import InvalidData, InvalidParameter, InvalidType
from linsep.kernels import native
from linsep.model import Objective, Training
from linsep.problem import multiclass
from linsep.problem.reductions import Joint, OneMargin, Reduction
from linsep.types import FloatArray, IntArray

Scorer = Callable[..., float]


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows to learn from, rows left out with their weight, and the classes that the former have."""

    train: IntArray
    held: IntArray
    present: IntArray
    weight: float


@dataclass(frozen=True, eq=False)
class FoldFit:
    """Weights (d + 1, m) learnt without the fold, and the scores (n_held, m) they give its rows."""

    w: FloatArray
    scores: FloatArray

    @property
    def n_features(self) -> int:
        return len(self.w) - 1

    def scores_of(self, X: Any) -> FloatArray:
        """(n, m) for other rows."""
        return as_design(X, 1).scores(np.ascontiguousarray(self.w))


def objective_of(objective: Objective, fold: Fold) -> Objective:
    """The objective for the classes that the training part has."""
    return replace(objective, scheme=multiclass.of_classes(objective.scheme, len(fold.present)))


@dataclass(frozen=True, eq=False)
class LossScore:
    """The mean loss of the left-out rows."""

    training: Training
    objective: Objective

    @property
    def name(self) -> str:
        scheme = self.objective.scheme
        name = scheme.loss.name if isinstance(scheme, Joint) else self.objective.loss.name
        return f"{name} loss"

    def __call__(self, fold: Fold, fit: FoldFit) -> float:
        codes, weights = self.training.labels.codes[fold.held], self.training.weights
        weights = None if weights is None else weights[fold.held]
        if len(fold.present) < self.training.n_classes:
            losses = self._of_known(fold, codes, fit.scores)
        elif isinstance(self.objective.scheme, OneMargin) and self.objective.loss.kernel is not None:
            scores, threads = np.ascontiguousarray(fit.scores[:, 0]), self.training.design.threads
            kernel, signs, scale = self.objective.loss.kernel, np.where(codes > 0, 1.0, -1.0), 1.0 / fold.weight
            return native.loss_values(kernel, scores, signs, weights, scale, None, None, threads)
        else:
            losses = row_losses(self.objective, codes, len(fold.present), fit.scores)
        return float(np.average(losses, weights=weights))

    def _of_known(self, fold: Fold, codes: IntArray, scores: FloatArray) -> FloatArray:
        """The losses where the fit knows not all classes: rows of the others are mistakes."""
        known = np.isin(codes, fold.present)
        losses = np.full(len(codes), self._of_mistake())
        numbers = np.searchsorted(fold.present, codes[known])
        losses[known] = row_losses(objective_of(self.objective, fold), numbers, len(fold.present), scores[known])
        return losses

    def _of_mistake(self) -> float:
        scheme = self.objective.scheme
        if not isinstance(scheme, Joint):
            return float(self.objective.loss.value(np.array([-1.0]))[0])
        scores = np.zeros((1, self.training.n_classes))
        scores[0, 0] = -1.0
        return float(scheme.loss.value(scores, np.zeros(1, dtype=np.int64))[0])


def row_losses(objective: Objective, codes: IntArray, n_classes: int, scores: FloatArray) -> FloatArray:
    """The loss of every row from its scores (n, m)."""
    scheme = objective.scheme
    if isinstance(scheme, Joint):
        return scheme.loss.value(scores, codes)
    if isinstance(scheme, OneMargin):
        return objective.loss.value((2.0 * codes - 1.0) * scores[:, 0])
    assert isinstance(scheme, Reduction)
    sums, counts = np.zeros(len(codes)), np.zeros(len(codes))
    for j, task in enumerate(scheme.reduce(Labels(np.arange(n_classes), codes))):
        rows = slice(None) if task.rows is None else task.rows
        sums[rows] += objective.loss.value(task.signs * scores[rows, j])
        counts[rows] += 1.0
    means: FloatArray = sums / np.maximum(counts, 1.0)
    return means


@dataclass(frozen=True, eq=False)
class ScorerScore:
    """Minus what a scorer says of a classifier with the fold's weights; sample weights go to it where it takes them."""

    training: Training
    objective: Objective
    scorer: Scorer
    label: str
    weighted: bool

    @property
    def name(self) -> str:
        return f"minus {self.label}"

    def __call__(self, fold: Fold, fit: FoldFit) -> float:
        from linsep.selection.fold_classifier import FoldClassifier  # scikit-learn takes long to import

        labels, weights = self.training.labels, self.training.weights
        classifier = FoldClassifier(fit, labels.classes, fold.present, objective_of(self.objective, fold))
        X = self.training.design.table[fold.held]
        extra = {"sample_weight": weights[fold.held]} if self.weighted and weights is not None else {}
        try:
            return -float(self.scorer(classifier, X, labels.classes[labels.codes[fold.held]], **extra))
        except ValueError as error:
            raise InvalidData(
                f"the scorer {self.label!r} cannot score the left-out rows of a fold: {error}. Perhaps a class has "
                "fewer rows than there are folds; give fewer folds, another scorer, or None for the loss"
            ) from error


def score_of(scoring: Any, training: Training, objective: Objective) -> LossScore | ScorerScore:
    """None: the loss; else a name that scikit-learn knows, or a callable (classifier, X, y) → larger is better."""
    if scoring is None:
        return LossScore(training, objective)
    if training.offset is not None:
        raise InvalidParameter(f"scoring={scoring!r} with an offset: predictions are without it; give None")
    if isinstance(scoring, str):
        from sklearn.metrics import get_scorer, get_scorer_names

        if scoring not in get_scorer_names():
            raise InvalidParameter(
                f"scoring={scoring!r}: allowed are None for the loss, a callable (classifier, X, y), and the names of "
                "sklearn.metrics.get_scorer_names()"
            )
        return ScorerScore(training, objective, get_scorer(scoring), scoring, True)
    if not callable(scoring):
        raise InvalidType(
            f"scoring={scoring!r} is a {type(scoring).__name__}; allowed are None for the loss, the name of a "
            "scikit-learn scorer, and a callable (classifier, X, y)"
        )
    weighted = "sample_weight" in inspect.signature(scoring).parameters or hasattr(scoring, "_score_func")
    label = getattr(scoring, "__name__", None) or getattr(getattr(scoring, "_score_func", None), "__name__", "score")
    return ScorerScore(training, objective, scoring, str(label), weighted)
