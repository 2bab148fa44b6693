"""The exact answer, face by face.

`decide` on all conditions gives a direction that holds strictly everywhere (separable), or a mean Σ λᵢaᵢ = 0. The mean
forces ⟨aᵢ, v⟩ = 0 for its conditions on every v that violates nothing, which leaves a face of fewer dimensions (face.py):

- no condition is left that is not 0 on the face: every v without violations has all margins 0, so not separable;
- a direction holds strictly for all that are left: quasi-separable, with every row strictly on its side that can be;
- another mean: the next face.

The first mean has few conditions, the later ones as many as possible, so that faces are few. A mean of some conditions is one of all, so samples of growing size settle most of it before a pass over all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from linsep.separability.cone import Cone
from linsep.separability.decide import Mean, Strict, decide, largest_mean
from linsep.separability.exact import Integers, null_space
from linsep.separability.face import Face
from linsep.separability.programs import Guess
from linsep.types import IntArray

_GROWTH, _WORTH = 20, 5  # of the samples; a sample is at most the WORTHth part of all


@dataclass(frozen=True, eq=False)
class Settled:
    """v: the direction with the most margins > 0 that violates nothing, or None where all its margins are 0.

    means: Σ λa = 0, one a face, each on what those before have left; undecided: patience ended, nothing is proved.
    basis: N of the last face, None if no condition is settled.
    """

    v: Integers | None
    means: tuple[Mean, ...] = ()
    undecided: Guess | None = None


@dataclass
class _Faces:
    """What is settled so far."""

    basis: Integers | None = None
    means: list[Mean] = field(default_factory=list)

    def add(self, cone: Cone, mean: Mean) -> None:
        vectors, _ = cone.integer_vectors(mean.numbers)
        here = null_space(vectors if self.basis is None else np.asarray(vectors @ self.basis))
        self.basis = here if self.basis is None else np.asarray(self.basis @ here)
        self.means.append(mean)

    def left(self, cone: Cone) -> Cone:
        """The conditions that are not 0 on the face."""
        if self.basis is None:
            return cone if cone.intercept else cone.within(cone.filled())
        if not self.basis.shape[1]:
            return cone.within(np.empty(0, dtype=np.int64))
        return cone.within(np.flatnonzero(cone.likely_signs(self._somewhere()) != 0))

    def _somewhere(self) -> Integers:
        """A v of the face on which a condition is 0 only by a rare accident unless it is 0 on all of the face."""
        assert self.basis is not None
        numbers = np.random.default_rng(len(self.means)).integers(2**20, 2**21, self.basis.shape[1])
        return np.asarray(self.basis @ numbers.astype(object))

    def surely_left(self, cone: Cone) -> Cone:
        """As `left`, without accidents."""
        if self.basis is None:
            return self.left(cone)
        alive = np.zeros(cone.size, dtype=bool)
        for v in self.basis.T:
            alive |= cone.signs(v) != 0
        return cone.within(np.flatnonzero(alive))


def settle(cone: Cone) -> Settled:
    """The exact answer for a cone of all conditions."""
    faces = _Faces()
    answer: Strict | Guess | None = None
    for sample in _samples(cone):
        answer = _settle(faces, cone, sample)
        if isinstance(answer, Guess):
            return Settled(None, tuple(faces.means), answer)
    assert answer is None or isinstance(answer, Strict)
    return Settled(None if answer is None else answer.v, tuple(faces.means))


def _samples(cone: Cone) -> Iterator[Cone]:
    """Random samples of growing size; the last is all."""
    order, size = None, 10 * cone.dims + 100
    while _WORTH * size < cone.size:
        order = np.random.default_rng(0).permutation(cone.size) if order is None else order
        yield cone.within(np.sort(order[:size]))
        size *= _GROWTH
    yield cone


def _settle(faces: _Faces, cone: Cone, sample: Cone) -> Strict | Guess | None:
    """Faces until nothing is left of the sample (None), or a direction is strict on what is left."""
    left = faces.left(sample)
    while True:
        if not left.size and sample is cone:
            left = faces.surely_left(cone)
        if not left.size:
            return None
        face = Face(left, faces.basis)
        answer = (largest_mean(face) if faces.means else None) or decide(face)
        if not isinstance(answer, Mean):
            return answer
        faces.add(cone, answer)
        left = faces.left(left)
