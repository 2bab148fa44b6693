"""The referee's objective F(w, b) = C sum_i loss(y_i, <x_i, w> + b) + 1/2 ||w||^2, or + ||w||_1.

Written with NumPy alone and in float64, whatever the type of X: rows are converted block by block.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.types import Data, Fit, Task

BLOCK = 16_384
Array = NDArray[np.float64]


def objective(task: Task, data: Data, fit: Fit) -> float:
    """F at the entrant's own weights; +inf if any of them is not finite."""
    coef = np.atleast_2d(np.asarray(fit.coef, dtype=np.float64))
    intercept = np.asarray(fit.intercept, dtype=np.float64).reshape(-1)
    rows = task.classes if task.multiclass else 1
    if coef.shape != (rows, task.d) or intercept.shape != (rows,):
        raise ValueError(f"coef {coef.shape} and intercept {intercept.shape}, expected ({rows}, {task.d}), ({rows},)")
    if not task.intercept and np.any(intercept != 0):
        raise ValueError("an intercept was returned for a workload without one")
    if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
        return float("inf")
    total = 0.0
    for start in range(0, task.n, BLOCK):
        stop = min(start + BLOCK, task.n)
        X = data.X[start:stop].astype(np.float64)
        scores = np.asarray(X @ coef.T) + intercept
        total += float(np.sum(LOSSES[task.loss](scores, data.y[start:stop])))
    return task.C * total + (float(np.abs(coef).sum()) if task.l1 else 0.5 * float(np.sum(coef * coef)))


def accuracy(task: Task, data: Data, fit: Fit) -> float:
    """Share of the training rows on the right side, a sanity check of the workload."""
    scores = np.asarray(data.X @ np.atleast_2d(fit.coef).T.astype(np.float64)) + np.ravel(fit.intercept)
    guess = scores.argmax(axis=1) if task.multiclass else (scores[:, 0] > 0).astype(np.int64)
    return float(np.mean(guess == data.y))


def _margins(scores: Array, y: NDArray[np.int64]) -> Array:
    return np.asarray(np.where(y == 1, scores[:, 0], -scores[:, 0]))


def _log(scores: Array, y: NDArray[np.int64]) -> Array:
    return np.asarray(np.logaddexp(0.0, -_margins(scores, y)))


def _hinge(scores: Array, y: NDArray[np.int64]) -> Array:
    return np.asarray(np.maximum(0.0, 1.0 - _margins(scores, y)))


def _squared_hinge(scores: Array, y: NDArray[np.int64]) -> Array:
    return _hinge(scores, y) ** 2


def _softmax(scores: Array, y: NDArray[np.int64]) -> Array:
    top = scores.max(axis=1, keepdims=True)
    return np.asarray(np.log(np.exp(scores - top).sum(axis=1)) + top[:, 0] - scores[np.arange(len(y)), y])


def _crammer_singer(scores: Array, y: NDArray[np.int64]) -> Array:
    own = scores[np.arange(len(y)), y]
    raised = scores + 1.0
    raised[np.arange(len(y)), y] -= 1.0
    return np.asarray(raised.max(axis=1) - own)


LOSSES: dict[str, Callable[[Array, NDArray[np.int64]], Array]] = {
    "log": _log,
    "hinge": _hinge,
    "squared_hinge": _squared_hinge,
    "softmax": _softmax,
    "crammer_singer": _crammer_singer,
}


def describe(data: Data) -> tuple[int, int, int, bool]:
    """Rows, columns, classes, and whether X is sparse."""
    n, d = data.X.shape
    return n, d, int(data.y.max()) + 1, sparse.issparse(data.X)
