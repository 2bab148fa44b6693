"""Whether all conditions of a face can hold strictly: a direction that does it, or weights with Σ λᵢaᵢ = 0.

Floating point guesses, by linear programs over a growing working set; integers decide. A guessed direction has its
signs taken exactly. Guessed weights name few conditions, and a linear system in integers has the weights; where these
are not positive, `exact.Simplex` starts from the conditions, and if it finds a direction instead, those which that
violates join, and it goes on. Either way the answer is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from linsep.separability.exact import Integers, Simplex, solve, to_floats
from linsep.separability.face import Face
from linsep.separability.modular import null_vector
from linsep.separability.programs import Guess, first_sample, guess, most_weights, row_units
from linsep.types import IntArray

#: Pivots in integers before giving up: more than any of the known cases needs.
_PATIENCE = 2000
#: Numbers in a program for the largest mean at most, and how near to 0 or 1 a weight in it counts as that.
_SMALL, _AT_BOUND = 500_000, 1e-7


@dataclass(frozen=True, eq=False)
class Strict:
    """v, integers, with ⟨a, v⟩ > 0 for all conditions of the face."""

    v: Integers


@dataclass(frozen=True, eq=False)
class Mean:
    """Numbers of conditions and weights λ > 0 of sum 1 with Σ λa = 0 on the face."""

    numbers: IntArray
    weights: tuple[Fraction, ...]


def decide(face: Face, found: Guess | None = None) -> Strict | Mean | Guess:
    """The exact answer, or the guess where patience ended."""
    found = found or guess(face, first_sample(face))
    if found.u is not None:
        v = face.exactly(found.u)
        if (face.cone.signs(v) > 0).all():
            return Strict(v)
    if found.places is not None and len(found.places) > 1:
        mean = on_support(face, found.places)
        if mean is not None:
            return mean
    start = found.working if found.places is None else found.places
    return _by_pivots(face, start[: 4 * face.dims + 40]) or found


def on_support(face: Face, places: IntArray) -> Mean | None:
    """The mean of these conditions, if one is possible at most and none of its weights is negative."""
    vectors, powers = face.integer_vectors(places)
    weights = null_vector(vectors.T)
    if weights is None:
        return None
    if (weights < 0).any():
        weights = -weights
    used = {i: Fraction(int(weight)) for i, weight in enumerate(weights) if weight != 0}
    return None if (weights < 0).any() else _mean(face, places, powers, used)


def _by_pivots(face: Face, places: IntArray) -> Strict | Mean | None:
    """The simplex method in integers over a growing working set."""
    simplex, powers = Simplex(face.dims), list[int]()
    known = np.empty(0, dtype=np.int64)
    while True:
        vectors, more = face.integer_vectors(places)
        simplex.add(vectors)
        powers += more
        known = np.concatenate([known, places])
        answer = simplex.run(_PATIENCE)
        if answer is None:
            return None
        if answer:
            return _mean(face, known, powers, simplex.weights())
        v = face.lift(simplex.direction())
        signs = face.cone.signs(v)
        violated = np.setdiff1d(np.flatnonzero(signs <= 0), known)
        if not len(violated):
            return Strict(v)
        margins = face.cone.margins(to_floats(v))[violated]
        places = violated[np.argsort(margins, kind="stable")[: face.dims + 10]]


def _mean(face: Face, known: IntArray, powers: list[int], found: dict[int, Fraction]) -> Mean:
    """The weights of the vectors as they are, before powers of two made them whole."""
    # the integer vector is a·2^−power: the weight of a is smaller by the same power
    raw = {i: value / Fraction(2) ** powers[i] for i, value in found.items()}
    total = sum(raw.values(), Fraction(0))
    used = sorted(raw, key=lambda i: int(known[i]))
    return Mean(face.cone.numbers(known[used]), tuple(raw[i] / total for i in used))


def largest_mean(face: Face) -> Mean | None:
    """A mean of as many conditions as have one, if the face is small and the guess of the program stands exactly.

    Most weights are 1 in the units of the program; the others solve a linear system, in integers.
    """
    if face.size * face.dims > _SMALL:
        return None
    A = face.vectors(np.arange(face.size))
    units = row_units(A)
    guessed = most_weights(A, units)
    used = np.flatnonzero(guessed > _AT_BOUND)
    if len(used) < 2:
        return None
    vectors, powers = face.integer_vectors(used)
    shifts = np.array(powers) - units[used]
    vectors = np.array([row * (1 << int(s)) for row, s in zip(vectors, shifts - shifts.min(), strict=True)], object)
    ones = guessed[used] > 1.0 - _AT_BOUND
    solved = solve(vectors[~ones].T, -vectors[ones].sum(axis=0))
    if solved is None or any(value < 0 for value in solved):
        return None
    weights = np.full(len(used), Fraction(1), dtype=object)
    weights[~ones] = solved
    weights = np.array([w / Fraction(2) ** int(e) for w, e in zip(weights, units[used], strict=True)], object)
    kept, total = weights > 0, weights.sum()
    return Mean(face.cone.numbers(used[kept]), tuple(w / total for w in weights[kept]))
