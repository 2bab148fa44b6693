"""The hinge loss with L1, factors, bounds and offsets against linear and quadratic programs solved by others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog, minimize

from linsep.data import as_design
from linsep.errors import Refused
from linsep.problem import losses
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import Penalty
from linsep.solvers import Solution, fit_problem, quadratic_model
from linsep.solvers.alpha_max import alpha_max
from linsep.solvers.line_search import slope_search

KINDS = ("normal", "rounded", "binary", "scales", "constant", "far", "copies", "zeros")


def data(seed: int, kind: str, n: int = 60, d: int = 8, noise: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if kind == "rounded":
        X = np.round(X)
    elif kind == "binary":
        X = (X > 0.5).astype(float)
    elif kind == "scales":
        X *= 10.0 ** rng.integers(-2, 3, d)
    elif kind == "constant":
        X[:, 0] = 1.0
    elif kind == "far":
        X += 10.0 * rng.normal(size=d)
    elif kind == "copies":
        X[:, -1], X[n // 2 :] = X[:, 0], X[: n - n // 2]
    elif kind == "zeros":
        X[rng.random((n, d)) < 0.7] = 0.0
    centred = X - X.mean(axis=0)
    score = centred @ rng.normal(size=d) + noise * X.std() * rng.normal(size=n) + 0.3
    y = np.where(score > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y


def hinge(X: Any, y: np.ndarray, penalty: Penalty, **more: Any) -> MarginProblem:
    threads, weights, intercept = more.pop("threads", 1), more.pop("weights", None), more.pop("intercept", True)
    return MarginProblem(as_design(X, threads), y, weights, penalty, intercept, losses.get("hinge"), **more)


def solved(problem: MarginProblem, tol: float = 1e-7, **more: Any) -> Solution:
    found = fit_problem(problem, "proximal_lagrangian", tol, **more)
    assert found.status.certified
    return found


def by_linear_program(problem: MarginProblem, X: np.ndarray) -> float:
    """min Σ cξ + Σ at over w, t ≥ |w|, b and ξ ≥ 0 with y(Xw + b + o) + ξ ≥ 1, for l1_ratio = 1."""
    (n, d), penalty = X.shape, problem.penalty
    c = np.full(n, 1.0 / n) if problem.weights is None else problem.weights / problem.weights.sum()
    known = np.zeros(n) if problem.offset is None else problem.target * problem.offset
    signed = problem.target[:, None] * np.hstack([X, np.zeros((n, d)), np.full((n, 1), float(problem.intercept))])
    one, none = np.eye(d), np.zeros((d, 1 + n))
    A = np.vstack([np.hstack([-signed, -np.eye(n)]), np.hstack([one, -one, none]), np.hstack([-one, -one, none])])
    box = [*zip(*penalty.box(d), strict=True), *[(0, None)] * d, (None, None), *[(0, None)] * n]
    cost = np.concatenate([np.zeros(d), penalty.l1(d), [0.0], c])
    options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    limits = np.concatenate([known - 1.0, np.zeros(2 * d)])
    return float(linprog(cost, A_ub=A, b_ub=limits, bounds=box, method="highs", options=options).fun)


def by_quadratic_program(problem: MarginProblem, X: np.ndarray) -> float:
    """P at min of c/2 (p − q)² + a(p + q) + mean ξ over p, q, ξ ≥ 0 and b with y(X(p − q) + b) + ξ ≥ 1, by SLSQP."""
    n, d = X.shape
    a, c, (lower, upper) = problem.penalty.l1(d), problem.penalty.l2(d), problem.penalty.box(d)
    A = np.hstack([problem.target[:, None] * np.hstack([X, -X, np.ones((n, 1))]), np.eye(n)])

    def value(z: np.ndarray) -> tuple[float, np.ndarray]:
        w = z[:d] - z[d : 2 * d]
        gradient = np.concatenate([c * w + a, a - c * w, [0.0], np.full(n, 1.0 / n)])
        return 0.5 * float((c * w) @ w) + float(a @ (z[:d] + z[d : 2 * d])) + float(z[2 * d + 1 :].mean()), gradient

    box = [*zip(np.maximum(lower, 0), np.maximum(upper, 0), strict=True)]
    box += [*zip(np.maximum(-upper, 0), np.maximum(-lower, 0), strict=True), (None, None), *[(0, None)] * n]
    start = np.concatenate([np.zeros(2 * d + 1), np.ones(n)])
    margins = {"type": "ineq", "fun": lambda z: A @ z - 1.0, "jac": lambda z: A}
    options = {"ftol": 1e-15, "maxiter": 1000}
    z = minimize(value, start, jac=True, bounds=box, constraints=margins, method="SLSQP", options=options).x
    w = np.append(z[:d] - z[d : 2 * d], z[2 * d])
    return problem.value(w, problem.scores(w))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alpha", [0.1, 0.003])
def test_agrees_with_a_linear_program(kind: str, alpha: float) -> None:
    X, y = data(0, kind)
    problem = hinge(X, y, Penalty(alpha, 1.0))
    found, truth = solved(problem), by_linear_program(problem, X)
    assert found.certificate.primal == pytest.approx(truth, rel=1e-6, abs=1e-12)
    assert found.certificate.bound <= truth * (1 + 1e-9)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6), st.sampled_from(KINDS), st.sampled_from([0.2, 0.03, 0.003]), st.booleans(), st.booleans()
)  # fmt: skip
def test_factors_bounds_weights_and_offsets(seed: int, kind: str, alpha: float, intercept: bool, shifted: bool) -> None:
    X, y = data(seed, kind, 40, 6, 2.0)
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 4, len(y)).astype(float)
    lower, upper = rng.choice([-np.inf, 0.0, -0.1], 6), rng.choice([np.inf, 0.0, 0.1], 6)
    penalty = Penalty(alpha, 1.0, rng.choice([0.5, 1.0, 3.0], 6), lower, upper)
    offset = rng.normal(size=len(y)) if shifted else None
    problem = hinge(X, y, penalty, weights=weights, intercept=intercept, offset=offset)
    found, truth = fit_problem(problem, tol=1e-6), by_linear_program(problem, X)
    assert found.certificate.primal == pytest.approx(truth, rel=1e-5, abs=1e-9)
    assert found.certificate.bound <= truth * (1 + 1e-9)
    assert found.status.certified
    assert (found.w[:-1] >= lower).all()
    assert (found.w[:-1] <= upper).all()


@pytest.mark.parametrize("ratio", [0.9, 0.3, 0.0])
@pytest.mark.parametrize("bounded", [False, True])
def test_the_elastic_net_agrees_with_a_general_solver(ratio: float, bounded: bool) -> None:
    X, y = data(1, "normal", 20, 4)
    lower, upper = (np.full(4, -0.05), np.full(4, 0.4)) if bounded else (None, None)
    problem = hinge(X, y, Penalty(0.05, ratio, np.linspace(0.5, 2.0, 4), lower, upper))
    found, truth = solved(problem, 1e-8), by_quadratic_program(problem, X)
    assert found.certificate.primal == pytest.approx(truth, rel=1e-6)
    assert found.certificate.bound <= truth


def test_the_ridge_agrees_with_the_other_solver() -> None:
    X, y = data(2, "normal", 300)
    one, other = (fit_problem(hinge(X, y, Penalty(0.01)), name, 1e-8) for name in ("proximal_lagrangian", "auto"))
    assert other.solver == "augmented_lagrangian"
    assert one.w == pytest.approx(other.w, abs=1e-6)


def test_free_columns_stay_in_the_model() -> None:
    X, y = data(3, "normal", 200)
    problem = hinge(X, y, Penalty(0.3, 1.0, np.r_[0.0, 0.0, np.ones(6)]))
    found = solved(problem)
    assert found.certificate.primal == pytest.approx(by_linear_program(problem, X), rel=1e-6)
    assert (found.w[:2] != 0.0).all()
    assert (found.w[2:-1] == 0.0).any()


def test_columns_swept_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """No matrix is formed: columns are swept, as with many of them."""
    X, y = data(4, "zeros", 120, 12)
    problem = hinge(sparse.csr_array(X), y, Penalty(0.01, 1.0))
    formed = solved(problem)
    monkeypatch.setattr(quadratic_model, "FORMED", 0)
    swept = solved(problem)
    assert swept.certificate.primal == pytest.approx(formed.certificate.primal, rel=1e-7)
    assert formed.certificate.primal == pytest.approx(by_linear_program(problem, X), rel=1e-7)


def test_more_columns_than_rows() -> None:
    X, y = data(5, "normal", 30, 300)
    problem = hinge(X, y, Penalty(0.05, 1.0))
    found = solved(problem)
    assert found.certificate.primal == pytest.approx(by_linear_program(problem, X), rel=1e-6)
    assert np.count_nonzero(found.w[:-1]) <= 30


def test_bounds_alone_hold_the_weights() -> None:
    X, y = data(6, "normal")
    problem = hinge(X, y, Penalty(0.0, 0.0, None, np.full(8, -0.2), np.full(8, 0.2)))
    found = solved(problem)
    assert found.certificate.primal == pytest.approx(by_linear_program(problem, X), rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bounds", [None, (0.0, None)])
def test_alpha_max_is_the_smallest(kind: str, bounds: tuple[float, None] | None) -> None:
    X, y = data(7, kind)
    lower = None if bounds is None else np.zeros(8)
    problem = hinge(X, y, Penalty(1.0, 1.0, np.linspace(0.5, 2.0, 8), lower))
    top, null = alpha_max(problem), min((y > 0).mean(), (y < 0).mean()) * 2.0
    assert by_linear_program(problem.with_alpha(top * (1 + 1e-6)), X) == pytest.approx(null, rel=1e-9)
    if top > 0.0:  # where weights may only rise, no feature may have anything to say
        assert by_linear_program(problem.with_alpha(top * 0.99), X) < null * (1 - 1e-6)
        assert not solved(problem.with_alpha(top * (1 + 1e-6))).w[:-1].any()


def test_alpha_max_with_tied_classes_and_without_an_intercept_is_a_gradient() -> None:
    X, _ = data(8, "normal")
    y = np.tile([1.0, -1.0], 30)
    expected = np.abs((y @ X) / 60).max()
    assert alpha_max(hinge(X, y, Penalty(1.0, 1.0))) == pytest.approx(expected, rel=1e-12)
    y[0] = -1.0
    expected = np.abs((y @ X) / 60).max()
    assert alpha_max(hinge(X, y, Penalty(1.0, 1.0), intercept=False)) == pytest.approx(expected, rel=1e-12)


def test_alpha_max_with_offsets_or_free_columns_leaves_no_weight() -> None:
    X, y = data(9, "normal", 200)
    free = hinge(X, y, Penalty(1.0, 1.0, np.r_[0.0, np.ones(7)]))
    assert not solved(free.with_alpha(alpha_max(free) * (1 + 1e-6))).w[1:-1].any()
    shifted = hinge(X, y, Penalty(1.0, 1.0), offset=X[:, 0])
    assert not solved(shifted.with_alpha(alpha_max(shifted) * (1 + 1e-6))).w[:-1].any()


def test_a_start_is_used() -> None:
    X, y = data(10, "normal", 3000, 40)
    problem = hinge(X, y, Penalty(0.01, 1.0))
    first = fit_problem(problem)
    assert fit_problem(problem, start=first.w).steps < first.steps


def test_refusals() -> None:
    X, y = data(11, "normal")
    with pytest.raises(Refused, match="takes the loss 'hinge'"):
        fit_problem(replace(hinge(X, y, Penalty(0.1, 1.0)), loss=losses.get("log")), "proximal_lagrangian")
    with pytest.raises(Refused, match="linear_program"):
        fit_problem(hinge(X, y, Penalty(0.0)), "proximal_lagrangian")


def test_slope_search() -> None:
    assert slope_search(lambda t: t + 1.0) == 0.0
    assert slope_search(lambda t: t - 1.0) == 1.0
    assert slope_search(lambda t: t**3 - 0.001) == pytest.approx(0.1, abs=0.01)
