"""Pictures of gradient descent against its history and its objective."""

import numpy as np
import pytest
from matplotlib import pyplot

from linsep import GradientClassifier, LogisticRegression, plot
from linsep.errors import InvalidData, InvalidParameter
from linsep.plot.descent import surface_of
from linsep.plot.points import read_points
from tests.plot.cases import line, mixed


def steepest(**settings):
    return GradientClassifier(batch="batch", record="epochs", **{"tol_loss": 1e-6, **settings})


@pytest.mark.parametrize("ratio", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_surface_is_the_objective(intercept, ratio):
    X, y = mixed()
    X = X[:, :1] if intercept else X
    model = steepest(alpha=0.05, l1_ratio=ratio, fit_intercept=intercept).fit(X, y)
    surface = surface_of(model, read_points(X, y, model))
    path = model.path_[:, 0, :] if intercept else model.path_[:, 0, :2]
    assert np.allclose(surface.value(path), [record.objective for record in model.history_])
    best = LogisticRegression(alpha=0.05, l1_ratio=ratio, fit_intercept=intercept).fit(X, y)
    weights = np.append(best.coef_[0], best.intercept_)[:2]
    assert np.allclose(surface.minimum(), weights, atol=1e-4)


def test_the_surface_is_that_of_a_chosen_alpha():
    X, y = mixed()
    model = steepest(alpha="auto", fit_intercept=False).fit(X, y)
    surface = surface_of(model, read_points(X, y, model))
    assert np.allclose(surface.value(model.path_[:, 0, :2]), [record.objective for record in model.history_])


def test_path_and_optimum():
    X, y = mixed()
    model = steepest(alpha=0.0, fit_intercept=False).fit(X, y)
    ax = plot.descent_path(model, X, y)
    assert np.array_equal(line(ax, "gradient descent"), model.path_[:, 0, :2])
    best = LogisticRegression(alpha=0.0, fit_intercept=False).fit(X, y)
    assert np.allclose(line(ax, "optimum"), best.coef_, atol=1e-4)
    assert ax.get_aspect() == 1.0
    given = pyplot.subplots()[1]
    assert plot.descent_path(model, X, y, ax=given) is given


def test_what_a_path_needs():
    X, y = mixed()
    with pytest.raises(InvalidParameter, match="record='epochs'"):
        plot.descent_path(GradientClassifier(fit_intercept=False).fit(X, y), X, y)
    with pytest.raises(InvalidData, match="over two weights, and the model has 3"):
        plot.descent_path(steepest().fit(X, y), X, y)
    with pytest.raises(InvalidParameter, match="scale=True"):
        plot.descent_path(steepest(scale=True, fit_intercept=False).fit(X, y), X, y)
    with pytest.raises(InvalidParameter, match=r"a picture of a fitted linsep\.GradientClassifier"):
        plot.loss_and_smoothed(LogisticRegression().fit(X, y))
    with pytest.raises(InvalidParameter, match="not fitted"):
        plot.loss_and_smoothed(GradientClassifier())


def test_scaling_saves_steps():
    X, y = mixed()
    raw, scaled = plot.scaling_and_descent(X * [1.0, 5.0], y)
    before, after = (len(line(ax, "steepest descent")) - 1 for ax in (raw, scaled))
    assert raw.get_title() == f"as given: {before:,} steps"
    assert after < before / 2
    size = np.sqrt(np.square(X * [1.0, 5.0]).mean(axis=0))
    assert np.allclose(line(raw, "optimum") * size, line(scaled, "optimum"), atol=1e-5)
    with pytest.raises(InvalidData, match="0 in every row"):
        plot.scaling_and_descent(X * [1.0, 0.0], y)


@pytest.mark.filterwarnings("ignore::linsep.errors.NotConverged")
def test_losses_against_passes():
    X, y = mixed()
    model = GradientClassifier(record="epochs", tol_loss=None, max_epochs=8).fit(X, y)
    ax = plot.loss_and_smoothed(model)
    assert np.array_equal(line(ax, "objective, all rows")[:, 1], [record.objective for record in model.history_])
    assert np.array_equal(line(ax, "smoothed loss")[:, 1], [record.smoothed for record in model.history_])
    bare = plot.loss_and_smoothed(GradientClassifier(tol_loss=None, max_epochs=8).fit(X, y))
    assert np.array_equal(line(bare, "smoothed loss")[:, 0], np.arange(9))


def test_the_sigmoid_loss_ends_by_its_start():
    random = np.random.default_rng(0)
    x = np.concatenate([random.normal(c, 0.35, 15) for c in (-3.0, -1.0, 1.0, 3.0)])[:, None]
    y = np.repeat([1, -1, 1, -1], 15)
    paths, curves = plot.sigmoid_minima(x, y, [(1.0, 0.0), (-1.0, 2.0)], alpha=0.01)
    ends = [line(paths, label)[-1] for label in ("from (1, 0)", "from (-1, 2)")]
    assert np.linalg.norm(ends[0] - ends[1]) > 1.0
    for curve in curves.lines:
        assert (np.diff(curve.get_ydata()) <= 1e-12).all()
    with pytest.raises(InvalidParameter, match="rows of two finite numbers"):
        plot.sigmoid_minima(x, y, [(1.0, 2.0, 3.0)])
