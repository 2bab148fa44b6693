"""The decision regions of a linear discriminant: Rₖ = {x : sₖ(x) ≥ sⱼ(x) for every j},  sₖ = ⟨wₖ, x⟩ + bₖ.

Rₖ is the intersection of the half-spaces ⟨wₖ − wⱼ, x⟩ + bₖ − bⱼ ≥ 0, so it is convex: for x, x′ in Rₖ and 0 ≤ t ≤ 1

    sₖ(tx + (1−t)x′) = t sₖ(x) + (1−t) sₖ(x′) ≥ t sⱼ(x) + (1−t) sⱼ(x′) = sⱼ(tx + (1−t)x′).

Two classes with one score s are the case s₁ = s, s₀ = 0.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.cached import cached_property
from linsep.data.labels import encode_labels
from linsep.data.names import feature_names
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

    def __post_init__(self) -> None:
        for name, kind in (("weights", np.float64), ("offsets", np.float64), ("classes", None)):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=kind))
        K = self.classes.size
        if self.weights.ndim != 2 or len(self.weights) != K or self.offsets.shape != (K,) or self.classes.ndim != 1:
            raise InvalidData(
                f"weights have shape {self.weights.shape}, offsets {self.offsets.shape} and classes "
                f"{self.classes.shape}; allowed are (K, d), (K,) and (K,)"
            )

    @classmethod
    def of(cls, model: Any) -> DecisionRegions:
        """Those of a fitted linear classifier that predicts the largest score."""
        weights, offsets = linear_weights(model)
        classes = np.asarray(model.classes_ if hasattr(model, "classes_") else model.classes)
        if len(weights) == 1 and len(classes) == 2:
            weights, offsets = np.vstack([0.0 * weights, weights]), np.append(0.0, offsets)
        if len(weights) != len(classes) or not _scored_by(model, weights, offsets):
            raise InvalidData(
                f"the model has {len(weights)} weight vectors for {len(classes)} classes: its classes are not the "
                "largest of K scores, and their regions need not be convex (one-vs-one, codes)"
            )
        return cls(weights, offsets, classes)

    def scores(self, X: Any) -> FloatArray:
        """sₖ(x), (n, K)."""
        expected = Expected(self.weights.shape[1], feature_names(X), "DecisionRegions")
        design = read_rows(X, expected, len(self.classes))
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
            self.number(values.tolist()[int(unknown[0])])
        return numbers.astype(np.int64)


def _scored_by(model: Any, weights: FloatArray, offsets: FloatArray) -> bool:
    """Whether the model's scores are ⟨wₖ, x⟩ + bₖ: those of three pairs, or of K columns of a code, are not."""
    if len(weights) < 3 or not hasattr(model, "decision_function"):
        return True
    probe = np.vstack([np.zeros(weights.shape[1]), np.ones(weights.shape[1])])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the probe has no feature names
        scores = np.asarray(model.decision_function(probe), dtype=np.float64)
    expected = probe @ weights.T + offsets
    size = np.abs(weights).sum(axis=1) + np.abs(offsets)
    return scores.shape == expected.shape and bool((np.abs(scores - expected) <= 1e-6 * size).all())
