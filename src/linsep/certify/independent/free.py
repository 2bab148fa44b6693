"""Bounds on the weights of columns that nothing holds back but the losses. NumPy alone.

Let A be those columns, with the ones of a free intercept, c ≥ 0 the room of each row's multipliers within their domain,
G = 1/S Σ sᵢcᵢaᵢaᵢᵀ. R ± σ c·A G⁻¹eⱼ has residual ±σeⱼ on A but for that of R, so by Fenchel's inequality at the optimum
|wⱼ*| ≤ (P − D)/σ, D the dual value there without the residual's term. Rounding is a part of σ, and of no importance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.certify.independent.losses import Joint, Margins

Array = np.ndarray[Any, Any]

#: Columns up to which the argument is made.
MOST = 200


def free_reach(problems: Any, R: Array, j: int, P: float) -> Array:
    """(columns, scores) of problem j: a bound on the weight of every free column, then of the intercept."""
    scores = problems.scores_of(j)
    A, R = _columns(problems), R[:, scores]
    room = _room(problems, R, j)
    weighed = A * (room * problems.shares)[:, None]
    G = weighed.T @ A
    k = R.shape[1]
    reach = np.full((A.shape[1], k), np.inf)
    scale = np.sqrt(np.maximum(G.diagonal(), 0.0))
    if not (scale > 0.0).all() or np.linalg.eigvalsh(G / np.outer(scale, scale))[0] < 1e-11:
        return reach
    inverse = np.linalg.inv(G / np.outer(scale, scale)) / np.outer(scale, scale)
    joint = isinstance(problems.loss, Joint) and problems.loss.shifts
    classes = np.eye(k) - (1.0 / k if joint else 0.0)
    for i in range(A.shape[1]):
        along = A @ inverse[:, i]
        for c in range(k):
            size = float(np.abs(along).max() * np.abs(classes[c]).max())
            sigma = 0.5 / size if size > 0.0 else np.inf
            tilt = sigma * (room * along)[:, None] * classes[c]
            depth = max(problems.depth(R + side * tilt, j, P) for side in (1.0, -1.0))
            reach[i, c] = 1.001 * depth / sigma
    return reach


def _columns(problems: Any) -> Array:
    free = problems.penalty.free
    units = np.zeros((problems.rows.d + 1, int(free.sum()) + int(problems.free)))
    units[np.flatnonzero(free), np.arange(int(free.sum()))] = 1.0
    if problems.free:
        units[-1, -1] = 1.0
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
