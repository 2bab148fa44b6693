"""Rows to predict: read like those of the fit, with the features that the fit had."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from linsep.data.design import Design
from linsep.data.names import Names, check_names
from linsep.data.source import as_design, locate_non_finite
from linsep.errors import InvalidData
from linsep.kernels.threads import resolve_threads
from linsep.types import FloatArray

#: Fewer entries than this are not worth a second thread: waking it takes longer than a pass.
THREADED = 50_000


@dataclass(frozen=True, eq=False)
class Expected:
    """How many features, their names if they had any, and who asks."""

    features: int
    names: Names | None
    owner: str


def read_rows(X: Any, expected: Expected, scores: int = 1, threads: int | None = None) -> Design:
    """X as a design with the expected features, for so many scores a row. Entries are not looked at."""
    if type(X) is not np.ndarray or expected.names is not None:
        check_names(X, expected.names, expected.owner)
    design = as_design(X, 1)
    if design.d != expected.features:
        raise InvalidData(
            f"X has {design.d} features, but {expected.owner} is expecting {expected.features} "
            "features as input: those it was fitted with"
        )
    if design.entries * scores <= THREADED:
        return design
    return replace(design, threads=resolve_threads(threads))


def refuse_overflow(design: Design) -> None:
    """Steps add and compare squares of the entries, which must be finite numbers."""
    if not isfinite(design.scan.squares):
        raise InvalidData(
            "the squares of the entries of X overflow float64: divide its columns by their size first, for example "
            "with sklearn.preprocessing.MaxAbsScaler"
        )


def checked_scores(design: Design, w: FloatArray, X: Any) -> FloatArray:
    """X w + b. NaN and infinity in X reach its row's score, and so the sum of squares."""
    scores = design.scores(w)
    if not isfinite(np.vdot(scores, scores)) and not np.isfinite(scores).all():
        overflow = "the scores of X overflow float64: its entries are too large for the weights"
        raise InvalidData(locate_non_finite(X) or overflow)
    return scores
