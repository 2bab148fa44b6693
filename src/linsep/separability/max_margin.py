"""The hyperplane of maximum margin, exactly.

    primal   min ½‖w‖²           subject to  yᵢ(⟨w, xᵢ⟩ + b) ≥ 1 for every row
    dual     max Σ αᵢ − ½‖v‖²    over α ≥ 0 with Σ αᵢyᵢ = 0,  v = Σ αᵢyᵢxᵢ

The margin is ρ = 1/‖w‖. Up to scale the dual is the shortest segment between the convex hulls of the classes: with
weights λ ≥ 0 that sum to 1 in each class, z = Σ λᵢyᵢxᵢ, 2ρ = min ‖z‖, w = 2z/‖z‖², α = 2λ/‖z‖². Through the origin
(b = 0) there is one group of weights: ρ = min ‖z‖ over the hull of the yᵢxᵢ, w = z/‖z‖², α = λ/‖z‖². If the hulls meet,
min ‖z‖ = 0: no hyperplane separates (refusal.py proves it).

segment.py finds the shortest segment, margin_certificate.py proves what it means.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.data.design import Design
from linsep.errors import InvalidData, check_flag
from linsep.kernels.threads import resolve_threads, single_threaded_blas
from linsep.model import read_training
from linsep.separability.margin_certificate import MaximumMargin, Touching, certified
from linsep.separability.refusal import need_no_hyperplane
from linsep.separability.segment import shortest_segment
from linsep.separability.sets import LENGTHS, Sets
from linsep.types import FloatArray


def maximum_margin(
    design: Design, y: FloatArray, *, through_origin: bool = False, tol: float = 1e-10
) -> MaximumMargin | Touching:
    """The hyperplane of maximum margin of rows with signs y, or sets that touch as far as float64 can tell."""
    with single_threaded_blas():
        sets = Sets(design, y, through_origin)
        _check_lengths(sets)
        return certified(sets, shortest_segment(sets, 0.05 * tol))


def _check_lengths(sets: Sets) -> None:
    low, high = LENGTHS
    zero = sets.longest == 0.0 and not np.any(sets.design.table.data if sets.design.sparse else sets.design.table)
    if not (sets.measurable or zero):
        raise InvalidData(
            f"the longest row of X has the length {sets.longest:.3g}; allowed are {low:g} to {high:g}, whose squares "
            "are float64 numbers. Multiply X by a number that brings it there: margins are multiplied by the same"
        )


def training_margin(X: Any, y: Any, *, through_origin: bool = False, n_jobs: int | None = None) -> float:
    """The margin of a training set: the largest over all hyperplanes of the smallest distance of a row from it.

    0.0 if no hyperplane has all rows of each of the two classes strictly on its own side. Classes that are separable by
    a margin so far below the length of the rows (about 1e-13 of it) that float64 does not find it raise
    `MarginTooSmall`.

    >>> training_margin([[0.0, 0.0], [3.0, 4.0]], ["no", "yes"])
    2.5
    """
    check_flag("through_origin", through_origin)
    training = read_training(X, y, None, None, resolve_threads(n_jobs), "training_margin")
    if training.n_classes != 2:
        raise InvalidData(f"y has {training.n_classes} classes; a margin is one between two: give the rows of a pair")
    found = maximum_margin(training.design, training.labels.signs(), through_origin=through_origin)
    if isinstance(found, MaximumMargin):
        return found.margin
    need_no_hyperplane(training, found.bound, intercept=not through_origin)
    return 0.0
