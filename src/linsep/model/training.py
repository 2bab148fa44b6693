"""The data of a fit, read and checked: nothing is solved before all of it is known to make sense."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linsep.data.design import Design
from linsep.data.labels import Labels, encode_labels
from linsep.data.names import Names, feature_names
from linsep.data.reading import THREADED
from linsep.data.source import as_design, locate_non_finite
from linsep.data.weights import split_weights
from linsep.errors import InvalidData, Refused
from linsep.problem.reductions import Joint, OneMargin, OneVsRest, Scheme
from linsep.types import FloatArray

#: Sums of weights up to this, and from its inverse on, leave sums and shares room in float64.
_LARGEST_TOTAL = 1e300


@dataclass(frozen=True, eq=False)
class Training:
    """Rows, a class for each, a weight for each or None, the names of the features, and who asks.

    The weights are sample weights times class weights, which are kept as they were given, and as a factor a class.
    offset: what is known of the scores, (n,) for one margin or (n, K) for a loss of K scores.
    """

    design: Design
    labels: Labels
    weights: FloatArray | None = None
    names: Names | None = None
    owner: str = "LinearModel"
    class_weight: Any = None
    offset: FloatArray | None = None
    class_factors: FloatArray | None = None

    @property
    def n_classes(self) -> int:
        return len(self.labels.classes)


def read_training(
    X: Any, y: Any, sample_weight: Any, class_weight: Any, threads: int, owner: str = "LinearModel"
) -> Training:
    """Shapes and types first, then values: X is read once, by the pass that also takes its fingerprint."""
    design = as_design(X, 1)
    names = feature_names(X)
    if design.entries > THREADED:
        design = replace(design, threads=threads)
    labels = encode_labels(y, design.n)
    weights, factors = split_weights(sample_weight, class_weight, labels)
    if weights is not None:
        _check_class_totals(labels, weights)
    if not design.scan.finite:
        raise InvalidData(locate_non_finite(X) or "Input X contains NaN or infinity")
    return Training(design, labels, weights, names, owner, class_weight, class_factors=factors)


def _check_class_totals(labels: Labels, weights: FloatArray) -> None:
    """A row of weight zero is as good as absent, so a class of such rows is absent."""
    totals = np.bincount(labels.codes, weights=weights, minlength=len(labels.classes))
    total = float(totals.sum())
    if total > 0.0 and not 1.0 / _LARGEST_TOTAL <= total <= _LARGEST_TOTAL:
        raise InvalidData(
            f"the weights of the rows sum to {total:g}, which float64 cannot divide by; only their ratios count: "
            f"rescale them to a sum between {1.0 / _LARGEST_TOTAL:g} and {_LARGEST_TOTAL:g}"
        )
    if totals.all():
        return
    absent = ", ".join(str(c) for c in labels.classes[totals == 0.0])
    left = int((totals > 0.0).sum())
    raise InvalidData(
        f"every row of class {absent} has weight zero, which counts as no row: "
        + ("one class only is left; a classifier needs at least two" if left == 1 else "drop these rows")
    )


def with_offset(training: Training, offset: Any, scheme: Scheme) -> Training:
    """The training with a known part of each row's scores: (n,) for two classes, (n, K) for more."""
    if offset is None:
        return training
    try:
        given = np.ascontiguousarray(offset, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidData(f"offset holds what is not a number: {error}") from None
    n, classes = training.design.n, training.n_classes
    if isinstance(scheme, OneMargin):
        expected: tuple[int, ...] = (n,)
    elif isinstance(scheme, Joint | OneVsRest):
        expected = (n, classes)
    else:
        raise Refused(
            f"offset with multiclass {scheme.name!r}: an offset is a part of the score of a class; use 'softmax', "
            "'one_of_k' or 'ovr'"
        )
    if given.shape != expected:
        raise InvalidData(f"offset has the shape {given.shape}; for {classes} classes and {n} rows it is {expected}")
    if not np.isfinite(given).all():
        raise InvalidData("offset contains NaN or infinity")
    return replace(training, offset=given)
