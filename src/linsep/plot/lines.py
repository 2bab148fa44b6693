"""Straight lines ⟨w, x⟩ + b = 0 in a picture of two features."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.plot.style import Axes
from linsep.types import FloatArray


def segment(w: FloatArray, b: float, limits: tuple[float, float, float, float]) -> FloatArray:
    """The two points (2, 2) where the line leaves the rectangle; no points (0, 2) if it misses it or is none."""
    left, right, bottom, top = limits
    found = []
    if w[1] != 0.0:
        found += [(x, -(w[0] * x + b) / w[1]) for x in (left, right)]
    if w[0] != 0.0:
        found += [(-(w[1] * y + b) / w[0], y) for y in (bottom, top)]
    room_x, room_y = 1e-9 * (right - left), 1e-9 * (top - bottom)
    inside = [(x, y) for x, y in found if left - room_x <= x <= right + room_x and bottom - room_y <= y <= top + room_y]
    if not inside:
        return np.empty((0, 2))
    across = sorted(inside)
    return np.array([across[0], across[-1]])


def draw_line(ax: Axes, weights: FloatArray, limits: tuple[float, float, float, float], **style: Any) -> None:
    """The line of weights (w₁, w₂, b); without points where it is not in sight, so that a legend still names it."""
    ends = segment(weights[:2], float(weights[2]), limits)
    ax.plot(ends[:, 0], ends[:, 1], **style)


def weights_of(model: Any) -> FloatArray:
    """(w₁, w₂, b) of a fitted two-class linear model."""
    return np.append(np.asarray(model.coef_, dtype=np.float64)[0], np.asarray(model.intercept_, dtype=np.float64)[0])
