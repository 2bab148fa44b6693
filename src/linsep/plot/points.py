"""Rows, classes and names, read and checked for a picture; and the plane of two features that it shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from linsep.data.labels import encode_labels
from linsep.data.names import feature_names
from linsep.data.source import as_matrix, locate_non_finite
from linsep.errors import InvalidData, InvalidParameter, unknown_name
from linsep.types import FloatArray, IntArray

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Points:
    """X (n, d), for every row the number of its class, the classes, and the names of the features."""

    X: FloatArray
    codes: IntArray
    classes: Array
    names: tuple[str, ...]
    given: Any

    @property
    def signs(self) -> FloatArray:
        """−1 for the first class, 1 for the second."""
        return np.asarray(2.0 * self.codes - 1.0, dtype=np.float64)

    def like(self, rows: FloatArray) -> Any:
        """Other rows in the container that X came in, so that a model fitted to names meets the same names."""
        if hasattr(self.given, "iloc"):
            return type(self.given)(rows, columns=self.given.columns)
        if hasattr(self.given, "column_names"):
            return type(self.given).from_arrays(list(rows.T), names=list(self.names))
        if hasattr(self.given, "schema"):
            return type(self.given)(rows, schema=list(self.names))
        return rows


def read_points(X: Any, y: Any, model: Any = None) -> Points:
    """X and y, checked; with a fitted model the classes are the model's, and its features are X's."""
    names = feature_names(X)
    rows = np.asarray(as_matrix(X.toarray() if hasattr(X, "toarray") else X), dtype=np.float64)
    if not np.isfinite(rows).all():
        raise InvalidData(locate_non_finite(rows) or "X contains NaN or infinity")
    shown = tuple(f"x[{j}]" for j in range(rows.shape[1])) if names is None else tuple(str(name) for name in names)
    if model is None:
        labels = encode_labels(y, len(rows))
        return Points(rows, labels.codes, labels.classes, shown, X)
    check_model(model, rows.shape[1])
    return Points(rows, _numbers(y, model.classes_, len(rows)), np.asarray(model.classes_), shown, X)


def check_model(model: Any, d: int) -> None:
    """A fitted classifier of d features."""
    if not hasattr(model, "predict"):
        raise InvalidParameter(f"{model!r} has no method predict: give a fitted classifier")
    check_is_fitted(model)
    fitted = getattr(model, "n_features_in_", d)
    if fitted != d:
        raise InvalidData(f"X has {d} features, but {type(model).__name__} was fitted to {fitted}: give the same ones")


def _numbers(y: Any, classes: Any, n: int) -> IntArray:
    """Which of the classes every label is."""
    values = np.asarray(y)
    if values.shape != (n,):
        raise InvalidData(f"y has shape {values.shape} and X has {n} rows: give one label a row")
    same = values[:, None] == np.asarray(classes)[None, :]
    unknown = np.flatnonzero(~same.any(axis=1))
    if len(unknown):
        raise InvalidData(
            f"y holds {values[unknown[0]]!s} (row {unknown[0]}), which is not a class of the model: its classes are "
            f"{', '.join(str(c) for c in classes)}"
        )
    numbers: IntArray = same.argmax(axis=1).astype(np.int64)
    return numbers


def need_two_classes(points: Points, picture: str) -> None:
    """Some pictures are about one margin."""
    if len(points.classes) != 2:
        raise InvalidData(f"{picture} shows two classes; there are {len(points.classes)}: keep the rows of two")


def need_plane(points: Points, picture: str) -> None:
    """Some pictures are about two features and no others."""
    if points.X.shape[1] != 2:
        raise InvalidData(
            f"{picture} shows two features; X has {points.X.shape[1]}: fit the model to two columns, or draw "
            "decision_regions, which can fix the others"
        )


@dataclass(frozen=True, eq=False)
class Plane:
    """Two features that vary, and the values of the others."""

    points: Points
    pair: tuple[int, int]
    rest: FloatArray
    by_mean: bool

    @property
    def at(self) -> FloatArray:
        """Where the rows are in it (n, 2)."""
        return self.points.X[:, list(self.pair)]

    def rows(self, at: FloatArray) -> Any:
        """Whole rows for positions (m, 2) in the plane."""
        full = np.tile(self.rest, (len(at), 1))
        full[:, list(self.pair)] = at
        return self.points.like(full)

    @property
    def note(self) -> str:
        """What the other features are fixed at, in words."""
        others = [j for j in range(len(self.rest)) if j not in self.pair]
        if not others:
            return ""
        if self.by_mean and len(others) > 2:
            return f"the other {len(others)} features at their means"
        named = ", ".join(f"{self.points.names[j]} = {self.rest[j]:.3g}" for j in others[:3])
        return named + (", …" if len(others) > 3 else "")


def read_plane(points: Points, features: Any, fixed: Any) -> Plane:
    """The pair by names or numbers; the others at the values given, else at their means."""
    d = points.X.shape[1]
    if features is None:
        if d != 2:
            raise InvalidData(
                f"X has {d} features and a picture shows two: name them, for example "
                f"features=({points.names[0]!r}, {points.names[min(1, d - 1)]!r}); the others stay at their means or "
                "at the values in `fixed`"
            )
        features = (0, 1)
    if isinstance(features, str) or np.size(features) != 2:
        raise InvalidParameter(f"features={features!r}: allowed are two names or two numbers of columns")
    first, second = (column(f, points.names) for f in features)
    if first == second:
        raise InvalidParameter(f"features={features!r} are the same feature twice: give two different ones")
    rest = points.X.mean(axis=0)
    for name, value in _fixed(fixed).items():
        j = column(name, points.names)
        if j in (first, second):
            raise InvalidParameter(f"fixed has {name!r}, which the picture shows: fix only the other features")
        rest[j] = value
    return Plane(points, (first, second), rest, not fixed)


def _fixed(fixed: Any) -> dict[Any, float]:
    if fixed is None:
        return {}
    if not isinstance(fixed, Mapping):
        raise InvalidParameter(
            f"fixed={fixed!r}: allowed is a mapping from features to values, and None for their means"
        )
    try:
        values = {name: float(value) for name, value in fixed.items()}
    except (TypeError, ValueError):
        values = {"?": np.nan}
    if not np.isfinite(list(values.values())).all():
        raise InvalidParameter(f"fixed={fixed!r}: allowed are finite numbers as values")
    return values


def column(feature: Any, names: tuple[str, ...]) -> int:
    """The number of a column, by its name or its number."""
    if isinstance(feature, int | np.integer) and not isinstance(feature, bool):
        if not -len(names) <= feature < len(names):
            raise InvalidParameter(f"feature {feature}: X has {len(names)} columns, from 0 to {len(names) - 1}")
        return int(feature) % len(names)
    if feature not in names:
        raise unknown_name("feature", feature, names)
    return names.index(feature)
