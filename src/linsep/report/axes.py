"""Axes: numbers to places, and ticks at numbers that people count in.

The steps are 1, 2 or 5 times a power of ten; on a logarithmic axis the ticks are powers of ten.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np

from linsep.report.html import Markup, joined, tag
from linsep.report.numbers import number
from linsep.types import FloatArray

#: As far as an axis reaches: differences of such numbers, and steps beyond them, are still numbers.
_FAR = 1e300


@dataclass(frozen=True)
class Axis:
    """From the numbers low … high to the places start … end; what is further than float64 counts is at an end."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(self, name, min(max(getattr(self, name), -_FAR), _FAR))

    def place(self, values: FloatArray) -> FloatArray:
        """Values beyond the ends are drawn at them."""
        low, high = self._scaled(np.array([self.low, self.high]))
        share = (self._scaled(np.clip(values, self.low, self.high)) - low) / (high - low)
        places: FloatArray = self.start + share * (self.end - self.start)
        return places

    def at(self, value: float) -> float:
        return float(self.place(np.array([value]))[0])

    def ticks(self, most: int = 6) -> list[float]:
        return _log_ticks(self.low, self.high, most) if self.log else linear_ticks(self.low, self.high, most)

    def _scaled(self, values: FloatArray) -> FloatArray:
        return np.log10(values) if self.log else values


def linear_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """
    >>> linear_ticks(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    rough = (high - low) / max(most - 1, 1)
    power = 10.0 ** floor(log10(rough))
    step = next(power * f for f in (1.0, 2.0, 5.0, 10.0) if power * f >= rough * (1.0 - 1e-9))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def _log_ticks(low: float, high: float, most: int) -> list[float]:
    """Powers of ten, every second or third where they are many; between them 2 and 5 where they are few."""
    first, last = ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9)
    if last - first < 1:
        return [f * 10.0**k for k in range(first - 1, last + 1) for f in (1.0, 2.0, 5.0) if low <= f * 10.0**k <= high]
    step = ceil((last - first + 1) / most)
    return [10.0**k for k in range(first, last + 1, step)]


def spread(values: FloatArray, margin: float = 0.04) -> tuple[float, float]:
    """The range of the finite values and a little more; never empty."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    room = margin * (high - low) or 0.5 * abs(low) or 0.5
    return low - room, high + room


def draw_x(axis: Axis, bottom: float, top: float, label: str) -> Markup:
    """Ticks below, fine lines up to the top, and what is measured."""
    parts = []
    for tick in axis.ticks():
        x = axis.at(tick)
        parts.append(tag("line", x1=x, x2=x, y1=bottom, y2=top, class_="grid"))
        parts.append(tag("text", number(tick, 3), x=x, y=bottom + 14, class_="tick", text_anchor="middle"))
    middle = 0.5 * (axis.start + axis.end)
    parts.append(tag("text", label, x=middle, y=bottom + 30, class_="label", text_anchor="middle"))
    return joined(*parts)


def draw_y(axis: Axis, left: float, right: float, label: str) -> Markup:
    """Ticks at the left, fine lines to the right; what is measured stands above, where it can be read."""
    parts = []
    for tick in axis.ticks():
        y = axis.at(tick)
        parts.append(tag("line", x1=left, x2=right, y1=y, y2=y, class_="grid"))
        parts.append(tag("text", number(tick, 3), x=left - 5, y=y + 3.5, class_="tick", text_anchor="end"))
    parts.append(tag("text", label, x=4, y=12, class_="label"))
    return joined(*parts)
