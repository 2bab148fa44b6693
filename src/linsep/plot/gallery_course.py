"""Pictures for single rows of the course: functions of `linsep.plot` on data that show the row's point."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np
from sklearn.datasets import make_circles

from linsep import plot
from linsep.errors import NotConverged
from linsep.estimators import (
    ChoicePerceptron,
    GradientClassifier,
    HardMarginSVM,
    LinearSVM,
    LogisticRegression,
    Perceptron,
    regularization_path,
)
from linsep.features import SigmoidBasis
from linsep.geometry import Hyperplane
from linsep.plot.gallery_data import Picture, apart, blobs, scaled_cancer, wheel
from linsep.plot.style import HALO, pyplot, ring
from linsep.problem.codes import OutputCodes
from linsep.separability import separability


def quietly(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Runs that are shown because they do not converge say nothing more about it."""

    @wraps(draw)
    def drawn(*given: Any, **named: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)
            return draw(*given, **named)

    return drawn


# -- geometry -------------------------------------------------------------------------------------------------


def distances() -> Any:
    X = np.array([[3.0, 4.0], [0.0, 1.0], [4.0, 1.5], [1.0, 0.5]])
    return plot.projections(Hyperplane(np.array([3.0, 4.0]), -10.0), X, [1, -1, 1, -1])


def margins_of_examples() -> Any:
    X = np.array([[-2.0, 1.5], [-1.2, -0.6], [-0.2, -2.0], [1.5, 0.2], [1.8, 1.2], [0.6, 2.2], [2.4, -1.0]])
    y = np.array([-1, -1, -1, -1, 1, 1, 1])  # the fourth ends on the wrong side
    return plot.projections(LogisticRegression(alpha=0.05).fit(X, y), X, y)


def margin_of_the_set() -> Any:
    X, y = apart(0.15, 12, 4)
    return plot.hyperplane(HardMarginSVM().fit(X, y), X, y)


# -- perceptrons ----------------------------------------------------------------------------------------------


@quietly
def steps(far: float = 0.0, **asked: Any) -> Any:
    X, y = apart(0.1, 12, 8)
    X = 2.0 * X + far
    return plot.perceptron_steps(Perceptron(order="given", record=True, max_epochs=30, **asked).fit(X, y), X, y)


@quietly
def unit_length() -> Any:
    X, y = apart(0.02, 60, 2)
    return plot.mistakes_per_epoch(Perceptron(normalize=True, max_epochs=40).fit(X, y), X, y)


@quietly
def no_convergence() -> Any:
    X, y = blobs([(-0.7, 0.0), (0.7, 0.4)], 1.0, 40, 2)
    return plot.mistakes_per_epoch(Perceptron(max_epochs=40).fit(X, y), X, y)


def counted() -> Any:
    X, y = apart(0.1, 20, 8)
    model = Perceptron(dual=True, order="given").fit(X, y)
    ax = plot.decision_regions(model, X, y)
    ring(ax, X[model.support_], "corrected")
    look: dict[str, Any] = {"va": "center", "fontweight": "bold", "path_effects": HALO, "zorder": 5}
    for row, count in zip(X[model.support_], model.counts_[model.support_], strict=True):
        ax.annotate(f"{count}", row, (8, 0), textcoords="offset points", **look)
    ax.set_title("αᵢ: how often a row was corrected", fontsize="medium")
    return ax


def kernel_perceptron() -> Any:
    X, y = make_circles(120, noise=0.08, factor=0.45, random_state=1)
    return plot.decision_regions(Perceptron(kernel="rbf", gamma=2.0).fit(X, y), X, y)


@quietly
def three_classes(model: Any) -> Any:
    X, y = wheel(25, 0)
    return plot.decision_regions(model.fit(X, y), X, y)


# -- gradient descent -----------------------------------------------------------------------------------------


@quietly
def walked(factor: float, **asked: Any) -> Any:
    """With that many times the rate of the curvature."""
    X, y = blobs([(-0.6, -0.5), (0.6, 0.5)], 1.0, 100, 7)
    X = X[:, :1] + 0.7
    model = GradientClassifier("squared", record="updates", tol_loss=None, **asked)
    rate = GradientClassifier("squared", batch="batch", max_epochs=1).fit(X, y).eta0_
    return plot.descent_path(model.set_params(eta0=factor * rate).fit(X, y), X, y)


@quietly
def to_the_axis() -> Any:
    """From a start off the axes: one weight becomes 0, and the path goes on along the axis."""
    X, y = blobs([(-0.8, -0.1), (0.8, 0.1)], 1.0, 100, 7)
    model = GradientClassifier(
        alpha=0.1,
        l1_ratio=1.0,
        batch="batch",
        fit_intercept=False,
        start=[-0.3, 0.7, 0.0],
        record="epochs",
        tol_loss=1e-6,
    )
    return plot.descent_path(model.fit(X, y), X, y)


@quietly
def both_codings() -> Any:
    X, y = blobs([(-0.6, -0.5), (0.6, 0.5)], 1.0, 100, 7)
    axes = pyplot.subplots(1, 2, figsize=(9.4, 2.6), layout="constrained")[1]
    for ax, targets, words in zip(axes, ("signed", "binary"), ("labels −1 and 1", "labels 0 and 1"), strict=True):
        model = GradientClassifier(batch=20, targets=targets, record="updates", tol_loss=None, max_epochs=4)
        plot.descent_path(model.fit(X[:, :1], y), X[:, :1], y, ax=ax).set_title(words, fontsize="medium")
    axes[0].get_legend().remove()
    return axes


@quietly
def stopped() -> Any:
    X, y = blobs([(-1.0, 0.0), (1.0, 0.5)], 1.0, 100, 6)
    model = GradientClassifier(batch="batch", record="epochs", tol_loss=1e-3).fit(X, y)
    ax = plot.loss_and_smoothed(model)
    ax.set_title(model.status_.value, fontsize="medium")
    return ax


def streamed() -> Any:
    X, y = blobs([(-1.0, 0.0), (1.0, 0.5)], 1.0, 600, 6)
    order = np.random.default_rng(0).permutation(len(X))
    model = GradientClassifier(learning_rate="inverse_scaling", eta0=0.5, smoothing=0.02)
    for chunk in np.array_split(order, 40):
        model.partial_fit(X[chunk], y[chunk])
    ax = plot.loss_and_smoothed(model)
    ax.set_xlabel("chunks of 30 rows, each seen once")
    return ax


def without_end() -> Any:
    X, y = apart(0.1, 40, 3)
    model = GradientClassifier(alpha=0.0, batch="batch", record="epochs", tol_loss=None, max_epochs=400).fit(4.0 * X, y)
    ax = plot.loss_and_smoothed(model)
    ax.set(yscale="log", title="separable rows, no penalty: the loss falls for ever")
    ax.title.set_fontsize("medium")
    return ax


# -- optima ---------------------------------------------------------------------------------------------------


def proved() -> Any:
    random = np.random.default_rng(3)
    X = random.normal(size=(6000, 30))
    y = (X[:, 0] - X[:, 1] + random.normal(size=6000) > 0.0).astype(int)
    return plot.certified_gaps([LinearSVM("hinge", alpha=1e-4, tol=0.1**k).fit(X, y) for k in range(1, 9)])


def shrunk() -> Any:
    X, y = scaled_cancer()
    return plot.coefficient_paths(regularization_path(X, y, l1_ratio=0.0, ratio=1e-5))


def verdicts() -> Any:
    axes = pyplot.subplots(1, 2, figsize=(9.4, 4.2), layout="constrained")[1]
    X, y = apart(0.15, 12, 4)
    crossed = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.2, 0.1], [0.9, 0.2]])
    for ax, (rows, labels) in zip(axes, ((X, y), (crossed, np.array([-1, -1, 1, 1, -1, 1]))), strict=True):
        plot.separation(separability(rows, labels), rows, labels, ax=ax)
    axes[0].get_legend().remove()
    return axes


def support_margins() -> Any:
    X, y = apart(0.1, 25, 5)
    return plot.ordered_margins(HardMarginSVM().fit(X, y), X, y)


def smooth_steps() -> Any:
    x = np.sort(np.random.default_rng(11).uniform(-3.0, 3.0, 40))[:, None]
    y = np.where(np.abs(x[:, 0] - 0.3) > 1.4, "outside", "inside")
    basis = SigmoidBasis([-1.1, 1.7], width=0.3).fit(x)
    return plot.input_and_feature_space(basis, LogisticRegression(alpha=1e-4).fit(basis.transform(x), y), x, y)


# -- choices --------------------------------------------------------------------------------------------------


@quietly
def chosen(model: ChoicePerceptron, noise: float = 0.0) -> Any:
    """Three or four ways on, (minutes saved, danger); the expert gives two minutes for a danger less."""
    random = np.random.default_rng(5)
    states = [np.round(random.normal(size=(int(random.integers(3, 5)), 2)), 1) for _ in range(25)]
    choices = [int((s @ [1.0, -2.0] + noise * random.gumbel(size=len(s))).argmax()) for s in states]
    ax = plot.choice_differences(model.fit(states, choices), states, choices)
    ax.set(xlabel="minutes saved by a*, beside another way", ylabel="danger of a*, beside another way")
    return ax


REGIONS, STEPS = "decision_regions", "perceptron_steps"
COURSE = (
    Picture("hyperplane", "projections", "distances from a hyperplane, and projections on it", distances),
    Picture(
        "margins-of-examples", "projections", "the margin of an example is its signed distance", margins_of_examples
    ),
    Picture("margin-of-a-set", "hyperplane", "the largest margin that a training set allows", margin_of_the_set),
    Picture(
        "posteriors",
        "posteriors",
        "two normal classes: the posterior is a sigmoid",
        partial(plot.posteriors, (-1.0, 1.0), 1.0, (0.65, 0.35)),
    ),
    Picture(
        "perceptron-start",
        STEPS,
        "a start on the wrong side, ties predict −1",
        partial(steps, start=[-3.0, 1.0, 0.0], tie="negative"),
    ),
    Picture("perceptron-centred", STEPS, "rows far from the origin, centred", partial(steps, far=10.0, center=True)),
    Picture(
        "perceptron-unit-length", "mistakes_per_epoch", "unit length after every update: mistakes go on", unit_length
    ),
    Picture(
        "perceptron-thresholded",
        STEPS,
        "the thresholded rule moves twice as far",
        partial(steps, rule="thresholded", start=[-2.0, 3.0, 1.0]),
    ),
    Picture(
        "perceptron-unthresholded",
        STEPS,
        "the delta rule moves for right answers, too",
        partial(steps, rule="unthresholded"),
    ),
    Picture(
        "perceptron-batch", STEPS, "all mistakes of an epoch corrected at once", partial(steps, far=1.0, batch="batch")
    ),
    Picture("perceptron-counts", REGIONS, "the dual form: how often each row was corrected", counted),
    Picture("perceptron-kernel", REGIONS, "a kernel perceptron on two rings", kernel_perceptron),
    Picture(
        "perceptron-units",
        REGIONS,
        "three independent perceptrons, the largest score",
        partial(three_classes, Perceptron(max_epochs=200, pocket="epoch")),
    ),
    Picture(
        "perceptron-kesler",
        REGIONS,
        "Kesler's joint rule",
        partial(three_classes, Perceptron(multiclass="kesler", max_epochs=200)),
    ),
    Picture(
        "perceptron-no-convergence",
        "mistakes_per_epoch",
        "classes that overlap: mistakes in every epoch",
        no_convergence,
    ),
    Picture(
        "logistic-gradients",
        "logistic_gradients",
        "one gradient, written for ±1 and for 0 and 1",
        plot.logistic_gradients,
    ),
    Picture(
        "falling-rate",
        "descent_path",
        "single rows with a rate that falls",
        partial(walked, 0.4, learning_rate="inverse_scaling", max_epochs=1),
    ),
    Picture(
        "rate-too-large",
        "descent_path",
        "a rate near 2/L: every step overshoots",
        partial(walked, 1.95, batch="batch", learning_rate="constant", max_epochs=25),
    ),
    Picture("lasso-descent", "descent_path", "an L1 penalty: one weight becomes 0 and stays it", to_the_axis),
    Picture("label-codings", "descent_path", "labels ±1 and labels 0 and 1: the same steps", both_codings),
    Picture("stopping", "loss_and_smoothed", "steepest descent until the loss changes little", stopped),
    Picture("stream", "loss_and_smoothed", "the smoothed loss of a stream", streamed),
    Picture("no-optimum", "loss_and_smoothed", "separable rows without a penalty", without_end),
    Picture("softmax", REGIONS, "softmax on three long clouds", partial(three_classes, LogisticRegression(alpha=1e-3))),
    Picture("certified-gaps", "certified_gaps", "what a certificate proves, and what is true", proved),
    Picture("l2-path", "coefficient_paths", "L2: weights shrink as α grows", shrunk),
    Picture("separability", "separation", "a line that separates; a point that both hulls share", verdicts),
    Picture(
        "support-margins", "ordered_margins", "support vectors are the rows at the smallest margin", support_margins
    ),
    Picture("feature-space-sigmoid", "input_and_feature_space", "two smooth steps make it linear", smooth_steps),
    Picture(
        "output-codes",
        REGIONS,
        "error-correcting output codes",
        partial(three_classes, LinearSVM(multiclass=OutputCodes(decode="hamming"), alpha=1e-2)),
    ),
    Picture(
        "joint-hinge",
        REGIONS,
        "the joint hinge loss of Crammer and Singer",
        partial(three_classes, LinearSVM(multiclass="crammer_singer", alpha=1e-3)),
    ),
    Picture(
        "choices", "choice_differences", "an expert's choices, learned by mistakes", partial(chosen, ChoicePerceptron())
    ),
    Picture(
        "choices-logistic",
        "choice_differences",
        "choices with noise, by the logistic variant",
        partial(chosen, ChoicePerceptron("logistic", alpha=1e-2), noise=0.7),
    ),
)
