"""The area under the ROC curve, with its interval.

AUC = P(score of a row of the second class > score of a row of the first) + ½ P(equal). By midranks: with Tᵢ the rank of
row i among all rows and Rᵢ its rank among those of its own class, the share of the other class that row i is on the
right side of is

    hᵢ = (Tᵢ − Rᵢ)/n₋  for the second class,      hⱼ = 1 − (Tⱼ − Rⱼ)/n₊  for the first,

AUC is the mean of either, and DeLong's variance is var(hᵢ)/n₊ + var(hⱼ)/n₋. The interval is taken on the scale of
ln(AUC/(1 − AUC)), so that it stays within (0, 1). One sort, no pairs. Where every pair is ordered
the same way the variance is 0; then Wilson's interval for as many rows as the smaller class has takes its place.
"""

from __future__ import annotations

import numpy as np

from linsep.quality.intervals import LEVEL, Estimate, normal_quantile, proportion
from linsep.types import BoolArray, FloatArray


def auc(scores: FloatArray, second: BoolArray, weights: FloatArray | None = None, level: float = LEVEL) -> Estimate:
    """AUC of the scores for telling rows where `second` is true from the others."""
    weights = np.ones(len(scores)) if weights is None else weights
    plus, minus = weights[second], weights[~second]
    if plus.sum() == 0.0 or minus.sum() == 0.0:
        return Estimate(float("nan"), 0.0, 1.0)
    ranks = _midranks(scores, weights)
    above = (ranks[second] - _midranks(scores[second], plus)) / minus.sum()
    below = 1.0 - (ranks[~second] - _midranks(scores[~second], minus)) / plus.sum()
    area = min(float(np.average(above, weights=plus)), 1.0)
    variance = _variance_of_mean(above, plus) + _variance_of_mean(below, minus)
    if variance == 0.0 or not np.isfinite(variance):  # all on the right side, or all on the wrong one
        fewer = min(plus.sum(), minus.sum())
        return proportion(area * fewer, fewer, level)
    return _on_logit_scale(area, variance, level)


def _midranks(values: FloatArray, weights: FloatArray) -> FloatArray:
    """The weight of the rows below and half that of the equals."""
    distinct, place = np.unique(values, return_inverse=True)
    heights = np.bincount(place, weights=weights, minlength=len(distinct))
    middles: FloatArray = (np.cumsum(heights) - 0.5 * heights)[place]
    return middles


def _variance_of_mean(values: FloatArray, weights: FloatArray) -> float:
    total = float(weights.sum())
    if total <= 1.0:
        return np.inf
    centre = np.average(values, weights=weights)
    return float(np.average(np.square(values - centre), weights=weights)) / (total - 1.0)


def _on_logit_scale(area: float, variance: float, level: float) -> Estimate:
    half = normal_quantile(level) * variance**0.5 / (area * (1.0 - area))
    centre = np.log(area / (1.0 - area))
    low, high = (1.0 / (1.0 + np.exp(-(centre + side * half))) for side in (-1.0, 1.0))
    return Estimate(area, float(low), float(high))
