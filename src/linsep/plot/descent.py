"""Gradient descent: the loss against passes, the path on the contours of the objective, the minima of the sigmoid loss.

Contours are drawn of P(θ) = 1/n Σ ℓ(yᵢ⟨xᵢ, θ⟩) + Ω(w) over two weights: those of two features without intercept, or the
weight and the intercept of one feature. Steepest descent is orthogonal to them, so both axes have the same scale.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from linsep.errors import InvalidData, InvalidParameter, LinsepError, NotConverged
from linsep.estimators import GradientClassifier, LinearClassifier
from linsep.plot.points import Points, need_plane, need_two_classes, read_points
from linsep.plot.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    Axes,
    AxesArray,
    legend,
    one_axes,
    several_axes,
    whole_ticks,
)
from linsep.problem import losses
from linsep.problem.base import MarginLoss
from linsep.problem.penalties import Penalty
from linsep.types import FloatArray

#: Points of the grid of weights along each axis, and how many products of it with rows are made at a time.
_GRID = 141
_BLOCK = 4_000_000
_LOOKS = ((BLUE, "-"), (VERMILION, "--"), (GREEN, "-."), (PURPLE, ":"), (ORANGE, (0, (5, 1, 1, 1))), (SKY, "-"))


@dataclass(frozen=True, eq=False)
class Surface:
    """The objective of two weights: rows (n, 2) times their sign, whose second entry may be the 1 of an intercept."""

    rows: FloatArray
    loss: MarginLoss
    penalty: Penalty
    intercept: bool

    @property
    def names(self) -> tuple[str, str]:
        return ("w", "b") if self.intercept else ("w[0]", "w[1]")

    def value(self, theta: FloatArray) -> FloatArray:
        """P at every pair (m, 2)."""
        penalised = theta[:, :1] if self.intercept else theta
        ridge, lasso = self.penalty.shares
        out: FloatArray = (0.5 * ridge * np.square(penalised) + lasso * np.abs(penalised)).sum(axis=1)
        block = max(1, _BLOCK // len(self.rows))
        for first in range(0, len(theta), block):
            part = theta[first : first + block]
            out[first : first + block] += self.loss.value(part @ self.rows.T).mean(axis=1)
        return out

    def minimum(self) -> FloatArray | None:
        """The optimum, where the loss is convex and it exists."""
        if not self.loss.convex:
            return None
        signs = np.where(np.arange(len(self.rows)) % 2, 1.0, -1.0)  # any signs: ⟨yx, θ⟩ is the margin either way
        columns = self.rows[:, :1] if self.intercept else self.rows
        if self.intercept:
            signs = self.rows[:, 1]
        try:
            fitted = LinearClassifier(
                self.loss,
                alpha=self.penalty.alpha,
                l1_ratio=self.penalty.l1_ratio,
                fit_intercept=self.intercept,
                tol=1e-8,
            ).fit(columns * signs[:, None], signs)
        except LinsepError:
            return None
        return np.append(fitted.coef_[0], fitted.intercept_)[:2]


def surface_of(model: Any, points: Points) -> Surface:
    """The objective that the model descended on."""
    need_two_classes(points, "the contours of an objective")
    d, intercept = points.X.shape[1], bool(model.fit_intercept)
    if d + intercept != 2:
        raise InvalidData(
            f"the contours are over two weights, and the model has {d + intercept}: fit it to two features with "
            "fit_intercept=False, or to one feature with the intercept"
        )
    rows = np.column_stack([points.X, np.ones(len(points.X))]) if intercept else points.X
    penalty = Penalty(float(model.alpha_), float(model.l1_ratio))
    return Surface(rows * points.signs[:, None], losses.resolve(model.loss), penalty, intercept)


def descent_path(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """The contours of the objective and the path of gradient descent, from its start (square) to its end (disc).

    Parameters
    ----------
    model : fitted `GradientClassifier(record="epochs")` or `record="updates"`, scale=False, of two weights
        Two features and fit_intercept=False, or one feature and the intercept.
    X, y : the rows it was fitted to, and their two classes
    ax : matplotlib axes, optional
    """
    points = _descended(model, X, y)
    surface = surface_of(model, points)
    axes = one_axes(ax)
    path = _path(model, surface)
    best = surface.minimum()
    _contours(axes, surface, path if best is None else np.vstack([path, best]))
    _walk(axes, path, (BLUE, "-"), "gradient descent")
    _star(axes, best)
    axes.set_title(f"{model.n_iter_:,} pass{'es' if model.n_iter_ != 1 else ''}", fontsize="medium")
    legend(axes, ax, 3)
    return axes


def _descended(model: Any, X: Any, y: Any) -> Points:
    if not isinstance(model, GradientClassifier):
        raise InvalidParameter(
            f"the model is a {type(model).__name__}; this is a picture of a fitted linsep.GradientClassifier"
        )
    points = read_points(X, y, model)
    if not hasattr(model, "path_"):
        raise InvalidParameter("the path was not kept: fit GradientClassifier(record='epochs') or record='updates'")
    if model.scale:
        raise InvalidParameter(
            "with scale=True the steps were taken in other coordinates: fit scaled rows with scale=False, or draw "
            "scaling_and_descent"
        )
    return points


def _path(model: Any, surface: Surface) -> FloatArray:
    path: FloatArray = np.asarray(model.path_, dtype=np.float64)[:, 0, :]
    return path if surface.intercept else path[:, :2]


def _contours(ax: Axes, surface: Surface, around: FloatArray, pad: float = 0.25) -> None:
    """Lines of equal objective in a frame around the points, whose shorter side is at least half the longer."""
    low, high = around.min(axis=0), around.max(axis=0)
    span = np.maximum(high - low, max(0.5 * float((high - low).max()), 1e-9))
    low, high = (low + high - span) / 2 - pad * span, (low + high + span) / 2 + pad * span
    across, up = (np.linspace(a, b, _GRID) for a, b in zip(low, high, strict=True))
    grid = np.column_stack([m.ravel() for m in np.meshgrid(across, up)])
    heights = surface.value(grid).reshape(_GRID, _GRID)
    floor = min(float(heights.min()), float(surface.value(around).min()))
    levels = floor + (heights.max() - floor) * np.linspace(0.02, 1.0, 16) ** 2
    ax.contour(across, up, heights, np.unique(levels), colors="0.55", linewidths=0.7, zorder=1)
    ax.set_aspect("equal")
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel=surface.names[0], ylabel=surface.names[1])


def _walk(ax: Axes, path: FloatArray, look: tuple[str, Any], label: str, *, steps: bool = True) -> None:
    colour, dashes = look
    points = "." if steps and len(path) <= 300 else ""
    ax.plot(path[:, 0], path[:, 1], marker=points, ms=4, color=colour, ls=dashes, lw=1.3, zorder=3, label=label)
    ax.plot(*path[0], "s", ms=7, mfc="white", mec=colour, mew=1.6, zorder=4)
    ax.plot(*path[-1], "o", ms=7, color=colour, mec=BLACK, zorder=4)


def _star(ax: Axes, best: FloatArray | None) -> None:
    if best is not None:
        ax.plot(*best, "*", ms=13, color=ORANGE, mec=BLACK, zorder=5, label="optimum")


def scaling_and_descent(X: Any, y: Any, *, loss: Any = "log", max_epochs: int = 2000, axes: Any = None) -> AxesArray:
    """Steepest descent on features as they are, and divided by their root mean square: long valleys become round.

    The same problem twice, without intercept and penalty; the step is 1/L, L the largest curvature, and both runs stop
    when a step lowers the loss by less than 10⁻⁶.

    Parameters
    ----------
    X, y : rows of two features and their two classes, not separable (else there is no optimum)
    loss : name or `MarginLoss`
    max_epochs : of each run
    axes : two matplotlib axes, optional
    """
    points = read_points(X, y)
    need_two_classes(points, "scaling_and_descent")
    need_plane(points, "scaling_and_descent")
    size = np.sqrt(np.square(points.X).mean(axis=0))
    if not size.all():
        raise InvalidData("a feature is 0 in every row: drop it, it cannot be scaled")
    panels = several_axes(axes, (1, 2))
    for ax, rows, title in zip(panels.flat, (points.X, points.X / size), ("as given", "scaled"), strict=True):
        model = _steepest(loss, max_epochs).fit(rows, points.codes)
        surface = surface_of(model, read_points(rows, points.codes, model))
        path, best = _path(model, surface), surface.minimum()
        _contours(ax, surface, path if best is None else np.vstack([path, best]))
        _walk(ax, path, (BLUE, "-"), "steepest descent")
        _star(ax, best)
        ax.set_title(f"{title}: {model.n_iter_:,} steps")
    legend(panels, axes)
    return panels.ravel()


def _steepest(loss: Any, epochs: int) -> GradientClassifier:
    return GradientClassifier(
        loss, alpha=0.0, batch="batch", fit_intercept=False, tol_loss=1e-6, max_epochs=epochs, record="epochs"
    )


def loss_and_smoothed(model: Any, *, ax: Axes | None = None) -> Axes:
    """The objective on all rows after every pass, and the smoothed loss L ← aℓ + (1 − a)L that costs nothing to track.

    Parameters
    ----------
    model : fitted `GradientClassifier`
        With record="epochs" or "updates" the objective of every pass is known; else only at the start and the end.
    ax : matplotlib axes, optional
    """
    if not isinstance(model, GradientClassifier):
        raise InvalidParameter(
            f"the model is a {type(model).__name__}; this is a picture of a fitted linsep.GradientClassifier"
        )
    if not hasattr(model, "history_"):
        raise InvalidParameter("the model is not fitted: call fit first")
    epochs = np.array([record.epoch for record in model.history_])
    full = np.array([record.objective for record in model.history_])
    smoothed = np.array([record.smoothed for record in model.history_])
    axes = one_axes(ax, (5.6, 3.8))
    marks: dict[str, Any] = {"ms": 3.5} if len(epochs) <= 60 else {"ms": 0.0}
    known = np.isfinite(full)
    if known.all():
        axes.plot(epochs, full, "o-", color=BLACK, lw=1.6, label="objective, all rows", **marks)
    elif known.any():  # the start and the end only: no line, which would claim to know what is between
        axes.plot(epochs[known], full[known], "o", color=BLACK, ms=6, label="objective, all rows", zorder=3)
    axes.plot(epochs, smoothed, "s--", color=VERMILION, lw=1.6, label="smoothed loss", **marks)
    axes.set(xlabel="passes over the rows", ylabel="loss", xlim=(0, max(1, epochs[-1])))
    whole_ticks(axes)
    legend(axes, ax)
    return axes


def sigmoid_minima(
    X: Any, y: Any, starts: Any, *, alpha: float = 0.0, max_epochs: int = 2000, axes: Any = None
) -> AxesArray:
    """Steepest descent on the sigmoid loss from several starts: it is not convex, so the start decides the end.

    Left the contours with the paths, right the loss against passes: some runs end in a worse minimum, and on the
    plateau, where all |margins| are large and the gradient is next to nothing, a run hardly moves.

    Parameters
    ----------
    X, y : rows of one feature (weight and intercept are learned) or two (no intercept), and their two classes
    starts : rows (w, b) or (w₁, w₂)
    alpha, max_epochs : as in `GradientClassifier`
    axes : two matplotlib axes, optional
    """
    points = read_points(X, y)
    begin = np.atleast_2d(np.asarray(starts, dtype=np.float64))
    if begin.shape[1] != 2 or not np.isfinite(begin).all() or len(begin) > len(_LOOKS):
        raise InvalidParameter(f"starts={starts!r}: allowed are up to {len(_LOOKS)} rows of two finite numbers")
    intercept = points.X.shape[1] == 1
    models = [_sigmoid(points, start, (alpha, max_epochs), intercept) for start in begin]
    surface = surface_of(models[0], points)
    paths = [_path(model, surface) for model in models]
    panels = several_axes(axes, (1, 2))
    _contours(panels[0, 0], surface, np.vstack(paths), 0.1)
    for i, (model, path) in enumerate(zip(models, paths, strict=True)):
        colour, dashes = _LOOKS[i]
        label = f"from ({path[0, 0]:g}, {path[0, 1]:g})"
        _walk(panels[0, 0], path, _LOOKS[i], label, steps=False)
        values = [record.objective for record in model.history_]
        panels[0, 1].plot(np.arange(len(values)), values, color=colour, ls=dashes, lw=1.8)
    panels[0, 1].set(xlabel="passes over the rows", ylabel="objective", xscale="symlog")
    panels[0, 1].set_xlim(left=0)
    legend(panels, axes)
    return panels.ravel()


def _sigmoid(points: Points, start: FloatArray, effort: tuple[float, int], intercept: bool) -> GradientClassifier:
    alpha, epochs = effort
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        model = GradientClassifier(
            "sigmoid",
            alpha=alpha,
            batch="batch",
            start=start,
            fit_intercept=intercept,
            tol_loss=1e-9,
            max_epochs=epochs,
            record="epochs",
        )
        return model.fit(points.X, points.codes)
