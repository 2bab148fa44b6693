"""Pictures of the perceptron against its record and its theorem."""

import numpy as np
import pytest
from matplotlib import pyplot
from PIL import Image

from linsep import HardMarginSVM, LogisticRegression, Perceptron, novikoff_bound, plot
from linsep.errors import InvalidData, InvalidParameter, InvalidType, NotConverged, NotSeparable, Refused
from linsep.plot.perceptron_data import flip
from tests.plot.cases import apart, dots, line, mixed, three


def on_line(weights, ends):
    """|⟨w, x⟩ + b| at the ends of a drawn line, relative to its terms."""
    return np.abs(ends @ weights[:2] + weights[2]).max() / (np.abs(weights).max() + 1e-300)


def test_steps_show_the_line_before_and_after_and_the_example():
    X, y = apart(12, 0.05)
    X = 4.0 * X  # so that the first lines, b = ±1, are in sight
    model = Perceptron(order="given", record=True).fit(X, y)
    last = model.n_updates_
    axes = plot.perceptron_steps(model, X, y, updates=[2, last])
    assert axes.shape == (2,)
    for ax, k in zip(axes, (2, last), strict=True):
        assert on_line(model.trajectory_[k], line(ax, "after")) < 1e-9
        assert on_line(model.trajectory_[k - 1], line(ax, "before")) < 1e-9
        assert np.array_equal(dots(ax, "the example corrected"), X[[model.update_rows_[k - 1]]])
        wrong = (y * (X @ model.trajectory_[k][:2] + model.trajectory_[k][2]) <= 0).sum()
        assert ax.get_title() == f"update {k} of {last}: {wrong} wrong"
    assert plot.perceptron_steps(model, X, y)[-1].get_title() == f"update {last} of {last}: 0 wrong"


def test_steps_on_given_axes_and_refusals():
    X, y = apart()
    model = Perceptron(record=True).fit(X, y)
    given = pyplot.subplots(1, 1)[1]
    assert plot.perceptron_steps(model, X, y, updates=1, axes=given)[0] is given
    with pytest.raises(InvalidParameter, match="allowed are 1 matplotlib axes"):
        plot.perceptron_steps(model, X, y, updates=1, axes=[given, given])
    with pytest.raises(InvalidParameter, match=f"numbers from 1 to {model.n_updates_}"):
        plot.perceptron_steps(model, X, y, updates=[0])
    with pytest.raises(InvalidParameter, match="record=True"):
        plot.perceptron_steps(Perceptron().fit(X, y), X, y)
    with pytest.raises(InvalidParameter, match=r"a picture of a fitted linsep\.Perceptron"):
        plot.perceptron_steps(LogisticRegression().fit(X, y), X, y)
    with pytest.raises(InvalidData, match="X has 20 rows and the model was fitted to 40"):
        plot.perceptron_steps(model, X[::2], y[::2])
    with pytest.raises(InvalidData, match="two classes"):
        plot.perceptron_steps(Perceptron(record=True).fit(*three()), *three())


def test_moving_picture(tmp_path):
    X, y = apart(8)
    model = Perceptron(order="given", record=True).fit(X, y)
    path = plot.perceptron_gif(model, X, y, tmp_path / "run.gif", seconds=1.5)
    with Image.open(path) as image:
        assert image.format == "GIF"
        assert image.n_frames >= 2
        assert image.info["duration"] == 1500
    assert not pyplot.get_fignums()
    with pytest.raises(InvalidParameter, match=r"ends in \.gif"):
        plot.perceptron_gif(model, X, y, tmp_path / "run.mp4")
    with pytest.raises(InvalidParameter, match="seconds=0"):
        plot.perceptron_gif(model, X, y, tmp_path / "run.gif", seconds=0)


@pytest.mark.parametrize("settings", [{}, {"center": True}, {"fit_intercept": False, "order": "given"}], ids=str)
def test_mistakes_against_the_bound(settings):
    X, y = apart()
    X = X - [0.08, 0.06]  # the line through the origin
    model = Perceptron(**settings).fit(X, y)
    ax = plot.mistakes_per_epoch(model, X, y)
    assert np.array_equal(line(ax, "mistakes in the epoch")[:, 1], model.mistakes_)
    assert np.array_equal(line(ax, "all mistakes so far")[:, 1], np.cumsum(model.mistakes_))
    rows = X - X.mean(axis=0) if settings.get("center") else X
    bound = novikoff_bound(rows, y, bias=settings.get("fit_intercept", True))
    assert np.allclose(line(ax, f"Novikoff: (R/ρ)² = {bound:,.4g}")[:, 1], bound)
    assert model.n_updates_ <= bound


def test_no_bound_where_there_is_no_theorem():
    X, y = mixed()
    with pytest.warns(NotConverged):
        model = Perceptron(max_epochs=5).fit(X, y)
    ax = plot.mistakes_per_epoch(model, X, y)
    assert ax.get_title().startswith("no bound: the run did not converge")
    assert not any(found.get_label().startswith("Novikoff") for found in ax.lines)


def test_bounds_of_units_add_up():
    X, y = three()
    model = Perceptron().fit(X, y)
    total = sum(novikoff_bound(X, y == label) for label in "ABC")
    assert np.allclose(line(plot.mistakes_per_epoch(model, X, y), f"Novikoff: (R/ρ)² = {total:,.4g}")[:, 1], total)


@pytest.mark.parametrize(
    "settings", [{}, {"learning_rate": 0.1, "order": "random"}, {"center": True}, {"fit_intercept": False}], ids=str
)
def test_both_inequalities_of_the_proof_hold(settings):
    X, y = apart(30)
    X = X - [0.08, 0.06]
    model = Perceptron(record=True, **settings).fit(X, y)
    first, second, third = plot.novikoff_proof(model, X, y)
    k, squares = line(first, "this run").T
    assert np.array_equal(k, np.arange(model.n_updates_ + 1))
    assert (squares <= line(first, "upper bound")[:, 1] * (1 + 1e-9) + 1e-9).all()
    inner = line(second, "this run")[:, 1]
    assert (inner >= line(second, "lower bound")[:, 1] * (1 - 1e-9) - 1e-9).all()
    assert (inner <= np.sqrt(squares) * (1 + 1e-9)).all()
    bound = novikoff_bound(X - X.mean(axis=0) if settings.get("center") else X, y, bias="fit_intercept" not in settings)
    assert third.lines[-1].get_xdata()[0] == pytest.approx(bound)


def test_the_proof_in_the_space_with_a_one():
    """By hand: R² = max ‖x‖² + 1, ρ the margin through the origin of (x, 1)."""
    X, y = apart()
    ax = plot.novikoff_proof(Perceptron(record=True).fit(X, y), X, y)
    R2 = np.square(X).sum(axis=1).max() + 1.0
    rho = HardMarginSVM(fit_intercept=False).fit(np.column_stack([X, np.ones(len(X))]), y).margin_
    assert line(ax[0], "upper bound")[1, 1] == pytest.approx(R2)
    assert line(ax[1], "lower bound")[1, 1] == pytest.approx(rho)


def test_proof_is_refused_where_it_does_not_apply():
    X, y = apart()
    with pytest.raises(Refused, match="did not start from"):
        plot.novikoff_proof(Perceptron(record=True, start=[1.0, -1.0, 0.0]).fit(X, y), X, y)
    with pytest.raises(Refused, match="mistake-driven rule"):
        plot.novikoff_proof(Perceptron(record=True, rule="thresholded").fit(X, y), X, y)


def test_flipped_labels():
    X, y = apart(30)
    panels = plot.flipped_labels(X, y, shares=(0.0, 0.2), epochs=10)
    assert panels.shape == (2, 2)
    flipped = flip(len(y), 0.2, 0)
    assert flipped.sum() == 12
    ringed = dots(panels[0, 1], "flipped")
    assert np.array_equal(ringed, X[flipped])
    shown = np.where(flipped, -y, y)
    assert np.array_equal(dots(panels[0, 1], "1"), X[shown == 1])
    with pytest.warns(NotConverged):
        model = Perceptron(pocket="epoch", max_epochs=10).fit(X, shown)
    assert [bar.get_height() for bar in panels[1, 1].patches] == model.mistakes_.tolist()
    assert on_line(np.append(model.coef_[0], model.intercept_), line(panels[0, 1], "pocket")) < 1e-9
    assert panels[1, 0].get_title().startswith("converged")
    with pytest.raises(InvalidParameter, match=r"from 0 to 0\.5"):
        plot.flipped_labels(X, y, shares=[20])


def test_order_of_examples():
    X, y = apart(20, 0.02)
    _, race = plot.order_of_examples(X, y, runs=2)
    given = Perceptron(order="given", max_epochs=10_000).fit(X, y)
    assert np.array_equal(line(race, "given order")[:, 1], np.cumsum(given.mistakes_))
    shuffled = Perceptron(random_state=0, max_epochs=10_000).fit(X, y)
    assert np.array_equal(line(race, "shuffled")[:, 1], np.cumsum(shuffled.mistakes_))


def test_many_solutions_separate_the_rows():
    X, y = apart()
    ax = plot.many_solutions(X, y, count=4)
    best = HardMarginSVM().fit(X, y)
    assert on_line(np.append(best.coef_[0], best.intercept_), line(ax, "maximum margin")) < 1e-9
    grey = [found for found in ax.lines if found.get_color() == "0.6"]
    assert len(grey) == 4
    with pytest.raises(NotSeparable):
        plot.many_solutions(*mixed())


def test_bad_parameters_are_named(tmp_path):
    X, y = apart()
    model = Perceptron(record=True).fit(X, y)
    with pytest.raises(InvalidParameter, match="updates='x'"):
        plot.perceptron_steps(model, X, y, updates="x")
    with pytest.raises(InvalidType, match="seconds='a'"):
        plot.perceptron_gif(model, X, y, tmp_path / "run.gif", seconds="a")
    with pytest.raises(InvalidType, match="shares='a'"):
        plot.flipped_labels(X, y, shares=["a"])


def test_no_bound_where_the_margin_is_too_small_for_float64():
    X, y = [[1.0], [-1e-16]], [1, -1]
    model = Perceptron(fit_intercept=False, order="given").fit(X, y)
    assert "no margin exceeds 1e-16" in plot.mistakes_per_epoch(model, X, y).get_title()
