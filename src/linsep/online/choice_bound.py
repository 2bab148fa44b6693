"""How many updates the perceptron can need on an expert's choices, and whether any w agrees with all of them.

The largest margin ρ = max_{‖w‖ = 1} min ⟨w, δ⟩ over the differences δ is also the distance from 0 to their convex
hull. Lawson and Hanson find both at once: with λ ≥ 0 minimising ‖Σ λᵢδᵢ‖² + (1 − Σ λᵢ)², the residual points along
the w of largest margin, and vanishes where the hull contains 0.

Whatever the method's accuracy, what is reported is true of the data: a margin is that of the w found, so (R/ρ)² is
never too small, and a point of the hull at distance r from 0 proves that no margin exceeds r.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from scipy.optimize import nnls

from linsep.online.choice import Comparisons, dense_rows
from linsep.types import FloatArray

#: Entries of the differences up to which the largest margin is sought.
_ENTRIES = 200_000


@dataclass(frozen=True)
class Consistency:
    """What is known of the largest margin ρ.

    radius    R
    margin    ρ is at least this: the margin of the best w known; not positive where no w is known
    ceiling   ρ is at most this; ∞ where it was not sought (too many differences)
    """

    radius: float
    margin: float
    ceiling: float = inf

    @property
    def consistent(self) -> bool | None:
        """Whether some w puts every choice strictly ahead; None: not known."""
        if self.margin > 0.0:
            return True
        return False if self.ceiling <= 1e-9 * self.radius else None

    @property
    def updates(self) -> float:
        """(R/ρ)²: no order of the states makes more updates."""
        return (self.radius / self.margin) ** 2 if self.margin > 0.0 else inf


def consistency(states: Comparisons, w: FloatArray) -> Consistency:
    """Of the weights found so far, and of the largest margin where it is not too much work."""
    margin = states.margin(w)
    if states.design.n * states.design.d > _ENTRIES:
        return Consistency(states.radius, margin)
    weights, direction, nearest = _largest_margin(_differences(states))
    if not weights:
        return Consistency(states.radius, margin)
    return Consistency(states.radius, max(margin, states.margin(direction)), nearest)


def _differences(states: Comparisons) -> FloatArray:
    rows, segments = states.chosen.rows, states.chosen.segments
    phi = dense_rows(states.design)
    kept = states.same == 0
    kept[rows] = False
    delta: FloatArray = (phi[np.repeat(rows, segments.sizes)] - phi)[kept]
    return np.unique(delta, axis=0)


def _largest_margin(delta: FloatArray) -> tuple[bool, FloatArray, float]:
    """Whether it was found, the direction w, and the distance from 0 of a point of the hull."""
    scale = float(np.abs(delta).max())
    system = np.vstack([delta.T / scale, np.ones(len(delta))])
    target = np.append(np.zeros(delta.shape[1]), 1.0)
    try:
        weights, _ = nnls(system, target, maxiter=10 * max(system.shape))
    except RuntimeError:  # its own limit of iterations
        return False, np.zeros(delta.shape[1]), inf
    point = weights @ delta / weights.sum()
    return True, point, float(np.linalg.norm(point))
