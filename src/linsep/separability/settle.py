"""The exact answer, face by face.

`decide` on all conditions gives a direction that holds strictly everywhere (separable), or a mean Σ λᵢaᵢ = 0. The mean
forces ⟨aᵢ, v⟩ = 0 for its conditions on every v that violates nothing, which leaves a face of fewer dimensions:

- no condition is left that is not 0 on the face: every v without violations has all margins 0, so not separable;
- a direction holds strictly for all that are left: quasi-separable, with every row strictly on its side that can be;
- another mean: the next face.

The first mean has few conditions, the later ones as many as possible, so that faces are few. A mean of some conditions
is one of all, so samples of growing size settle most of it before a pass over all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from linsep.separability.cone import Cone
from linsep.separability.decide import Mean, Strict, decide, largest_mean
from linsep.separability.exact import Integers, null_space
from linsep.separability.face import Face
from linsep.separability.modular import full_rank
from linsep.separability.programs import Guess

_GROWTH, _WORTH = 20, 5  # of the samples; a sample is at most the WORTHth part of all


@dataclass(frozen=True, eq=False)
class Settled:
    """v: the direction with the most margins > 0 that violates nothing, or None where all its margins are 0.

    strict: how many margins of v are > 0; means: Σ λa = 0, one a face, each on what those before have left;
    basis: of the subspace that the means leave, None if there are none; undecided: patience ended, nothing is proved.
    """

    v: Integers | None
    strict: int = 0
    means: tuple[Mean, ...] = ()
    basis: Integers | None = None
    undecided: Guess | None = None


@dataclass(frozen=True, eq=False)
class Known:
    """Means found before, and a basis of the subspace that they leave."""

    basis: Integers
    means: tuple[Mean, ...]


@dataclass
class _Faces:
    """What is settled so far. careful: conditions count as settled only where that is certain."""

    careful: bool = False
    basis: Integers | None = None
    means: list[Mean] = field(default_factory=list)

    def add(self, cone: Cone, mean: Mean) -> None:
        vectors, _ = cone.integer_vectors(cone.places(mean.numbers))
        vectors = vectors if self.basis is None else np.asarray(vectors @ self.basis)
        here = np.zeros((vectors.shape[1], 0), dtype=object) if full_rank(vectors) else null_space(vectors)
        self.basis = here if self.basis is None else np.asarray(self.basis @ here)
        self.means.append(mean)

    def left(self, cone: Cone) -> Cone:
        """The conditions that are not 0 on the face."""
        if self.basis is None:
            return cone if cone.intercept else cone.within(cone.filled())
        if not self.basis.shape[1]:
            return cone.within(np.empty(0, dtype=np.int64))
        if self.careful:
            return self.surely_left(cone)
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


def settle(cone: Cone, careful: bool = False, known: Known | None = None) -> Settled:
    """The exact answer for a cone of all conditions.

    v is proved strict on the last face. That it violates nothing else is certain with `careful`, and otherwise but for
    an accident of hashing, which the signs of v on all conditions show.
    """
    faces = _Faces(careful) if known is None else _Faces(careful, known.basis, list(known.means))
    answer: Strict | Guess | None = None
    left = cone
    for sample in _samples(cone):
        answer, left = _settle(faces, cone, sample)
        if isinstance(answer, Guess):
            return Settled(None, 0, tuple(faces.means), faces.basis, answer)
    assert not isinstance(answer, Guess)
    return Settled(None if answer is None else answer.v, left.size, tuple(faces.means), faces.basis)


def _samples(cone: Cone) -> Iterator[Cone]:
    """Random samples of growing size; the last is all."""
    order, size = None, 10 * cone.dims + 100
    while _WORTH * size < cone.size:
        order = np.random.default_rng(0).permutation(cone.size) if order is None else order
        yield cone.within(np.sort(order[:size]))
        size *= _GROWTH
    yield cone


def _settle(faces: _Faces, cone: Cone, sample: Cone) -> tuple[Strict | Guess | None, Cone]:
    """Faces until nothing is left of the sample (None), or a direction is strict on what is left; and what is left."""
    left = faces.left(sample)
    while True:
        if not left.size and sample is cone:
            left = faces.surely_left(cone)
        if not left.size:
            return None, left
        face = Face(left, faces.basis)
        answer = (largest_mean(face) if faces.means else None) or decide(face)
        if not isinstance(answer, Mean):
            return answer, left
        faces.add(cone, answer)
        before, left = left.size, faces.left(left)
        if left.size == before:  # by an accident of hashing a settled condition is among them still
            left = faces.surely_left(left)
