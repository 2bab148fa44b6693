"""Labels: any values that can be told apart become classes in sorted order and a class number a row."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.errors import InvalidData
from linsep.types import FloatArray, IntArray


@dataclass(frozen=True)
class Labels:
    """classes (K,), sorted, and for every row the number of its class."""

    classes: np.ndarray[Any, Any]
    codes: IntArray

    def signs(self) -> FloatArray:
        """+1 for the second class, −1 for the first."""
        return np.asarray(2.0 * self.codes - 1.0, dtype=np.float64)


def encode_labels(y: Any, n_rows: int, fewest: int = 2) -> Labels:
    """Classes and codes of y, one label a row; refuses what cannot be meant as classes, or too few of them."""
    if y is None:
        raise InvalidData("This estimator requires y to be passed, but the target y is None.")
    values = np.asarray(y)
    if values.dtype.kind in "US" and isinstance(y, list | tuple) and not all(isinstance(v, str) for v in y):
        values = np.array(y, dtype=object)  # NumPy would turn numbers beside strings into strings
    if values.ndim == 2 and values.shape[1] == 1:
        _warn_column_vector()
        values = values[:, 0]
    if values.ndim != 1:
        raise InvalidData(f"y should be a 1d array, got an array of shape {values.shape} instead.")
    if len(values) != n_rows:
        raise InvalidData(
            f"y has {len(values)} labels and X has {n_rows} rows: inconsistent numbers of samples; give one label a row"
        )
    if values.dtype.kind == "c":
        raise InvalidData("Complex data not supported: y holds complex numbers")
    if values.dtype.kind == "f":
        _check_float_labels(values)
    classes, codes = _unique(values)
    if len(classes) < fewest:
        raise InvalidData(f"y holds one class only ({classes[0]!s}); a classifier needs at least two")
    return Labels(classes, codes)


def _unique(values: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], IntArray]:
    if values.dtype.kind == "O" and any(v is None or v != v for v in values):
        row = next(i for i, v in enumerate(values) if v is None or v != v)
        raise InvalidData(f"y has no label in row {row} ({values[row]!r}); drop such rows")
    if values.dtype == np.bool_ or (values.dtype.kind in "iu" and len(values)):
        fast = _small_integers(values)
        if fast is not None:
            return fast
    try:
        classes, codes = np.unique(values, return_inverse=True)
    except TypeError:
        kinds = sorted({type(v).__name__ for v in values})
        raise InvalidData(f"y mixes labels of types {', '.join(kinds)}; use one type") from None
    return classes, codes.astype(np.int64)


def _small_integers(values: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], IntArray] | None:
    """Integers within a short range are counted instead of sorted."""
    shifted = values.astype(np.int64) if values.dtype == np.bool_ else values
    low, high = int(shifted.min()), int(shifted.max())
    if high - low > 4 * len(values) + 1000 or high > 2**62:
        return None
    codes = shifted.astype(np.int64) - low
    present = np.bincount(codes, minlength=high - low + 1) > 0
    classes = (np.flatnonzero(present) + low).astype(values.dtype)
    if not present.all():
        codes = (np.cumsum(present) - 1)[codes]
    return classes, codes


def _check_float_labels(values: np.ndarray[Any, Any]) -> None:
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.argmin(finite))
        what = "NaN" if np.isnan(values[row]) else "infinity"
        raise InvalidData(f"Input y contains {what} in row {row}; drop such rows")
    whole = values == np.floor(values)
    if not whole.all():
        row = int(np.argmin(whole))
        raise InvalidData(
            f"Unknown label type: continuous. y holds the fraction {values[row]!s} in row {row}: labels name "
            "classes. For regression use another tool; for classes give whole numbers or strings"
        )


def _warn_column_vector() -> None:
    from sklearn.exceptions import DataConversionWarning

    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
        "(n_samples,), for example using ravel().",
        DataConversionWarning,
        stacklevel=4,
    )
