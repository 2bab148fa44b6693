"""Softmax in the dual: sweeps where they serve, Newton where they crawl, starts, balanced multipliers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from linsep.data import as_design
from linsep.problem import joint
from linsep.problem.joint_problem import JointProblem
from linsep.problem.penalties import L2
from linsep.solvers import fit_problem
from linsep.solvers.base import Goal
from linsep.solvers.driver import Budget, solve
from linsep.solvers.softmax_dual import SoftmaxDual, best_between
from linsep.solvers.table import solver_of

N, D, K = 300, 80, 6


def problem(
    alpha: float = 1.0 / N, *, intercept: bool = True, weighted: bool = False, scale: float = 1.0
) -> JointProblem:
    rng = np.random.default_rng(0)
    X = sparse.random(N, D, density=0.1, random_state=1, format="csr")
    y = (X @ rng.normal(size=(D, K)) + 0.3 * rng.normal(size=(N, K))).argmax(axis=1).astype(np.int64)
    weights = rng.integers(0, 4, N).astype(np.float64) if weighted else None
    return JointProblem(as_design(X * scale, 1), y, weights, L2(alpha), intercept, joint.get("softmax"), K)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_agrees_with_newton(intercept: bool, weighted: bool) -> None:
    task = problem(intercept=intercept, weighted=weighted)
    sweeps, newton = (fit_problem(task, solver, 1e-10) for solver in ("softmax_dual", "newton_cg"))
    assert sweeps.status.certified
    np.testing.assert_allclose(sweeps.w, newton.w, atol=1e-4)
    assert sweeps.certificate.primal == pytest.approx(newton.certificate.primal, rel=1e-9)


def test_newton_takes_over_where_sweeps_crawl() -> None:
    task = problem(1e-3 / N, scale=300.0)
    solver = SoftmaxDual(goal=Goal(1e-6, False))
    state = solver.init(task, None)
    for _ in range(60):
        state = solver.step(task, state)
    assert state.newton is not None
    assert fit_problem(task, "softmax_dual", 1e-6).status.certified
    easy = solver.init(problem(), None)
    for _ in range(60):
        easy = solver.step(problem(), easy)
    assert easy.newton is None


def test_intercepts_keep_up_where_the_penalty_is_strong() -> None:
    """Classes of different size: the intercepts are all there is to learn, and balancing tells them at once."""
    rng = np.random.default_rng(0)
    X, y = sparse.random(600, D, density=0.1, random_state=1, format="csr"), rng.integers(0, K, 600) ** 2 // K
    y[:K] = np.arange(K)
    task = JointProblem(as_design(X, 1), y, None, L2(10.0), True, joint.get("softmax"), K)
    solver = SoftmaxDual(goal=Goal(1e-4, False))
    state = solver.init(task, None)
    for _ in range(3):
        state = solver.step(task, state)
    assert state.value - state.bound.value <= 1e-4 * state.value


@pytest.mark.parametrize("intercept", [True, False])
def test_the_start_is_the_best_of_its_kind(intercept: bool) -> None:
    """D is what it says, and no mixture of the own class and the usual shares has more."""
    task = problem(intercept=intercept, weighted=True)
    t, v, value = best_between(task)
    shares = np.bincount(task.target, weights=task.weights, minlength=K) / task.total
    usual = shares if intercept else np.full(K, 1.0 / K)
    one = np.eye(K)[task.target]

    def dual(p: np.ndarray) -> float:
        terms = task.dual(task.loss.project_dual(one - p, task.target))
        return -terms.conjugate - float(task.penalty.conjugate(terms.v[:-1]))

    assert value == pytest.approx(dual(np.exp(t)), rel=1e-9)
    np.testing.assert_allclose(v, task.dual(task.loss.project_dual(one - np.exp(t), task.target)).v, atol=1e-12)
    assert value >= max(dual((1 - s) * one + s * usual) for s in np.linspace(0.01, 0.99, 50)) - 1e-9


def test_weights_to_begin_from() -> None:
    """At the optimum a sweep or two are left; weights that lead nowhere are not used."""
    task = problem()
    best = fit_problem(task, "softmax_dual", 1e-9)
    assert fit_problem(task, "softmax_dual", 1e-6, best.w).steps <= 3 < fit_problem(task, "softmax_dual", 1e-6).steps
    assert fit_problem(task, "softmax_dual", 1e-6, 100.0 * best.w).status.certified


def test_on_the_way_to_rounding_tol_rests_no_row() -> None:
    """A small problem ends at the same bits whatever was asked, and at about the allowance."""
    loose, close = (fit_problem(problem(), "softmax_dual", tol) for tol in (1e-2, 1e-9))
    np.testing.assert_array_equal(loose.w, close.w)
    assert loose.certificate.gap <= 2.0 * loose.certificate.allowance


@pytest.mark.parametrize("solver", ["softmax_dual", "newton_cg", "whitened"])
def test_newtons_steps_do_not_drift_along_a_common_shift(solver: str) -> None:
    """Rows of any size: what rounding adds to a step along the shift, nothing takes back, and it ruins the scores."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(32, 5)) * 10.0 ** rng.uniform(-9.0, 9.0, 32)[:, None]
        y = np.r_[np.arange(4), rng.integers(0, 4, 28)]
        task = JointProblem(as_design(X, 1), y, None, L2(1e-3), True, joint.get("softmax"), 4)
        w = solve(task, solver_of(solver)(goal=Goal(1e-3, False)), budget=Budget(60)).w
        assert np.abs(w.sum(axis=1)).max() <= 1e-14 * np.abs(w).max()
