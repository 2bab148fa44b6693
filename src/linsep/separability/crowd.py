"""A start for the nearest point where it rests on hundreds of rows: whole crowds enter and leave at once.

The primal-dual active set method on independent rows: with S the rows of positive weight so far, the best weights λ on
S whatever their signs, then

    S ← rows of S with λ > 0, and rows outside whose ⟨z, a⟩ is below the level of their group

until S stays. It needs few rounds where it ends, and it need not end: what comes out is made feasible and is a start
only, taken if its ‖z‖ is smaller than that of the start at hand.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from linsep.types import BoolArray, FloatArray, IntArray

_ROUNDS = 30
Start = tuple[IntArray, FloatArray]


def crowd_start(rows: FloatArray, groups: IntArray, independent: IntArray, start: Start) -> Start:
    """Independent rows and their weights, each group's summing to 1, at least as good as the start."""
    count, table, group = int(groups.max()) + 1, rows[independent], groups[independent]
    if len(np.unique(group)) < count:
        return start
    K = table @ table.T
    inside, weights = np.ones(len(table), dtype=bool), np.zeros(len(table))
    for _ in range(_ROUNDS):
        found = _best(K, group, np.flatnonzero(inside), count)
        if found is None:
            return start
        weights, below = found
        following = np.where(inside, weights > 0.0, below)
        if (following == inside).all() or len(np.unique(group[following])) < count:
            break
        inside = following
    weights = np.maximum(weights, 0.0)
    weights /= np.bincount(group, weights=weights, minlength=count)[group]
    z, given = weights @ table, start[1] @ rows[start[0]]
    if not float(z @ z) < float(given @ given):
        return start
    chosen = np.flatnonzero(weights)
    return independent[chosen], weights[chosen]


def _best(K: FloatArray, group: IntArray, inside: IntArray, count: int) -> tuple[FloatArray, BoolArray] | None:
    """The best weights on the rows inside, 0 elsewhere, and which rows are below their group's level."""
    E = (group[inside, None] == np.arange(count)).astype(np.float64)
    scale = float(np.diagonal(K).max())
    try:
        factor = cho_factor(K[np.ix_(inside, inside)] + scale * (E @ E.T), check_finite=False)
    except LinAlgError:
        return None
    basis = cho_solve(factor, E, check_finite=False)
    weights = np.zeros(len(K))
    weights[inside] = basis @ np.linalg.solve(E.T @ basis, np.ones(count))
    prices = K @ weights
    levels = np.bincount(group, weights=weights * prices, minlength=count)
    return weights, prices < levels[group] - 1e-12 * abs(float(levels.sum()))
