"""The perceptron at work: step by step, its mistakes against Novikoff's bound, the two inequalities of the proof."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from linsep.errors import InvalidData, InvalidParameter, Refused
from linsep.estimators import HardMarginSVM, Perceptron
from linsep.online.perceptron import why_no_bound
from linsep.plot.lines import draw_line, segment
from linsep.plot.points import Points, need_plane, need_two_classes, read_plane, read_points
from linsep.plot.regions import name_axes
from linsep.plot.style import (
    BLACK,
    BLUE,
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
    whole_ticks,
)
from linsep.separability.novikoff import novikoff_bound
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
    if not 0.02 <= seconds <= 60.0:
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
        ring(ax, points.X[[model.update_rows_[k - 1]]], "the example corrected", VERMILION)
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
        tip = foot + _room(foot, 1.4 * arrow, limits) * arrow
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
    points = _run_of(model, X, y)
    need_two_classes(points, picture)
    need_plane(points, picture)
    _need_trajectory(model, picture)
    return points


def _run_of(model: Any, X: Any, y: Any) -> Points:
    if not isinstance(model, Perceptron):
        raise InvalidParameter(
            f"the model is a {type(model).__name__}; this is a picture of a fitted linsep.Perceptron"
        )
    return read_points(X, y, model)


def _need_trajectory(model: Any, picture: str) -> None:
    if not hasattr(model, "trajectory_"):
        raise InvalidParameter(
            f"{picture} needs every weight vector of the run: fit Perceptron(record=True, dual=False)"
        )
    if len(model.trajectory_) < 2:
        raise InvalidData(f"{picture}: the run made no update; there is no step to show")


def _chosen(updates: Any, last: int) -> list[int]:
    if updates is None:
        return [int(k) for k in np.unique(np.linspace(1, last, min(last, 6)).round())]
    numbers = [int(k) for k in np.atleast_1d(updates)]
    if not numbers or not all(1 <= k <= last for k in numbers):
        raise InvalidParameter(f"updates={updates!r}: allowed are numbers from 1 to {last}, the updates of the run")
    return numbers


def mistakes_per_epoch(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Mistakes in every epoch and in all epochs so far, beside Novikoff's bound (R/ρ)² on the latter.

    Where the theorem does not apply (not converged, `normalize`, another start, mini-batches, …) the title says why
    and there is no bound.

    Parameters
    ----------
    model : fitted `Perceptron`
    X, y : the rows it was fitted to
    ax : matplotlib axes, optional
    """
    points = _run_of(model, X, y)
    limit, reason = bound_of(model, points)
    axes = one_axes(ax, (5.6, 3.8))
    epochs, mistakes = np.arange(1, model.n_iter_ + 1), np.asarray(model.mistakes_)
    total = np.cumsum(mistakes)
    size = 4.0 if len(epochs) <= 60 else 0.0
    axes.plot(epochs, mistakes, "s-", color=BLUE, ms=size, lw=1.4, label="mistakes in the epoch")
    axes.plot(epochs, total, "o--", color=VERMILION, ms=size, lw=1.6, label="all mistakes so far")
    if limit is not None:
        axes.axhline(limit, color=BLACK, lw=1.8, label=f"Novikoff: (R/ρ)² = {limit:,.4g}")
    else:
        axes.set_title("no bound: " + reason, fontsize="small", wrap=True)
    if max(limit or 0.0, total[-1]) > 10.0 * mistakes.max():
        axes.set_yscale("symlog", linthresh=1.0)
    axes.set(xlabel="epoch", ylabel="mistakes", xlim=(0.7, model.n_iter_ + 0.3))
    axes.set_ylim(bottom=0.0)
    whole_ticks(axes)
    legend(axes, ax, 3)
    return axes


def bound_of(model: Any, points: Points) -> tuple[float | None, str]:
    """Novikoff's bound on all mistakes of the run, summed over independent units; or why there is none."""
    reason = why_no_bound(model._at, model.status_)
    if reason is not None:
        return None, reason
    rows = points.X - points.X.mean(axis=0) if model.center else points.X
    bias = bool(model.fit_intercept)
    if len(points.classes) == 2 or model.multiclass == "kesler":
        return novikoff_bound(rows, points.codes, bias=bias), ""
    return sum(novikoff_bound(rows, points.codes == k, bias=bias) for k in range(len(points.classes))), ""


def novikoff_proof(model: Any, X: Any, y: Any, *, axes: Any = None) -> AxesArray:
    """The proof on a real run: ‖wₖ‖² ≤ kR², ⟨w*, wₖ⟩ ≥ kρ, and how both together end it by k = (R/ρ)².

    wₖ are the weights after k updates, divided by the learning rate, in the space of (x, 1) where there is a bias; w*
    is the unit normal of the maximum margin ρ through its origin.

    Parameters
    ----------
    model : fitted `Perceptron(record=True)` with the mistake-driven rule, two classes, any number of features
    X, y : the rows it was fitted to
    axes : three matplotlib axes, optional
    """
    points = _run_of(model, X, y)
    need_two_classes(points, "novikoff_proof")
    _need_trajectory(model, "novikoff_proof")
    limit, reason = bound_of(model, points)
    if limit is None or model.rule != "mistake":
        raise Refused(f"Novikoff's theorem does not apply: {reason or 'the proof is of the mistake-driven rule'}")
    squares, inner, R2, rho = proof_figures(model, points)
    panels = several_axes(axes, (1, 3), (4.2, 3.6))
    k = np.arange(len(squares))
    _curve(panels[0, 0], k, squares, "‖wₖ‖²")
    panels[0, 0].plot(k, k * R2, "--", color=BLACK, lw=1.6, label="upper bound")
    panels[0, 0].set(title="an update adds at most R²", ylabel="‖wₖ‖² and kR²")
    _curve(panels[0, 1], k, inner, "⟨w*, wₖ⟩")
    panels[0, 1].plot(k, k * rho, ":", color=BLACK, lw=2.0, label="lower bound")
    panels[0, 1].set(title="an update adds at least ρ", ylabel="⟨w*, wₖ⟩ and kρ")
    _squeeze(panels[0, 2], np.sqrt(squares), R2, rho)
    for ax in panels.flat:
        ax.set_xlabel("updates k")
    for ax in panels[0, :2]:
        ax.set_ylim(bottom=0.0)
        whole_ticks(ax)
    legend(panels, axes, 5)
    return panels.ravel()


def proof_figures(model: Any, points: Points) -> tuple[FloatArray, FloatArray, float, float]:
    """‖wₖ‖², ⟨w*, wₖ⟩ for k = 0, 1, …; R² and ρ, in the space the perceptron ran in."""
    mean = points.X.mean(axis=0) if model.center else np.zeros(points.X.shape[1])
    ones = np.ones((len(points.X), 1))
    rows = np.hstack([points.X - mean, ones]) if model.fit_intercept else points.X - mean
    best = HardMarginSVM(fit_intercept=False).fit(rows, points.codes)
    rate = 1.0 if model.learning_rate == "auto" else float(model.learning_rate)
    steps = np.asarray(model.trajectory_, dtype=np.float64) / rate
    w = steps[:, :-1]
    if model.fit_intercept:
        w = np.column_stack([w, steps[:, -1] + w @ mean])
    direction = best.coef_[0] / np.linalg.norm(best.coef_[0])
    squares = np.square(w).sum(axis=1)
    return squares, w @ direction, float(np.square(rows).sum(axis=1).max()), float(best.margin_)


def _curve(ax: Axes, k: Any, values: FloatArray, label: str) -> None:
    ax.plot(k, values, "o-", color=BLUE, ms=3, lw=1.4, label="this run")
    ax.set_ylabel(label)


def _squeeze(ax: Axes, lengths: FloatArray, R2: float, rho: float) -> None:
    limit = R2 / rho**2
    k = np.geomspace(1.0, 3.0 * limit, 200)
    ax.plot(k, np.sqrt(k * R2), "--", color=BLACK, lw=1.6)
    ax.plot(k, k * rho, ":", color=BLACK, lw=2.0)
    ax.plot(np.arange(1, len(lengths)), lengths[1:], "o-", color=BLUE, ms=3, lw=1.4)
    ax.axvline(limit, color=VERMILION, lw=1.4, label=f"(R/ρ)² = {limit:,.4g}")
    ax.set(title="kρ ≤ ‖wₖ‖ ≤ √k R", ylabel="‖wₖ‖, kρ and √k R", xscale="log", yscale="log")
