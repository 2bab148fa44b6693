"""The hyperplane with its margins and support vectors; margins in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.errors import InvalidData
from linsep.estimators import Perceptron
from linsep.geometry import Hyperplane, geometric_margins
from linsep.plot.points import Points, need_plane, need_two_classes, read_plane, read_points
from linsep.plot.regions import contour, grid_of, name_axes
from linsep.plot.style import (
    BLACK,
    CLASS_COLOURS,
    GREY,
    VERMILION,
    Axes,
    frame,
    legend,
    one_axes,
    ring,
    scatter_classes,
    tint,
    whole_ticks,
)
from linsep.types import FloatArray, IntArray

#: A margin of 1 up to this is on the margin.
_ON = 1e-6
_SUPPORT_LOSSES = ("hinge", "squared_hinge")


def hyperplane(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """The boundary of a two-class model in a plane, its margins, and the rows that hold it, with equal axes.

    Support vector machines (`HardMarginSVM`, `LinearSVM`, `KernelSVM`): dashed lines where the score is ±1, a ring
    around every support vector. Other linear models that make no mistake: dashed lines at the distance of the nearest
    row, which is ringed. Otherwise the boundary alone.

    Parameters
    ----------
    model : fitted two-class model with `decision_function`
    X, y : the rows it was fitted to, two features, and their classes
    ax : matplotlib axes, optional
    """
    points = read_points(X, y, model)
    need_two_classes(points, "hyperplane")
    need_plane(points, "hyperplane")
    if not hasattr(model, "decision_function"):
        raise InvalidData(f"{type(model).__name__} has no decision_function: a boundary is where the score is 0")
    level, rows, meaning = held_by(model, points)
    axes = one_axes(ax, (5.4, 4.6))
    axes.set_aspect("equal")
    limits = frame(axes, points.X, 0.12)
    grid, shape = grid_of(limits)
    scores = np.asarray(model.decision_function(points.like(grid)), dtype=np.float64).reshape(shape)
    contour(axes, scores, limits, [0.0], linewidths=1.8)
    axes.plot([], [], color=BLACK, lw=1.8, label="score 0")
    if level is not None:
        contour(axes, scores, limits, [-level, level], linewidths=1.2, linestyles="dashed", colors=GREY)
        axes.plot([], [], color=GREY, lw=1.2, ls="--", label=_line_words(model, level))
    scatter_classes(axes, points.X, points.codes, points.classes)
    ring(axes, points.X[rows], meaning)
    name_axes(axes, read_plane(points, None, None))
    legend(axes, ax, 3)
    return axes


def _line_words(model: Any, level: float) -> str:
    if not hasattr(model, "coef_"):
        return f"score ±{level:.3g}"
    width = level / Hyperplane.of(model).norm
    return f"{'score ±1, ' if level == 1.0 else ''}distance {width:.3g}"


def held_by(model: Any, points: Points) -> tuple[float | None, IntArray, str]:
    """The score of the margin lines, the rows that hold the boundary, and what they are called."""
    scores = np.asarray(model.decision_function(points.given), dtype=np.float64)
    functional = points.signs * scores
    if hasattr(model, "support_"):
        dual = isinstance(model, Perceptron)
        _check_support(model, points, dual)
        return (None if dual else 1.0), model.support_, "support vectors" + (" (αᵢ > 0)" if dual else "")
    objective = getattr(getattr(model, "model_", None), "objective", None)
    if objective is not None and objective.loss.name in _SUPPORT_LOSSES:
        return 1.0, np.flatnonzero(functional <= 1.0 + _ON), "support vectors (margin ≤ 1)"
    smallest = float(functional.min())
    if smallest > 0.0:
        words = "nearest row" if hasattr(model, "coef_") else "smallest margin"
        return smallest, np.flatnonzero(functional <= smallest * (1.0 + _ON)), words
    return None, np.empty(0, dtype=np.int64), ""


def _check_support(model: Any, points: Points, dual: bool) -> None:
    """The model names its support vectors by the numbers of the rows it was fitted to."""
    numbers, vectors = model.support_, getattr(model, "support_vectors_", None)
    same = len(numbers) == 0 or numbers.max() < len(points.X)
    if same and not dual and type(vectors) is np.ndarray and vectors.shape[1] == points.X.shape[1]:
        same = np.array_equal(points.X[numbers], vectors)
    if not same:
        raise InvalidData("X does not hold the model's support vectors in their rows: give the rows it was fitted to")


def ordered_margins(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """The margins of all rows from the smallest to the largest: mistakes, doubtful rows, safe rows.

    Geometric margins (distances from the boundary, negative on the wrong side) for a linear model; y·score for a kernel
    machine of two classes.

    Parameters
    ----------
    model : fitted model
    X, y : rows and their classes
    ax : matplotlib axes, optional
    """
    points = read_points(X, y, model)
    values, words = _margins(model, points)
    order = np.argsort(values, kind="stable")
    values = values[order]
    axes = one_axes(ax, (5.6, 3.8))
    wrong = values <= 0.0
    edges = np.arange(len(values) + 1) + 0.5
    for part, colour, label in ((wrong, VERMILION, "margin ≤ 0"), (~wrong, CLASS_COLOURS[0], "margin > 0")):
        if part.any():
            shown = np.append(part, False) | np.append(False, part)
            looks: dict[str, Any] = {"color": tint(colour, 0.75), "fill": True, "label": f"{label}: {part.sum()} rows"}
            axes.stairs(values[part], edges[shown], **looks)
    axes.stairs(values, edges, color=BLACK, lw=1.0)
    axes.axhline(0.0, color=BLACK, lw=0.8)
    axes.set(xlabel="rows in the order of their margins", ylabel=words, xlim=(0.5, len(values) + 0.5))
    whole_ticks(axes)
    legend(axes, ax)
    return axes


def _margins(model: Any, points: Points) -> tuple[FloatArray, str]:
    y = points.classes[points.codes]
    if hasattr(model, "coef_"):
        return geometric_margins(model, points.X, y), "geometric margin, y(⟨w, x⟩ + b)/‖w‖"
    if len(points.classes) != 2 or not hasattr(model, "decision_function"):
        raise InvalidData(
            f"{type(model).__name__} with {len(points.classes)} classes has no margin of a row: give a linear model, "
            "or two classes and a model with decision_function"
        )
    return points.signs * np.asarray(model.decision_function(points.given)), "margin, y · score"
