"""What becomes of the perceptron by its data: flipped labels, the order of the examples, its many solutions."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from linsep.errors import InvalidParameter, NotConverged
from linsep.estimators import HardMarginSVM, LogisticRegression, Perceptron, parameters
from linsep.plot.lines import draw_line, segment, weights_of
from linsep.plot.points import Points, need_plane, need_two_classes, read_plane, read_points
from linsep.plot.regions import name_axes
from linsep.plot.style import (
    BLACK,
    BLUE,
    GREY,
    SKY,
    VERMILION,
    Axes,
    AxesArray,
    frame,
    legend,
    one_axes,
    ring,
    scatter_classes,
    several_axes,
    tint,
    whole_ticks,
)
from linsep.separability.novikoff import novikoff_bound
from linsep.types import BoolArray


def flipped_labels(
    X: Any,
    y: Any,
    *,
    shares: Iterable[float] = (0.0, 0.2, 0.3),
    epochs: int = 40,
    random_state: Any = None,
    axes: Any = None,
) -> AxesArray:
    """The perceptron where a share of the labels is flipped: it no longer settles, and its pocket is what to keep.

    Above, the rows (flipped ones ringed) with the last line and the pocket's, the best by training accuracy; below, the
    mistakes in every epoch.

    Parameters
    ----------
    X, y : rows of two features and their two classes
    shares : of the labels flipped, each from 0 to 0.5; a column of panels for each
    epochs : at most, for each run
    random_state : seeds the choice of the labels and the order of the examples
    axes : two rows of matplotlib axes, optional
    """
    points = _plane_of(X, y, "flipped_labels")
    parts = [parameters.number("shares", share) for share in shares]
    if not parts or not all(share <= 0.5 for share in parts):
        raise InvalidParameter(f"shares={shares!r}: allowed are numbers from 0 to 0.5")
    seed, budget = parameters.seed(random_state), parameters.whole("epochs", epochs, 1)
    panels = several_axes(axes, (2, len(parts)), (3.5, 3.1))
    for column, share in enumerate(parts):
        flipped = flip(len(points.codes), share, seed)
        model = _settled(points, np.where(flipped, 1 - points.codes, points.codes), budget, seed)
        seen = _noisy(panels[0, column], points, flipped, model)
        panels[0, column].set_title(f"{share:.0%} flipped" + ("" if seen else ", last line out of sight"))
        _mistakes(panels[1, column], points, flipped, model)
    top = max(ax.get_ylim()[1] for ax in panels[1])
    for ax in panels[1]:
        ax.set(xlim=(0.5, budget + 0.5), ylim=(0.0, top))
    panels[1, 0].set_ylabel("mistakes in the epoch")
    legend(panels, axes, 5)
    return panels


def flip(n: int, share: float, seed: int) -> BoolArray:
    """Which of n labels are flipped: the share of them, rounded, drawn without replacement."""
    chosen = np.zeros(n, dtype=bool)
    chosen[np.random.default_rng(seed).permutation(n)[: round(share * n)]] = True
    return chosen


def _settled(points: Points, codes: Any, epochs: int, seed: int) -> Perceptron:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        model = Perceptron(pocket="epoch", record=True, max_epochs=epochs, random_state=seed)
        return model.fit(points.X, codes)


def _mistakes(ax: Axes, points: Points, flipped: BoolArray, model: Perceptron) -> None:
    """Mistakes in every epoch, and what the last weights and the pocket's are worth on the labels as flipped."""
    ax.bar(np.arange(1, model.n_iter_ + 1), model.mistakes_, color=tint(BLUE, 0.75), width=1.0)
    state = "converged" if model.converged_ else f"stopped at epoch {model.n_iter_}"
    last = _last(points, flipped, model)
    ax.set_title(f"{state}\nlast line {last:.0%} right, pocket {model.accuracy_:.0%}", fontsize="medium")
    ax.set_xlabel("epoch")
    whole_ticks(ax)


def _last(points: Points, flipped: BoolArray, model: Perceptron) -> float:
    """The training accuracy of the last weights."""
    last = model.trajectory_[-1]
    signs = np.where(flipped, -points.signs, points.signs)
    return float(np.mean(signs * (points.X @ last[:2] + last[2]) > 0.0))


def _noisy(ax: Axes, points: Points, flipped: BoolArray, model: Perceptron) -> bool:
    """The rows, the last line and the pocket's; whether the last line is in sight."""
    limits = frame(ax, points.X)
    last = model.trajectory_[-1]
    draw_line(ax, last, limits, color=VERMILION, ls="--", lw=1.6, label="last line")
    draw_line(ax, weights_of(model), limits, color=BLACK, lw=2.0, label="pocket")
    scatter_classes(ax, points.X, np.where(flipped, 1 - points.codes, points.codes), points.classes, 16.0)
    ring(ax, points.X[flipped], "flipped", GREY, 60.0)
    name_axes(ax, read_plane(points, None, None))
    return len(segment(last[:2], float(last[2]), limits)) > 0


def order_of_examples(X: Any, y: Any, *, runs: int = 10, max_epochs: int = 10_000, axes: Any = None) -> AxesArray:
    """The order of the examples where the margin is small: as given, against shuffled in every epoch.

    What counts is the margin through the origin of (x, 1) beside the length of the rows there, Novikoff's (R/ρ)²: rows
    away from the origin make it large, and then sorted classes can take a hundred times the epochs; on other rows the
    order matters little. Left the rows with the maximum-margin line; right the mistakes so far against epochs, until an
    epoch without any.

    Parameters
    ----------
    X, y : rows of two features and their two classes, in the order that is called given (sorted by class, for example)
    runs : shuffled runs, seeded 0, 1, …
    max_epochs : of each run
    axes : two matplotlib axes, optional
    """
    points = _plane_of(X, y, "order_of_examples")
    count = parameters.whole("runs", runs, 1)
    budget = parameters.whole("max_epochs", max_epochs, 1)
    best = HardMarginSVM().fit(points.X, points.codes)
    panels = several_axes(axes, (1, 2))
    limits = frame(panels[0, 0], points.X)
    draw_line(panels[0, 0], weights_of(best), limits, color=BLACK, lw=1.6, label="maximum margin")
    scatter_classes(panels[0, 0], points.X, points.codes, points.classes)
    name_axes(panels[0, 0], read_plane(points, None, None))
    bound = novikoff_bound(points.X, points.codes)
    panels[0, 0].set_title(f"margin {best.margin_:.3g}, (R/ρ)² = {bound:,.0f} with the bias", fontsize="medium")
    _race(panels[0, 1], points, count, budget)
    legend(panels, axes, 6)
    return panels.ravel()


def _race(ax: Axes, points: Points, count: int, budget: int) -> None:
    settings: list[dict[str, Any]] = [{"order": "given"}, *({"random_state": i} for i in range(count))]
    for i, setting in enumerate(settings):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)
            model = Perceptron(max_epochs=budget, **setting).fit(points.X, points.codes)
        label = "given order" if i == 0 else ("shuffled" if i == 1 else None)
        look: dict[str, Any] = (
            {"color": SKY, "lw": 1.0} if i else {"color": VERMILION, "lw": 2.2, "ls": "--", "zorder": 3}
        )
        epochs, total = np.arange(1, model.n_iter_ + 1), np.cumsum(model.mistakes_)
        ax.plot(epochs, total, label=label, **look)
        if model.converged_:
            ax.plot(epochs[-1:], total[-1:], "o", ms=5, mec=BLACK, mew=0.6, color=look["color"], zorder=4)
    ax.plot([], [], "o", ms=5, color="white", mec=BLACK, label="no mistakes left")
    ax.set(xscale="log", yscale="log", xlabel="epochs", ylabel="mistakes so far")


def many_solutions(X: Any, y: Any, *, count: int = 20, ax: Axes | None = None) -> Axes:
    """Perceptrons that saw the same separable rows in different orders, beside logistic regression and maximum margin.

    All of these lines make no mistake; the perceptron's depends on chance, the maximum margin is the only one of its
    kind, and logistic regression (here α = 10⁻³) is near it.

    Parameters
    ----------
    X, y : separable rows of two features and their two classes
    count : perceptrons, seeded 0, 1, …
    ax : matplotlib axes, optional
    """
    points = _plane_of(X, y, "many_solutions")
    number = parameters.whole("count", count, 1)
    best = HardMarginSVM().fit(points.X, points.codes)
    axes = one_axes(ax, (5.4, 4.6))
    axes.set_aspect("equal")
    limits = frame(axes, points.X, 0.12)
    for i in range(number):
        model = Perceptron(random_state=i, max_epochs=100_000).fit(points.X, points.codes)
        label = f"{number} perceptrons" if i == 0 else None
        draw_line(axes, weights_of(model), limits, color="0.6", lw=0.8, label=label)
    logistic = LogisticRegression(alpha=1e-3).fit(points.X, points.codes)
    draw_line(axes, weights_of(logistic), limits, color=VERMILION, ls="--", lw=2.2, label="logistic regression")
    draw_line(axes, weights_of(best), limits, color=BLACK, lw=2.2, label="maximum margin")
    scatter_classes(axes, points.X, points.codes, points.classes)
    name_axes(axes, read_plane(points, None, None))
    legend(axes, ax, 3)
    return axes


def _plane_of(X: Any, y: Any, picture: str) -> Points:
    points = read_points(X, y)
    need_two_classes(points, picture)
    need_plane(points, picture)
    return points
