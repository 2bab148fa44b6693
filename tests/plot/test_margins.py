"""Boundaries, margins and support vectors are the model's; losses are the library's."""

import numpy as np
import pytest
from matplotlib import pyplot

from linsep import HardMarginSVM, KernelSVM, LinearSVM, LogisticRegression, Perceptron, geometric_margins, plot
from linsep.errors import InvalidData, InvalidParameter
from linsep.problem import losses
from tests.plot.cases import apart, contour_points, dots, line, mixed, three


@pytest.mark.parametrize(
    "model", [HardMarginSVM(), KernelSVM("linear", alpha=1e-3), KernelSVM("rbf", gamma=1.0)], ids=repr
)
def test_margins_and_support_vectors_of_the_model(model):
    X, y = apart()
    ax = plot.hyperplane(model.fit(X, y), X, y)
    assert np.array_equal(dots(ax, "support vectors"), X[model.support_])
    assert ax.get_aspect() == 1.0
    for level in (-1.0, 0.0, 1.0):
        close = 1e-9 if hasattr(model, "coef_") else 0.02
        assert np.abs(model.decision_function(contour_points(ax, level)) - level).max() < close


def test_soft_margin_support_vectors_are_the_rows_within():
    X, y = mixed()
    model = LinearSVM(alpha=0.05).fit(X, y)
    ax = plot.hyperplane(model, X, y)
    within = y * model.decision_function(X) <= 1.0 + 1e-6
    assert np.array_equal(dots(ax, "support vectors (margin ≤ 1)"), X[within])


def test_other_models_show_their_nearest_row():
    X, y = apart()
    model = LogisticRegression(alpha=1e-3).fit(X, y)
    ax = plot.hyperplane(model, X, y)
    margins = geometric_margins(model, X, y)
    assert np.array_equal(dots(ax, "nearest row"), X[[margins.argmin()]])
    assert f"distance {margins.min():.3g}" in [text.get_text() for text in ax.figure.legends[0].get_texts()]
    worse = plot.hyperplane(LogisticRegression(alpha=1e-2).fit(*mixed()), *mixed())
    assert not any(c.get_label() == "nearest row" for c in worse.collections)


def test_hyperplane_is_about_two_features_and_two_classes():
    X, y = three()
    with pytest.raises(InvalidData, match="two classes; there are 3"):
        plot.hyperplane(LogisticRegression().fit(X, y), X, y)
    X, y = mixed()
    wide = np.column_stack([X, X])
    with pytest.raises(InvalidData, match="two features; X has 4"):
        plot.hyperplane(LogisticRegression(alpha=1.0).fit(wide, y), wide, y)


def test_support_vectors_need_their_rows():
    X, y = apart()
    for model in (HardMarginSVM(), KernelSVM(alpha=1e-3)):
        with pytest.raises(InvalidData, match="give the rows it was fitted to"):
            plot.hyperplane(model.fit(X, y), X[::-1], y[::-1])
    with pytest.raises(InvalidData, match="give the rows it was fitted to"):
        plot.hyperplane(Perceptron(dual=True, random_state=1).fit(X[::-1], y[::-1]), X[:2], y[:2])


def test_given_axes_are_used():
    X, y = apart()
    _, given = pyplot.subplots()
    assert plot.hyperplane(HardMarginSVM().fit(X, y), X, y, ax=given) is given
    assert plot.ordered_margins(HardMarginSVM().fit(X, y), X, y, ax=given) is given
    assert len(pyplot.get_fignums()) == 1


def test_margins_in_order():
    X, y = mixed()
    model = LinearSVM(alpha=0.05).fit(X, y)
    ax = plot.ordered_margins(model, X, y)
    drawn = ax.patches[-1].get_data().values
    assert np.allclose(drawn, np.sort(geometric_margins(model, X, y)))
    wrong = int((model.predict(X) != y).sum())
    assert f"margin ≤ 0: {wrong} rows" in [p.get_label() for p in ax.patches]
    kernel = KernelSVM("rbf", alpha=1e-2).fit(X, y)
    drawn = plot.ordered_margins(kernel, X, y).patches[-1].get_data().values
    assert np.allclose(drawn, np.sort(y * kernel.decision_function(X)))


def test_margins_of_several_classes():
    X, y = three()
    model = LogisticRegression(alpha=1e-3).fit(X, y)
    drawn = plot.ordered_margins(model, X, y).patches[-1].get_data().values
    assert np.allclose(drawn, np.sort(geometric_margins(model, X, y)))
    with pytest.raises(InvalidData, match="has no margin of a row"):
        plot.ordered_margins(KernelSVM(alpha=1e-2).fit(X, y), X, y)


def test_dual_perceptron_marks_its_examples():
    X, y = apart()
    model = Perceptron(kernel="polynomial", degree=2, coef0=1.0).fit(X, y)
    ax = plot.hyperplane(model, X, y)
    assert np.array_equal(dots(ax, "support vectors (αᵢ > 0)"), X[model.support_])


def test_losses_lie_over_the_zero_one_loss_where_they_should():
    ax = plot.margin_losses()
    step = line(ax, "0–1 loss, [M ≤ 0]")
    assert np.array_equal(step, [[-2.5, 1.0], [0.0, 1.0]])
    for label in ("logarithmic, log₂(1 + e⁻ᴹ)", "hinge, max(0, 1 − M)", "squared, (1 − M)²", "exponential, e⁻ᴹ"):
        M, value = line(ax, label).T
        assert (value >= (M <= 0.0)).all()
        assert np.isclose(np.interp(0.0, M, value), 1.0, atol=1e-6)
    M, value = line(ax, "perceptron, max(0, −M)").T
    assert np.allclose(value, losses.get("perceptron").value(M))


def test_chosen_losses():
    assert len(plot.margin_losses("hinge").lines) == len(plot.margin_losses(["log", losses.get("hinge")]).lines) - 1
    with pytest.raises(InvalidParameter, match="unknown loss"):
        plot.margin_losses(["hing"])
    with pytest.raises(InvalidParameter, match="span="):
        plot.margin_losses(span=(1, 2))


def test_step_and_sigmoid():
    ax = plot.step_and_sigmoid([1, 4])
    for label, c in (("σ(z)", 1.0), ("σ(4·z)", 4.0)):
        z, value = line(ax, label).T
        assert np.allclose(value, 1.0 / (1.0 + np.exp(-c * z)))
    with pytest.raises(InvalidParameter, match="steepness"):
        plot.step_and_sigmoid([-1.0])
