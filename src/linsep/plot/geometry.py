"""Points and a line: projections, and what proves that classes can or cannot be told apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.errors import InvalidParameter
from linsep.geometry import Hyperplane
from linsep.plot.lines import draw_line, weights_of
from linsep.plot.points import need_plane, need_two_classes, read_plane, read_points
from linsep.plot.regions import name_axes
from linsep.plot.style import BLACK, GREY, HALO, VERMILION, Axes, frame, legend, one_axes, ring, scatter_classes
from linsep.separability import Separability
from linsep.types import FloatArray


def projections(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Every row with its projection on the line of a hyperplane; its distance, signed by its class, is its margin.

    Parameters
    ----------
    model : `Hyperplane`, or fitted two-class linear model
    X, y : rows of two features and their classes; up to 12 rows are marked with their geometric margin
    ax : matplotlib axes, optional
    """
    points = read_points(X, y)
    need_two_classes(points, "projections")
    need_plane(points, "projections")
    plane = model if isinstance(model, Hyperplane) else Hyperplane(weights_of(model)[:2], float(weights_of(model)[2]))
    feet, margins = plane.project(points.X), points.signs * plane.signed_distance(points.X)
    axes = one_axes(ax, (5.4, 4.8))
    axes.set_aspect("equal")
    limits = frame(axes, np.vstack([points.X, feet]), 0.12)
    draw_line(axes, np.append(plane.normal, plane.offset), limits, color=BLACK, lw=1.8, label="⟨w, x⟩ + b = 0")
    for right, colour, dashes, words in ((True, GREY, "-", "margin > 0"), (False, VERMILION, "--", "margin ≤ 0")):
        for place in np.flatnonzero((margins > 0.0) == right):
            ends = np.array([points.X[place], feet[place]])
            axes.plot(ends[:, 0], ends[:, 1], color=colour, lw=1.2, ls=dashes, label=words)
    if len(margins) <= 12:
        _number(axes, points.X, feet, margins)
    _normal(axes, plane, feet)
    scatter_classes(axes, points.X, points.codes, points.classes)
    name_axes(axes, read_plane(points, None, None))
    legend(axes, ax, 3)
    return axes


def _number(ax: Axes, at: FloatArray, feet: FloatArray, margins: FloatArray) -> None:
    """Every margin beyond its point, as seen from the line: no segment runs through it."""
    for point, foot, margin in zip(at, feet, margins, strict=True):
        away = (point - foot) / max(float(np.linalg.norm(point - foot)), 1e-300)
        place: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": "small", "path_effects": HALO}
        ax.annotate(f"{margin:.2f}", point, (17.0 * away[0], 11.0 * away[1]), textcoords="offset points", **place)


def _normal(ax: Axes, plane: Hyperplane, feet: FloatArray) -> None:
    """The unit normal, from the middle of the projections."""
    foot, unit = feet.mean(axis=0), plane.normalised.normal
    ax.annotate("", foot + unit, foot, arrowprops={"arrowstyle": "-|>", "color": BLACK, "lw": 1.8}, zorder=5)
    ax.annotate("w/‖w‖", foot + unit, (4, -12), textcoords="offset points", path_effects=HALO, zorder=5)


def separation(verdict: Separability, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """What proves a verdict of `separability` in the plane: the line, or the point that both convex hulls share.

    Parameters
    ----------
    verdict : what `separability(X, y)` returned
    X, y : the same rows, two features and two classes
    ax : matplotlib axes, optional
    """
    if not isinstance(verdict, Separability):
        raise InvalidParameter(f"the verdict is a {type(verdict).__name__}; give what separability(X, y) returned")
    points = read_points(X, y)
    need_two_classes(points, "separation")
    need_plane(points, "separation")
    axes = one_axes(ax, (4.6, 4.4))
    limits = frame(axes, points.X, 0.12)
    if verdict.w is not None:
        draw_line(axes, np.append(verdict.w, verdict.b), limits, color=BLACK, lw=1.8, label="the line of the verdict")
    scatter_classes(axes, points.X, points.codes, points.classes)
    if verdict.hull is not None:
        rows, weights = verdict.hull.rows, verdict.hull.values
        common = 2.0 * (weights * (points.codes[rows] == 1)) @ points.X[rows]
        for row in rows:
            ends = np.array([points.X[row], common])
            axes.plot(ends[:, 0], ends[:, 1], color=GREY, lw=1.0, ls=":", zorder=2)
        axes.plot(*common, "*", color=VERMILION, ms=15, mec=BLACK, zorder=5, ls="none", label="a point of both hulls")
        ring(axes, points.X[rows], "rows it is a mean of")
    axes.set_title(verdict.verdict.name.replace("_", " ").lower(), fontsize="medium")
    name_axes(axes, read_plane(points, None, None))
    legend(axes, ax, 3)
    return axes
