"""A hyperplane {x : ⟨w, x⟩ + b = 0} with its positive side, in any dimension.

distance of the origin            |b| / ‖w‖
signed distance of x              (⟨w, x⟩ + b) / ‖w‖        both divide by ‖w‖, the length of the normal
projection of x                   x − (signed distance) · w/‖w‖
reflection of x                   x − 2 (signed distance) · w/‖w‖
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.data.names import feature_names
from linsep.data.reading import Expected, checked_scores, read_rows
from linsep.errors import InvalidData, InvalidParameter, InvalidType
from linsep.types import FloatArray

#: Two hyperplanes are equal if their normalised forms agree to this.
_SAME = 1e-12


def linear_weights(model: Any) -> tuple[FloatArray, FloatArray]:
    """(m, d) weights and (m,) intercepts of a fitted linear model, scikit-learn's or ours."""
    coef = getattr(model, "coef_", getattr(model, "coef", None))
    intercept = getattr(model, "intercept_", getattr(model, "intercept", None))
    if coef is None or intercept is None:
        raise InvalidType(
            f"{type(model).__name__} has no coef_ and intercept_; allowed are a Hyperplane and a fitted linear model"
        )
    weights = np.atleast_2d(np.asarray(coef.toarray() if hasattr(coef, "toarray") else coef, dtype=np.float64))
    offsets = np.broadcast_to(np.asarray(intercept, dtype=np.float64).ravel(), (len(weights),))
    return weights, offsets


def _numbers(given: Any) -> FloatArray:
    """A copy as an array of float64; what is not numbers becomes nan."""
    try:
        return np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        return np.array(np.nan)


@dataclass(frozen=True, eq=False)
class Hyperplane:
    """⟨normal, x⟩ + offset = 0; points where it is > 0 are on the positive side.

    >>> line = Hyperplane([3.0, 4.0], -10.0)
    >>> line.distance_from_origin
    2.0
    >>> line.signed_distance([[0.0, 0.0], [3.0, 4.0]])
    array([-2.,  3.])
    >>> line.project([[3.0, 4.0]])
    array([[1.2, 1.6]])
    >>> line == Hyperplane([6.0, 8.0], -20.0)
    True
    """

    normal: FloatArray
    offset: float = 0.0

    def __post_init__(self) -> None:
        normal = _numbers(self.normal)
        if normal.ndim != 1 or not normal.size or not np.isfinite(normal).all():
            raise InvalidParameter(f"normal={self.normal!r}: allowed is a vector of finite numbers")
        if not normal.any():
            raise InvalidParameter(
                "normal is the zero vector, which is orthogonal to nothing in particular: give another"
            )
        offset = _numbers(self.offset)
        if offset.size != 1 or not np.isfinite(offset).all():
            raise InvalidParameter(f"offset={self.offset!r}: allowed is a finite number")
        normal.setflags(write=False)
        object.__setattr__(self, "normal", normal)
        object.__setattr__(self, "offset", float(offset.item()))

    @classmethod
    def of(cls, model: Any) -> Hyperplane:
        """The hyperplane of a fitted linear classifier of two classes; its positive side is the second class."""
        weights, offsets = linear_weights(model)
        if len(weights) == 1:
            return cls(weights[0], float(offsets[0]))
        if len(weights) == 2:
            return cls(weights[1] - weights[0], float(offsets[1] - offsets[0]))
        raise InvalidData(
            f"the model has {len(weights)} weight vectors and no single hyperplane: "
            "DecisionRegions.of(model).boundary(j, k) is the one between two of its classes"
        )

    @property
    def dimension(self) -> int:
        return len(self.normal)

    @property
    def norm(self) -> float:
        """‖w‖, without overflow."""
        largest = float(np.abs(self.normal).max())
        return largest * float(np.linalg.norm(self.normal / largest))

    @property
    def distance_from_origin(self) -> float:
        """|b| / ‖w‖."""
        return abs(self.offset) / self.norm

    @property
    def normalised(self) -> Hyperplane:
        """The same with ‖w‖ = 1: ⟨w, x⟩ + b is the signed distance."""
        return Hyperplane(self.normal / self.norm, self.offset / self.norm)

    def __neg__(self) -> Hyperplane:
        """The same points with the sides exchanged."""
        return Hyperplane(-self.normal, -self.offset)

    def value(self, X: Any) -> FloatArray:
        """⟨w, x⟩ + b of every row."""
        design = read_rows(X, Expected(self.dimension, feature_names(X), "Hyperplane"))
        return checked_scores(design, np.append(self.normal, self.offset), X)

    def signed_distance(self, X: Any) -> FloatArray:
        """(⟨w, x⟩ + b) / ‖w‖ of every row."""
        return self.value(X) / self.norm

    def side(self, X: Any) -> FloatArray:
        """+1, −1, or 0 on the hyperplane."""
        return np.sign(self.value(X))

    def project(self, X: Any) -> FloatArray:
        """The nearest point of the hyperplane to every row."""
        return self._shifted(X, 1.0)

    def reflect(self, X: Any) -> FloatArray:
        """The mirror image of every row."""
        return self._shifted(X, 2.0)

    def _shifted(self, X: Any, times: float) -> FloatArray:
        rows = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        moved: FloatArray = rows - np.outer(times * self.signed_distance(X), self.normal / self.norm)
        return moved

    def __eq__(self, other: object) -> bool:
        """Whether both have the same points and the same positive side: equality up to a positive factor."""
        if not isinstance(other, Hyperplane):
            return NotImplemented
        if self.dimension != other.dimension:
            return False
        one, two = self.normalised, other.normalised
        far = 1.0 + max(abs(one.offset), abs(two.offset))
        return bool(np.abs(one.normal - two.normal).max() <= _SAME and abs(one.offset - two.offset) <= _SAME * far)

    __hash__ = None  # type: ignore[assignment]  # equal up to rounding, so no hash can agree
