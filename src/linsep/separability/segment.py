"""The shortest segment between the convex hulls of two sets of rows, or from the origin to the hull of one.

It is found on a working set of rows (nearest.py, crowd.py). One product with X then shows which rows outside are
nearer, and the nearest of them join, until there are none.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linsep.separability.cone import Cone
from linsep.separability.coordinates import WIDE, InnerProducts, wide, working_coordinates
from linsep.separability.crowd import Start, crowd_start
from linsep.separability.equal_rows import contradiction
from linsep.separability.margin_certificate import TOUCHING
from linsep.separability.nearest import Nearest, nearest_point
from linsep.separability.sets import Segment, Sets
from linsep.solvers.patience import seconds_left
from linsep.types import FloatArray, IntArray


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
        seconds_left()
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
