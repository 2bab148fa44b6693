"""Margins of examples, sets and K classes; decision regions; the optimal rule; the logistic gradients."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.svm import SVC

from linsep import (
    DecisionRegions,
    HardMarginSVM,
    Hyperplane,
    LogisticRegression,
    bayes_rule,
    class_posteriors,
    functional_margin,
    functional_margins,
    gaussian_posteriors,
    geometric_margin,
    geometric_margins,
    logistic_gradient,
    margins,
)
from linsep.errors import InvalidData, InvalidParameter

SEEDS = st.integers(0, 2**32 - 1)


# -- margins -------------------------------------------------------------------------------------------------


@given(SEEDS, st.floats(0.01, 100.0))
def test_scaling_changes_the_functional_margin_only(seed: int, factor: float) -> None:
    random = np.random.default_rng(seed)
    plane, X = Hyperplane(random.standard_normal(3), 0.3), random.standard_normal((9, 3))
    y = np.where(np.arange(9) % 2, 1, -1)
    scaled = Hyperplane(factor * plane.normal, factor * plane.offset)
    assert np.allclose(functional_margins(scaled, X, y), factor * functional_margins(plane, X, y))
    assert np.allclose(geometric_margins(scaled, X, y), geometric_margins(plane, X, y))
    assert np.allclose(geometric_margins(plane, X, y), y * plane.signed_distance(X))
    found = margins(plane, X, y)
    assert (np.diff(found.ordered) >= 0.0).all()
    assert found.smallest == geometric_margin(plane, X, y) == found.geometric.min()
    assert found.mistakes == int((y * plane.value(X) <= 0).sum())


def test_of_one_example() -> None:
    line = Hyperplane([3.0, 4.0], -10.0)
    assert functional_margin(line, [3.0, 4.0], 1) == 15.0
    assert geometric_margin(line, [3.0, 4.0], 1) == 3.0
    assert geometric_margin(line, [3.0, 4.0], -1) == -3.0
    with pytest.raises(InvalidParameter, match="-1 or 1"):
        geometric_margin(line, [3.0, 4.0], 0)
    with pytest.raises(InvalidData, match="3 classes"):
        geometric_margins(line, np.eye(3)[:, :2], [0, 1, 2])


def test_of_a_model_by_its_own_classes() -> None:
    X, y = np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [3.0, 5.0]]), np.array(["a", "a", "b", "b"])
    model = HardMarginSVM().fit(X, y)
    assert geometric_margin(model, X, y) == pytest.approx(model.margin_)
    assert np.allclose(geometric_margins(model, X, y), [1.0, 1.0, 1.0, 2.0])
    assert geometric_margin(model, [3.0, 0.0], "b") == pytest.approx(2.0)
    assert np.allclose(geometric_margins(model, X, y), geometric_margins(Hyperplane.of(model), X, y))
    with pytest.raises(InvalidParameter, match="not a class"):
        geometric_margins(model, X, ["a", "a", "b", "c"])


def test_of_three_classes_is_the_distance_from_the_nearest_boundary() -> None:
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(alpha=1e-2).fit(X, y)
    regions, found = DecisionRegions.of(model), margins(model, X, y)
    assert ((found.geometric > 0) == (model.predict(X) == y)).all()
    for i in (0, 60, 120):
        others = [k for k in range(3) if k != y[i]]
        distances = [regions.boundary(y[i], k).signed_distance(X[i : i + 1])[0] for k in others]
        assert found.geometric[i] == pytest.approx(min(distances))


# -- regions -------------------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(SEEDS, st.integers(2, 6), st.integers(1, 5))
def test_regions_are_convex(seed: int, K: int, d: int) -> None:
    """Every convex combination of points of a region stays in it."""
    random = np.random.default_rng(seed)
    regions = DecisionRegions(random.standard_normal((K, d)), random.standard_normal(K), np.arange(K))
    X = 5.0 * random.standard_normal((60, d))
    chosen = regions.region(X)
    for k in np.unique(chosen):
        inside = X[chosen == k]
        combinations = random.dirichlet(np.full(len(inside), 0.5), size=40) @ inside
        scores = regions.scores(combinations)
        assert (scores[:, k] >= scores.max(axis=1) - 1e-12 * np.abs(scores).max()).all()
        assert regions.contains(inside, k).all()


def test_regions_of_models() -> None:
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(alpha=1e-2).fit(X, y)
    assert (DecisionRegions.of(model).region(X) == model.predict(X)).all()
    two = LogisticRegression(alpha=1e-2).fit(X[:100], y[:100])
    assert (DecisionRegions.of(two).region(X[:100]) == two.predict(X[:100])).all()
    assert DecisionRegions.of(two).boundary(1, 0) == Hyperplane.of(two)
    with pytest.raises(InvalidParameter, match="not a class"):
        DecisionRegions.of(two).boundary(1, 7)
    many = LogisticRegression(multiclass="ovo").fit(np.eye(4), [0, 1, 2, 3])
    with pytest.raises(InvalidData, match="6 weight vectors for 4 classes"):
        DecisionRegions.of(many)


# -- posteriors and the optimal rule --------------------------------------------------------------------------


def test_gaussian_posteriors_against_the_densities() -> None:
    from scipy.stats import multivariate_normal

    random = np.random.default_rng(0)
    X, means, priors = random.standard_normal((50, 2)), random.standard_normal((3, 2)), np.array([0.2, 0.3, 0.5])
    shapes = np.array([np.eye(2), [[2.0, 0.5], [0.5, 1.0]], [[0.5, 0.0], [0.0, 3.0]]])
    densities = np.column_stack([multivariate_normal(means[k], shapes[k]).pdf(X) for k in range(3)])
    expected = class_posteriors(priors, densities)
    assert np.allclose(gaussian_posteriors(X, means, shapes, priors), expected)
    assert np.allclose(expected.sum(axis=1), 1.0)
    assert np.isfinite(gaussian_posteriors(1e3 * X, means, shapes, priors)).all()  # where densities underflow


def test_shared_covariance_gives_linear_scores() -> None:
    """P(1 | x) = σ(⟨C⁻¹(m₁ − m₀), x⟩ + b)."""
    means, C, priors = np.array([[0.0, 1.0], [2.0, -1.0]]), np.array([[2.0, 0.3], [0.3, 1.0]]), np.array([0.3, 0.7])
    w = np.linalg.solve(C, means[1] - means[0])
    b = np.log(0.7 / 0.3) - 0.5 * sum(s * m @ np.linalg.solve(C, m) for s, m in zip((1, -1), means[::-1], strict=True))
    X = np.random.default_rng(0).standard_normal((20, 2))
    assert np.allclose(gaussian_posteriors(X, means, C, priors)[:, 1], 1.0 / (1.0 + np.exp(-(X @ w + b))))


@given(SEEDS, st.integers(2, 5))
def test_no_rule_costs_less(seed: int, K: int) -> None:
    random = np.random.default_rng(seed)
    P, costs = random.dirichlet(np.ones(K), size=30), random.random((K, K))
    expected = P @ costs
    best = expected[np.arange(30), bayes_rule(P, costs)]
    assert (best <= expected.min(axis=1)).all()
    assert (bayes_rule(P) == bayes_rule(P, 1.0 - np.eye(K))).all()
    assert (bayes_rule(P, 5.0 * costs + 2.0) == bayes_rule(P, costs)).all()


def test_refusals_of_the_rule() -> None:
    with pytest.raises(InvalidData, match="sum 1"):
        bayes_rule([[0.5, 0.6]])
    with pytest.raises(InvalidParameter, match="shape"):
        bayes_rule([[0.5, 0.5]], costs=[[0, 1, 1]] * 3)
    with pytest.raises(InvalidParameter, match="priors"):
        class_posteriors([0.5, 0.6], [[1.0, 1.0]])
    with pytest.raises(InvalidData, match="no posterior"):
        class_posteriors([0.5, 0.5], [[1.0, 1.0], [0.0, 0.0]])
    with pytest.raises(InvalidData, match="positive definite"):
        gaussian_posteriors([[0.0, 0.0]], [[0.0, 0.0]], np.zeros((2, 2)))


# -- gradients of logistic regression --------------------------------------------------------------------------


@given(SEEDS)
def test_both_conventions_have_the_same_gradient(seed: int) -> None:
    random = np.random.default_rng(seed)
    w, b, X, t = random.standard_normal(3), 0.2, random.standard_normal((8, 3)), np.arange(8) % 2
    of_signs = logistic_gradient(Hyperplane(w, b), X, 2 * t - 1)
    assert np.allclose(of_signs, logistic_gradient(Hyperplane(w, b), X, t), rtol=1e-12, atol=1e-15)
    step = 1e-6

    def loss(v: np.ndarray) -> float:
        return float(np.logaddexp(0.0, -(2 * t - 1) * (X @ v[:3] + v[3])).mean())

    v = np.append(w, b)
    numeric = [(loss(v + step * e) - loss(v - step * e)) / (2 * step) for e in np.eye(4)]
    assert np.allclose(of_signs, numeric, atol=1e-8)


# -- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [LogisticRegression(multiclass="ovo"), SVC(kernel="linear")], ids=repr)
def test_one_vs_one_has_no_margins_even_with_as_many_pairs_as_classes(model: Any) -> None:
    X, y = load_iris(return_X_y=True)
    model.fit(X, y)
    assert len(model.coef_) == 3
    with pytest.raises(InvalidData, match="not the largest of K scores"):
        margins(model, X, y)


def test_a_frame_has_names_and_a_hyperplane_none() -> None:
    frame = pd.DataFrame({"a": [1.0, -1.0], "b": [0.0, 0.0]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert geometric_margins(Hyperplane([2.0, 0.0]), frame, [1, -1]).tolist() == [1.0, 1.0]
        model = LogisticRegression().fit(frame, ["x", "y"])
        assert DecisionRegions.of(model).region(frame).tolist() == ["x", "y"]


def test_regions_check_their_shapes() -> None:
    assert DecisionRegions([[1.0], [-1.0]], [0.0, 0.0], ["a", "b"]).region([[3.0]]).tolist() == ["a"]  # type: ignore[arg-type]
    with pytest.raises(InvalidData, match="allowed are"):
        DecisionRegions(np.eye(2), np.zeros(2), np.array(["a", "b", "c"]))


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.float32, bool])
def test_logistic_gradient_of_any_kind_of_label(kind: Any) -> None:
    """A label of 1 as uint8 is not 255 with its sign changed."""
    plane, X = Hyperplane([1.0, -1.0], 0.5), [[0.0, 1.0], [2.0, 0.0]]
    assert np.allclose(logistic_gradient(plane, X, np.ones(2, kind)), logistic_gradient(plane, X, [1.0, 1.0]))


def test_logistic_gradient_at_a_model() -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    model = LogisticRegression(alpha=0.0).fit(X, y)
    assert np.abs(logistic_gradient(model, X, y)).max() < 1e-6


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([[np.nan, 0.0]], np.eye(2)), "X holds NaN"),
        (([[0.0, 0.0]], np.nan * np.eye(2)), "covariances holds NaN"),
        (([[0.0, 0.0]], [[1.0, 5.0], [0.0, 1.0]]), "not symmetric"),
        (([[1e200, 0.0]], np.eye(2)), "row 0 is so far"),
        (("X", np.eye(2)), "table of numbers"),
    ],
)
def test_posteriors_that_do_not_exist(given: tuple[Any, Any], message: str) -> None:
    X, covariance = given
    with pytest.raises(InvalidData, match=message):
        gaussian_posteriors(X, np.eye(2), covariance)
