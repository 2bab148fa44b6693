"""Measures of predictions against the truth, beside those of the constant classifier.

The constant classifier knows only how often each class occurred in training: it predicts the most frequent one, with
those frequencies as probabilities. A model that does not beat it has learnt nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from linsep.quality.intervals import LEVEL, Estimate, mean, normal_quantile, proportion
from linsep.quality.ranking import auc
from linsep.types import Count, FloatArray, IntArray, Within

#: Probabilities below this are scored as if they were this: one impossible row must not make the mean infinite.
_LEAST = 1e-15
#: What is measured of any predictions; with probabilities there is more.
ALWAYS = ("accuracy", "balanced accuracy", "AUC")


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a model said of rows whose class is known.

    truth          (n,) class numbers
    predicted      (n,) class numbers
    scores         (n,) for two classes, positive for the second, else (n, K)
    probabilities  (n, K), or None where the model gives none
    priors         (K,) frequencies of the classes in training
    weights        (n,) or None; weight k counts as k rows
    """

    truth: IntArray
    predicted: IntArray
    scores: FloatArray
    probabilities: FloatArray | None
    priors: FloatArray
    weights: FloatArray | None = None

    @property
    def n_classes(self) -> int:
        return len(self.priors)

    @property
    def weight_of(self) -> FloatArray:
        """(n,): the weights, ones where there are none."""
        return np.ones(len(self.truth)) if self.weights is None else self.weights

    def ranking(self, k: int) -> FloatArray:
        """(n,): the larger, the more a row looks like class k.

        Of two classes the score. Of more the probability, or the lead over the best other class: a single score of K
        tells nothing, since adding the same to all K changes no decision.
        """
        if self.scores.ndim == 1:
            return self.scores if k == 1 else -self.scores
        if self.probabilities is not None:
            return np.ascontiguousarray(self.probabilities[:, k])
        others = np.delete(self.scores, k, axis=1).max(axis=1)
        return np.asarray(self.scores[:, k] - others)


@dataclass(frozen=True, eq=False)
class Quality:
    """Each measure by name with its interval, the constant classifier's value of the same, and the confusion.

    measures   accuracy, balanced accuracy, AUC; log loss and Brier score where there are probabilities
    baseline   of the constant classifier, by the same names
    confusion  (K, K): total weight of rows of class i that were predicted as j
    rows       how many rows were looked at
    """

    measures: Mapping[str, Estimate]
    baseline: Mapping[str, float]
    confusion: Annotated[FloatArray, Within(0.0, axes=2)]
    rows: Count
    level: Annotated[float, Within(0.01, 0.9999)] = LEVEL

    def flaw(self) -> str | None:
        """Why no measuring gives it, or None (storage/fields.py)."""
        absent = [name for name in ALWAYS if name not in self.measures]
        return f"its quality has no {absent[0]}" if absent else None

    def record(self) -> dict[str, Any]:
        """As plain values and arrays, for a model file: name, value, both ends and the constant classifier's value."""
        return {
            "measures": [[name, *estimate, self.baseline[name]] for name, estimate in self.measures.items()],
            "confusion": self.confusion,
            "rows": self.rows,
            "level": self.level,
        }

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Quality:
        measures = {name: Estimate(*map(float, ends)) for name, *ends, _ in record["measures"]}
        baseline = {name: float(constant) for name, *_, constant in record["measures"]}
        confusion = np.asarray(record["confusion"], dtype=np.float64)
        return cls(measures, baseline, confusion, record["rows"], record["level"])


def measure(predictions: Predictions, level: float = LEVEL) -> Quality:
    """All measures that the predictions allow."""
    p = predictions
    confusion = _confusion(p)
    right = float(np.trace(confusion))
    measures = {
        "accuracy": proportion(right, float(confusion.sum()), level),
        "balanced accuracy": _balanced(confusion, level),
        "AUC": _area(p, level),
    }
    most = int(p.priors.argmax())
    present = confusion.sum(axis=1) > 0.0
    baseline = {
        "accuracy": float(confusion[most].sum() / confusion.sum()),
        "balanced accuracy": float(present[most]) / float(present.sum()),
        "AUC": 0.5,
    }
    if p.probabilities is not None:
        constant = np.broadcast_to(p.priors, p.probabilities.shape)
        for name, each in {"log loss": log_losses, "Brier score": brier_scores}.items():
            measures[name] = mean(each(p.probabilities, p.truth), p.weights, level)
            baseline[name] = mean(each(constant, p.truth), p.weights, level).value
    return Quality(measures, baseline, confusion, len(p.truth), level)


def log_losses(probabilities: FloatArray, truth: IntArray) -> FloatArray:
    """−ln of the probability given to the class that was true, for every row."""
    losses: FloatArray = -np.log(np.maximum(probabilities[np.arange(len(truth)), truth], _LEAST))
    return losses


def brier_scores(probabilities: FloatArray, truth: IntArray) -> FloatArray:
    """Σₖ (pₖ − [k is true])², halved for two classes so that it is (p − [true])²; for every row."""
    errors = probabilities.copy()
    errors[np.arange(len(truth)), truth] -= 1.0
    squares: FloatArray = np.square(errors).sum(axis=1)
    return 0.5 * squares if probabilities.shape[1] == 2 else squares


def _confusion(p: Predictions) -> FloatArray:
    cells = np.bincount(p.truth * p.n_classes + p.predicted, weights=p.weights, minlength=p.n_classes**2)
    return cells.astype(np.float64).reshape(p.n_classes, p.n_classes)


def _balanced(confusion: FloatArray, level: float) -> Estimate:
    """The mean over the classes that occur of their accuracy; variances of the proportions add."""
    totals = confusion.sum(axis=1)
    seen = totals > 0.0
    shares, sizes = np.diag(confusion)[seen] / totals[seen], totals[seen]
    smoothed = (np.diag(confusion)[seen] + 1.0) / (sizes + 2.0)  # a class that is all right is not certain to stay so
    half = normal_quantile(level) * float(np.sqrt((smoothed * (1.0 - smoothed) / sizes).sum())) / len(sizes)
    centre = float(shares.mean())
    return Estimate(centre, max(centre - half, 0.0), min(centre + half, 1.0))


def _area(p: Predictions, level: float) -> Estimate:
    """Two classes: AUC. More: the mean of each class against the rest, with the mean of its intervals' ends.

    The K areas rest on the same rows, so their errors are not independent; the mean of the ends is what holds if they
    err together, and too wide otherwise.
    """
    if p.scores.ndim == 1:
        return auc(p.scores, p.truth == 1, p.weights, level)
    present = [k for k in range(p.n_classes) if 0 < np.count_nonzero(p.truth == k) < len(p.truth)]
    if not present:
        return Estimate(float("nan"), 0.0, 1.0)
    areas = [auc(p.ranking(k), p.truth == k, p.weights, level) for k in present]
    return Estimate(*(float(v) for v in np.mean(areas, axis=0)))
