"""The least value of a convex function on a segment, by golden sections: where a start is looked for, and no more.

scipy.optimize has the same; importing it takes longer than most fits.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

_GOLDEN = 0.5 * (sqrt(5.0) - 1.0)


def least_between(f: Callable[[float], float], low: float, high: float, width: float = 1e-8) -> float:
    """The middle of a segment not wider than `width` that holds the minimiser of f between low and high."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = f(left), f(right)
    while high - low > width:
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = f(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = f(right)
    return 0.5 * (low + high)
