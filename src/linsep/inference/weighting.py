"""What weights mean for a standard error: how many observations there are.

frequency    a weight of k is k copies of the row: Σ sᵢ observations
importance   a weight is how much a row counts, not how often it was seen (survey weights, inverse probabilities):
             as many observations as rows, the weights scaled to a mean of 1; the sandwich alone is valid
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linsep.types import FloatArray


@dataclass(frozen=True)
class Weighting(ABC):
    """copies: the weighted likelihood is that of so many observed rows."""

    name: ClassVar[str]
    copies: ClassVar[bool]
    words: ClassVar[str]

    @abstractmethod
    def counts(self, weights: FloatArray) -> FloatArray:
        """What each row's log likelihood is multiplied by."""

    @abstractmethod
    def squares(self, counts: FloatArray) -> FloatArray:
        """What the square of each row's gradient is multiplied by."""

    @abstractmethod
    def observations(self, counts: FloatArray) -> float:
        """How many there are."""


class Frequency(Weighting):
    name = "frequency"
    copies = True
    words = "frequencies: a weight of k is k observations"

    def counts(self, weights: FloatArray) -> FloatArray:
        return weights

    def squares(self, counts: FloatArray) -> FloatArray:
        return counts

    def observations(self, counts: FloatArray) -> float:
        return float(counts.sum())


class Importance(Weighting):
    name = "importance"
    copies = False
    words = "importance: scaled to a mean of 1, every row one observation"

    def counts(self, weights: FloatArray) -> FloatArray:
        return weights * (np.count_nonzero(weights) / float(weights.sum()))

    def squares(self, counts: FloatArray) -> FloatArray:
        return counts**2

    def observations(self, counts: FloatArray) -> float:
        return float(np.count_nonzero(counts))


WEIGHTINGS: dict[str, Weighting] = {w.name: w for w in (Frequency(), Importance())}
