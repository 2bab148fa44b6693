"""Bars from 0 to either side, with the intervals of what they show, as SVG."""

from __future__ import annotations

import numpy as np

from linsep.report.axes import Axis, draw_x
from linsep.report.blocks import Bar, BarChart
from linsep.report.html import Markup, joined, tag
from linsep.report.numbers import shortened, signed

WIDTH = 640
_LABELS, _RIGHT, _TOP, _LINE, _BOTTOM = 210, 60, 8, 22, 38
_LETTERS = 30


def draw(chart: BarChart) -> Markup:
    """One line a bar, its name at the left, its number at the end."""
    bottom = _TOP + _LINE * len(chart.bars)
    axis = _axis(chart)
    zero = axis.at(0.0)
    parts = [
        tag("title", chart.title),
        tag("desc", chart.description),
        draw_x(axis, bottom, _TOP, chart.value_label),
        *(_bar(bar, axis, _TOP + _LINE * k) for k, bar in enumerate(chart.bars)),
        tag("line", x1=zero, x2=zero, y1=_TOP, y2=bottom, class_="axis"),
    ]
    return tag("svg", *parts, viewBox=f"0 0 {WIDTH} {bottom + _BOTTOM}", role="img", class_="chart wide")


def _axis(chart: BarChart) -> Axis:
    """As wide as the bars; intervals that reach much further are cut off there."""
    values = np.array([bar.value for bar in chart.bars])
    ends = np.array([end for bar in chart.bars for end in (bar.low, bar.high) if end is not None])
    reach = 2.0 * float(np.abs(values).max(initial=0.0)) or 1.0
    every = np.concatenate([values, ends[np.isfinite(ends)].clip(-reach, reach), [0.0]])
    low, high = float(every.min()), float(every.max())
    if low == high:
        low, high = -1.0, 1.0
    room = 0.03 * (high - low)
    return Axis(low - (room if low < 0.0 else 0.0), high + (room if high > 0.0 else 0.0), _LABELS, WIDTH - _RIGHT)


def _bar(bar: Bar, axis: Axis, top: float) -> Markup:
    zero, end, middle = axis.at(0.0), axis.at(bar.value), top + 0.5 * _LINE
    tone = "up" if bar.value >= 0.0 else "down"
    box = tag("rect", x=min(zero, end), y=top + 4, width=abs(end - zero), height=_LINE - 8, class_=f"bar {tone}")
    name = tag(
        "text",
        tag("title", bar.label),
        shortened(bar.label, _LETTERS),
        x=_LABELS - 8,
        y=middle + 4,
        class_="name",
        text_anchor="end",
    )
    value = tag("text", signed(bar.value), x=WIDTH - 4, y=middle + 4, class_="tick", text_anchor="end")
    return joined(box, _whisker(bar, axis, middle), name, value)


def _whisker(bar: Bar, axis: Axis, middle: float) -> Markup:
    if bar.low is None or bar.high is None:
        return Markup("")
    low, high = axis.at(bar.low), axis.at(bar.high)
    caps = (tag("line", x1=x, x2=x, y1=middle - 4, y2=middle + 4, class_="error") for x in (low, high))
    return joined(tag("line", x1=low, x2=high, y1=middle, y2=middle, class_="error"), *caps)
