"""Too many dimensions for integers: what floating point finds, with its residual, and what stays exact all the same.

- two equal rows of different classes: a common point of the hulls, exactly;
- the linear program, up to a few thousand dimensions: a direction whose signs are then taken exactly, or weights on as
  many conditions as it has dimensions, for which a linear system in integers is solved (modular.py);
- else the multipliers of dual coordinate descent, as weights of two points of the hulls.

For weights that are not exact the distance δ of the two points is computed, which bounds every margin.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from linsep.separability.cone import Cone
from linsep.separability.decide import Mean, Strict, on_support
from linsep.separability.exact import integers
from linsep.separability.face import Face
from linsep.separability.programs import first_sample, guess, widest_margin
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


def contradiction(cone: Cone) -> Mean | None:
    """Two equal rows of different classes, both with a condition against the other's."""
    w = np.append(np.random.default_rng(0).standard_normal(cone.design.d), 0.0)
    keys, codes = cone.design.scores(w), cone.codes
    order = np.arange(cone.design.n) if cone.alive is None else np.unique(cone.alive // cone.others)
    order = order[np.argsort(keys[order], kind="stable")]
    close = np.flatnonzero((keys[order[1:]] == keys[order[:-1]]) & (codes[order[1:]] != codes[order[:-1]]))
    for place in close[:1000]:
        pair = np.sort(order[place : place + 2])
        numbers = np.array([_number(cone, int(i), int(codes[j])) for i, j in (pair, pair[::-1])])
        if cone.alive is not None and not np.isin(numbers, cone.alive).all():
            continue
        rows = cone.design.table[pair]
        rows = rows.toarray() if cone.design.sparse else rows
        if (rows[0] == rows[1]).all():
            return Mean(numbers, (Fraction(1, 2), Fraction(1, 2)))
    return None


def _number(cone: Cone, row: int, other: int) -> int:
    """The condition of a row against another class."""
    return row * cone.others + other - int(other > cone.codes[row])


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
