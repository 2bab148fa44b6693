"""Other maxima of a criterion that is not concave, Firth's.

½ ln det I is large where some rows with far-reaching x have p near ½. With weights t times as long these are others,
so there may be a maximum on each scale of the weights, and where a weight is held, for each place of the boundary. The
search goes up from weights scaled by ±t, from 0, and from boundaries that leave a part of the rows on either side. It
proves nothing: what it finds is a maximum at least as high as the one it set out from.
"""

from __future__ import annotations

from itertools import islice

import numpy as np

from linsep.inference.criterion import Criterion, Place, ascend
from linsep.inference.sample import Sample
from linsep.types import BoolArray, FloatArray

_SCALES = (1 / 16, 1 / 4, 4, 16, 64)
_PARTS = (0.1, 0.3, 0.5, 0.7, 0.9)
_STEPS = 100
#: Rows times squared coefficients up to which others are looked for: several maxima are a matter of few rows.
_WORK = 1e6
#: By how much more one of two values must be, of 1 + its size, to be another maximum's.
_APART = 1e-9


def higher(a: float, b: float) -> bool:
    """Whether the value a is above b by more than rounding."""
    return a > b + _APART * (1.0 + abs(b))


def highest(criterion: Criterion, place: Place, free: BoolArray) -> Place:
    """The highest maximum over the free coordinates that is found from the other starts, or the place itself."""
    sample = criterion.sample
    if criterion.concave or not free.any() or sample.design.n * sample.size**2 > _WORK:
        return place
    best = place
    for start in _starts(sample, place.theta, free):
        found = _top(criterion, start, free)
        if found is not None and higher(found.value, best.value):
            best = found
    return best


def _top(criterion: Criterion, start: FloatArray, free: BoolArray) -> Place | None:
    """Where the way up from the start ends; None if not at a maximum."""
    if not np.isfinite(criterion.at(start).value):  # so far out that float64 knows no way up
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        for last in islice(ascend(criterion, start, free), _STEPS):
            if not np.isfinite(last.decrement):
                return None
    return last.place if last.arrived else None


def _starts(sample: Sample, theta: FloatArray, free: BoolArray) -> list[FloatArray]:
    scaled = free & (sample.is_feature() > 0.0)
    moved = np.array([*_SCALES, *(-t for t in _SCALES)]) if (theta[scaled] != 0.0).any() else np.zeros(0)
    starts = [np.where(scaled, t * theta, theta) for t in moved]
    zero = np.where(scaled, 0.0, theta)
    starts.append(zero)
    if sample.intercept and free[-1]:
        starts += [start for base in (theta, zero) for start in _boundaries(sample, base)]
    return starts


def _boundaries(sample: Sample, theta: FloatArray) -> list[FloatArray]:
    """The intercepts that put each of some parts of the rows on the negative side."""
    without = theta.copy()
    without[-1] = 0.0
    scores = sample.design.scores(sample.weights(without))[:, 0]
    scores = scores if sample.offset is None else scores + sample.offset[:, 0]
    levels = np.unique(np.quantile(scores[sample.counts > 0.0], _PARTS))
    return [np.append(theta[:-1], -level) for level in levels]
