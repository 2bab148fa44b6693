"""Intervals for proportions and means. A row of weight k counts as k rows.

A proportion p̂ of n rows has Wilson's interval, the p for which |p̂ − p| ≤ z √(p(1 − p)/n): it stays within [0, 1] and
does not shrink to a point at 0 or 1. A mean of losses has the normal interval m ± z s/√n.
"""

from __future__ import annotations

from math import erf, exp, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from linsep.types import FloatArray

LEVEL = 0.95


class Estimate(NamedTuple):
    """A number with its interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"


def normal_quantile(level: float) -> float:
    """z with P(|N(0, 1)| ≤ z) = level."""
    z, step = 0.0, 1.0
    while step > 1e-15 * z:  # erf is concave here, so Newton's steps from 0 rise to z and never pass it
        step = (level - erf(z / sqrt(2.0))) * sqrt(0.5 * pi) * exp(0.5 * z * z)
        z += step
    return z


def wilson(hits: Any, total: Any, level: float = LEVEL) -> tuple[FloatArray, FloatArray, FloatArray]:
    """hits/total and both ends of Wilson's interval, elementwise; nan, 0 and 1 where there are no rows."""
    hits, total = np.asarray(hits, dtype=np.float64), np.asarray(total, dtype=np.float64)
    z = normal_quantile(level)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = hits / total
        centre = (hits + 0.5 * z * z) / (total + z * z)
        half = z * np.sqrt(total * share * (1.0 - share) + 0.25 * z * z) / (total + z * z)
    low, high = np.where(total > 0.0, centre - half, 0.0), np.where(total > 0.0, centre + half, 1.0)
    # rounding must not put the share itself outside
    return share, np.fmin(np.maximum(low, 0.0), share), np.fmax(np.minimum(high, 1.0), share)


def proportion(hits: float, total: float, level: float = LEVEL) -> Estimate:
    return Estimate(*(float(end) for end in wilson(hits, total, level)))


def mean(values: FloatArray, weights: FloatArray | None = None, level: float = LEVEL) -> Estimate:
    """The weighted mean and its normal interval; with fewer than two rows the interval is the whole line."""
    total = float(len(values)) if weights is None else float(weights.sum())
    centre = float(np.average(values, weights=weights))
    if total <= 1.0:
        return Estimate(centre, -np.inf, np.inf)
    variance = float(np.average(np.square(values - centre), weights=weights)) * total / (total - 1.0)
    half = normal_quantile(level) * (variance / total) ** 0.5
    return Estimate(centre, centre - half, centre + half)
