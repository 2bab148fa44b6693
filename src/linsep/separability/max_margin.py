"""The hyperplane of maximum margin, exactly.

    primal   min ½‖w‖²           subject to  yᵢ(⟨w, xᵢ⟩ + b) ≥ 1 for every row
    dual     max Σ αᵢ − ½‖v‖²    over α ≥ 0 with Σ αᵢyᵢ = 0,  v = Σ αᵢyᵢxᵢ

The margin is ρ = 1/‖w‖. Up to scale the dual is the shortest segment between the convex hulls of the classes: with
weights λ ≥ 0 that sum to 1 in each class, z = Σ λᵢyᵢxᵢ, 2ρ = min ‖z‖, w = 2z/‖z‖², α = 2λ/‖z‖². Through the origin
(b = 0) there is one group of weights: ρ = min ‖z‖ over the hull of the yᵢxᵢ, w = z/‖z‖², α = λ/‖z‖². If the hulls meet,
min ‖z‖ = 0: no hyperplane separates (refusal.py proves it).

The shortest segment is found on a working set of rows (nearest.py). One product with X then shows which rows outside
are nearer, and the nearest of them join, until there are none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linsep.data.design import Design
from linsep.errors import InvalidData, check_flag
from linsep.kernels.threads import resolve_threads, single_threaded_blas
from linsep.model import read_training
from linsep.separability.cone import Cone
from linsep.separability.coordinates import WIDE, InnerProducts, wide, working_coordinates
from linsep.separability.crowd import Start, crowd_start
from linsep.separability.margin_certificate import TOUCHING, MaximumMargin, Touching, certified
from linsep.separability.nearest import Nearest, nearest_point
from linsep.separability.refusal import need_no_hyperplane
from linsep.separability.sets import Segment, Sets
from linsep.separability.wide import contradiction
from linsep.types import FloatArray, IntArray

#: Lengths of rows whose squares, and those of margins far below them, are float64 numbers.
_LENGTHS = (1e-120, 1e120)


def maximum_margin(
    design: Design, y: FloatArray, *, through_origin: bool = False, tol: float = 1e-10
) -> MaximumMargin | Touching:
    """The hyperplane of maximum margin of rows with signs y, or sets that touch as far as float64 can tell."""
    with single_threaded_blas():
        sets = Sets(design, y, through_origin)
        _check_lengths(sets)
        return certified(sets, shortest_segment(sets, 0.05 * tol))


def _check_lengths(sets: Sets) -> None:
    low, high = _LENGTHS
    zero = sets.longest == 0.0 and not np.any(sets.design.table.data if sets.design.sparse else sets.design.table)
    if not (low <= sets.longest <= high or zero):
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


def shortest_segment(sets: Sets, tol: float) -> Segment:
    """Rounds of the working set, until no row is nearer than the support by more than tol·‖z‖²."""
    touching = _same_row(sets) if sets.design.sparse and sets.design.d > WIDE else None
    if touching is not None:
        return touching
    centre, z = _means(sets)
    size = max(50, min(sets.design.d, 500))
    prices, passes, crowds, products = sets.prices(z), 2, True, InnerProducts(sets.design, sets.y)
    rows = np.array([members[prices[members].argmin()] for members in sets.members])
    weights, levels = np.ones(sets.count), np.full(sets.count, np.inf)
    working = rows
    while True:
        joining = [_lowest(prices, *each, size) for each in zip(sets.members, levels, strict=True)]
        grown = np.union1d(working, np.concatenate(joining))
        if len(grown) == len(working) and passes > 2:
            if not (crowds and wide(sets.design, working)):
                return Segment(rows, weights, passes)
            crowds = False  # the last digits, one row at a time
        found = None
        if crowds and wide(sets.design, grown):
            inside = np.isin(grown, rows) | ~np.isin(grown, working)
            found = products.nearest(grown, sets.groups[grown], inside)
        working = grown
        found = found or _one_by_one(sets, working, (rows, weights), centre, 0.1 * tol)
        rows, weights, z = working[found.chosen], found.weights, found.z
        size = max(size, len(rows))
        prices, passes, square = sets.prices(z), passes + 1, float(z @ z)
        levels = np.bincount(sets.groups[rows], weights=weights * prices[rows], minlength=sets.count)
        below = sum(float(at - prices[each].min()) for at, each in zip(levels, sets.members, strict=True))
        if below <= tol * square or found.touching:
            return Segment(rows, weights, passes)


def _same_row(sets: Sets) -> Segment | None:
    """A row that both classes have: of wide rows, of which a segment takes long, it is looked for first."""
    cone = Cone(sets.design, (sets.y > 0.0).astype(np.int64), 2, not sets.through_origin)
    found = contradiction(cone)
    return None if found is None else Segment(cone.parts(found.numbers)[0], np.full(2, sets.count / 2.0), 1)


def _one_by_one(sets: Sets, working: IntArray, start: Start, centre: FloatArray, tol: float) -> Nearest:
    """The nearest point of the working set by Wolfe's method, from rows of it and their weights."""
    table = working_coordinates(sets.design, working, sets.y, centre)
    groups, start = sets.groups[working], (np.searchsorted(working, start[0]), start[1])
    if table.independent is not None:
        start = crowd_start(table.table, groups, table.independent, start)
    found = nearest_point(table.table, groups, start, tol)
    z = table.direction(found)
    square = min(float(z @ z), float(found.z @ found.z))
    return replace(found, z=z, touching=square <= (TOUCHING * table.scale) ** 2)


def _means(sets: Sets) -> tuple[FloatArray, FloatArray]:
    """The mean of all rows, where the origin may be moved to if b is free; and the difference of the groups' means."""
    share = np.full((sets.design.n, 2), 0.0 if sets.through_origin else 1.0 / sets.design.n)
    for members in sets.members:
        share[members, 1] = sets.y[members] / len(members)
    means = sets.design.adjoint(share)[:-1]
    return np.ascontiguousarray(means[:, 0]), np.ascontiguousarray(means[:, 1])


def _lowest(prices: FloatArray, rows: IntArray, level: float, size: int) -> IntArray:
    """The rows of lowest price below the level, at most `size`."""
    values = prices[rows]
    if len(rows) > size:
        nearest = np.argpartition(values, size - 1)[:size]
        rows, values = rows[nearest], values[nearest]
    return rows[values < level]
