"""The two solvers for the hinge loss with d × d systems: constructed optima, another library, hard data."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC

from linsep.data import as_design
from linsep.problem import losses
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import L2
from linsep.solvers.augmented_lagrangian import AugmentedLagrangian
from linsep.solvers.base import Goal, Solution, Solver
from linsep.solvers.driver import Budget, solve
from linsep.solvers.dual_cd import DualCD
from linsep.solvers.hinge import balanced, best_intercept

Array = np.ndarray[Any, Any]
Case = tuple[Array, Array]

solvers = pytest.mark.parametrize("solver", [AugmentedLagrangian], ids=lambda s: s.name)
either = pytest.mark.parametrize("intercept", [True, False], ids=["free", "none"])


def problem_of(
    X: Any, y: Array, alpha: float, *, intercept: bool = True, weights: Array | None = None, threads: int = 1
) -> MarginProblem:
    return MarginProblem(as_design(X, threads), y, weights, L2(alpha), intercept, losses.get("hinge"))


def run(solver: type[Solver], problem: MarginProblem, tol: float = 1e-9, **settings: Any) -> Solution:
    return solve(problem, solver(goal=Goal(tol, False)), **settings)


def objective(X: Array, y: Array, alpha: float, w: Array, weights: Array | None = None) -> float:
    margins = y * (X @ w[:-1] + w[-1])
    return float(np.average(np.maximum(1 - margins, 0), weights=weights) + alpha / 2 * w[:-1] @ w[:-1])


def noisy(n: int = 300, d: int = 6, seed: int = 0) -> Case:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sign(X @ rng.normal(size=d) + rng.normal(size=n) + 0.3)


def constructed(seed: int, intercept: bool) -> tuple[Array, Array, float, Array]:
    """Rows, labels, α and the optimum (w, b), by the conditions for it.

    Margins below, at and above 1 get multipliers 1, anything, and 0. Rows come in fours: solvers signs of their part
    orthogonal to w, so that αw = Σ θᵢyᵢxᵢ/n holds for α = mean of θM over ‖w‖²; solvers labels, so that Σ θᵢyᵢ = 0.
    """
    rng = np.random.default_rng(seed)
    d = 5
    w, b = rng.normal(size=d), 1.5 if intercept else 0.0
    margins = np.r_[rng.uniform(0.2, 0.9, 8), np.ones(6), rng.uniform(1.1, 3.0, 10)]
    theta = np.r_[np.ones(8), rng.uniform(0.1, 0.9, 6), np.zeros(10)]
    rows, labels, multipliers = [], [], []
    for M, t in zip(margins, theta, strict=True):
        for sign in (1.0, -1.0):
            across = rng.normal(size=d)
            across -= w * (across @ w) / (w @ w)
            for side in (1.0, -1.0):
                rows.append(w * (sign * M - b) / (w @ w) + side * across)
                labels.append(sign)
                multipliers.append(t * M)
    alpha = float(np.mean(multipliers) / (w @ w))
    return np.array(rows), np.array(labels), alpha, np.r_[w, b]


@solvers
@either
@pytest.mark.parametrize("seed", range(3))
def test_constructed_optimum(solver: type[Solver], intercept: bool, seed: int) -> None:
    X, y, alpha, w = constructed(seed, intercept)
    best = objective(X, y, alpha, w)
    found = run(solver, problem_of(X, y, alpha, intercept=intercept))
    certificate = found.certificate
    assert found.status.certified
    assert certificate.bound <= best * (1 + 1e-14)
    assert best * (1 - 1e-14) <= certificate.primal <= best * (1 + 2e-9)
    assert certificate.primal == pytest.approx(objective(X, y, alpha, found.w), rel=1e-14)
    assert np.linalg.norm(found.w[:-1] - w[:-1]) <= certificate.distance + 1e-12


@solvers
@pytest.mark.parametrize("alpha", [1e-3, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
def test_another_library(solver: type[Solver], alpha: float, weighted: bool) -> None:
    X, y = noisy(200)
    s = np.random.default_rng(1).uniform(0.1, 3.0, 200) if weighted else np.ones(200)
    other = SVC(kernel="linear", C=1 / (s.sum() * alpha), tol=1e-10).fit(X, y, s)
    reference = objective(X, y, alpha, np.r_[other.coef_[0], other.intercept_], s)
    found = run(solver, problem_of(X, y, alpha, weights=s if weighted else None))
    assert found.certificate.bound <= reference
    assert found.certificate.primal <= reference * (1 + 1e-9)
    assert found.w == pytest.approx(np.r_[other.coef_[0], other.intercept_], abs=1e-3)


@solvers
@either
def test_weights_are_copies_and_zero_is_absence(solver: type[Solver], intercept: bool) -> None:
    X, y = noisy(150)
    s = np.random.default_rng(2).integers(0, 4, 150).astype(float)
    weighted = run(solver, problem_of(X, y, 1e-2, intercept=intercept, weights=s))
    copies = np.repeat(np.arange(150), s.astype(int))
    copied = run(solver, problem_of(X[copies], y[copies], 1e-2, intercept=intercept))
    assert weighted.status.certified
    assert weighted.certificate.primal == pytest.approx(copied.certificate.primal, rel=1e-8)
    assert np.linalg.norm((weighted.w - copied.w)[:-1]) <= weighted.certificate.distance + copied.certificate.distance


@solvers
def test_storage_does_not_matter(solver: type[Solver]) -> None:
    X, y = noisy(200)
    X = np.where(np.abs(X) < 0.5, 0.0, X.astype(np.float32).astype(np.float64))
    kinds: list[Any] = [X, np.asfortranarray(X), X.astype(np.float32), sparse.csr_array(X)]
    values = [run(solver, problem_of(kind, y, 1e-3)).certificate for kind in kinds]
    assert all(value.primal == pytest.approx(values[0].primal, rel=2e-9) for value in values)
    assert all(value.bound <= min(v.primal for v in values) for value in values)


def hard() -> Iterator[tuple[str, Array, Array]]:
    rng = np.random.default_rng(3)
    X, y = noisy(200)
    yield "scales", X * [1e9, 1e-9, 1.0, 1.0, 1e4, 1e-4], y
    yield "mean of a million", X + 1e6 * np.eye(6)[0], y
    yield "constant columns", np.c_[X, np.ones(200), np.zeros(200), np.full(200, 1e5)], y
    yield "duplicate columns", np.c_[X, X[:, :2], 1e6 * X[:, 0]], y
    yield "duplicate rows", np.repeat(X[:40], 5, axis=0), np.repeat(y[:40], 5)
    yield "contradictions", np.r_[X[:80], X[:80]], np.r_[y[:80], -y[:80]]
    yield "nothing but zeros", np.zeros((50, 2)), np.r_[np.ones(30), -np.ones(20)]
    yield "more columns than rows", rng.normal(size=(20, 100)), np.r_[np.ones(9), -np.ones(11)]
    yield "two rows", rng.normal(size=(2, 3)), np.array([1.0, -1.0])
    yield "one positive row", X, np.r_[1.0, -np.ones(199)]
    yield "separable", X, np.sign(X[:, 0] + 3 * np.sign(X[:, 0]))
    yield "rare columns", np.c_[X, rng.random((200, 8)) < 0.01], y
    yield "heavy tails", rng.standard_cauchy((200, 4)), y


@solvers
@either
@pytest.mark.parametrize(("X", "y"), [case[1:] for case in hard()], ids=[case[0] for case in hard()])
@pytest.mark.parametrize("alpha", [1e-6, 1e-3, 1e3])
def test_hard_data(solver: type[Solver], intercept: bool, X: Array, y: Array, alpha: float) -> None:
    problem = problem_of(X, y, alpha, intercept=intercept)
    found = run(solver, problem, 1e-5, budget=Budget(60))
    assert found.status.certified
    assert found.certificate.bound <= found.certificate.primal
    # no step along any column, nor of the intercept, leads below the bound
    w = found.w
    sizes = np.append(np.maximum(np.abs(w[:-1]), 1 / np.maximum(np.abs(X).max(axis=0), 1e-3)), 1.0)
    for j in range(len(w) - (not intercept)):
        for step in (-0.1, -1e-3, 1e-3, 0.1):
            moved = w.copy()
            moved[j] += step * sizes[j]
            assert found.certificate.bound <= objective(X, y, alpha, moved)


@solvers
def test_every_bound_on_the_way_is_true(solver: type[Solver]) -> None:
    X, y = noisy(400, 10)
    problem = problem_of(X, y, 1e-4)
    best = run(solver, problem, 1e-11).certificate.primal
    trace = run(solver, problem).trace
    assert all(record.bound <= best for record in trace)
    assert all(record.value >= best * (1 - 1e-14) for record in trace)
    values = [record.value for record in trace]
    assert values == sorted(values, reverse=True)


def test_many_rows_begin_with_samples_and_threads_change_no_bit() -> None:
    X, y = noisy(30_000, 5, seed=4)
    X[:, 4] = X[:, 4] * (np.random.default_rng(5).random(len(X)) < 2e-3)  # a rare column
    found = [run(AugmentedLagrangian, problem_of(X, y, 1e-5, threads=k), 1e-7) for k in (1, 2)]
    assert found[0].status.certified
    assert found[0].steps <= 15
    assert (found[0].w == found[1].w).all()
    other = run(DualCD, problem_of(X, y, 1e-5), 1e-2)
    assert found[0].certificate.bound <= other.certificate.primal
    assert other.certificate.bound <= found[0].certificate.primal


@solvers
def test_a_given_start(solver: type[Solver]) -> None:
    X, y = noisy()
    problem = problem_of(X, y, 1e-3)
    cold = run(solver, problem)
    warm = run(solver, problem, start=cold.w)
    assert warm.status.certified
    assert warm.certificate.primal == pytest.approx(cold.certificate.primal, rel=2e-9)


@pytest.mark.parametrize("weights", [None, "whole", "fractions"])
def test_best_intercept_is_the_midpoint_of_all_minimisers(weights: str | None) -> None:
    rng = np.random.default_rng(6)
    for _ in range(30):
        n = int(rng.integers(3, 9))
        y = np.r_[1.0, -1.0, rng.choice([-1.0, 1.0], n - 2)]
        scores = rng.integers(-4, 5, n).astype(float)
        s = {"whole": rng.integers(0, 3, n) + 0.0, "fractions": rng.uniform(0.1, 1.0, n)}.get(weights or "")
        if s is not None and min(s[y > 0].sum(), s[y < 0].sum()) == 0.0:
            continue
        problem = problem_of(np.ones((n, 1)), y, 1.0, weights=s)
        kinks = y - scores
        loss = [np.average(np.maximum(1 - y * (scores + b), 0), weights=s) for b in kinks]
        minimisers = kinks[np.isclose(loss, min(loss), rtol=1e-12, atol=1e-14)]
        expected = 0.5 * (minimisers.min() + minimisers.max())
        assert best_intercept(problem, scores) == pytest.approx(expected, abs=1e-12)


def test_a_flat_intercept_comes_back_as_its_midpoint() -> None:
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    # α is so large that every margin stays below 1 for all b in an interval around 0
    for solver in (AugmentedLagrangian, DualCD):
        found = run(solver, problem_of(X, y, 10.0))
        assert found.w == pytest.approx([0.15, 0.0], abs=1e-5)


def test_balanced_multipliers() -> None:
    rng = np.random.default_rng(7)
    y, s = rng.choice([-1.0, 1.0], 50), rng.uniform(0.5, 2.0, 50)
    theta = np.where(rng.random(50) < 0.5, rng.integers(0, 2, 50), rng.uniform(0.2, 0.8, 50))
    theta[y > 0] *= 0.99
    problem = problem_of(np.ones((50, 1)), y, 1.0, weights=s)
    moved = balanced(problem, theta)
    assert abs((s * y) @ moved) < 1e-12
    assert ((moved >= 0) & (moved <= 1)).all()
    assert (moved[(theta == 0) | (theta == 1)] == theta[(theta == 0) | (theta == 1)]).all()


@solvers
def test_refusals_are_sentences(solver: type[Solver]) -> None:
    X, y = noisy(20)
    problem = problem_of(X, y, 0.0)
    assert "small alpha" in str(solver().refusal(problem))
    other = MarginProblem(problem.design, y, None, L2(1.0), True, losses.get("log"))
    assert "'hinge'" in str(solver().refusal(other))
    wide = problem_of(sparse.csr_array((4, 20_000)), np.array([1.0, -1.0, 1.0, -1.0]), 1.0)
    assert "dual_cd" in str(solver().refusal(wide))
    assert solver().refusal(problem_of(X, y, 1.0)) is None
