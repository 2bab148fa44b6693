"""What `separability(X, y)` asks: dual coordinate descent first, then linear programs and integers; proved."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from linsep.model import Training
from linsep.model.fingerprint import fingerprints
from linsep.separability.columns import alone
from linsep.separability.cone import Cone
from linsep.separability.decide import Mean, Strict
from linsep.separability.equal_rows import contradiction
from linsep.separability.exact import Integers, are_floats, bits, integers, to_floats
from linsep.separability.pairs import MOST, known_by_pairs
from linsep.separability.search import descend
from linsep.separability.settle import Known, Settled, settle
from linsep.separability.verdict import Combination, Separability, Verdict
from linsep.separability.wide import Near, decide_wide, has_segment, sampled
from linsep.types import FloatArray, IntArray

#: Dimensions up to which integers decide; above it floating point does, with its residual.
_EXACT = 120
#: Where linear programs are quick descent is not tried first: fewer dimensions, or more entries with few dimensions.
_FEW, _MANY = 30, 5_000_000
_SWEEPS, _SWEEPS_WIDE = 20, 100
_COLUMNS = 20_000_000  # entries up to which every column is looked at alone


def judge(training: Training, intercept: bool) -> Separability:
    """The verdict on data that are read already; weights of rows do not matter to it."""
    cone = Cone(training.design, training.labels.codes, training.n_classes, intercept)
    prints = fingerprints(training.design, training.labels, None)
    return judge_cone(cone, training, {key: prints[key] for key in ("X", "y")})


def judge_cone(cone: Cone, training: Training, prints: dict[str, str]) -> Separability:
    """The verdict on the conditions of a cone, which may be fewer than those of the data."""
    plain = Separability(
        verdict=Verdict.NOT_SEPARABLE, classes=training.labels.classes, fit_intercept=cone.intercept,
        n_rows=cone.design.n, n_features=cone.design.d, proved=False, names=training.names, fingerprint=prints,
    )  # fmt: skip
    multipliers = None
    wide, quick = cone.dims > _EXACT, cone.dims <= _FEW or cone.design.entries > _MANY
    if wide and cone.others > 1 and cone.width <= _EXACT:
        known = known_by_pairs(cone)
        if known is not None:
            return _known(plain, cone, known)
    settling = (contradiction(cone) or sampled(cone)) if wide else None
    if settling is not None:
        return _wide(plain, cone, settling)
    if cone.alive is None and (wide or not quick):
        found = descend(cone, _SWEEPS_WIDE if wide and not has_segment(cone) else _SWEEPS)
        multipliers = found.weights
        if found.v is not None:
            v = integers(found.v[None])[0][0]
            if (cone.signs(v) > 0).all():
                return _separated(plain, cone, v)
    if not wide:
        settled = settle(cone)
        if settled.undecided is None:
            return _settled(plain, cone, settled)
    return _wide(plain, cone, decide_wide(cone, multipliers))


def _known(plain: Separability, cone: Cone, known: Known) -> Separability:
    """The verdict where pairs of classes exclude strict separation."""
    if known.basis.shape[1] <= MOST:
        settled = settle(cone, known=known)
        if settled.undecided is None:
            return _settled(plain, cone, settled, known)
    return _wide(plain, cone, known.means[0])


# -- the three cases ------------------------------------------------------------------------------------------


def _separated(plain: Separability, cone: Cone, v: Integers) -> Separability:
    plain = _with_direction(plain, cone, v, strict=True)
    return replace(plain, verdict=Verdict.SEPARABLE, proved=True, margin=_margin(cone, v))


def _settled(plain: Separability, cone: Cone, settled: Settled, known: Known | None = None) -> Separability:
    faces = tuple(combination(cone, mean) for mean in settled.means) or _zero_row(cone)
    if settled.v is None:
        return replace(plain, proved=True, hull=faces[0], faces=faces, residual=0.0)
    if not faces:
        return _separated(plain, cone, settled.v)
    plain = _quasi(plain, cone, settled.v, settled.strict, known)
    return replace(plain, proved=True, hull=faces[0], residual=0.0)


def _quasi(plain: Separability, cone: Cone, v: Integers, strict: int, known: Known | None = None) -> Separability:
    """The direction of single features, where that holds strictly for as many conditions, else v."""
    single = _alone(cone, np.flatnonzero(cone.weights(v)[:-1].any(axis=1)))
    if single is not None:
        plain = replace(plain, alone=single[0])
        signs = cone.signs(single[1])
        if (signs > 0).sum() >= strict:
            return _along(plain, cone, single[1], signs)
    signs = cone.signs(v)
    if (signs < 0).any():  # a condition was taken for settled by accident
        return _settled(plain, cone, settle(cone, careful=True, known=known), known)
    return _along(plain, cone, v, signs)


def _alone(cone: Cone, likely: IntArray) -> tuple[IntArray, Integers] | None:
    """Single features that do it, of all where there are not too many entries, else of the likely."""
    return alone(cone, np.arange(cone.design.d) if cone.design.entries <= _COLUMNS else likely)


def _along(plain: Separability, cone: Cone, v: Integers, signs: IntArray) -> Separability:
    rows = np.unique(cone.parts(cone.numbers(np.flatnonzero(signs > 0)))[0])
    return replace(_with_direction(plain, cone, v, strict=False), verdict=Verdict.QUASI_SEPARABLE, rows=rows)


def _wide(plain: Separability, cone: Cone, answer: Strict | Mean | Near) -> Separability:
    if isinstance(answer, Strict):
        return _separated(plain, cone, answer.v)
    mean, residual = (answer, 0.0) if isinstance(answer, Mean) else (answer.mean, answer.residual)
    hull = None if mean is None else combination(cone, mean)
    plain = replace(plain, hull=hull, residual=residual, proved=residual == 0.0)
    single = _alone(cone, np.empty(0, dtype=np.int64))
    if single is None:
        return plain
    return _along(replace(plain, alone=single[0]), cone, single[1], cone.signs(single[1]))


# -- their parts ----------------------------------------------------------------------------------------------


def _with_direction(plain: Separability, cone: Cone, v: Integers, strict: bool) -> Separability:
    """w and b; as fractions too, where rounding to float64 would lose what is proved."""
    floats, size = to_floats(v), bits(v)
    enough = are_floats(v) or (strict and (cone.signs(integers(floats[None])[0][0]) > 0).all())
    exact = None
    if not enough:
        exact = tuple(tuple(Fraction(int(x), 1 << size) for x in part) for part in v.reshape(cone.others, cone.width))
    W = cone.weights(floats)
    features = np.flatnonzero(cone.weights(v)[:-1].any(axis=1))
    if cone.others == 1:
        return replace(plain, w=_frozen(W[:-1, 1]), b=float(W[-1, 1]), exact=exact, features=features)
    return replace(plain, w=_frozen(W[:-1]), b=_frozen(W[-1]), exact=exact, features=features)


def _frozen(array: FloatArray) -> FloatArray:
    out = np.ascontiguousarray(array)
    out.setflags(write=False)
    return out


def _margin(cone: Cone, v: Integers) -> float:
    """The smallest margin over the length of its weights; those that look smallest are computed exactly."""
    floats = to_floats(v)
    W = cone.weights(floats)[:-1]
    if cone.others == 1:
        largest = np.abs(W).max() or 1.0  # squares may underflow
        lengths: Any = largest * np.linalg.norm(W[:, 1] / largest)
    else:
        _, own, other = cone.parts(cone.numbers(np.arange(cone.size)))
        between = np.linalg.norm(W[:, :, None] - W[:, None, :], axis=0)
        lengths = between[own, other]
    margins, slack = cone.margins(floats) / lengths, cone.allowance(floats) / lengths
    near = np.flatnonzero(~(margins - slack > (margins + slack).min()))
    candidates = near[np.argsort(margins[near], kind="stable")[:16]]
    vectors, powers = cone.integer_vectors(candidates)
    size = bits(v)
    exact = [float(Fraction(int(p)) * Fraction(2) ** (e - size)) for p, e in zip(vectors @ v, powers, strict=True)]
    return float(np.min(np.array(exact) / (lengths if cone.others == 1 else lengths[candidates])))


def combination(cone: Cone, mean: Mean) -> Combination:
    """The mean by its rows and the classes they are held against."""
    row, _, other = cone.parts(mean.numbers)
    return Combination(row, other, mean.weights)


def _zero_row(cone: Cone) -> tuple[Combination, ...]:
    """Without intercept a row of zeros lies on every hyperplane: it is the combination by itself."""
    filled: IntArray = cone.filled()
    if cone.intercept or len(filled) == cone.size:
        return ()
    place = np.setdiff1d(np.arange(cone.size), filled)[:1]
    return (combination(cone, Mean(cone.numbers(place), (Fraction(1),))),)
