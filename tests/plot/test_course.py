"""Projections, verdicts, posteriors, gradients and choices as they are drawn."""

from __future__ import annotations

import numpy as np
import pytest

from linsep import ChoicePerceptron, Hyperplane, LinearSVM, LogisticRegression, errors, plot, separability
from tests.plot.cases import apart, dots, line

ROWS = np.array([[3.0, 4.0], [0.0, 1.0], [4.0, 1.5]])


def test_projections_end_on_the_line_and_say_the_margin() -> None:
    plane = Hyperplane([3.0, 4.0], -10.0)
    ax = plot.projections(plane, ROWS, [1, -1, -1])
    ends = [np.asarray(found.get_xydata()) for found in ax.lines if str(found.get_label()).startswith("margin")]
    assert np.allclose(sorted(e[0].tolist() for e in ends), sorted(ROWS.tolist()))
    assert np.allclose([plane.signed_distance(e[1:])[0] for e in ends], 0.0)
    assert [t.get_text() for t in ax.texts if t.get_text()[-1:].isdigit()] == ["3.00", "1.20", "-1.60"]
    assert len(line(ax, "margin ≤ 0")) == 2


def test_a_verdict_shows_what_proves_it() -> None:
    X, y = apart()
    found = separability(X, y)
    ax = plot.separation(found, X, y)
    assert np.allclose(line(ax, "the line of the verdict") @ found.w + found.b, 0.0)
    corners = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    ax = plot.separation(separability(corners, [0, 0, 1, 1]), corners, [0, 0, 1, 1])
    assert np.allclose(line(ax, "a point of both hulls"), [[0.5, 0.5]])
    assert len(dots(ax, "rows it is a mean of")) == 4
    with pytest.raises(errors.InvalidParameter, match="give what separability"):
        plot.separation("separable", X, y)  # type: ignore[arg-type]


def test_the_posterior_of_normal_classes_is_a_sigmoid() -> None:
    left, right = plot.posteriors((-1.0, 1.0), 1.0, (0.5, 0.5))[0]
    x, P = line(right, "P(1 given x)").T
    assert np.allclose(P, 1.0 / (1.0 + np.exp(-2.0 * x)))
    first, second = (line(left, f"P({k}) p(x given {k})")[:, 1] for k in (0, 1))
    assert np.allclose(second / (first + second), P)
    assert np.allclose(line(left, "where the optimal rule changes")[:, 0], 0.0, atol=0.01)
    with pytest.raises(errors.InvalidData, match="one number for each of two classes"):
        plot.posteriors((1.0, 2.0, 3.0))
    with pytest.raises(errors.InvalidParameter, match="deviation=0"):
        plot.posteriors((1.0, 2.0), 0)


def test_both_codings_have_one_gradient() -> None:
    ax = plot.logistic_gradients()
    assert np.allclose(line(ax, "σ(f) − t, t = 1"), line(ax, "−yσ(−yf), y = 1"))
    assert np.allclose(line(ax, "σ(f) − t, t = 0"), line(ax, "−yσ(−yf), y = −1"))


def test_differences_of_choices_are_ahead_where_the_model_agrees() -> None:
    states = [{"walk": [0, 0], "run": [2, 3], "wait": [-1, -1]}, {"walk": [1, 0], "run": [3, 1], "wait": [-1, 0]}]
    model = ChoicePerceptron(order="given").fit(states, ["walk", "run"])
    ax = plot.choice_differences(model, states, ["walk", "run"])
    ahead = dots(ax, "a* is ahead")
    assert sorted(ahead.tolist()) == [[-2.0, -3.0], [1.0, 1.0], [2.0, 1.0], [4.0, 1.0]]
    assert (ahead @ model.coef_ > 0.0).all()
    other = plot.choice_differences(model, states, ["run", "run"])
    assert len(dots(other, "a* is not ahead"))
    wide = [[[0, 0, 1], [1, 0, 0]]]
    model.fit(wide, [1])
    with pytest.raises(errors.InvalidData, match="3 features"):
        plot.choice_differences(model, wide, [1])


def test_the_gap_that_is_proved_is_never_less_than_the_excess() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 40))
    y = (X[:, 0] + random.normal(size=3000) > 0.0).astype(int)
    models = [LinearSVM("hinge", alpha=1e-3, tol=tol).fit(X, y) for tol in (1e-6, 1e-1, 1e-3)]
    ax = plot.certified_gaps(models)
    tol, gap = line(ax, "gap, proved").T
    assert tol.tolist() == [1e-1, 1e-3, 1e-6]
    assert (gap <= tol).all()
    excess = dict(line(ax, "excess over the best of the fits").tolist())
    assert all(excess[t] <= g for t, g in zip(tol, gap, strict=True) if t in excess)
    with pytest.raises(errors.InvalidData, match="not of the same objective"):
        plot.certified_gaps([models[0], LinearSVM("hinge", alpha=1.0).fit(X, y)])
    with pytest.raises(errors.InvalidParameter, match="give fitted models"):
        plot.certified_gaps([LogisticRegression()])
