"""A line search on the scores: f(t) = P(w + t p) needs u = [X 1]p once and never touches the data again."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from linsep.problem.problem import Line


def line_search(line: Line, longest: float = 1.0, natural: float | None = None) -> float:
    """A step t in (0, longest] near the minimum of P along the line; 0 where none decreases P.

    The slope is increasing for a convex loss, so a bracket and the regula falsi on it (Illinois variant) do;
    an infinite or undefined value only shortens the bracket. Ends when the slope has fallen to a tenth. The natural
    step is tried first, and taken if it gives a quarter of what the slope promises and does not go far beyond.
    """
    start, slope = line(0.0)
    if not slope < 0.0:
        return 0.0
    low, low_slope, high, high_slope = 0.0, slope, longest, None
    t, best = natural or longest, 0.0
    tried = False  # whether high was
    for _ in range(60):
        value, here = line(t)
        usable = isfinite(value) and isfinite(here)
        if usable and value <= start + 1e-4 * t * slope:
            best = t
            if abs(here) <= 0.1 * abs(slope) or (here < 0.0 and t == longest):
                return t
            if t == natural and value <= start + 0.25 * t * slope and abs(here) <= 0.9 * abs(slope):
                return t
        if usable and here < 0.0:
            low, low_slope = t, here
        else:
            high, high_slope, tried = t, here if usable else None, True
        if high_slope is not None:
            t = low - low_slope * (high - low) / (high_slope - low_slope)
            t = min(max(t, low + 0.1 * (high - low)), high - 0.1 * (high - low))
        elif tried:
            t = 0.5 * (low + high) if low > 0.0 else 0.1 * high
        else:
            t = longest
        if high - low <= 1e-12 * longest:
            break
    return best


def slope_search(slope: Callable[[float], float]) -> float:
    """A step in [0, 1] towards the minimum of a convex function that leaves a tenth of its slope, from slopes alone.

    Slopes are right to rounding where values no longer tell a decrease: near a minimum. Up to a point of slope −s the
    function falls by s or more per unit, and beyond it rises by at most the slope at the end: a step with a slope to
    rise is taken only where that proves a decrease. Behind a kink a tenth of the first slope may be far uphill.
    """
    low, low_slope, high, high_slope = 0.0, slope(0.0), 1.0, slope(1.0)
    enough = 0.1 * abs(low_slope)
    if low_slope >= 0.0:
        return 0.0
    if high_slope <= 0.0:
        return 1.0
    for tried in range(50):
        t = low - low_slope * (high - low) / (high_slope - low_slope)
        t = min(max(t, low + 0.1 * (high - low)), high - 0.1 * (high - low))
        if tried and low == 0.0:  # slopes behind a kink do not tell how far before it the minimum is
            t = 0.3 * high
        here = slope(t)
        low, low_slope, high, high_slope = (t, here, high, high_slope) if here < 0.0 else (low, low_slope, t, here)
        if high_slope <= enough and high_slope * (high - low) <= -low_slope * low:
            return high
        if low_slope >= -enough:
            break
    return low
