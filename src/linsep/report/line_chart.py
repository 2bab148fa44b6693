"""Lines with the bands of their intervals, as SVG."""

from __future__ import annotations

import numpy as np

from linsep.report.axes import Axis, draw_x, draw_y, spread
from linsep.report.blocks import LineChart, Series
from linsep.report.html import Markup, joined, tag
from linsep.types import FloatArray

WIDTH, HEIGHT = 400, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 24, 40
_LEGEND = 16
#: The width of a letter at most.
_LETTER = 7
#: Colours of lines, by the names of their classes in the style sheet.
COLOURS = 5


def draw(chart: LineChart) -> Markup:
    """Axes, bands, lines, marks, and a legend where there are several lines."""
    legend = _legend(chart)
    height = HEIGHT + _LEGEND * len(legend)
    x, y = _axes(chart)
    bottom, right = y.start, x.end
    parts = [
        tag("title", chart.title),
        tag("desc", chart.description),
        draw_x(x, bottom, y.end, chart.x_label),
        draw_y(y, x.start, right, chart.y_label),
        *_diagonal(chart, x, y),
        *(_band(series, k, x, y) for k, series in enumerate(chart.series)),
        *(_line(series, k, x, y) for k, series in enumerate(chart.series)),
        *_marks(chart, x, y),
        *(_entry(k, entry) for k, entry in enumerate(legend)),
    ]
    return tag("svg", *parts, viewBox=f"0 0 {WIDTH} {height}", role="img", class_="chart")


def _axes(chart: LineChart) -> tuple[Axis, Axis]:
    xs = np.concatenate([series.x for series in chart.series])
    ys = np.concatenate([values for s in chart.series for values in (s.y, s.low, s.high) if values is not None])
    if chart.x_log:
        xs = xs[xs > 0.0]
        x_range = (float(xs.min()), float(xs.max()) if xs.max() > xs.min() else 10.0 * float(xs.min()))
    else:
        x_range = spread(xs)
    x_low, x_high = chart.x_range or x_range
    y_low, y_high = chart.y_range or spread(ys)
    x = Axis(x_low, x_high, _LEFT, WIDTH - _RIGHT, chart.x_log)
    return x, Axis(y_low, y_high, HEIGHT - _BOTTOM, _TOP)


def _colour(k: int) -> str:
    return f"c{k % COLOURS + 1}"


def _points(x: FloatArray, y: FloatArray) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))


def _band(series: Series, k: int, x: Axis, y: Axis) -> Markup:
    """A surface between both ends; marked points have upright lines instead."""
    if series.low is None or series.high is None:
        return Markup("")
    across, low, high = x.place(series.x), y.place(series.low), y.place(series.high)
    if series.points:
        lines = (
            tag("line", x1=a, x2=a, y1=b, y2=c, class_=f"whisker {_colour(k)}")
            for a, b, c in zip(across, low, high, strict=True)
        )
        return joined(*lines)
    outline = _points(np.append(across, across[::-1]), np.append(low, high[::-1]))
    return tag("polygon", points=outline, class_=f"band {_colour(k)}")


def _line(series: Series, k: int, x: Axis, y: Axis) -> Markup:
    keep = np.isfinite(series.x) & np.isfinite(series.y)
    across, up = x.place(series.x[keep]), y.place(series.y[keep])
    line = tag("polyline", points=_points(across, up), class_=f"line {_colour(k)}")
    if not series.points:
        return line
    dots = (tag("circle", cx=a, cy=b, r=3.2, class_=f"dot {_colour(k)}") for a, b in zip(across, up, strict=True))
    return joined(line, *dots)


def _diagonal(chart: LineChart, x: Axis, y: Axis) -> list[Markup]:
    if not chart.diagonal:
        return []
    return [tag("line", x1=x.start, y1=y.start, x2=x.end, y2=y.end, class_="reference")]


def _marks(chart: LineChart, x: Axis, y: Axis) -> list[Markup]:
    """Upright lines, and over them their words, each a line lower."""
    places = [x.at(mark.x) for mark in chart.marks]
    lines = [tag("line", x1=place, x2=place, y1=y.start, y2=y.end, class_="mark") for place in places]
    words = []
    for k, (mark, place) in enumerate(zip(chart.marks, places, strict=True)):
        before = _goes_before(place, _LETTER * len(mark.label) + 4, (x.start, *places, WIDTH))
        offset, anchor = (-4, "end") if before else (4, "start")
        words.append(
            tag("text", mark.label, x=place + offset, y=y.end + 11 + 13 * k, class_="note", text_anchor=anchor)
        )
    return [*lines, *words]


def _goes_before(place: float, width: float, others: tuple[float, ...]) -> bool:
    """Whether words stand before their line: within the picture, on the side where the next line is further away."""
    if place + width > max(others) or place - width < min(others):
        return place + width > max(others)
    return min(place - other for other in others if other < place) > min(o - place for o in others if o > place)


def _legend(chart: LineChart) -> list[tuple[str, str]]:
    """(class of the sample, words): lines where there are several, and the diagonal."""
    several = [(f"line {_colour(k)}", s.label) for k, s in enumerate(chart.series)] if len(chart.series) > 1 else []
    return several + ([("reference", chart.diagonal)] if chart.diagonal else [])


def _entry(k: int, entry: tuple[str, str]) -> Markup:
    style, words = entry
    y = HEIGHT + _LEGEND * k + 4
    sample = tag("line", x1=_LEFT, x2=_LEFT + 22, y1=y, y2=y, class_=style)
    return joined(sample, tag("text", words, x=_LEFT + 28, y=y + 4, class_="tick"))
