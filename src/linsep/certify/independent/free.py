"""Bounds on the weights of columns that nothing holds back but the losses. NumPy alone.

Let A be those columns, with the ones of a free intercept, c ≥ 0 the room of each row's multipliers within their domain,
G = 1/S Σ sᵢcᵢaᵢaᵢᵀ. R ± σ c·A G⁻¹eⱼ has residual ±σeⱼ on A but for that of R, so by Fenchel's inequality at the optimum
|wⱼ*| ≤ (P − D + Q)/σ, D the dual value there without the residual's term, Q = Σ |rᵢ||wᵢ*| for that of R. With
Bⱼ = (P − D + δ)/σ all |wⱼ*| ≤ Bⱼ/(1 − q), q = Σ |rᵢ|Bᵢ over the least P − D + δ.

A weight with a bound on one side alone is among them unless its v points to that bound, and by more than rounding; σ
keeps such a v on its side. Where a common shift of all scores changes no loss, it always is: Σₖ vⱼₖ = 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linsep.certify.independent.losses import Joint, Margins

Array = np.ndarray[Any, Any]

#: Columns up to which the argument is made.
MOST = 200
#: Of the terms that v adds up: beyond this it points to a side.
_CLEAR = 1e-9
#: δ of P.
_SLACK = 1e-4


def loose_weights(problems: Any, R: Array, j: int, v: Array, off: Array) -> Array:
    """Of problem j the weights that nothing holds back: v (d, k), right within ±off.

    A column that is 0 in all rows with a multiplier is among them if its rows could have one.
    """
    rises, falls = problems.penalty.sides
    if isinstance(problems.loss, Joint) and problems.loss.shifts:
        return np.asarray((rises | falls) & (off > 0.0))
    loose = problems.penalty.loose(v, np.maximum(off, _CLEAR / problems.unit * off))
    idle = (rises | falls) & (off == 0.0) & ~absorbed(problems)[:, None]
    if idle.any():
        room = _room(problems, R[:, problems.scores_of(j)], j)
        loose |= idle & (problems.adjoint(room[:, None], np.abs)[:-1] > 0.0)
    return np.asarray(loose)


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


class _Frame(NamedTuple):
    """Of problem j the columns A of [X 1] and their places, which of their weights (m, k) are meant, the room c, and
    G⁻¹. Beside a free intercept the columns are off their means, which changes no w but b."""

    j: int
    A: Array
    places: Array
    wanted: Array
    room: Array
    inverse: Array


def free_charge(problems: Any, R: Array, j: int, loose: Array, P: float) -> tuple[float, float]:
    """What the residuals of problem j's loose weights and of the intercept cost, and what their rounding does."""
    R = R[:, problems.scores_of(j)]
    frame = _frame(problems, R, j, loose)
    if frame is None:
        return np.inf, 0.0
    weighed = np.where(problems.shares[:, None] > 0.0, problems.shares[:, None] * R, 0.0)
    left = np.where(frame.wanted, np.abs(frame.A.T @ weighed), 0.0)
    more = np.where(frame.wanted, problems.unit * (np.abs(frame.A).T @ np.abs(weighed)), 0.0)
    reach = _reach(problems, R, frame, loose, P)
    q = float((left + more).ravel() @ reach[0].ravel()) / reach[1] if reach[1] > 0.0 else np.inf
    if not q < 0.5:
        return np.inf, 0.0
    held = reach[0] / (1.0 - q)
    return float((left * held).sum()), float((more * held).sum())


def _reach(problems: Any, R: Array, frame: _Frame, loose: Array, P: float) -> tuple[Array, float]:
    """B for the weights (m, k) of the frame, 0 for those that are not meant, and the least P − D + δ."""
    reach, least, k = np.zeros(frame.wanted.shape), np.inf, R.shape[1]
    joint = isinstance(problems.loss, Joint) and problems.loss.shifts
    classes = np.eye(k) - (1.0 / k if joint else 0.0)
    apart = loose | absorbed(problems)[:, None]
    clear, v = np.logical_or(*problems.penalty.sides) & ~apart, np.abs(problems.adjoint(R)[:-1])
    for i, c in zip(*np.nonzero(frame.wanted), strict=True):
        along = frame.A @ frame.inverse[:, i]
        size = float(np.abs(along).max() * np.abs(classes[c]).max())
        tilt = (frame.room * along)[:, None] * classes[c]
        moved = np.abs(problems.adjoint(tilt)[:-1])
        used = clear & (moved > 0.0)
        sigma = 0.5 * min(1.0 / size if size > 0.0 else np.inf, float((v[used] / moved[used]).min(initial=np.inf)))
        depths = (problems.depth(R + side * sigma * tilt, frame.j, P, apart) for side in (1.0, -1.0))
        depth = max(depths) + _SLACK * abs(P)
        reach[i, c] = 1.001 * depth / sigma if sigma > 0.0 else np.inf
        least = min(least, depth)
    return reach, least


def _frame(problems: Any, R: Array, j: int, loose: Array) -> _Frame | None:
    """None where there are too many columns, or their multipliers have no room."""
    places = np.flatnonzero(np.append(loose.any(axis=1), problems.free))
    if len(places) > MOST + 1:
        return None
    A = _columns(problems, places) - np.append(problems.means, 0.0)[places]
    room = _room(problems, R, j)
    G = (A * (room * problems.shares)[:, None]).T @ A
    scale = np.sqrt(np.maximum(G.diagonal(), 0.0))
    if not (scale > 0.0).all() or np.linalg.eigvalsh(G / np.outer(scale, scale))[0] < 1e-11:
        return None
    inverse = np.linalg.inv(G / np.outer(scale, scale)) / np.outer(scale, scale)
    wanted = np.vstack([loose, np.ones((1, R.shape[1]), dtype=bool)])[places]
    return _Frame(j, A, places, wanted, room, inverse)


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
