"""Decision regions: which class a classifier gives to every point of a plane, and where a reduction is ambiguous."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.errors import InvalidData, InvalidParameter
from linsep.plot.points import Plane, Points, need_plane, read_plane, read_points
from linsep.plot.style import (
    BLACK,
    CLASS_COLOURS,
    Axes,
    ListedColormap,
    check_classes,
    frame,
    legend,
    one_axes,
    scatter_classes,
    tint,
)
from linsep.problem.reductions import OneVsOne
from linsep.types import FloatArray

#: Points of the grid along each axis.
GRID = 301


def decision_regions(
    model: Any, X: Any, y: Any, *, features: Any = None, fixed: Any = None, ax: Axes | None = None
) -> Axes:
    """The class that a fitted classifier, linear or not, gives to every point of a plane, and the rows there.

    Parameters
    ----------
    model : fitted classifier
        Any with `predict`, of linsep or of scikit-learn, pipelines too.
    X, y : rows and their classes
    features : pair of names or column numbers, optional
        The two features shown; needed where X has more than two.
    fixed : mapping from features to values, optional
        Where the plane lies in the other features; those not named are at their means. The rows are projected on it.
    ax : matplotlib axes, optional

    >>> from linsep import LogisticRegression, plot
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True)
    >>> model = LogisticRegression().fit(iris.data, iris.target)
    >>> ax = plot.decision_regions(model, iris.data, iris.target, features=("petal length (cm)", "petal width (cm)"))
    >>> ax.get_xlabel()
    'petal length (cm)'
    """
    points = read_points(X, y, model)
    check_classes(points.classes)
    plane = read_plane(points, features, fixed)
    axes = one_axes(ax)
    draw_regions(axes, model, plane)
    name_axes(axes, plane)
    legend(axes, ax)
    return axes


def name_axes(ax: Axes, plane: Plane) -> None:
    """Feature names, and where the others are."""
    ax.set_xlabel(plane.points.names[plane.pair[0]])
    ax.set_ylabel(plane.points.names[plane.pair[1]])
    if plane.note:
        ax.set_title(plane.note, fontsize="medium")


def draw_regions(ax: Axes, model: Any, plane: Plane) -> None:
    """Regions, their borders and the rows, without legend."""
    limits = frame(ax, plane.at)
    grid, shape = grid_of(limits)
    rows = plane.rows(grid)
    predicted = np.asarray(model.predict(rows))
    codes = (predicted[:, None] == plane.points.classes[None, :]).argmax(axis=1).reshape(shape)
    paint(ax, codes, [tint(c) for c in CLASS_COLOURS[: len(plane.points.classes)]], limits)
    for surface in _surfaces(model, rows, codes):
        contour(ax, surface, limits, [0.0])
    scatter_classes(ax, plane.at, plane.points.codes, plane.points.classes)


def grid_of(limits: tuple[float, float, float, float]) -> tuple[FloatArray, tuple[int, int]]:
    """Positions (GRID², 2) in rows from the bottom up."""
    left, right, bottom, top = limits
    across, up = np.meshgrid(np.linspace(left, right, GRID), np.linspace(bottom, top, GRID))
    return np.column_stack([across.ravel(), up.ravel()]), across.shape


def paint(ax: Axes, codes: Any, colours: list[Any], limits: tuple[float, float, float, float]) -> None:
    """A colour for every point of the grid: the centre of its pixel lies at the point."""
    left, right, bottom, top = limits
    half_x, half_y = (right - left) / (GRID - 1) / 2, (top - bottom) / (GRID - 1) / 2
    extent = (left - half_x, right + half_x, bottom - half_y, top + half_y)
    ax.imshow(
        codes,
        cmap=ListedColormap(colours),
        vmin=-0.5,
        vmax=len(colours) - 0.5,
        origin="lower",
        extent=extent,
        aspect=ax.get_aspect(),
        interpolation="nearest",
        zorder=0,
    )
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)


def contour(
    ax: Axes, surface: Any, limits: tuple[float, float, float, float], levels: list[float], **style: Any
) -> Any:
    """Lines of equal height of a surface on the grid, if it has any."""
    if not surface.min() < levels[0] < surface.max() and len(levels) == 1:
        return None
    left, right, bottom, top = limits
    looks: dict[str, Any] = {"colors": BLACK, "linewidths": 1.4, "linestyles": "solid", "zorder": 2} | style
    return ax.contour(np.linspace(left, right, GRID), np.linspace(bottom, top, GRID), surface, levels, **looks)


def _surfaces(model: Any, rows: Any, codes: Any) -> list[FloatArray]:
    """Functions on the grid that are 0 on the borders: differences of scores where the model gives them."""
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(rows), dtype=np.float64)
        if scores.ndim == 1:
            return [scores.reshape(codes.shape)]
        if scores.shape[1] == codes.max() + 1 or scores.shape[1] > 2:
            return [_lead(scores, k).reshape(codes.shape) for k in np.unique(codes)]
    return [np.where(codes == k, 0.5, -0.5) for k in np.unique(codes)]


def _lead(scores: FloatArray, k: int) -> FloatArray:
    """sₖ minus the best other score."""
    lead: FloatArray = scores[:, k] - np.delete(scores, k, axis=1).max(axis=1)
    return lead


def ambiguous_regions(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Where the binary problems of one-vs-rest or one-vs-one contradict each other: white where they do.

    One-vs-rest is ambiguous where no class claims a point (all scores negative) or several do; one-vs-one where no
    class wins all its K − 1 duels. Predictions there rest on a rule for ties, not on the binary answers.

    Parameters
    ----------
    model : fitted LinearClassifier (LinearSVM, LogisticRegression, …) with multiclass="ovr" or "ovo"
    X, y : rows of two features and their classes, at least three
    ax : matplotlib axes, optional
    """
    points = read_points(X, y, model)
    check_classes(points.classes)
    need_plane(points, "ambiguous_regions")
    name = _reduction(model, points)
    axes = one_axes(ax)
    plane = read_plane(points, None, None)
    limits = frame(axes, points.X, 0.25)
    grid, shape = grid_of(limits)
    scores = grid @ model.coef_.T + model.intercept_
    claims = _claims(scores, name, len(points.classes))
    alone = claims.sum(axis=1) == 1
    codes = np.where(alone, claims.argmax(axis=1), len(points.classes)).reshape(shape)
    paint(axes, codes, [tint(c) for c in CLASS_COLOURS[: len(points.classes)]] + ["white"], limits)
    for line in scores.T:
        contour(axes, line.reshape(shape), limits, [0.0], linewidths=1.0, linestyles="dashed")
    unclear = (codes == len(points.classes)).astype(np.float64)
    _hatch(axes, unclear, limits)
    scatter_classes(axes, points.X, points.codes, points.classes)
    name_axes(axes, plane)
    axes.set_title("one-vs-rest: one claim needed" if name == "ovr" else "one-vs-one: all duels won")
    axes.fill_between([], [], [], facecolor="white", edgecolor="0.45", hatch="////", label="ambiguous")
    legend(axes, ax, 5)
    return axes


def _hatch(ax: Axes, where: FloatArray, limits: tuple[float, float, float, float]) -> None:
    if where.any():
        left, right, bottom, top = limits
        at = np.linspace(left, right, GRID), np.linspace(bottom, top, GRID)
        filled = ax.contourf(*at, where, [0.5, 1.5], colors="none", hatches=["////"], zorder=1)
        filled.set_edgecolor("0.45")
        filled.set_linewidth(0.0)


def _reduction(model: Any, points: Points) -> str:
    K = len(points.classes)
    if K < 3:
        raise InvalidData("two classes have one margin and no ambiguous region: give three classes or more")
    chosen = getattr(model, "multiclass", None)
    if hasattr(model, "model_"):
        name = model.model_.objective.scheme.name
    else:
        name = "ovr" if isinstance(chosen, str) and chosen == "independent" else chosen
    if name not in ("ovr", "ovo") or not hasattr(model, "coef_"):
        raise InvalidParameter(
            f"multiclass={chosen!r} of {type(model).__name__}: only a linear model with multiclass='ovr' or 'ovo' has "
            "binary problems that can contradict each other"
        )
    return str(name)


def _claims(scores: FloatArray, name: str, K: int) -> Any:
    """Whether each class claims each point (m, K): its score is positive; or it wins all its duels."""
    if name == "ovr":
        return scores > 0.0
    lost = np.zeros((len(scores), K), dtype=bool)
    for score, first, second in zip(scores.T, *OneVsOne().pairs(K), strict=True):
        lost[:, first] |= score >= 0.0
        lost[:, second] |= score <= 0.0
    return ~lost
