"""Every picture of `linsep.plot` on data that show its point: python -m linsep.plot.gallery FOLDER.

Writes a PNG for each (a GIF for the moving one) and README.md, the list of them.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, make_moons

from linsep import plot
from linsep.errors import NotConverged
from linsep.estimators import (
    GradientClassifier,
    HardMarginSVM,
    KernelSVM,
    LinearSVM,
    LogisticRegression,
    Perceptron,
    regularization_path,
)
from linsep.features import PolynomialBasis, RadialBasis
from linsep.plot.gallery_course import COURSE
from linsep.plot.gallery_data import Picture, apart, blobs, scaled_cancer, wheel
from linsep.plot.style import pyplot
from linsep.types import FloatArray

DPI = 110


def regions_iris() -> Any:
    iris = load_iris()
    names = iris.target_names[iris.target]
    model = LogisticRegression(alpha=1e-3).fit(iris.data[:, 2:], names)
    ax = plot.decision_regions(model, iris.data[:, 2:], names)
    ax.set(xlabel="petal length (cm)", ylabel="petal width (cm)")
    return ax


def regions_kernel() -> Any:
    X, y = make_moons(150, noise=0.2, random_state=3)
    return plot.decision_regions(KernelSVM("rbf", gamma=2.0, alpha=2e-3).fit(X, y), X, y)


def ambiguous() -> Any:
    X, y = wheel(25, 0)
    axes = pyplot.subplots(1, 2, figsize=(9.4, 4.0), layout="constrained")[1]
    for ax, scheme in zip(axes, ("ovr", "ovo"), strict=True):
        plot.ambiguous_regions(LinearSVM(multiclass=scheme, alpha=1e-3).fit(X, y), X, y, ax=ax)
    axes[0].get_legend().remove()
    return axes


def margins_hard() -> Any:
    X, y = blobs([(-1.5, 0.0), (1.5, 1.2)], 0.7, 25, 5)
    return plot.hyperplane(HardMarginSVM().fit(X, y), X, y)


def margins_soft() -> Any:
    X, y = blobs([(-1.2, 0.0), (1.2, 1.0)], 0.9, 30, 2)
    return plot.hyperplane(LinearSVM(alpha=0.1).fit(X, y), X, y)


def ordered() -> Any:
    X, y = blobs([(-1.2, 0.0), (1.2, 1.0)], 0.9, 60, 2)
    return plot.ordered_margins(LinearSVM(alpha=0.1).fit(X, y), X, y)


def few() -> tuple[FloatArray, Any]:
    X, y = apart(0.1, 12, 8)
    return 2.0 * X, y


def steps() -> Any:
    X, y = few()
    return plot.perceptron_steps(Perceptron(order="given", record=True).fit(X, y), X, y)


def mistakes() -> Any:
    X, y = apart(0.02, 60, 2)
    return plot.mistakes_per_epoch(Perceptron().fit(X, y), X, y)


def proof() -> Any:
    X, y = apart(0.1, 60, 0)
    return plot.novikoff_proof(Perceptron(record=True).fit(X, y), X, y)


def flipped() -> Any:
    X, y = apart(0.1, 60, 2)
    return plot.flipped_labels(4.0 * X, y)


def order() -> Any:
    X, y = apart(0.05, 60, 1)
    return plot.order_of_examples(X + 2.0, y)  # away from the origin the bias takes long


def many() -> Any:
    return plot.many_solutions(*blobs([(-1.2, -0.8), (1.2, 1.0)], 0.6, 20, 4))


def losses_of_passes() -> Any:
    X, y = blobs([(-1.0, 0.0), (1.0, 0.5)], 1.0, 100, 6)
    model = GradientClassifier(learning_rate="1/t", eta0=2.0, record="epochs", tol_loss=None, max_epochs=25)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        return plot.loss_and_smoothed(model.fit(X, y))


def scaling() -> Any:
    X, y = blobs([(-0.6, -0.5), (0.6, 0.5)], 1.0, 100, 7)
    return plot.scaling_and_descent(X * [1.0, 4.0], y)


def mini_batches() -> Any:
    X, y = blobs([(-0.6, -0.5), (0.6, 0.5)], 1.0, 100, 7)
    model = GradientClassifier(
        batch=10, eta0=0.5, learning_rate="constant", record="updates", tol_loss=None, max_epochs=5
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        return plot.descent_path(model.fit(X[:, :1], y), X[:, :1], y)


def sigmoid() -> Any:
    random = np.random.default_rng(0)
    x = np.concatenate([random.normal(c, 0.2, n) for c, n in ((-1.5, 12), (-0.5, 20), (0.5, 26), (1.5, 14))])
    y = np.repeat([1, -1, 1, -1], (12, 20, 26, 14))
    return plot.sigmoid_minima(x[:, None], y, [(3.0, 0.0), (-1.0, 1.0), (-2.0, -6.0), (5.0, 9.0)], alpha=0.002)


def outlier() -> Any:
    X, y = blobs([(-1.0, 1.0), (1.0, -1.0)], 0.6, 30, 8)
    far = np.random.default_rng(9).normal((5.0, -7.0), 0.5, (8, 2))
    return plot.least_squares_and_outlier(X, y, far, 1)


def radial_space() -> Any:
    random = np.random.default_rng(10)
    X = random.uniform(-1.5, 1.5, (160, 2))
    y = np.where(np.hypot(X[:, 0] + 0.6, X[:, 1]) * np.hypot(X[:, 0] - 0.7, X[:, 1] - 0.2) < 0.6, "inside", "outside")
    basis = RadialBasis([[-0.6, 0.0], [0.7, 0.2]], width=0.55).fit(X)
    return plot.input_and_feature_space(basis, LogisticRegression(alpha=1e-4).fit(basis.transform(X), y), X, y)


def polynomial_space() -> Any:
    x = np.sort(np.random.default_rng(11).uniform(-3.0, 3.0, 40))[:, None]
    y = np.where(np.abs(x[:, 0] - 0.3) > 1.4, "outside", "inside")
    basis = PolynomialBasis(2, include_bias=False).fit(x)
    axes = plot.input_and_feature_space(basis, LogisticRegression(alpha=1e-4).fit(basis.transform(x), y), x, y)
    axes[0].set_xlabel("x")
    axes[1].set(xlabel="x", ylabel="x²")
    return axes


def memory() -> Any:
    X, y = load_breast_cancer(return_X_y=True)
    train, test = (X[::2], y[::2]), (X[1::2], y[1::2])
    return plot.memory_and_constant(LogisticRegression(alpha=1e-3).fit(*train), train, test)


def reliable() -> Any:
    random = np.random.default_rng(12)
    X = random.normal(size=(6000, 20))
    y = (X[:, 0] + 0.5 * X[:, 1] + random.normal(size=6000) > 0.7).astype(int)
    svm = LinearSVM(alpha=1e-3, probability=True).fit(X[:300], y[:300])
    squeezed = 1.0 / (1.0 + np.exp(-2.5 * svm.decision_function(X[300:])))
    return plot.calibration(y[300:], {"left-out rows": svm.predict_proba(X[300:]), "σ(2.5·score)": squeezed})


def paths() -> Any:
    X, y = scaled_cancer()
    ratios = {0.0: 1e-5, 1.0: 1e-2}  # both down to about the same α
    return plot.coefficient_paths(*(regularization_path(X, y, l1_ratio=r, ratio=ratios[r]) for r in ratios))


def curve_of_alpha() -> Any:
    return plot.alpha_curve(LogisticRegression(alpha="cv").fit(*scaled_cancer()))


PICTURES = (
    Picture("decision-regions", "decision_regions", "three classes of iris by softmax: convex regions", regions_iris),
    Picture("decision-regions-kernel", "decision_regions", "two moons by a kernel machine", regions_kernel),
    Picture(
        "ambiguous-regions", "ambiguous_regions", "where one-vs-rest and one-vs-one contradict themselves", ambiguous
    ),
    Picture("hard-margin", "hyperplane", "the maximum margin with its support vectors", margins_hard),
    Picture("soft-margin", "hyperplane", "the soft margin: rows within it are support vectors", margins_soft),
    Picture("ordered-margins", "ordered_margins", "the margins of all rows in order", ordered),
    Picture("losses", "margin_losses", "losses on margins against the 0–1 loss", plot.margin_losses),
    Picture("step-and-sigmoid", "step_and_sigmoid", "the threshold and its smooth stand-in", plot.step_and_sigmoid),
    Picture("perceptron-steps", "perceptron_steps", "six updates of a perceptron", steps),
    Picture("perceptron-mistakes", "mistakes_per_epoch", "mistakes per epoch against Novikoff's bound", mistakes),
    Picture("novikoff-proof", "novikoff_proof", "both inequalities of the proof on a real run", proof),
    Picture("flipped-labels", "flipped_labels", "the perceptron with 0, 20 and 30 % of the labels flipped", flipped),
    Picture(
        "order-of-examples", "order_of_examples", "sorted by class against shuffled, rows away from the origin", order
    ),
    Picture("many-solutions", "many_solutions", "perceptrons, logistic regression, maximum margin", many),
    Picture(
        "loss-and-smoothed", "loss_and_smoothed", "the loss and the smoothed loss against passes", losses_of_passes
    ),
    Picture("scaling-and-descent", "scaling_and_descent", "steepest descent before and after scaling", scaling),
    Picture("descent-path", "descent_path", "mini-batches on the contours of the objective", mini_batches),
    Picture("sigmoid-minima", "sigmoid_minima", "the sigmoid loss: the start decides the end", sigmoid),
    Picture("least-squares-outlier", "least_squares_and_outlier", "least squares and logistic regression", outlier),
    Picture("feature-space-radial", "input_and_feature_space", "two radial functions make it linear", radial_space),
    Picture("feature-space-polynomial", "input_and_feature_space", "x and x² make it linear", polynomial_space),
    Picture("calibration", "calibration", "probabilities from left-out rows, and scores squeezed by a guess", reliable),
    Picture("coefficient-paths", "coefficient_paths", "weights along α: L2 shrinks them, L1 drops them", paths),
    Picture("alpha-curve", "alpha_curve", "left-out loss along α, the best and the simplest as good", curve_of_alpha),
    Picture("memory-and-constant", "memory_and_constant", "memorising and constant on train and test", memory),
    *COURSE,
)
MOVING = ("perceptron.gif", "perceptron_gif", "the same perceptron as a moving picture")


def render(picture: Picture, folder: Path) -> Path:
    """Draw and save, in a palette of 128 colours: flat colours stay flat and the file small."""
    from PIL import Image

    target = folder / picture.file
    picture.draw()
    figure = pyplot.gcf()
    figure.savefig(target, dpi=DPI)
    pyplot.close(figure)
    with Image.open(target) as image:
        small = image.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    small.save(target, optimize=True)
    return target


def listing() -> str:
    """README.md of the folder: one line a picture."""
    lines = ["# Pictures", "", "Made by `python -m linsep.plot.gallery docs/pictures`.", ""]
    lines += ["| file | function of `linsep.plot` | what it shows |", "|---|---|---|"]
    rows = [(p.file, p.function, p.shows) for p in PICTURES] + [MOVING]
    lines += [f"| [{file}]({file}) | `{function}` | {shows} |" for file, function, shows in rows]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    """Write everything, or only the pictures named, into the folder."""
    if not arguments:
        print("usage: python -m linsep.plot.gallery FOLDER [NAME …]", file=sys.stderr)
        return 2
    pyplot.switch_backend("Agg")
    folder, names = Path(arguments[0]), arguments[1:]
    folder.mkdir(parents=True, exist_ok=True)
    for picture in PICTURES:
        if not names or picture.name in names:
            print(render(picture, folder))
    if not names:
        X, y = few()
        model = Perceptron(order="given", record=True).fit(X, y)
        print(plot.perceptron_gif(model, X, y, folder / MOVING[0]))
        (folder / "README.md").write_text(listing(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
