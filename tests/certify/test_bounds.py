"""The bound is below the optimum, and the gap above the excess: against optima known by construction, optima
found by other libraries, and at points that are nowhere near an optimum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import optimize
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import SVC, LinearSVC

from linsep import MarginLoss
from linsep.certify.bounds import dual_bound, linearised_bound
from linsep.certify.intercept import intercept_reach
from linsep.data import as_design
from linsep.problem import losses
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import L2, Penalty
from linsep.solvers import fit_problem
from linsep.solvers.whitened import whitening
from tests.certify.cases import (
    ALPHAS,
    CONVEX,
    JOINT,
    SLOPES,
    STORAGE,
    VALUES,
    Case,
    JointCase,
    check_certificate,
    constructed,
    exact,
    joint_case,
    margin_problem,
    objective,
    polish,
    poor_points,
    problem_of,
)

Array = np.ndarray[Any, Any]

intercepts = pytest.mark.parametrize("intercept", [True, False], ids=["free", "none"])
weights = pytest.mark.parametrize("weighted", [True, False], ids=["weighted", "equal"])
alphas = pytest.mark.parametrize("alpha", ALPHAS)
storages = pytest.mark.parametrize("storage", STORAGE)


# -- constructed optima -------------------------------------------------------------------------------------


@intercepts
@weights
@alphas
@storages
@pytest.mark.parametrize("loss", CONVEX)
def test_fits_of_constructed_problems(loss: str, storage: str, alpha: float, weighted: bool, intercept: bool) -> None:
    case = constructed(loss, alpha, intercept, weighted)
    X = STORAGE[storage](case.X)
    # float32 moves the rows and with them the optimum, by a little
    moved = storage == "float32"
    best = polish(loss, X, case, case.w) if moved and loss in SLOPES else case.w
    solution = fit_problem(margin_problem(loss, case, storage))
    reached, reference = (objective(loss, X, case, w) for w in (solution.w, best))
    check_certificate(solution.certificate, reached, reference)
    if not moved or loss in SLOPES:
        assert np.linalg.norm(solution.w[:-1] - best[:-1]) <= solution.certificate.distance
    assert solution.certificate.relative_gap < 1e-4


@intercepts
@weights
@alphas
@pytest.mark.parametrize("loss", CONVEX)
def test_the_constructed_multipliers_prove_the_optimum(
    loss: str, alpha: float, weighted: bool, intercept: bool
) -> None:
    """No solver between: the bound at the optimum's own multipliers closes the gap down to rounding."""
    case = constructed(loss, alpha, intercept, weighted, seed=1)
    problem, best = margin_problem(loss, case), objective(loss, case.X, case, case.w)
    bound = dual_bound(problem, problem.dual(case.theta), float(best))
    assert bound.value <= best
    assert float(best) - bound.value <= 3.0 * bound.allowance
    assert bound.allowance < 1e-10 * float(best)
    if intercept:
        assert abs(case.w[-1]) <= intercept_reach(problem, float(best))


@pytest.mark.parametrize("offset", [1e2, 1e4])
@intercepts
@pytest.mark.parametrize("loss", sorted(SLOPES))
def test_columns_far_from_zero(loss: str, intercept: bool, offset: float) -> None:
    """Scores are small sums of large terms: their rounding is part of the gap."""
    for seed in range(4):
        case = constructed(loss, 1e-2, intercept, False, seed)._replace(alpha=1e-4)
        X = case.X + offset
        problem = margin_problem(loss, case._replace(X=X))
        solution = fit_problem(problem)
        best = polish(loss, X, case, solution.w)
        reached, reference = (objective(loss, X, case, w) for w in (solution.w, best))
        check_certificate(solution.certificate, reached, reference)


# -- other libraries ----------------------------------------------------------------------------------------


def _by_library(loss: str, case: Case | JointCase) -> Array:
    """The optimum by scikit-learn or SciPy, weights with the intercept last."""
    n, free = len(case.y), case.intercept
    C = 1.0 / (case.alpha * n)
    shares = np.ones(n) if case.s is None else case.s * (n / case.s.sum())
    fitted: Any = None
    if loss in ("log", "softmax"):
        fitted = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-14, max_iter=1000, fit_intercept=free)
    elif loss == "hinge" and free:
        fitted = SVC(kernel="linear", C=C, tol=1e-10)
    elif loss == "squared_hinge" and not free:
        fitted = LinearSVC(C=C, fit_intercept=False, dual=False, tol=1e-12)
    elif loss in ("squared", "one_of_k"):
        fitted = Ridge(alpha=0.5 * case.alpha * n, fit_intercept=free, solver="cholesky")
    if fitted is not None:
        targets = 1.0 * (case.y[:, None] == np.arange(3)) if loss == "one_of_k" else case.y
        fitted.fit(case.X, targets, sample_weight=shares)
        flat = loss not in JOINT
        coef = np.ravel(fitted.coef_) if flat else fitted.coef_.T
        b = np.ravel(fitted.intercept_)[0] if flat else np.broadcast_to(fitted.intercept_, coef.shape[1:])
        return np.vstack([coef, b]) if not flat else np.append(coef, b)
    return _by_scipy(loss, case)


def _by_scipy(loss: str, case: Any) -> Array:
    """A smooth loss by BFGS, a loss with kinks as a quadratic program in the weights and one slack a row."""
    n, (rows, d) = len(case.y), case.X.shape
    A = np.column_stack([case.X, np.full(rows, float(case.intercept))])
    s = np.ones(n) if case.s is None else case.s
    s = s / s.sum()
    if loss in ("hinge", "crammer_singer"):
        return _program(loss, case, A, s)

    def value_and_slope(w: Array) -> tuple[float, Array]:
        M = case.y * (A @ w)
        slope = -A.T @ (s * case.y * SLOPES[loss](M)) + case.alpha * np.append(w[:-1], 0.0)
        return float(s @ VALUES[loss](M) + 0.5 * case.alpha * w[:-1] @ w[:-1]), slope

    return np.asarray(optimize.minimize(value_and_slope, np.zeros(d + 1), jac=True, method="BFGS", tol=1e-12).x)


def _program(loss: str, case: Any, A: Array, s: Array) -> Array:
    """min α/2 ‖w‖² + Σ sᵢξᵢ subject to leadᵢ ≥ 1 − ξᵢ, ξᵢ ≥ 0."""
    n, size = A.shape
    if loss == "hinge":
        K, leads = 1, [case.y[:, None] * A]
    else:
        K, hot = case.K, np.eye(case.K)
        leads = [np.einsum("ij,ik->ijk", A, hot[case.y] - hot[(case.y + k) % K]).reshape(n, -1) for k in (1, 2)]
    lead = np.vstack([np.hstack([rows, np.eye(n)]) for rows in [*leads, np.zeros((n, size * K))]])
    asked = np.r_[np.ones(n * len(leads)), np.zeros(n)]
    weight = np.append(np.repeat(np.r_[np.full(size - 1, case.alpha), 0.0], K), np.zeros(n))
    linear = np.append(np.zeros(size * K), s)
    found = optimize.minimize(
        lambda x: 0.5 * (weight * x) @ x + linear @ x,
        np.append(np.zeros(size * K), np.ones(n)),
        jac=lambda x: weight * x + linear,
        constraints={"type": "ineq", "fun": lambda x: lead @ x - asked, "jac": lambda x: lead},
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    )
    w = found.x[: size * K].reshape(size, K)
    return np.asarray(w[:, 0] if loss == "hinge" else w)


@weights
@intercepts
@pytest.mark.parametrize("loss", [*CONVEX, *JOINT])
def test_against_other_libraries(loss: str, intercept: bool, weighted: bool) -> None:
    joint = loss in JOINT
    if joint:
        case: Any = joint_case(1e-2, intercept, weighted, n=24)
    else:
        rng = np.random.default_rng(3)
        X, y = rng.normal(size=(50, 4)), rng.choice([-1.0, 1.0], 50)
        case = Case(X + 0.5 * y[:, None], y, rng.uniform(0.5, 2.0, 50) if weighted else None, 1e-2, intercept,
                    np.zeros(5), np.zeros(0))  # fmt: skip
    other = objective(loss, case.X, case, _by_library(loss, case))
    solution = fit_problem(problem_of(loss, case))
    reached = objective(loss, case.X, case, solution.w)
    check_certificate(solution.certificate, reached, other)
    # it is the same problem, and the library solved it
    assert float(other) - solution.certificate.bound <= 1e-6 * float(other) + solution.certificate.gap


@weights
@intercepts
@alphas
@storages
@pytest.mark.parametrize("loss", JOINT)
def test_fits_of_joint_problems(loss: str, storage: str, alpha: float, intercept: bool, weighted: bool) -> None:
    """Against two other points: the same problem's solution in float64, and a library's without storage."""
    case = joint_case(alpha, intercept, weighted)
    X = STORAGE[storage](case.X)
    solution = fit_problem(problem_of(loss, case, storage))
    reached = objective(loss, X, case, solution.w)
    check_certificate(solution.certificate, reached, reached)
    other = fit_problem(problem_of(loss, case._replace(X=exact(X, _identity(3)).astype(np.float64))))
    check_certificate(solution.certificate, reached, objective(loss, X, case, other.w))
    assert solution.certificate.holds


def _identity(d: int) -> Array:
    return np.vstack([np.eye(d), np.zeros(d)])


# -- poor points --------------------------------------------------------------------------------------------


def _any_multipliers(problem: Any, loss: str, rng: np.random.Generator) -> Array:
    """Anywhere in the domain, of any size where it is unbounded."""
    n = problem.design.n
    if loss in JOINT:
        theta = rng.normal(size=(n, 3)) * rng.choice([0.01, 1.0, 10.0])
        return np.asarray(problem.loss.project_dual(theta, problem.target))
    spread = rng.normal(size=n) * rng.choice([0.01, 1.0, 10.0])
    return np.clip(spread, problem.loss.dual_lower, problem.loss.dual_upper)


@settings(max_examples=300, deadline=None)
@given(poor_points())
def test_no_bound_exceeds_a_value(point: tuple[str, Any, int]) -> None:
    """D(θ) ≤ P(w) for any multipliers and any point, above all the best point known."""
    loss, case, seed = point
    rng = np.random.default_rng(seed)
    problem = problem_of(loss, case)
    solution = fit_problem(problem, max_iter=50)
    best = objective(loss, case.X, case, solution.w)
    check_certificate(solution.certificate, best, best)
    for _ in range(5):
        w = rng.normal(size=problem.shape) * rng.choice([0.1, 1.0])
        w[-1] *= case.intercept
        value = float(objective(loss, case.X, case, w))
        bound = dual_bound(problem, problem.dual(_any_multipliers(problem, loss, rng)), value)
        assert bound.value <= best
        if problem.loss.smooth:
            at = dual_bound(problem, problem.dual_at(problem.at(w).scores), value)
            assert at.value <= best


# -- a loss of the user's own -------------------------------------------------------------------------------


class Quartic(MarginLoss):
    """(1 − M)⁴ + (1 − M)²: convex, no conjugate given."""

    convex = True

    def value(self, M: Array) -> Array:
        return np.asarray((1 - M) ** 4 + (1 - M) ** 2)

    def d1(self, M: Array) -> Array:
        return np.asarray(-4 * (1 - M) ** 3 - 2 * (1 - M))

    def d2(self, M: Array) -> Array:
        return np.asarray(12 * (1 - M) ** 2 + 2)


@intercepts
def test_a_loss_without_conjugate(intercept: bool) -> None:
    rng = np.random.default_rng(5)
    y = rng.choice([-1.0, 1.0], 40)
    X = rng.normal(size=(40, 3)) + 0.7 * y[:, None]
    problem = MarginProblem(as_design(X, 1), y, None, L2(1e-2), intercept, loss=Quartic())
    solution = fit_problem(problem)
    best = min(solution.certificate.primal, problem.at(solution.w).value)
    assert solution.certificate.bound <= best
    for _ in range(20):
        point = problem.at(rng.normal(size=4) * np.r_[1.0, 1.0, 1.0, float(intercept)])
        assert dual_bound(problem, problem.dual_at(point.scores), point.value).value <= best


def test_registered_losses_are_all_here() -> None:
    """A loss that is registered must be added to the formulas of these tests."""
    assert set(CONVEX) == set(VALUES)
    assert all(losses.get(name).smooth == (name in SLOPES) for name in CONVEX)


@pytest.mark.parametrize("most", [1, 2, 4])
@intercepts
@pytest.mark.parametrize("loss", ["log", "squared_hinge", "softmax"])
def test_bounds_linearised_at_a_point(loss: str, intercept: bool, most: int) -> None:
    """True at any point, and near the optimum, with the Hessian itself for a preconditioner, worth the excess."""
    case: Any = joint_case(1e-2, intercept, True) if loss == "softmax" else constructed(loss, 1e-2, intercept, True)
    problem, rng = problem_of(loss, case), np.random.default_rng(most)
    best = fit_problem(problem)
    for distance in (1e-3, 1e-2, 0.1, 1.0):
        step = rng.normal(size=problem.shape) * distance
        step[-1] *= intercept
        point = problem.at(problem.gauge(best.w + step))
        bound = linearised_bound(problem, point, whitening(problem, point), most).bound
        assert bound.value <= best.certificate.primal
        if distance <= 1e-2:
            assert point.value - bound.value <= 2.0 * (point.value - best.certificate.bound)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "smoothed_hinge", "log"])
def test_multipliers_that_only_balance_outside_of_their_domain_prove_nothing(loss: str) -> None:
    """Every row wants the free weight to rise: no θ ≥ 0 balances, and the optimum is 0."""
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.ones(4)
    problem = MarginProblem(
        as_design(X, 1), y, None, Penalty(1.0, 1.0, np.zeros(1)), False, loss=losses.get(loss)
    )  # fmt: skip
    bound = dual_bound(problem, problem.dual(np.full(4, 0.1)), 0.5)
    assert bound.value <= 0.0
