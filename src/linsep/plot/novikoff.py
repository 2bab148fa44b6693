"""Novikoff's theorem on a real run: mistakes against the bound (R/ρ)², and the two inequalities of its proof."""

from __future__ import annotations

from typing import Any

import numpy as np

from linsep.errors import Refused
from linsep.estimators import HardMarginSVM
from linsep.online.perceptron import why_no_bound
from linsep.plot.perceptron import need_trajectory, run_of
from linsep.plot.points import Points, need_two_classes
from linsep.plot.style import (
    BLACK,
    BLUE,
    VERMILION,
    Axes,
    AxesArray,
    legend,
    one_axes,
    several_axes,
    whole_ticks,
)
from linsep.separability.novikoff import novikoff_bound
from linsep.types import FloatArray


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
    points = run_of(model, X, y)
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
    reason = why_no_bound(model._at, model.status_, model._judged.separable)
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
    points = run_of(model, X, y)
    need_two_classes(points, "novikoff_proof")
    need_trajectory(model, "novikoff_proof")
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
