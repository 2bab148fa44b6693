"""The nearest point where it rests on hundreds of rows: whole crowds enter and leave at once.

The primal-dual active set method on inner products K: with S the rows of positive weight so far, the best weights λ on
S whatever their signs, then

    S ← rows of S with λ > 0, and rows outside whose ⟨z, a⟩ is below the level of their group

until S stays: then λ is optimal. It needs few rounds where it ends, and it need not end: what comes out then is made
feasible, and is a start only.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from linsep.types import BoolArray, FloatArray, IntArray

_ROUNDS, _REFINEMENTS = 30, 2
_EPS = float(np.finfo(np.float64).eps)
#: A price this much below its level, relative to ‖z‖², is rounding.
_ROUNDING = 1e-12
Start = tuple[IntArray, FloatArray]


@dataclass(frozen=True, eq=False)
class Crowd:
    """Weights λ ≥ 0 of all rows, each group's summing to 1; settled: they are optimal, as far as K tells."""

    weights: FloatArray
    settled: bool


def gather(K: FloatArray, group: IntArray, inside: BoolArray) -> Crowd | None:
    """Rounds from the rows inside; None where some group has lost all its rows or K is too far from definite."""
    count = int(group.max()) + 1
    weights, settled = np.zeros(len(K)), False
    for _ in range(_ROUNDS):
        if len(np.unique(group[inside])) < count:
            return None
        found = _best(K, group, np.flatnonzero(inside), count)
        if found is None:
            return None
        weights, below = found
        following = np.where(inside, weights > 0.0, below)
        settled = bool((following == inside).all())
        if settled:
            break
        inside = following
    weights = np.maximum(weights, 0.0)
    return Crowd(weights / np.bincount(group, weights=weights, minlength=count)[group], settled)


def crowd_start(rows: FloatArray, groups: IntArray, independent: IntArray, start: Start) -> Start:
    """Independent rows and their weights, each group's summing to 1, at least as good as the start."""
    count, table, group = int(groups.max()) + 1, rows[independent], groups[independent]
    if len(np.unique(group)) < count:
        return start
    found = gather(table @ table.T, group, np.ones(len(table), dtype=bool))
    if found is None:
        return start
    z, given = found.weights @ table, start[1] @ rows[start[0]]
    if not float(z @ z) < float(given @ given):
        return start
    chosen = np.flatnonzero(found.weights)
    return independent[chosen], found.weights[chosen]


def _best(K: FloatArray, group: IntArray, inside: IntArray, count: int) -> tuple[FloatArray, BoolArray] | None:
    """The best weights on the rows inside, 0 elsewhere, and which rows are below their group's level.

    The factor is that of K + s(EEᵀ + m·eps), E the groups: the first term changes nothing where the sums of λ are
    fixed, the second lets rows that depend on each other pass, and refinement takes it out again.
    """
    inside = inside[np.argsort(group[inside], kind="stable")]
    own = group[inside]
    E = (own[:, None] == np.arange(count)).astype(np.float64)
    scale, A = float(np.diagonal(K).max()), K[inside].take(inside, axis=1)
    factor = _factor(A, np.searchsorted(own, np.arange(count + 1)), scale)
    if factor is None:
        return None
    basis = np.zeros_like(E)
    for _ in range(1 + _REFINEMENTS):
        left = E - A @ basis - scale * (E @ (E.T @ basis))
        basis += cho_solve(factor, left, check_finite=False)
    weights = np.zeros(len(K))
    weights[inside] = basis @ np.linalg.solve(E.T @ basis, np.ones(count))
    prices = K @ weights
    levels = np.bincount(group, weights=weights * prices, minlength=count)
    return weights, prices < levels[group] - _ROUNDING * abs(float(levels.sum()))


def _factor(K: FloatArray, edges: IntArray, scale: float) -> tuple[FloatArray, bool] | None:
    """Cholesky's, of rows that are sorted by group; edges: where the groups begin and end."""
    A = K.copy()
    for low, high in pairwise(edges):
        A[low:high, low:high] += scale
    A.flat[:: len(A) + 1] += scale * len(A) * _EPS
    try:
        found: tuple[FloatArray, bool] = cho_factor(A.T, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None
    return found
