"""The perceptron step by step: single updates as panels, the whole run as a moving picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from linsep.errors import InvalidData, InvalidParameter
from linsep.estimators import Perceptron, parameters
from linsep.plot.lines import draw_line, segment
from linsep.plot.points import Points, need_plane, need_two_classes, read_plane, read_points
from linsep.plot.regions import name_axes
from linsep.plot.style import (
    BLACK,
    CLASS_COLOURS,
    GREY,
    HALO,
    VERMILION,
    Axes,
    AxesArray,
    FuncAnimation,
    PillowWriter,
    frame,
    legend,
    one_axes,
    pyplot,
    ring,
    scatter_classes,
    several_axes,
    tint,
)
from linsep.types import FloatArray

#: A moving picture has at most so many frames; longer runs are shown at even distances.
_MOST_FRAMES = 60


def perceptron_steps(model: Any, X: Any, y: Any, *, updates: Any = None, axes: Any = None) -> AxesArray:
    """Single updates: the line before (dashed) and after (solid), the example that made it (ringed), the new normal.

    Parameters
    ----------
    model : fitted `Perceptron(record=True)` of two classes and two features
    X, y : the rows it was fitted to
    updates : numbers from 1 to model.n_updates_, optional
        Which to show; six at even distances, the first and the last among them.
    axes : one matplotlib axes for each, optional
    """
    points = _recorded(model, X, y, "perceptron_steps")
    chosen = _chosen(updates, len(model.trajectory_) - 1)
    columns = min(3, len(chosen))
    rows = -(-len(chosen) // columns)
    panels = several_axes(axes, (rows, columns) if axes is None else (1, len(chosen)), (3.3, 3.2))
    for ax, k in zip(panels.flat, chosen, strict=False):
        draw_step(ax, model, points, k)
    for ax in list(panels.flat)[len(chosen) :]:
        ax.set_visible(False)
    legend(panels, axes, 5)
    return panels.ravel()[: len(chosen)]


def perceptron_gif(model: Any, X: Any, y: Any, path: Any, *, seconds: float = 0.8, ax: Axes | None = None) -> Path:
    """Write the run as a moving picture, from the start to the last update; the path is returned.

    Parameters
    ----------
    model : fitted `Perceptron(record=True)` of two classes and two features
    X, y : the rows it was fitted to
    path : where to write, a name that ends in .gif
    seconds : for each update
    ax : matplotlib axes, optional: their whole figure is written
    """
    points = _recorded(model, X, y, "perceptron_gif")
    target = Path(path)
    if target.suffix.lower() != ".gif":
        raise InvalidParameter(f"path={str(path)!r}: allowed is a name that ends in .gif")
    if not 0.02 <= parameters.number("seconds", seconds) <= 60.0:
        raise InvalidParameter(f"seconds={seconds!r}: allowed are 0.02 to 60 for each update")
    axes = one_axes(ax, (4.0, 4.0))
    last = len(model.trajectory_) - 1
    frames = np.unique(np.linspace(0, last, min(last + 1, _MOST_FRAMES)).round().astype(int))

    def show(k: int) -> list[Any]:
        axes.clear()
        draw_step(axes, model, points, int(k))
        return []

    figure = axes.figure.get_figure(root=True)
    assert figure is not None
    animation = FuncAnimation(figure, show, frames=[*frames, last], init_func=list)
    writer = PillowWriter(fps=1.0 / seconds)  # type: ignore[arg-type]  # slower than one a second is fine
    animation.save(target, writer=writer, dpi=80)
    if ax is None:
        pyplot.close(figure)
    return target


def draw_step(ax: Axes, model: Any, points: Points, k: int) -> None:
    """What update k did; k = 0 is the start."""
    ax.set_aspect("equal")
    limits = frame(ax, points.X, 0.15)
    after = model.trajectory_[k]
    _fill_sides(ax, after, limits)
    if k > 0:
        draw_line(ax, model.trajectory_[k - 1], limits, color=GREY, ls="--", lw=1.4, label="before")
        words = "the example corrected" if model.batch in ("incremental", 1) else "the first of those corrected"
        ring(ax, points.X[[model.update_rows_[k - 1]]], words, VERMILION)
    draw_line(ax, after, limits, color=BLACK, lw=1.8, label="after")
    _normal(ax, after, limits)
    scatter_classes(ax, points.X, points.codes, points.classes, 22.0)
    name_axes(ax, read_plane(points, None, None))
    wrong = int((points.signs * (points.X @ after[:2] + after[2]) <= 0.0).sum())
    ax.set_title(f"update {k} of {len(model.trajectory_) - 1}: {wrong} wrong", fontsize="medium")


def _fill_sides(ax: Axes, weights: FloatArray, limits: tuple[float, float, float, float]) -> None:
    left, right, bottom, top = limits
    at = np.array([left, right]), np.array([bottom, top])
    corners = weights[0] * at[0][None, :] + weights[1] * at[1][:, None] + weights[2]
    colours = [tint(CLASS_COLOURS[0]), tint(CLASS_COLOURS[1])]
    if weights.any():
        ax.contourf(*at, corners, [-np.inf, 0.0, np.inf], colors=colours, zorder=0)


def _normal(ax: Axes, weights: FloatArray, limits: tuple[float, float, float, float]) -> None:
    """The direction of w, from the middle of the line; its length is not to scale."""
    ends = segment(weights[:2], float(weights[2]), limits)
    length = float(np.hypot(weights[0], weights[1]))
    if not len(ends):
        ax.text(0.5, 0.03, "no line in sight", transform=ax.transAxes, ha="center", fontsize="small", zorder=5)
    else:
        foot = ends.mean(axis=0)
        arrow = 0.16 * max(limits[1] - limits[0], limits[3] - limits[2]) * weights[:2] / length
        tip = foot + _room(foot, 1.7 * arrow, limits) * arrow
        shape = {"arrowstyle": "-|>", "lw": 1.6, "color": BLACK, "shrinkA": 0.0, "shrinkB": 0.0}
        ax.annotate("", tip, foot, arrowprops=shape, zorder=5)
        x, y = foot + 1.25 * (tip - foot)
        ax.text(x, y, "w", ha="center", va="center", style="italic", zorder=5, clip_on=True, path_effects=HALO)


def _room(foot: FloatArray, arrow: FloatArray, limits: tuple[float, float, float, float]) -> float:
    """The part of the arrow, at most 1, that stays within the limits."""
    ends = np.where(arrow > 0.0, (limits[1], limits[3]), (limits[0], limits[2]))
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.nanmin(np.append((ends - foot) / arrow, 1.0)))


def _recorded(model: Any, X: Any, y: Any, picture: str) -> Points:
    """Two classes, two features, every weight vector kept."""
    points = run_of(model, X, y)
    need_two_classes(points, picture)
    need_plane(points, picture)
    need_trajectory(model, picture)
    return points


def run_of(model: Any, X: Any, y: Any) -> Points:
    if not isinstance(model, Perceptron):
        raise InvalidParameter(
            f"the model is a {type(model).__name__}; this is a picture of a fitted linsep.Perceptron"
        )
    points = read_points(X, y, model)
    if len(points.X) != model.n_rows_:
        raise InvalidData(f"X has {len(points.X)} rows and the model was fitted to {model.n_rows_}: give those")
    return points


def need_trajectory(model: Any, picture: str) -> None:
    if not hasattr(model, "trajectory_"):
        raise InvalidParameter(
            f"{picture} needs every weight vector of the run: fit Perceptron(record=True, dual=False)"
        )
    if len(model.trajectory_) < 2:
        raise InvalidData(f"{picture}: the run made no update; there is no step to show")


def _chosen(updates: Any, last: int) -> list[int]:
    if updates is None:
        return [int(k) for k in np.unique(np.linspace(1, last, min(last, 6)).round())]
    given = np.atleast_1d(updates)
    numbers = [int(k) for k in given] if given.dtype.kind in "iu" else []
    if not numbers or not all(1 <= k <= last for k in numbers):
        raise InvalidParameter(f"updates={updates!r}: allowed are numbers from 1 to {last}, the updates of the run")
    return numbers
