"""The decision regions of a linear discriminant: Rₖ = {x : sₖ(x) ≥ sⱼ(x) for every j},  sₖ = ⟨wₖ, x⟩ + bₖ.

Rₖ is the intersection of the half-spaces ⟨wₖ − wⱼ, x⟩ + bₖ − bⱼ ≥ 0, so it is convex: for x, x′ in Rₖ and 0 ≤ t ≤ 1

    sₖ(tx + (1−t)x′) = t sₖ(x) + (1−t) sₖ(x′) ≥ t sⱼ(x) + (1−t) sⱼ(x′) = sⱼ(tx + (1−t)x′).

Two classes with one score s are the case s₁ = s, s₀ = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linsep.data.labels import encode_labels
from linsep.data.reading import Expected, checked_scores, read_rows
from linsep.errors import InvalidData, InvalidParameter
from linsep.geometry.hyperplane import Hyperplane, linear_weights
from linsep.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class DecisionRegions:
    """weights (K, d), offsets (K,), and the K classes in their order.

    >>> import numpy as np
    >>> regions = DecisionRegions(np.eye(3), np.zeros(3), np.array(["x", "y", "z"]))
    >>> regions.region([[5.0, 1.0, 0.0], [0.0, 0.0, 9.0]]).tolist()
    ['x', 'z']
    >>> regions.boundary("x", "y").distance_from_origin
    0.0
    """

    weights: FloatArray
    offsets: FloatArray
    classes: np.ndarray[Any, Any]

    @classmethod
    def of(cls, model: Any) -> DecisionRegions:
        """Those of a fitted linear classifier that predicts the largest score."""
        weights, offsets = linear_weights(model)
        classes = np.asarray(model.classes_ if hasattr(model, "classes_") else model.classes)
        if len(weights) == 1 and len(classes) == 2:
            weights, offsets = np.vstack([0.0 * weights, weights]), np.append(0.0, offsets)
        if len(weights) != len(classes):
            raise InvalidData(
                f"the model has {len(weights)} weight vectors for {len(classes)} classes: its classes are not the "
                "largest of K scores, and their regions need not be convex (one-vs-one, codes)"
            )
        return cls(weights, offsets, classes)

    def scores(self, X: Any) -> FloatArray:
        """sₖ(x), (n, K)."""
        design = read_rows(X, Expected(self.weights.shape[1], None, "DecisionRegions"), len(self.classes))
        return checked_scores(design, np.ascontiguousarray(np.vstack([self.weights.T, self.offsets])), X)

    def region(self, X: Any) -> np.ndarray[Any, Any]:
        """The class of every row: the largest score, the first of equals."""
        chosen: np.ndarray[Any, Any] = self.classes[self.scores(X).argmax(axis=1)]
        return chosen

    def contains(self, X: Any, label: Any) -> BoolArray:
        """Whether every row is in the (closed) region of the class: no score exceeds that of the class."""
        scores = self.scores(X)
        return np.asarray(scores[:, self.number(label)] >= scores.max(axis=1))

    def boundary(self, label: Any, other: Any) -> Hyperplane:
        """The hyperplane where two classes have the same score; its positive side is that of `label`."""
        k, j = self.number(label), self.number(other)
        return Hyperplane(self.weights[k] - self.weights[j], float(self.offsets[k] - self.offsets[j]))

    @cached_property
    def distances(self) -> FloatArray:
        """‖wⱼ − wₖ‖, (K, K), with 1 where two classes have the same weights."""
        between = np.linalg.norm(self.weights[:, None, :] - self.weights[None, :, :], axis=2)
        return np.where(between > 0.0, between, 1.0)

    def number(self, label: Any) -> int:
        """Which of the classes it is."""
        places = np.flatnonzero(self.classes == label)
        if not len(places):
            raise InvalidParameter(f"{label!r} is not a class; the classes are {self.classes.tolist()}")
        return int(places[0])

    def numbers(self, y: Any, n: int) -> IntArray:
        """Which of the classes every label is."""
        values = np.asarray(y)
        if values.shape != (n,):
            encode_labels(y, n)  # says what is wrong with the shape
        order = np.argsort(self.classes)
        places = np.minimum(np.searchsorted(self.classes, values, sorter=order), len(order) - 1)
        numbers = order[places]
        unknown = np.flatnonzero(self.classes[numbers] != values)
        if len(unknown):
            self.number(values[unknown[0]])
        return numbers.astype(np.int64)
