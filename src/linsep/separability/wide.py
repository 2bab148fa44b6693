"""Too many dimensions for integers: what floating point finds, with its residual, and what stays exact all the same.

- two classes: the shortest segment between their hulls (segment.py). If it has a length, it is the normal of a
  hyperplane, whose signs are then taken exactly; else it names rows, at most one more than dimensions, of which a
  common point is a mean, and their weights solve a linear system in integers (modular.py);
- more classes, or where that fails: the same from a linear program, up to a few thousand dimensions;
- else the multipliers of dual coordinate descent, as weights of two points of the hulls.

For weights that are not exact the distance δ of the two points is computed, which bounds every margin.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from linsep.kernels.threads import single_threaded_blas
from linsep.separability.cone import Cone
from linsep.separability.decide import Mean, Strict, on_support
from linsep.separability.exact import integers
from linsep.separability.face import Face
from linsep.separability.margin_certificate import MaximumMargin, certified
from linsep.separability.programs import first_sample, guess, widest_margin
from linsep.separability.segment import shortest_segment
from linsep.separability.sets import Sets
from linsep.types import FloatArray, IntArray

_DIMENSIONS, _ENTRIES = 3000, 20_000_000  # of a linear program that is still worth trying

_NOTHING = 1e-9  # a margin that HiGHS cannot tell from 0
_SOLVED = 1000  # weights of a mean that are worth solving for exactly


@dataclass(frozen=True, eq=False)
class Near:
    """Weights whose Σ λa is not 0 exactly; residual: what it is, as the distance of the two hull points."""

    mean: Mean | None
    residual: float


def decide_wide(cone: Cone, multipliers: FloatArray | None) -> Strict | Mean | Near:
    """The best that is known, of rows without a contradiction."""
    candidates = []
    if has_segment(cone):
        answer = _by_segment(cone)
        if not isinstance(answer, Near):
            return answer
        candidates.append(answer)
    if cone.dims <= _DIMENSIONS and cone.dims * (10 * cone.dims + 100) <= _ENTRIES:
        face = Face(cone)
        found = guess(face, first_sample(face))
        if found.u is not None:
            v = integers(cone.unscaled(found.u)[None])[0][0]
            if (cone.signs(v) > 0).all():
                return Strict(v)
        if found.places is not None and found.weights is not None:
            mean = _exact(face, found.places)
            if mean is not None:
                return mean
            candidates.append(near(cone, found.places, found.weights))
    if multipliers is not None:
        used = np.flatnonzero(multipliers > 0.0)
        candidates.append(near(cone, used, multipliers[used]))
    return min(candidates, key=lambda near: near.residual, default=Near(None, np.inf))


def has_segment(cone: Cone) -> bool:
    """Whether the shortest segment is asked for: two classes, all of their rows, not too many dimensions."""
    return cone.others == 1 and cone.alive is None and cone.dims <= _DIMENSIONS


def _by_segment(cone: Cone) -> Strict | Mean | Near:
    """What the shortest segment between two classes says."""
    sets = Sets(cone.design, np.asarray(2.0 * cone.codes - 1.0, dtype=np.float64), not cone.intercept)
    if not sets.measurable:
        return Near(None, np.inf)
    with single_threaded_blas():
        segment = shortest_segment(sets, _NOTHING)
        found = certified(sets, segment)
    if isinstance(found, MaximumMargin):
        v = integers(np.append(found.w, found.b)[None, : cone.width])[0][0]
        if (cone.signs(v) > 0).all():
            return Strict(v)
    order = np.argsort(segment.rows)
    rows, weights = segment.rows[order], segment.weights[order]
    return _exact(Face(cone), rows) or near(cone, rows, weights)


def _exact(face: Face, places: IntArray) -> Mean | None:
    """The mean of these conditions and no others, if it exists and is not too much work."""
    return on_support(face, places) if 1 < len(places) <= _SOLVED else None


def sampled(cone: Cone) -> Mean | Near | None:
    """Where there are far more conditions than dimensions: weights from a sample, if that is not separable already."""
    face = Face(cone)
    sample = first_sample(face)
    if cone.dims > _DIMENSIONS or cone.dims * len(sample) > _ENTRIES or 5 * len(sample) > cone.size:
        return None
    margin, _, weights = widest_margin(face.vectors(sample))
    used = np.flatnonzero(weights > 1e-12)
    if margin > _NOTHING or not len(used):
        return None
    return _exact(face, sample[used]) or near(cone, sample[used], weights[used])


def near(cone: Cone, places: IntArray, weights: FloatArray) -> Near:
    """The weights made to sum up to 1, those of either class to ½ with an intercept, and the residual."""
    row, own, _ = cone.parts(places)
    exact = np.array([Fraction(float(w)) for w in weights], dtype=object)
    if cone.others > 1:
        exact /= exact.sum()
        vectors = cone.vectors(places)
        return Near(Mean(places, tuple(exact)), float(np.linalg.norm(weights / weights.sum() @ vectors)))
    if cone.intercept:
        for code in (0, 1):
            if not (own == code).any():
                return Near(None, np.inf)
            exact[own == code] /= 2 * exact[own == code].sum()
    else:
        exact /= exact.sum()
    signed, rounded = np.zeros(cone.design.n), np.array([float(w) for w in exact])
    signed[row] = rounded * (2.0 * own - 1.0)
    gap = cone.design.adjoint(signed)[:-1]
    lengths = np.sqrt(cone.design.rows(row).row_norms())
    slack = (len(row) + 8) * 2.0**-52 * float(rounded @ lengths)  # of rounding in the sum
    times = 2.0 if cone.intercept else 1.0
    return Near(Mean(places, tuple(exact)), float(times * (np.linalg.norm(gap) + slack)))
