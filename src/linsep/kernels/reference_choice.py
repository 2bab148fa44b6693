"""Plain twins of the kernels that learn from choices (choice.hpp), on dense rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rows = NDArray[np.int64]


def choice_epoch(
    X: Array, offsets: Rows, chosen: Rows, order: Rows, strict: bool, w: Array
) -> tuple[Array, Array, list[tuple[int, int]]]:
    """One visit to every state of the order from w: the last weights, the sum of those after each visit, mistakes."""
    w, total, mistakes = w.copy(), np.zeros_like(w), []
    for state in order:
        own = int(chosen[state])
        actions = range(offsets[state], offsets[state + 1])
        rivals = [a for a in actions if (X[a] != X[own]).any()]
        rival = max(rivals, key=lambda a: X[a] @ w, default=own)
        if strict:
            wrong = bool(rivals) and X[rival] @ w >= X[own] @ w
        else:
            wrong = max(actions, key=lambda a: X[a] @ w) == rival and rival != own
        if wrong:
            w = w + X[own] - X[rival]
            mistakes.append((int(state), rival))
        total += w
    return w, total, mistakes


def choice_distances(X: Array, offsets: Rows, chosen: Rows) -> Array:
    """‖x_chosen − x_a‖² for every row."""
    own = np.repeat(chosen, np.diff(offsets))
    squares: Array = np.square(X[own] - X).sum(axis=1)
    return squares
