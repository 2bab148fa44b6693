"""The logistic variant: derivatives, the dual, and the same optimum as other tools."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import check_grad, minimize
from sklearn.linear_model import LogisticRegression

from linsep import ChoicePerceptron, CrossValidation
from linsep.certify import Kind
from linsep.data import as_design
from linsep.data.segments import Segments
from linsep.errors import InvalidParameter, NoOptimum, NotCertified
from linsep.online import choice_logistic
from linsep.problem.choice_problem import ChoiceProblem, Chosen


def flat(seed: int, n: int = 80, d: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X, offsets, and choices within the states, by noisy scores."""
    rng = np.random.default_rng(seed)
    offsets = np.append(0, np.cumsum(rng.integers(1, 6, n)))
    X = rng.normal(size=(offsets[-1], d)) + 3.0
    noisy = X @ rng.normal(size=d) + rng.gumbel(size=len(X))
    return X, offsets, Segments(offsets).argmax(noisy) - offsets[:-1]


def value(w: np.ndarray, X: np.ndarray, offsets: np.ndarray, choices: np.ndarray, alpha: float) -> float:
    """The objective in plain Python."""
    total = 0.0
    for low, high, c in zip(offsets[:-1], offsets[1:], choices, strict=True):
        z = X[low:high] @ w
        total += float(np.logaddexp.reduce(z) - z[c])
    return total / len(choices) + 0.5 * alpha * float(w @ w)


def problem(seed: int, alpha: float) -> ChoiceProblem:
    X, offsets, choices = flat(seed)
    return ChoiceProblem.of(as_design(X, 1), Chosen(Segments(offsets), offsets[:-1] + choices), alpha)


@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_value_gradient_and_curvature(alpha: float) -> None:
    p = problem(0, alpha)
    w = np.append(np.random.default_rng(1).normal(size=5), 0.0)
    point = p.at(w)
    assert point.value == pytest.approx(value(w[:-1], *flat(0), alpha), rel=1e-13)
    assert (
        check_grad(lambda v: p.at(np.append(v, 0.0)).value, lambda v: p.at(np.append(v, 0.0)).grad[:-1], w[:-1]) < 1e-6
    )
    H = p.hessian(point.curve)
    H = np.triu(H) + np.triu(H, 1).T
    for j in range(5):
        e = np.eye(6)[j]
        product, scores = p.hess_vec(point, e)
        np.testing.assert_allclose(product[:-1], H[:-1, j], atol=1e-13)
        np.testing.assert_allclose(scores, p.design.scores(e))
        numeric = (p.at(w + 1e-5 * e).grad - p.at(w - 1e-5 * e).grad) / 2e-5
        np.testing.assert_allclose(product, numeric, atol=1e-8)


def test_along_is_the_objective_on_a_line() -> None:
    p, rng = problem(2, 0.3), np.random.default_rng(0)
    w, q = np.append(rng.normal(size=5), 0.0), np.append(rng.normal(size=5), 0.0)
    reached, slope = p.line(p.at(w), q, p.design.scores(q))(0.7)
    there = p.at(w + 0.7 * q)
    assert reached == pytest.approx(there.value, rel=1e-13)
    assert slope == pytest.approx(there.grad @ q, rel=1e-12)


def test_the_gap_at_the_probabilities_is_the_gradient_s() -> None:
    """P(w) − D(p(w)) = ‖∇P‖²/2α, the bound of strong convexity."""
    p = problem(3, 0.2)
    w = np.append(np.random.default_rng(5).normal(size=5), 0.0)
    point, dual = p.at(w), p.dual_at(p.design.scores(w))
    bound = -dual.conjugate - p.penalty.conjugate(dual.v[:-1])
    assert point.value - bound == pytest.approx(point.grad @ point.grad / 0.4, rel=1e-10)


@pytest.mark.parametrize("alpha", [1e-1, 1e-3])
def test_same_optimum_as_scipy(alpha: float) -> None:
    X, offsets, choices = flat(4)
    model = ChoicePerceptron("logistic", alpha=alpha).fit(X, choices, offsets=offsets)
    found = minimize(value, np.zeros(5), (X, offsets, choices, alpha), method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(model.coef_, found.x, atol=1e-6)
    assert model.certificate_.holds
    assert model.certificate_.bound <= found.fun <= model.certificate_.primal + 1e-9


def test_k_classes_are_softmax_regression() -> None:
    """φ(k, x) = e_k ⊗ x: the multinomial logistic regression of scikit-learn, C = 1/(nα)."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X @ rng.normal(size=(3, 4)) + rng.gumbel(size=(120, 4))).argmax(axis=1)
    states = np.array([np.kron(np.eye(4), x) for x in X])
    model = ChoicePerceptron("logistic", alpha=1e-2).fit(states, y)
    peer = LogisticRegression(C=1 / (120 * 1e-2), fit_intercept=False, tol=1e-12, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(model.coef_.reshape(4, 3), peer.coef_, atol=1e-6)
    np.testing.assert_allclose(np.array(model.predict_proba(states)), peer.predict_proba(X), atol=1e-6)


def test_without_a_penalty() -> None:
    X, offsets, choices = flat(6)
    model = ChoicePerceptron("logistic", alpha=0).fit(X, choices, offsets=offsets)
    assert model.certificate_.kind is Kind.LOCAL_CURVATURE
    assert model.certificate_.holds
    best = Segments(offsets).argmax(X @ np.arange(5.0)) - offsets[:-1]
    with pytest.raises(NoOptimum, match="alpha > 0"):
        ChoicePerceptron("logistic", alpha=0).fit(X, best, offsets=offsets)


def test_many_features_without_a_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    X, offsets, choices = flat(7)
    by_matrix = ChoicePerceptron("logistic", alpha=1e-2).fit(X, choices, offsets=offsets)
    monkeypatch.setattr(choice_logistic, "_MATRIX", 2)
    by_products = ChoicePerceptron("logistic", alpha=1e-2).fit(sparse.csr_array(X), choices, offsets=offsets)
    np.testing.assert_allclose(by_products.coef_, by_matrix.coef_, atol=1e-6)
    assert by_products.certificate_.holds


def test_samples_only_change_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    X, offsets, choices = flat(8, n=600)
    direct = ChoicePerceptron("logistic", alpha=1e-2).fit(X, choices, offsets=offsets)
    monkeypatch.setattr(choice_logistic, "_FEWEST", 10)
    monkeypatch.setattr(choice_logistic, "_PER_FEATURE", 5)
    sampled = ChoicePerceptron("logistic", alpha=1e-2).fit(X, choices, offsets=offsets)
    np.testing.assert_allclose(sampled.coef_, direct.coef_, atol=1e-6)
    assert sampled.n_iter_ < direct.n_iter_


def test_blocks_of_states_sum_to_the_same_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    p = problem(9, 0.1)
    point = p.at(np.append(np.ones(5), 0.0))
    whole = p.hessian(point.curve)
    monkeypatch.setattr("linsep.problem.choice_problem._BLOCK", 30)
    np.testing.assert_allclose(p.hessian(point.curve), whole, rtol=1e-12, atol=1e-15)


def test_a_fit_cut_short_says_so() -> None:
    X, offsets, choices = flat(4)
    with pytest.warns(NotCertified, match="max_iter"):
        model = ChoicePerceptron("logistic", max_iter=1).fit(X, choices, offsets=offsets)
    assert not model.converged_


def test_the_same_bits_for_any_number_of_threads() -> None:
    X, offsets, choices = flat(10, n=30_000)
    one, two = (ChoicePerceptron("logistic", n_jobs=k).fit(X, choices, offsets=offsets) for k in (1, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)


def _states(count: int = 90, d: int = 12) -> tuple[list[np.ndarray], list[int]]:
    random = np.random.default_rng(3)
    w = random.normal(size=d)
    states = [random.normal(size=(int(random.integers(2, 6)), d)) for _ in range(count)]
    return states, [int((s @ w + random.gumbel(size=len(s))).argmax()) for s in states]


def test_alpha_by_folds_of_states_equals_separate_fits() -> None:
    states, choices = _states()
    fold = np.arange(len(states)) % 3
    model = ChoicePerceptron("logistic", alpha=CrossValidation(fold, alphas=[1.0, 0.1, 0.01])).fit(states, choices)
    curve = model.alpha_curve_
    for alpha, loss in zip(curve.alphas, curve.losses, strict=True):
        losses = []
        for f in range(3):
            train = np.flatnonzero(fold != f)
            other = ChoicePerceptron("logistic", alpha=float(alpha))
            other.fit([states[i] for i in train], [choices[i] for i in train])
            losses += [-np.log(other.predict_proba([states[i]])[0][choices[i]]) for i in np.flatnonzero(fold == f)]
        assert loss == pytest.approx(np.mean(losses), abs=1e-6)
    assert model.alpha_ == curve.best
    assert model.certificate_.holds


def test_alpha_by_name() -> None:
    states, choices = _states()
    auto, cv = (ChoicePerceptron("logistic", alpha=name).fit(states, choices) for name in ("auto", "cv"))
    assert auto.alpha_ == cv.alpha_
    assert not cv.alpha_curve_.at_edge
    assert cv.alpha_curve_.method == "5 folds of the states"
    assert "leave-one-out" in auto.alpha_curve_.notes[0]
    with pytest.raises(InvalidParameter, match="scoring"):
        ChoicePerceptron("logistic", alpha=CrossValidation(scoring="accuracy")).fit(states, choices)
