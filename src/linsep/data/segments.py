"""Rows in consecutive segments, none of them empty: sums, maxima and softmax within each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.cached import cached_property
from linsep.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Segments:
    """Segment s holds the rows offsets[s], …, offsets[s + 1] − 1."""

    offsets: IntArray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def rows(self) -> int:
        return int(self.offsets[-1])

    @cached_property
    def sizes(self) -> IntArray:
        return np.diff(self.offsets)

    @property
    def starts(self) -> IntArray:
        return self.offsets[:-1]

    def spread(self, values: FloatArray) -> FloatArray:
        """One value a segment, given to each of its rows."""
        return np.repeat(values, self.sizes)

    def sums(self, values: FloatArray) -> FloatArray:
        return np.add.reduceat(values, self.starts)

    def maxima(self, values: FloatArray) -> FloatArray:
        return np.maximum.reduceat(values, self.starts)

    def argmax(self, values: FloatArray) -> IntArray:
        """The row of each segment's largest value, the first of equals."""
        largest = values == self.spread(self.maxima(values))
        return np.minimum.reduceat(np.where(largest, np.arange(self.rows), self.rows), self.starts)

    def softmax(self, scores: FloatArray) -> FloatArray:
        """e^z / Σ e^z within each segment."""
        p: FloatArray = np.exp(scores - self.spread(self.maxima(scores)))
        p /= self.spread(self.sums(p))
        return p

    def split(self, values: FloatArray) -> list[FloatArray]:
        """The values of each segment, as views."""
        return np.split(values, self.offsets[1:-1])
