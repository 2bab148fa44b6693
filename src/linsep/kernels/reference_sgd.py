"""Plain twins of the stochastic gradient kernels: a step a line, as in sgd.hpp."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linsep.types import FloatArray

#: Value and slope of a row's loss: of its label and its score (margin losses) or its K scores.
RowLoss = Callable[..., tuple[float, "float | FloatArray"]]


@dataclass
class Steps:
    """The part of the C++ SgdState that a step reads and moves."""

    eta0: float
    power: float
    alpha: float
    smoothing: float
    intercept: bool
    beta: float = 0.0
    t: int = 0
    loss: float = 0.0


def sgd(
    loss: RowLoss,
    rows: tuple[FloatArray, NDArray[np.generic]],
    order: NDArray[np.int32],
    batch: int,
    w: FloatArray,
    state: Steps,
) -> FloatArray:
    """An epoch of steps; w (d + 1,) or (d + 1, K) moves in place. Returns the weights after every step."""
    X, y = np.column_stack((rows[0], np.ones(len(rows[0])))), rows[1]
    penalised = np.ones_like(w)
    penalised[-1] = 0.0
    path = []
    for begin in range(0, len(order), batch):
        chosen = order[begin : begin + batch]
        terms = [loss(y[i], X[i] @ w) for i in chosen]
        state.t += 1
        rate = state.eta0 / float(state.t) ** state.power
        state.loss = state.smoothing * float(np.mean([v for v, _ in terms])) + (1 - state.smoothing) * state.loss
        gradient = state.alpha * penalised * w
        for i, (_, slope) in zip(chosen, terms, strict=True):
            gradient += np.multiply.outer(X[i], slope) / len(chosen)
        if not state.intercept:
            gradient[-1] = 0.0
        w -= rate * gradient
        w[:-1] = np.sign(w[:-1]) * np.maximum(np.abs(w[:-1]) - rate * state.beta, 0.0)
        path.append(w.copy())
    return np.array(path)
