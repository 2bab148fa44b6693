"""Sample weights: weight k counts as k copies of the row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linsep.data.labels import Labels
from linsep.errors import InvalidData, InvalidParameter
from linsep.types import FloatArray


def sample_weights(given: Any, class_weight: Any, labels: Labels) -> FloatArray | None:
    """The product of sample and class weights, or None where every row counts once."""
    return split_weights(given, class_weight, labels)[0]


def split_weights(given: Any, class_weight: Any, labels: Labels) -> tuple[FloatArray | None, FloatArray | None]:
    """The product of sample and class weights, and the weight of every class in it; None where all are 1."""
    weights = None if given is None else _checked(given, len(labels.codes))
    if class_weight is None:
        return weights, None
    factors = _class_factors(class_weight, labels, weights)
    chosen: FloatArray = factors[labels.codes]
    return chosen if weights is None else chosen * weights, factors


def _checked(given: Any, n_rows: int) -> FloatArray:
    weights = np.asarray(given)
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    if weights.dtype.kind == "c":
        raise InvalidData("Complex data not supported: sample_weight holds complex numbers")
    if weights.dtype.kind in "mM":
        raise InvalidData(f"sample_weight holds {weights.dtype}; give one number a row")
    try:
        weights = np.ascontiguousarray(weights, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidData(f"sample_weight holds what is not a number: {error}; give one number a row") from None
    if weights.ndim != 1:
        raise InvalidData(f"Sample weights must be 1D array or scalar, got shape {weights.shape}")
    if len(weights) != n_rows:
        raise InvalidData(f"sample_weight.shape == {weights.shape}, expected ({n_rows},): one weight a row")
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise InvalidData(
            f"Input sample_weight contains {_name(weights[row])} in row {row}: weights are finite and not negative"
        )
    if not weights.any():
        raise InvalidData("sample_weight is zero for every row: at least one row must count")
    return weights


def _name(value: float) -> str:
    if np.isnan(value):
        return "NaN"
    return "infinity" if np.isinf(value) else f"the negative weight {value:g}"


def _class_factors(class_weight: Any, labels: Labels, weights: FloatArray | None) -> FloatArray:
    classes = labels.classes
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise InvalidParameter(
                f"class_weight={class_weight!r}: allowed are None, 'balanced' and a dict of class: weight"
            )
        totals = np.bincount(labels.codes, weights=weights, minlength=len(classes)).astype(np.float64)
        return float(totals.sum()) / (len(classes) * np.maximum(totals, np.finfo(np.float64).tiny))
    if not isinstance(class_weight, Mapping):
        raise InvalidParameter(f"class_weight={class_weight!r}: allowed are None, 'balanced' and a dict")
    known = classes.tolist()
    unknown = [c for c in class_weight if c not in known]
    if unknown:
        raise InvalidParameter(f"class_weight names {unknown}, which are not among the classes {known}")
    try:
        factors = np.array([float(class_weight.get(c, 1.0)) for c in known])
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidParameter(f"class_weight={class_weight!r}: {error}; weights are finite numbers") from None
    if not (np.isfinite(factors).all() and (factors >= 0).all()):
        raise InvalidParameter(f"class_weight={class_weight!r}: weights are finite and not negative")
    return factors
