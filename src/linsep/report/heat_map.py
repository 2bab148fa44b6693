"""Counts in squares, darker where they are a larger share of their row, as SVG."""

from __future__ import annotations

from linsep.report.blocks import HeatMap
from linsep.report.html import Markup, joined, tag
from linsep.report.numbers import count, percent, shortened

_LABELS, _TOP, _RIGHT, _BOTTOM = 165, 124, 90, 8
_LETTERS = 20
#: Side of a square, by how many there are.
_FEW, _LARGE, _SMALL = 5, 74, 34
#: How much colour a square has, from none of its row to all of it: letters stay readable on all of them.
FAINT, DENSE = 0.04, 0.5


def draw(chart: HeatMap) -> Markup:
    """Rows are what is true, columns what was predicted."""
    side = _LARGE if len(chart.columns) <= _FEW else _SMALL
    few = side == _LARGE
    top = 44 if few else _TOP
    width = _LABELS + side * len(chart.columns) + (8 if few else _RIGHT)
    height = top + 0.6 * side * len(chart.rows) + _BOTTOM if few else top + side * len(chart.rows) + _BOTTOM
    tall = 0.6 * side if few else side
    parts = [
        tag("title", chart.title),
        tag("desc", chart.description),
        tag("text", f"{chart.row_label} ↓   {chart.column_label} →", x=4, y=14, class_="label"),
        *(_row_name(name, top + tall * (i + 0.5) + 4) for i, name in enumerate(chart.rows)),
        *(_column_name(name, _LABELS + side * (j + 0.5), top - 6, few) for j, name in enumerate(chart.columns)),
        *(
            _square(chart, (i, j), (_LABELS + side * j, top + tall * i), (side, tall))
            for i in range(len(chart.rows))
            for j in range(len(chart.columns))
        ),
    ]
    style = f"min-width: {int(0.9 * width)}px; max-width: {int(1.4 * width)}px"
    return tag("svg", *parts, viewBox=f"0 0 {width} {height:g}", role="img", class_="chart map", style=style)


def _row_name(name: str, y: float) -> Markup:
    return tag(
        "text", tag("title", name), shortened(name, _LETTERS), x=_LABELS - 8, y=y, class_="name", text_anchor="end"
    )


def _column_name(name: str, x: float, y: float, upright: bool) -> Markup:
    """Aslant where there are many."""
    shown = shortened(name, 11 if upright else _LETTERS)
    if upright:
        return tag("text", tag("title", name), shown, x=x, y=y, class_="name", text_anchor="middle")
    turned = f"rotate(-40 {x:g} {y:g})"
    return tag("text", tag("title", name), shown, x=x, y=y, class_="name", transform=turned)


def _square(chart: HeatMap, cell: tuple[int, int], corner: tuple[float, float], size: tuple[float, float]) -> Markup:
    total, share = float(chart.counts[cell]), float(chart.shares[cell])
    x, y = corner
    colour = "hit" if chart.rows[cell[0]] == chart.columns[cell[1]] else "miss"
    words = f"{chart.rows[cell[0]]} → {chart.columns[cell[1]]}: {count(total)} ({percent(share)})"
    box = tag(
        "rect",
        tag("title", words),
        x=x + 1,
        y=y + 1,
        width=size[0] - 2,
        height=size[1] - 2,
        rx=3,
        class_=f"square {colour}",
        fill_opacity=round(FAINT + (DENSE - FAINT) * share, 3),
    )
    if total == 0.0:
        return box
    middle, line = x + 0.5 * size[0], y + 0.5 * size[1]
    if size[0] < _LARGE:
        return joined(box, tag("text", count(total), x=middle, y=line + 4, class_="figure", text_anchor="middle"))
    above = tag("text", count(total), x=middle, y=line - 1, class_="figure", text_anchor="middle")
    below = tag("text", percent(share), x=middle, y=line + 13, class_="figure small", text_anchor="middle")
    return joined(box, above, below)
