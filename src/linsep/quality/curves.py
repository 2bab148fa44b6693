"""Curves over all thresholds on the score of one class: ROC, precision and recall, calibration, cost.

Every point has its own interval (Wilson's, for one threshold at a time). Curves are thinned to a few hundred points,
half of them evenly over the ranks and half over the rows of the class, which no picture can tell from all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.quality.costs import Costs
from linsep.quality.intervals import LEVEL, normal_quantile, wilson
from linsep.quality.measures import Predictions
from linsep.types import BoolArray, FloatArray

_POINTS = 200
_BINS = 10


@dataclass(frozen=True, eq=False)
class Band:
    """A curve y(x) with both ends of its interval; where it belongs to a threshold, that too."""

    x: FloatArray
    y: FloatArray
    low: FloatArray
    high: FloatArray
    threshold: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Curves:
    """roc: true positive rate over false positive rate; precision over recall; calibration: observed share over mean
    probability, None without probabilities; cost: mean cost a row over the threshold."""

    roc: Band
    precision_recall: Band
    calibration: Band | None
    cost: Band


def draw_curves(predictions: Predictions, k: int = 1, costs: Costs | None = None, level: float = LEVEL) -> Curves:
    """The curves for telling class k from the rest."""
    p = predictions
    counts = _counts(p.ranking(k), p.truth == k, p.weight_of)
    share = None if p.probabilities is None else np.ascontiguousarray(p.probabilities[:, k])
    return Curves(
        _roc(counts, level),
        _precision_recall(counts, level),
        None if share is None else calibration(share, p.truth == k, p.weight_of, level),
        _cost(counts, costs or Costs(), level),
    )


@dataclass(frozen=True, eq=False)
class _Counts:
    """For falling thresholds: weight of rows at or above it, of the class (hits) and of the others (alarms)."""

    threshold: FloatArray
    hits: FloatArray
    alarms: FloatArray
    positives: float
    negatives: float


def _counts(scores: FloatArray, positive: BoolArray, weights: FloatArray) -> _Counts:
    order = np.argsort(-scores, kind="stable")
    order = order[weights[order] > 0.0]
    falling = scores[order]
    hits = np.cumsum(np.where(positive, weights, 0.0)[order])
    alarms = np.cumsum(np.where(positive, 0.0, weights)[order])
    ends = np.flatnonzero(np.append(falling[1:] != falling[:-1], True))  # the last row of each score
    if len(ends) > _POINTS:
        evenly = np.linspace(0, len(ends) - 1, _POINTS // 2).round().astype(int)
        found = np.searchsorted(hits[ends], np.linspace(0.0, hits[-1], _POINTS // 2))
        ends = ends[np.unique(np.append(evenly, np.minimum(found, len(ends) - 1)))]
    zero = np.zeros(1)
    return _Counts(
        np.append(np.inf, falling[ends]),
        np.append(zero, hits[ends]),
        np.append(zero, alarms[ends]),
        float(hits[-1]),
        float(alarms[-1]),
    )


def _roc(c: _Counts, level: float) -> Band:
    rate, low, high = wilson(c.hits, np.full_like(c.hits, c.positives), level)
    return Band(c.alarms / max(c.negatives, 1e-300), rate, low, high, c.threshold)


def _precision_recall(c: _Counts, level: float) -> Band:
    precision, low, high = wilson(c.hits[1:], (c.hits + c.alarms)[1:], level)
    return Band(c.hits[1:] / max(c.positives, 1e-300), precision, low, high, c.threshold[1:])


def _cost(c: _Counts, costs: Costs, level: float) -> Band:
    """Mean cost a row if rows with a score at or above the threshold are taken for the class."""
    total = c.positives + c.negatives
    alarms, missed = c.alarms / total, (c.positives - c.hits) / total
    centre = costs.false_positive * alarms + costs.false_negative * missed
    square = costs.false_positive**2 * alarms + costs.false_negative**2 * missed
    half = normal_quantile(level) * np.sqrt(np.maximum(square - centre**2, 0.0) / total)
    return Band(c.threshold, centre, np.maximum(centre - half, 0.0), centre + half, c.threshold)


def calibration(probability: FloatArray, positive: BoolArray, weights: FloatArray, level: float = LEVEL) -> Band:
    """Rows in ten bins of equal weight by their probability: the mean probability, and the share that was true."""
    order = np.argsort(probability, kind="stable")
    heights = np.cumsum(weights[order])
    place = np.minimum((heights - 0.5 * weights[order]) / heights[-1] * _BINS, _BINS - 1).astype(int)
    total = np.bincount(place, weights=weights[order], minlength=_BINS)
    hits = np.bincount(place, weights=(weights * positive)[order], minlength=_BINS)
    sums = np.bincount(place, weights=(weights * probability)[order], minlength=_BINS)
    used = total > 0.0
    share, low, high = wilson(hits[used], total[used], level)
    return Band(sums[used] / total[used], share, low, high)
