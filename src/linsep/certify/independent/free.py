"""Bounds on the weights of columns that nothing holds back but the losses. NumPy alone.

Let A be those columns, with the ones of a free intercept, c ≥ 0 the room of each row's multipliers within their domain,
G = 1/S Σ sᵢcᵢaᵢaᵢᵀ. R ± σ c·A G⁻¹eⱼ has residual ±σeⱼ on A but for that of R, so by Fenchel's inequality at the optimum
|wⱼ*| ≤ (P − D + Q)/σ, D the dual value there without the residual's term, Q = Σ |rᵢ||wᵢ*| for that of R. With
Bⱼ = (P − D + δ)/σ all |wⱼ*| ≤ Bⱼ/(1 − q), q = Σ |rᵢ|Bᵢ over the least P − D + δ.

A weight with a bound on one side alone is among them unless its v points to that bound, and by more than rounding; σ
keeps such a v on its side. Where a common shift of all scores changes no loss, it always is: Σₖ vⱼₖ = 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.certify.independent.losses import Joint, Margins

Array = np.ndarray[Any, Any]

#: Columns up to which the argument is made.
MOST = 200
#: Of the terms that v adds up: beyond this it points to a side.
_CLEAR = 1e-9
#: δ of P.
_SLACK = 1e-4


def loose_weights(problems: Any, v: Array, off: Array) -> Array:
    """Of one problem the weights that nothing holds back: v (d, k), right within ±off."""
    if isinstance(problems.loss, Joint) and problems.loss.shifts:
        rises, falls = problems.penalty.sides
        return np.asarray((rises | falls) & (off > 0.0))
    return np.asarray(problems.penalty.loose(v, np.maximum(off, _CLEAR / problems.unit * off)))


def absorbed(problems: Any) -> Array:
    """Columns (d,) without penalty that are the same in all rows, where an intercept is free: with b + cw in the place
    of b, such a column is one of zeros, and what holds w back says nothing."""
    same = np.logical_or(*problems.penalty.sides)[:, 0]
    if not (problems.free and same.any()):
        return np.zeros_like(same)
    ones = np.ones((len(problems.shares), 1))
    means, squares = problems.adjoint(ones)[:-1, 0], problems.adjoint(ones, np.square)[:-1, 0]
    same &= np.abs(squares - means * means) <= 1e-9 * squares  # most are ruled out without a look at their entries
    places = np.flatnonzero(same)
    if not 0 < len(places) <= MOST:
        return np.zeros_like(same)
    same[places] = np.ptp(_columns(problems, places), axis=0) == 0.0
    return np.asarray(same)


def free_reach(problems: Any, R: Array, j: int, unbalanced: tuple[Array, Array], P: float) -> Array:
    """(d + 1, scores) of problem j: a bound on every loose weight and on the intercept, 0 for others.

    unbalanced: which weights are loose, (d, scores), and |r| with its rounding, (d + 1, scores).
    """
    loose, left = unbalanced
    reach, R = np.zeros_like(left), R[:, problems.scores_of(j)]
    if not left.any():
        return reach
    places = np.flatnonzero(np.append(loose.any(axis=1), problems.free))
    room, k = _room(problems, R, j), R.shape[1]
    A, inverse = _frame(problems, places, room)
    if inverse is None:
        return np.full_like(reach, np.inf)
    wanted = np.vstack([loose, np.ones((1, k), dtype=bool)])[places]
    joint = isinstance(problems.loss, Joint) and problems.loss.shifts
    classes, least = np.eye(k) - (1.0 / k if joint else 0.0), np.inf
    apart = loose | absorbed(problems)[:, None]
    clear, v = np.logical_or(*problems.penalty.sides) & ~apart, np.abs(problems.adjoint(R)[:-1])
    for i, c in zip(*np.nonzero(wanted), strict=True):
        along = A @ inverse[:, i]
        size = float(np.abs(along).max() * np.abs(classes[c]).max())
        tilt = (room * along)[:, None] * classes[c]
        moved = np.abs(problems.adjoint(tilt)[:-1])
        used = clear & (moved > 0.0)
        sigma = 0.5 * min(1.0 / size if size > 0.0 else np.inf, float((v[used] / moved[used]).min(initial=np.inf)))
        depths = (problems.depth(R + side * sigma * tilt, j, P, apart) for side in (1.0, -1.0))
        depth = max(depths) + _SLACK * abs(P)
        reach[places[i], c] = 1.001 * depth / sigma if sigma > 0.0 else np.inf
        least = min(least, depth)
    q = float((left * reach).sum()) / least if least > 0.0 else np.inf
    return reach / (1.0 - q) if q < 0.5 else np.full_like(reach, np.inf)


def _frame(problems: Any, places: Array, room: Array) -> tuple[Array, Array | None]:
    """A and G⁻¹; None where there are too many columns, or their multipliers have no room."""
    if len(places) > MOST + 1:
        return np.zeros((0, 0)), None
    A = _columns(problems, places)
    G = (A * (room * problems.shares)[:, None]).T @ A
    scale = np.sqrt(np.maximum(G.diagonal(), 0.0))
    if not (scale > 0.0).all() or np.linalg.eigvalsh(G / np.outer(scale, scale))[0] < 1e-11:
        return A, None
    return A, np.linalg.inv(G / np.outer(scale, scale)) / np.outer(scale, scale)


def _columns(problems: Any, places: Array) -> Array:
    """Those of [X 1]."""
    units = np.zeros((problems.rows.d + 1, len(places)))
    units[places, np.arange(len(places))] = 1.0
    return np.asarray(problems.products(units))


def _room(problems: Any, R: Array, j: int) -> Array:
    loss = problems.loss
    if isinstance(loss, Margins):
        theta = loss.signs[:, j] * R[:, 0]
        room = np.minimum(theta - loss.formula.lowest, loss.formula.highest - theta)
        return np.clip(room, 0.0, 1.0)
    if not loss.shifts:
        return np.ones(len(R))
    q = -R
    q[np.arange(len(q)), loss.own] += 1.0
    return np.asarray(np.clip(q.min(axis=1), 0.0, 1.0))
