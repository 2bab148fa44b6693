"""Two sets of rows, or all rows times their signs as one, and the segment between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.cached import cached_property
from linsep.data.design import Design
from linsep.separability.rows import accurate_combination
from linsep.types import FloatArray, IntArray

#: Lengths of rows whose squares, and those of margins far below them, are float64 numbers.
LENGTHS = (1e-120, 1e120)


@dataclass(frozen=True, eq=False)
class Sets:
    """The rows with their signs: two groups, or one if the hyperplane passes through the origin."""

    design: Design
    y: FloatArray
    through_origin: bool

    @property
    def count(self) -> int:
        return 1 if self.through_origin else 2

    @cached_property
    def groups(self) -> IntArray:
        """0 for the positive rows and 1 for the negative; through the origin 0 for all."""
        return np.zeros(self.design.n, np.int64) if self.through_origin else (self.y < 0.0).astype(np.int64)

    @cached_property
    def members(self) -> list[IntArray]:
        return [np.flatnonzero(self.groups == g) for g in range(self.count)]

    @cached_property
    def longest(self) -> float:
        """The largest ‖x‖."""
        return float(np.sqrt(self.design.row_norms().max()))

    @property
    def measurable(self) -> bool:
        """Whether squares of lengths, and of margins far below them, are float64 numbers."""
        return LENGTHS[0] <= self.longest <= LENGTHS[1]

    def prices(self, z: FloatArray) -> FloatArray:
        """yᵢ⟨z, xᵢ⟩."""
        scores = self.design.scores(np.append(z, 0.0))
        scores *= self.y
        return scores


@dataclass(frozen=True, eq=False)
class Segment:
    """The shortest segment by weights λ > 0 of rows, which sum to 1 in every group; passes: products with X it took."""

    rows: IntArray
    weights: FloatArray
    passes: int

    def difference(self, sets: Sets) -> FloatArray:
        """z = Σ λᵢyᵢxᵢ in twice the precision, rounded once.

        Weights sum to 1 up to rounding only; here the heaviest row of each group takes what is missing.
        """
        chosen, factors = [], []
        for group in range(sets.count):
            inside = np.flatnonzero(sets.groups[self.rows] == group)
            rows, weights = self.rows[inside], self.weights[inside]
            base = np.full(len(rows), rows[weights.argmax()])
            chosen += [base[:1], rows, base]
            factors += [sets.y[base[:1]], sets.y[rows] * weights, -sets.y[base] * weights]
        return accurate_combination(sets.design, np.concatenate(chosen), np.concatenate(factors))
