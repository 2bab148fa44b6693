"""Margins: how far an example is on its own side.

                 two classes, y = ±1                K classes, y the true one
    functional   y(⟨w, x⟩ + b)                      min over k ≠ y of  s_y − s_k,  the scores' difference
    geometric    y(⟨w, x⟩ + b) / ‖w‖                min over k ≠ y of  (s_y − s_k) / ‖w_y − w_k‖

The geometric margin is the distance from the boundary of the decision region, negative on the wrong side; the margin
of a set is that of its worst example.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.data.labels import encode_labels
from linsep.errors import InvalidData, InvalidParameter
from linsep.geometry.hyperplane import Hyperplane
from linsep.geometry.regions import DecisionRegions
from linsep.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Margins:
    """The margins of a set: geometric and functional ones, row by row, and the rows from the smallest margin up."""

    geometric: FloatArray
    functional: FloatArray
    order: IntArray

    @property
    def smallest(self) -> float:
        """The margin of the set."""
        return float(self.geometric[self.order[0]])

    @property
    def ordered(self) -> FloatArray:
        """Geometric margins, ascending."""
        return self.geometric[self.order]

    @property
    def mistakes(self) -> int:
        """Rows with a margin ≤ 0: on the wrong side, or on the boundary."""
        return int((self.geometric <= 0.0).sum())


def margins(model: Any, X: Any, y: Any) -> Margins:
    """The margins of a set under a `Hyperplane` or a fitted linear classifier, with the order of the rows by them.

    For a hyperplane y holds two labels; the larger one (of −1 and 1: 1) is that of the positive side.

    >>> found = margins(Hyperplane([0.0, 2.0]), [[5.0, 1.0], [3.0, -3.0], [0.0, 0.5]], [1, -1, -1])
    >>> found.geometric.tolist(), found.order.tolist()
    ([1.0, 3.0, -0.5], [2, 0, 1])
    """
    functional, geometric = _both(model, X, y)
    return Margins(geometric, functional, np.argsort(geometric, kind="stable"))


def functional_margins(model: Any, X: Any, y: Any) -> FloatArray:
    """y(⟨w, x⟩ + b) of every row."""
    return _both(model, X, y)[0]


def geometric_margins(model: Any, X: Any, y: Any) -> FloatArray:
    """y(⟨w, x⟩ + b) / ‖w‖ of every row: its distance from the boundary, negative on the wrong side."""
    return _both(model, X, y)[1]


def functional_margin(model: Any, X: Any, y: Any) -> float:
    """The functional margin of one example (a vector and its label) or of a set (the smallest)."""
    return float(_both(model, *_as_set(X, y))[0].min())


def geometric_margin(model: Any, X: Any, y: Any) -> float:
    """The geometric margin of one example (a vector and its label) or of a set (the smallest).

    >>> geometric_margin(Hyperplane([3.0, 4.0], -10.0), [3.0, 4.0], 1)
    3.0
    """
    return float(_both(model, *_as_set(X, y))[1].min())


def _as_set(X: Any, y: Any) -> tuple[Any, Any]:
    if np.ndim(y) == 0:
        return np.atleast_2d(np.asarray(X, dtype=np.float64)), np.asarray([y])
    return X, y


def _both(model: Any, X: Any, y: Any) -> tuple[FloatArray, FloatArray]:
    """Functional and geometric margins."""
    if isinstance(model, Hyperplane):
        functional = model.value(X)
        functional *= _signs(y, len(functional))
        return functional, functional / model.norm
    regions = DecisionRegions.of(model)
    scores = regions.scores(X)
    true = regions.numbers(y, len(scores))
    differences = np.take_along_axis(scores, true[:, None], axis=1) - scores
    rows = np.arange(len(true))
    geometric = differences / regions.distances[true]
    differences[rows, true] = geometric[rows, true] = np.inf
    return differences.min(axis=1), geometric.min(axis=1)


def _signs(y: Any, n: int) -> FloatArray:
    """±1 of labels: −1 and 1 as they are, any other two in their order."""
    values = np.asarray(y)
    if values.shape == (n,) and values.dtype.kind in "iuf" and np.isin(values, (-1, 1)).all():
        return values.astype(np.float64)
    if values.shape == (n,) and len(np.unique(values)) == 1:
        raise InvalidParameter(f"y={values.tolist()[0]!r} for every example: one label alone must be -1 or 1")
    labels = encode_labels(y, n)
    if len(labels.classes) != 2:
        raise InvalidData(f"y has {len(labels.classes)} classes, a hyperplane two sides: give a model, or two classes")
    return labels.signs()
