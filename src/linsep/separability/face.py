"""A face: the conditions that are not yet settled, on the subspace v = N u that the settled ones leave.

If weights λ > 0 on some conditions make Σ λᵢaᵢ = 0, every v that violates nothing has ⟨aᵢ, v⟩ = 0 for them. So v lies
in {v : ⟨aᵢ, v⟩ = 0} = {N u}, and what remains is the same question for the vectors Nᵀa in fewer dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.cached import cached_property
from linsep.separability.cone import Cone
from linsep.separability.exact import Integers, bits, integers, to_floats
from linsep.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Face:
    """cone: the conditions left; basis: N, integers (cone.dims, dims), or None where nothing is settled."""

    cone: Cone
    basis: Integers | None = None

    @property
    def dims(self) -> int:
        return self.cone.dims if self.basis is None else self.basis.shape[1]

    @property
    def size(self) -> int:
        return self.cone.size

    @cached_property
    def _floats(self) -> FloatArray:
        """N, columns as floats of largest entry near 1."""
        assert self.basis is not None
        return np.column_stack([to_floats(column) for column in self.basis.T])

    def vectors(self, places: IntArray) -> Any:
        """Nᵀa of conditions, in floating point."""
        A = self.cone.vectors(places)
        return A if self.basis is None else np.asarray(A @ self.cone.scaled(self._floats))

    def direction(self, u: FloatArray) -> FloatArray:
        """v = N u for a u of `vectors`."""
        return self.cone.unscaled(u) if self.basis is None else np.asarray(self._floats @ u)

    def exactly(self, u: FloatArray) -> Integers:
        """An integer multiple of v, where rounding took nothing from N u."""
        if self.basis is None:
            whole: Integers = integers(self.cone.unscaled(u)[None])[0][0]
            return whole
        sizes = np.array([float(bits(column)) for column in self.basis.T])
        return np.asarray(self.basis @ integers((u * np.exp2(sizes.min() - sizes))[None])[0][0])

    def lift(self, u: Integers) -> Integers:
        """v for an integer u."""
        return u if self.basis is None else np.asarray(self.basis @ u)

    def margins(self, u: FloatArray) -> FloatArray:
        """⟨a, v⟩ of all conditions left."""
        return self.cone.margins(self.direction(u))

    def integer_vectors(self, places: IntArray) -> tuple[Integers, list[int]]:
        """Nᵀa as integers, each up to a power of two, and these powers."""
        vectors, powers = self.cone.integer_vectors(places)
        return (vectors if self.basis is None else np.asarray(vectors @ self.basis)), powers
