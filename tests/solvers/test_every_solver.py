"""What must hold for every registered solver on every loss it takes: one test each, run by being registered.

Two solutions of one problem lie within their certificates: each one's bound is below the other's value.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from scipy import sparse

from linsep.data import as_design
from linsep.problem import joint, losses
from linsep.problem.joint_problem import JointProblem
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import L2, Penalty
from linsep.problem.problem import Problem
from linsep.solvers import Solution, Status, fit_problem
from linsep.solvers.base import Goal
from linsep.solvers.table import SOLVERS, solver_of

N, D, K = 400, 6, 3
FREE = "hinge, alpha = 0"  # stands for the one loss that has a solver of its own without a penalty
MARGINS = [*losses.MARGIN_LOSSES.names(), FREE]
FACTORS = np.array([0.0, 1.0, 2.0, 1.0, 0.5, 1.0])
LOWER, UPPER = (
    np.array([-np.inf, 0.0, 0.0, -0.01, -np.inf, -np.inf]),
    np.array([np.inf, np.inf, 0.02, 0.01, 0.0, np.inf]),
)
#: A factor of 0 with a bound on one side, on both and on none.
UNPENALISED = np.array([0.0, 0.0, 2.0, 0.0, 0.0, 0.0])
FROM, UPTO = (
    np.array([0.0, -np.inf, 0.0, -0.01, 0.0, -np.inf]),
    np.array([np.inf, 0.02, 0.02, 0.01, np.inf, np.inf]),
)
#: A loss may be followed by one of these, else it has a ridge.
PENALTIES = {
    "lasso": Penalty(0.01, 1.0),
    "elastic net": Penalty(0.01, 0.5),
    "factors": Penalty(0.01, 1.0, FACTORS),
    "bounds": Penalty(0.01, 0.9, None, LOWER, UPPER),
    "factors and bounds": Penalty(0.01, 0.0, FACTORS, LOWER, UPPER),
    "a bound and no penalty": Penalty(0.01, 0.5, UNPENALISED, FROM, UPTO),
    "bounds alone": Penalty(0.0, 0.0, None, np.array([0.0, -0.1, 0.0, -np.inf, 0.0, 0.0]), UPPER + 0.1),
}


def data(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows with some zeros, and noisy labels of two and of K classes."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((N, D)) < 0.7, rng.normal(size=(N, D)) * np.arange(1, D + 1), 0.0)
    scores = X @ rng.normal(size=(D, K)) + 3.0 * rng.normal(size=(N, K))
    return X, np.where(scores[:, 0] > 0, 1.0, -1.0), scores.argmax(axis=1).astype(np.int64)


def problem_of(
    loss: str, X: object, target: np.ndarray, weights: np.ndarray | None = None, threads: int = 1
) -> Problem:
    design = as_design(X, threads)
    if loss == FREE:
        return MarginProblem(design, target, weights, L2(0.0), True, losses.get("hinge"))
    name, _, penalty = loss.partition(" with ")
    if name in MARGINS:
        return MarginProblem(design, target, weights, PENALTIES.get(penalty, L2(0.01)), True, losses.get(name))
    return JointProblem(design, target, weights, PENALTIES.get(penalty, L2(0.01)), True, joint.get(name), K)


def cases() -> Iterator[object]:
    X, signs, codes = data()
    plain = [*MARGINS, *joint.JOINT_LOSSES.names()]
    penalised = [f"{loss} with {penalty}" for loss in plain if loss != FREE for penalty in PENALTIES]
    for name, solver in ((each, solver_of(each)) for each in SOLVERS):
        for loss in [*plain, *penalised]:
            target = signs if loss.partition(" with ")[0] in MARGINS else codes
            problem = problem_of(loss, X, target)
            fits = problem.loss.refusal is None and solver(goal=Goal(1e-6, False)).refusal(problem) is None
            if fits and problem.loss.convex:
                yield pytest.param(name, loss, id=f"{name}-{loss}")


every = pytest.mark.parametrize(("solver", "loss"), list(cases()))


def target_of(loss: str) -> np.ndarray:
    _, signs, codes = data()
    return signs if loss.partition(" with ")[0] in MARGINS else codes


def fit(problem: Problem, solver: str, **settings: object) -> Solution:
    return fit_problem(problem, solver, 1e-6, **settings)  # type: ignore[arg-type]


def agree(one: Solution, other: Solution) -> None:
    assert one.status.certified
    assert other.status.certified
    assert one.certificate.bound <= other.certificate.primal
    assert other.certificate.bound <= one.certificate.primal


def test_every_solver_is_here() -> None:
    assert {case.values[0] for case in cases()} == set(SOLVERS)  # type: ignore[attr-defined]


@every
def test_certified_and_agrees_with_the_default(solver: str, loss: str) -> None:
    X, _, _ = data()
    problem = problem_of(loss, X, target_of(loss))
    agree(fit(problem, solver), fit(problem, "auto"))


@every
def test_storage_does_not_matter(solver: str, loss: str) -> None:
    X, _, _ = data()
    X = X.astype(np.float32).astype(np.float64)
    one = fit(problem_of(loss, X, target_of(loss)), solver)
    for other in (np.asfortranarray(X), X.astype(np.float32), sparse.csr_array(X), sparse.csc_array(X)):
        agree(one, fit(problem_of(loss, other, target_of(loss)), solver))


@every
def test_a_weight_is_a_number_of_copies(solver: str, loss: str) -> None:
    X, _, _ = data()
    y = target_of(loss)
    counts = np.random.default_rng(1).integers(0, 4, N)
    weighted = fit(problem_of(loss, X, y, counts.astype(np.float64)), solver)
    agree(weighted, fit(problem_of(loss, np.repeat(X, counts, axis=0), np.repeat(y, counts)), solver))


@every
def test_the_order_of_rows_does_not_matter(solver: str, loss: str) -> None:
    X, _, _ = data()
    y, order = target_of(loss), np.random.default_rng(2).permutation(N)
    agree(fit(problem_of(loss, X, y), solver), fit(problem_of(loss, X[order], y[order]), solver))


@every
def test_threads_and_runs_do_not_change_a_bit(solver: str, loss: str) -> None:
    X = np.tile(data()[0], (40, 1))
    y = np.tile(target_of(loss), 40)
    first, second, again = (fit(problem_of(loss, X, y, threads=k), solver) for k in (1, 2, 1))
    assert (first.w == second.w).all()
    assert (first.w == again.w).all()
    assert first.certificate == second.certificate == again.certificate


@every
def test_a_budget_ends_the_fit_with_its_gap(solver: str, loss: str) -> None:
    X, _, _ = data()
    problem = problem_of(loss, X, target_of(loss))
    cut = fit(problem, solver, max_iter=0)
    assert cut.status is Status.MAX_ITER or cut.status.certified
    assert np.isfinite(cut.certificate.gap)
    best = fit(problem, solver).certificate.primal
    assert cut.certificate.bound <= best <= cut.certificate.primal * (1 + 1e-12)


@every
def test_an_interruption_returns_the_best_point_with_its_gap(solver: str, loss: str) -> None:
    X, _, _ = data()
    problem = problem_of(loss, X, target_of(loss))

    def interrupt(record: object) -> None:
        raise KeyboardInterrupt

    found = fit(problem, solver, callback=interrupt)
    assert found.status is Status.INTERRUPTED
    assert np.isfinite(found.certificate.gap)
    assert found.certificate.bound <= fit(problem, solver).certificate.primal
