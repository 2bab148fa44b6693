"""What a course proves, as properties of what is built: each holds for every seed, not for one data set.

The rest of it is tested where it belongs: the worked number Δw = 0.16 and the pseudo-code of every rule in
tests/online, the ±1 and 0/1 gradients in tests/geometry, the shift of scores in tests/problem, the bound in
tests/separability.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from linsep import (
    GradientClassifier,
    HardMarginSVM,
    LeastSquaresClassifier,
    LogisticRegression,
    Perceptron,
    novikoff_bound,
    training_margin,
)
from linsep.problem import losses
from tests.separability.test_max_margin import separable

SEEDS = st.integers(0, 2**32 - 1)
ORDERS = st.sampled_from(["given", "shuffled", "random"])
quick = settings(max_examples=25, deadline=None)


def whole_numbers(seed: int, n: int = 20, d: int = 3, classes: int = 2) -> tuple[Any, Any]:
    """Rows on which sums are exact, every class present; seldom separable."""
    random = np.random.default_rng(seed)
    return random.integers(-6, 7, (n, d)).astype(float), random.permutation(np.arange(n) % classes)


def rotation(d: int, seed: int) -> Any:
    """A random orthogonal d × d matrix."""
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((d, d)))[0]


# -- the perceptron ------------------------------------------------------------------------------------------


@quick
@given(SEEDS, ORDERS, st.booleans())
@pytest.mark.filterwarnings("ignore::linsep.errors.NotConverged")
def test_the_weights_are_a_sum_of_the_examples_corrected(seed: int, order: str, bias: bool) -> None:
    """w = η Σ αᵢtᵢxᵢ with αᵢ the corrections by example i, counted from the record of the primal form."""
    X, y = whole_numbers(seed)
    asked: dict[str, Any] = {"order": order, "fit_intercept": bias, "learning_rate": 0.5, "max_epochs": 5}
    primal = Perceptron(**asked, random_state=seed, record=True).fit(X, y)
    counts = np.bincount(primal.update_rows_, minlength=len(X))
    np.testing.assert_array_equal(primal.coef_[0], 0.5 * (counts * (2 * y - 1)) @ X)
    assert primal.intercept_[0] == (0.5 * (counts * (2 * y - 1)).sum() if bias else 0.0)
    np.testing.assert_array_equal(Perceptron(**asked, random_state=seed, dual=True).fit(X, y).counts_, counts)


@quick
@given(SEEDS, st.sampled_from([("mistake", 1.0), ("thresholded", 2.0)]), st.sampled_from([0.25, 1.0, 2.0]))
@pytest.mark.filterwarnings("ignore::linsep.errors.NotConverged")
def test_an_update_raises_the_margin_of_its_example(seed: int, rule: tuple[str, float], rate: float) -> None:
    """By η‖x‖², ‖x‖² for η = 1; by the thresholded rule, t − sign⟨w, x⟩ = 2t, by twice that."""
    X, y = whole_numbers(seed)
    name, factor = rule
    model = Perceptron(rule=name, tie="negative", learning_rate=rate, fit_intercept=False, record=True, max_epochs=4)
    path, t = model.fit(X, y).trajectory_[:, :3], 2.0 * y - 1.0
    for k, i in enumerate(model.update_rows_):
        step = t[i] * (path[k + 1] - path[k]) @ X[i]
        # With tie="negative" a positive example at score 0 has sign −1, so every update is of full size.
        assert step == factor * rate * (X[i] @ X[i])


@quick
@given(SEEDS, st.integers(1, 4), st.integers(1, 5), st.integers(2, 5))
def test_novikoffs_bound_depends_on_neither_rows_nor_columns(seed: int, d: int, more: int, copies: int) -> None:
    """More copies of the rows, and the rows rotated into a space of more dimensions, have the same R and ρ."""
    X, y = separable(seed, 12, d, margin=0.3)
    bound = novikoff_bound(X, y)
    wide = np.column_stack([X, np.zeros((12, more))]) @ rotation(d + more, seed)
    assert novikoff_bound(np.vstack([X] * copies), np.tile(y, copies)) == pytest.approx(bound, rel=1e-9)
    assert novikoff_bound(wide, y) == pytest.approx(bound, rel=1e-8)
    assert training_margin(wide, y) == pytest.approx(training_margin(X, y), rel=1e-8)


@quick
@given(SEEDS, st.integers(1, 4), ORDERS)
def test_a_run_in_more_dimensions_on_more_rows_stays_within_the_same_bound(seed: int, d: int, order: str) -> None:
    X, y = separable(seed, 12, d, margin=0.5)
    wide = np.column_stack([X, np.zeros((12, 3))]) @ rotation(d + 3, seed)
    model = Perceptron(order=order, max_epochs=100_000).fit(np.vstack([wide] * 3), np.tile(y, 3))
    assert model.converged_
    assert model.n_updates_ <= novikoff_bound(X, y) * (1.0 + 1e-9)


@quick
@given(SEEDS, ORDERS)
def test_both_inequalities_of_the_proof(seed: int, order: str) -> None:
    """‖w_k‖² ≤ kR², and ⟨w*, w_k⟩ ≥ kρ for a w* of length 1 with margin ρ, after every update k."""
    X, y = separable(seed, 12, 3, margin=0.5)
    inputs = np.column_stack([X, np.ones(12)])
    path = Perceptron(order=order, record=True, max_epochs=100_000).fit(X, y).trajectory_
    best = HardMarginSVM(fit_intercept=False).fit(inputs, y)
    k, R2 = np.arange(len(path)), np.square(inputs).sum(axis=1).max()
    assert (np.square(path).sum(axis=1) <= k * R2 * (1.0 + 1e-12)).all()
    assert (path @ best.coef_[0] * best.margin_ >= k * best.margin_ * (1.0 - 1e-8)).all()


# -- regions and scores --------------------------------------------------------------------------------------


@settings(max_examples=12, deadline=None)
@given(SEEDS, st.integers(3, 5))
@pytest.mark.filterwarnings("ignore::linsep.errors.NotConverged")
def test_regions_of_fitted_classifiers_are_convex(seed: int, K: int) -> None:
    """Any mean of points of a region belongs to it, for every classifier by the largest of K linear scores."""
    random = np.random.default_rng(seed)
    y = np.arange(8 * K) % K
    X = random.standard_normal((8 * K, 3)) + 2.0 * random.standard_normal((K, 3))[y]
    points = 4.0 * random.standard_normal((200, 3))
    for model in (
        Perceptron(max_epochs=20),
        Perceptron(multiclass="kesler", max_epochs=20),
        GradientClassifier(max_epochs=20),
        LogisticRegression(alpha=1e-2),
        LeastSquaresClassifier(alpha=1e-2),
    ):
        region = model.fit(X, y).predict(points)
        for k in np.unique(region):
            inside = points[region == k]
            scores = model.decision_function(random.dirichlet(np.full(len(inside), 0.3), size=50) @ inside)
            assert (scores[:, k] >= scores.max(axis=1) - 1e-9 * np.abs(scores).max()).all()


@quick
@given(SEEDS, st.integers(3, 6))
def test_softmax_does_not_see_a_vector_added_to_all_classes(seed: int, K: int) -> None:
    """W + 1vᵀ and b + c have the probabilities of W and b; so w_C = 0 and Σₖ wₖ = 0 are two names of one model."""
    random = np.random.default_rng(seed)
    X, y = random.standard_normal((6 * K, 3)), np.arange(6 * K) % K
    model = LogisticRegression(alpha=0.1).fit(X, y)
    np.testing.assert_allclose(model.coef_.sum(axis=0), 0.0, atol=1e-9)
    for v, c in ((random.standard_normal(3), 7.0), (-model.coef_[-1], -model.intercept_[-1])):
        Z = X @ (model.coef_ + v).T + model.intercept_ + c
        P = np.exp(Z - Z.max(axis=1, keepdims=True))
        np.testing.assert_allclose(P / P.sum(axis=1, keepdims=True), model.predict_proba(X), rtol=1e-9)


# -- losses --------------------------------------------------------------------------------------------------

ABOVE = ("hinge", "squared_hinge", "squared", "exponential", "sigmoid")


@settings(max_examples=200)
@given(st.floats(-700.0, 700.0))
def test_log_loss_in_base_two_lies_above_the_zero_one_loss(M: float) -> None:
    at = np.array([M, -abs(M), 0.0])
    assert (losses.get("log").value(at) / np.log(2.0) >= (at <= 0.0) * (1.0 - 1e-15)).all()
    for name in ABOVE:
        assert (losses.get(name).value(at) >= (at <= 0.0) * (1.0 - 1e-15)).all(), name


def test_where_a_loss_does_not_lie_above() -> None:
    """At M = 0 the natural logarithm is ln 2, the smoothed hinge ½ and the perceptron's loss 0: all below 1."""
    at = np.zeros(1)
    below = {loss.name for loss in losses.MARGIN_LOSSES if loss.value(at)[0] < 1.0}
    assert below == {"log", "smoothed_hinge", "perceptron"}


@quick
@given(SEEDS)
def test_training_errors_are_at_most_the_mean_loss_in_base_two(seed: int) -> None:
    """What the bound is for: the share of mistakes is at most the mean log₂ loss, for any weights."""
    random = np.random.default_rng(seed)
    X, y = whole_numbers(seed)
    f = X @ random.standard_normal(3) + random.standard_normal()
    assume(np.abs(f).max() < 700.0)
    M = (2 * y - 1) * f
    assert (M <= 0.0).mean() <= losses.get("log").value(M).mean() / np.log(2.0)
