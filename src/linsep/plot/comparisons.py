"""Classifiers side by side on the same data: an outlier, a memory, a constant, a basis."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from linsep.errors import InvalidData, InvalidParameter
from linsep.estimators import LeastSquaresClassifier, LogisticRegression
from linsep.plot.lines import draw_line, weights_of
from linsep.plot.points import Points, need_plane, need_two_classes, read_plane, read_points
from linsep.plot.regions import draw_regions, name_axes
from linsep.plot.style import (
    BLACK,
    BLUE,
    CLASS_COLOURS,
    ORANGE,
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
)
from linsep.types import FloatArray


def least_squares_and_outlier(X: Any, y: Any, outliers: Any, label: Any, *, axes: Any = None) -> AxesArray:
    """Least squares and logistic regression without and with rows far on the right side of the boundary.

    (1 − M)² charges a margin that is too large like one that is too small, so rows that no classifier gets wrong pull
    the line of least squares; the log loss leaves them alone.

    Parameters
    ----------
    X, y : rows of two features and their two classes
    outliers : rows to add in the second panel
    label : their class
    axes : two matplotlib axes, optional
    """
    points = read_points(X, y)
    need_two_classes(points, "least_squares_and_outlier")
    need_plane(points, "least_squares_and_outlier")
    added = np.atleast_2d(np.asarray(outliers, dtype=np.float64))
    if added.shape[1] != 2 or not np.isfinite(added).all():
        raise InvalidData(f"outliers have shape {added.shape}: allowed are rows of two finite numbers")
    if label not in points.classes:
        raise InvalidParameter(f"label={label!r} is not a class; the classes are {points.classes.tolist()}")
    panels = several_axes(axes, (1, 2))
    everything = np.vstack([points.X, added])
    targets = np.append(points.classes[points.codes], np.full(len(added), label, dtype=points.classes.dtype))
    for ax, rows, classes, title in (
        (panels[0, 0], points.X, targets[: len(points.X)], "without outliers"),
        (panels[0, 1], everything, targets, "with outliers"),
    ):
        limits = frame(ax, everything)
        _two_lines(ax, rows, classes, limits)
        scatter_classes(ax, rows, np.searchsorted(points.classes, classes), points.classes)
        name_axes(ax, read_plane(points, None, None))
        ax.set_title(title)
    ring(panels[0, 1], added, "outliers")
    legend(panels, axes, 5)
    return panels.ravel()


def _two_lines(ax: Axes, rows: FloatArray, classes: Any, limits: tuple[float, float, float, float]) -> None:
    least = LeastSquaresClassifier(alpha=0.0).fit(rows, classes)
    logistic = LogisticRegression(alpha=1e-4).fit(rows, classes)
    draw_line(ax, weights_of(least), limits, color=VERMILION, ls="--", lw=2.0, label="least squares")
    draw_line(ax, weights_of(logistic), limits, color=BLACK, lw=2.0, label="logistic regression")


class _Memory(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Remembers every row with its class and answers the commonest class to all others."""

    def fit(self, X: FloatArray, y: Any) -> Self:
        self.classes_, counts = np.unique(y, return_counts=True)
        self.commonest_ = self.classes_[counts.argmax()]
        self.memory_ = {row.tobytes(): label for row, label in zip(np.ascontiguousarray(X), y, strict=True)}
        return self

    def predict(self, X: FloatArray) -> Any:
        return np.array([self.memory_.get(row.tobytes(), self.commonest_) for row in np.ascontiguousarray(X)])


class _Constant(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Answers the commonest class to everything."""

    def fit(self, X: FloatArray, y: Any) -> Self:
        self.classes_, counts = np.unique(y, return_counts=True)
        self.commonest_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X: FloatArray) -> Any:
        return np.full(len(X), self.commonest_)


def memory_and_constant(model: Any, train: Any, test: Any, *, ax: Axes | None = None) -> Axes:
    """Accuracy on training and test rows of a classifier that memorises, of one that is constant, and of a model.

    The memory makes no mistake on what it has seen and knows nothing else; the constant is as good on both. Only what
    generalises is good on the test rows.

    Parameters
    ----------
    model : fitted classifier
    train, test : pairs (X, y)
    ax : matplotlib axes, optional
    """
    sets = [_pair(train, "train", model), _pair(test, "test", model)]
    shares = accuracies(model, *sets)
    axes = one_axes(ax, (5.6, 3.8))
    names = ["memorising", "constant", type(model).__name__]
    place = np.arange(len(names))
    looks = (
        (0, BLUE, "", f"training rows ({len(sets[0].codes)})"),
        (1, ORANGE, "//", f"test rows ({len(sets[1].codes)})"),
    )
    for column, colour, hatch, label in looks:
        bars = axes.bar(
            place + 0.38 * (column - 0.5), shares[:, column], 0.36, color=tint(colour, 0.75), hatch=hatch, label=label
        )
        bars_label = [f"{100 * share:.1f}" for share in shares[:, column]]
        axes.bar_label(bars, bars_label, padding=2, fontsize="small")
        for bar in bars:
            bar.set_edgecolor(BLACK)
    axes.set_xticks(place, names)
    axes.set(ylabel="rows classified correctly, %", ylim=(0.0, 1.1))
    axes.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0], ["0", "25", "50", "75", "100"])
    legend(axes, ax)
    return axes


def accuracies(model: Any, train: Points, test: Points) -> FloatArray:
    """(3, 2): memory, constant, model on train, test."""
    y = [points.classes[points.codes] for points in (train, test)]
    rivals: list[Any] = [_Memory().fit(train.X, y[0]), _Constant().fit(train.X, y[0])]
    table = [[np.mean(rival.predict(p.X) == t) for p, t in zip((train, test), y, strict=True)] for rival in rivals]
    table.append([np.mean(model.predict(p.given) == t) for p, t in zip((train, test), y, strict=True)])
    return np.array(table, dtype=np.float64)


def _pair(given: Any, name: str, model: Any) -> Points:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise InvalidParameter(f"{name} is a {type(given).__name__}: allowed is a pair (X, y)")
    return read_points(given[0], given[1], model)


def input_and_feature_space(basis: Any, model: Any, X: Any, y: Any, *, axes: Any = None) -> AxesArray:
    """Left the inputs with the curved boundary of model ∘ basis, right the features φ(x), where it is straight.

    Parameters
    ----------
    basis : fitted transformer
        From one or two inputs to two features: `PolynomialBasis(2, include_bias=False)` of one input,
        `RadialBasis` with two centres, …
    model : classifier fitted to basis.transform(X)
    X, y : rows of one or two inputs and their classes
    axes : two matplotlib axes, optional
    """
    inputs = read_points(X, y)
    if inputs.X.shape[1] not in (1, 2):
        raise InvalidData(f"X has {inputs.X.shape[1]} features; a picture shows one or two inputs")
    image = np.asarray(basis.transform(inputs.given), dtype=np.float64)
    if image.shape[1] != 2:
        raise InvalidData(
            f"the basis has {image.shape[1]} functions and a picture shows two: give a basis of two "
            "(RadialBasis with two centres, PolynomialBasis(2, include_bias=False) of one input)"
        )
    features = read_points(image, y, model)
    panels = several_axes(axes, (1, 2))
    composed = _Composed(basis, model)
    if inputs.X.shape[1] == 2:
        draw_regions(panels[0, 0], composed, read_plane(inputs, None, None))
        name_axes(panels[0, 0], read_plane(inputs, None, None))
    else:
        _on_a_line(panels[0, 0], composed, inputs)
    draw_regions(panels[0, 1], model, read_plane(features, None, None))
    names = basis.get_feature_names_out(list(inputs.names)) if hasattr(basis, "get_feature_names_out") else ("φ₁", "φ₂")
    panels[0, 1].set(xlabel=str(names[0]), ylabel=str(names[1]), title="feature space")
    panels[0, 0].set_title("input space")
    legend(panels, axes)
    return panels.ravel()


class _Composed:
    """model ∘ basis."""

    def __init__(self, basis: Any, model: Any) -> None:
        self.basis, self.model, self.classes_ = basis, model, model.classes_
        if hasattr(model, "decision_function"):
            self.decision_function = lambda X: model.decision_function(basis.transform(X))

    def predict(self, X: Any) -> Any:
        return self.model.predict(self.basis.transform(X))


def _on_a_line(ax: Axes, model: Any, points: Points) -> None:
    """One input: the rows on an axis, the regions as stripes, the classes at two heights."""
    x = points.X[:, 0]
    room = 0.08 * float(x.max() - x.min() or 1.0)
    line = np.linspace(x.min() - room, x.max() + room, 2001)
    predicted = np.asarray(model.predict(points.like(line[:, None])))
    for k, label in enumerate(points.classes):
        ax.fill_between(line, -1.0, 1.0, where=predicted == label, color=tint(CLASS_COLOURS[k]), lw=0, zorder=0)
    for edge in line[1:][predicted[1:] != predicted[:-1]]:
        ax.axvline(edge, color=BLACK, lw=1.4)
    ax.axhline(0.0, color="0.5", lw=0.8, zorder=1)
    scatter_classes(ax, np.column_stack([x, np.zeros_like(x)]), points.codes, points.classes)
    ax.set(xlabel=points.names[0], xlim=(line[0], line[-1]), ylim=(-1.0, 1.0))
    ax.set_yticks([])
