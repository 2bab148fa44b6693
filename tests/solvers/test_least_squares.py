"""Least squares in closed form: against numpy.linalg.lstsq, the ridge formula, and extended precision."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linsep.certify import Kind
from linsep.data import as_design
from linsep.problem import joint, losses
from linsep.problem.joint_problem import JointProblem
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import L2
from linsep.problem.problem import Problem
from linsep.solvers import least_squares, systems
from linsep.solvers.base import Goal, Solution
from linsep.solvers.driver import solve
from linsep.solvers.least_squares import LeastSquares
from linsep.solvers.outcome import Status

Array = np.ndarray[Any, Any]

either = pytest.mark.parametrize("intercept", [True, False], ids=["free", "none"])
alphas = pytest.mark.parametrize("alpha", [0.0, 1e-8, 1e-2, 1e3])


def problem_of(
    X: Any, y: Array, alpha: float, *, intercept: bool = True, weights: Array | None = None, threads: int = 1
) -> Problem:
    """One margin for labels ±1, one of K for class numbers."""
    design, penalty = as_design(X, threads), L2(alpha)
    if y.dtype == np.float64:
        return MarginProblem(design, y, weights, penalty, intercept, losses.get("squared"))
    return JointProblem(design, y, weights, penalty, intercept, joint.get("one_of_k"), int(y.max()) + 1)


def run(problem: Problem, tol: float = 1e-9, **settings: Any) -> Solution:
    return solve(problem, LeastSquares(goal=Goal(tol, False), **settings))


def targets(y: Array) -> Array:
    return y if y.dtype == np.float64 else np.eye(int(y.max()) + 1)[y]


def data(n: int = 60, d: int = 5, seed: int = 0) -> tuple[Array, Array, Array]:
    """Rows, labels ±1, three classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=(d, 3)) + rng.normal(size=(n, 3))
    return X, np.sign(scores[:, 0]), scores.argmax(axis=1)


def least(X: Array, y: Array, alpha: float, intercept: bool, weights: Array | None = None) -> float:
    """P*, by orthogonalising the columns with pivoting in extended precision."""
    c = np.full(len(X), 1 / len(X)) if weights is None else weights / weights.sum()
    c = c.astype(np.longdouble)[:, None]
    A, T = X.astype(np.longdouble), targets(y).reshape(len(X), -1).astype(np.longdouble)
    if intercept:
        A, T = A - (c * A).sum(axis=0), T - (c * T).sum(axis=0)
    A, T = A * np.sqrt(c), T * np.sqrt(c)
    lengths = np.sqrt((A * A).sum(axis=0) + alpha / 2)
    lengths[lengths == 0] = 1
    A = np.vstack([A, np.sqrt(np.longdouble(alpha) / 2) * np.eye(X.shape[1])]) / lengths
    T = np.vstack([T, np.zeros((X.shape[1], T.shape[1]))])
    for _ in range(X.shape[1]):
        squares = (A * A).sum(axis=0)
        j = int(squares.argmax())
        if squares[j] < 1e-30:
            break
        q = (A[:, j] / np.sqrt(squares[j]))[:, None]
        T = T - q * (q * T).sum(axis=0)
        for _ in range(2):
            A = A - q * (q * A).sum(axis=0)
    return float((T * T).sum())


def check(found: Solution, best: float, tol: float = 1e-9) -> None:
    """Certified, and truly: the optimum lies between bound and value."""
    certificate = found.certificate
    slack = 4 * certificate.allowance
    assert found.status.certified
    assert certificate.bound <= best * (1 + 1e-12) + 1e-25
    assert certificate.primal <= best * (1 + tol) + slack


@either
@alphas
@pytest.mark.parametrize("classes", [2, 3])
def test_the_formula(intercept: bool, alpha: float, classes: int) -> None:
    X, y, k = data()
    target = y if classes == 2 else k
    A = np.c_[X, np.ones(60)] if intercept else X
    ridge = np.diag(np.r_[np.full(5, alpha / 2 * 60), [0.0] * intercept])
    expected = np.linalg.solve(A.T @ A + ridge, A.T @ targets(target))
    found = run(problem_of(X, target, alpha, intercept=intercept))
    assert found.w[: len(expected)] == pytest.approx(expected, rel=1e-9, abs=1e-11)
    assert found.steps <= 2
    check(found, least(X, target, alpha, intercept))


@pytest.mark.parametrize("shape", [(10, 30), (60, 5)])
def test_without_a_penalty_the_shortest_solution(shape: tuple[int, int]) -> None:
    X, y, k = data(*shape)
    X = np.c_[X, X[:, 0], np.zeros(len(X))]  # never of full rank
    for target in (y, k):
        expected, *_ = np.linalg.lstsq(X, targets(target), rcond=None)
        found = run(problem_of(X, target, 0.0, intercept=False))
        assert found.w[:-1] == pytest.approx(expected, abs=1e-10)
        means, level = X.mean(axis=0), targets(target).mean(axis=0)
        expected, *_ = np.linalg.lstsq(X - means, targets(target) - level, rcond=None)
        found = run(problem_of(X, target, 0.0))
        assert found.w[:-1] == pytest.approx(expected, abs=1e-10)
        assert found.w[-1] == pytest.approx(level - means @ expected, abs=1e-10)
        check(found, least(X, target, 0.0, True))


HARD = {
    "scales": lambda X: X * [1e9, 1e-9, 1.0, 1e4, 1e-4],
    "a mean of 1e9": lambda X: X + 1e9 * np.eye(5)[0],
    "constant columns": lambda X: np.c_[X, np.ones(len(X)), np.full(len(X), 1e9), np.zeros(len(X))],
    "duplicate columns": lambda X: np.c_[X, X[:, 0], 1e6 * X[:, 1]],
    "nearly the same column": lambda X: np.c_[X, X[:, 0] + 1e-9 * X[:, 1] ** 2],
    "more columns than rows": lambda X: np.random.default_rng(1).normal(size=(len(X), 90)),
}


@either
@alphas
@pytest.mark.parametrize("change", HARD.values(), ids=HARD.keys())
def test_hard_data(intercept: bool, alpha: float, change: Any) -> None:
    X, y, k = data()
    for target in (y, k):
        found = run(problem_of(change(X), target, alpha, intercept=intercept))
        check(found, least(change(X), target, alpha, intercept))
        assert found.certificate.relative_gap < 0.05 or found.certificate.primal < 1e-20


@either
@alphas
def test_weights_are_copies_and_zero_is_absence(intercept: bool, alpha: float) -> None:
    X, y, k = data()
    s = np.random.default_rng(2).integers(0, 4, 60).astype(float)
    copies = np.repeat(np.arange(60), s.astype(int))
    for target in (y, k):
        weighted = run(problem_of(X, target, alpha, intercept=intercept, weights=s))
        copied = run(problem_of(X[copies], target[copies], alpha, intercept=intercept))
        assert weighted.w == pytest.approx(copied.w, rel=1e-9, abs=1e-12)
        check(weighted, least(X, target, alpha, intercept, s))


def test_storage_does_not_matter() -> None:
    X, y, k = data(200)
    X = np.where(np.abs(X) < 0.5, 0.0, X.astype(np.float32).astype(np.float64))
    kinds: list[Any] = [X, np.asfortranarray(X), X.astype(np.float32), sparse.csr_array(X)]
    for target in (y, k):
        found = [run(problem_of(kind, target, 1e-3)) for kind in kinds]
        for other in found:
            assert other.w == pytest.approx(found[0].w, abs=1e-12)
            assert other.certificate.bound <= found[0].certificate.primal


def test_threads_change_no_bit() -> None:
    X, _, k = data(20_000, 8)
    one, two = (run(problem_of(X, k, 1e-3, threads=threads)) for threads in (1, 2))
    assert (one.w == two.w).all()


@either
@pytest.mark.parametrize("alpha", [1e-6, 1e-3])
def test_conjugate_gradients_for_many_columns(intercept: bool, alpha: float) -> None:
    rng = np.random.default_rng(3)
    X = sparse.random(300, 400, density=0.05, format="csr", rng=rng)
    y, k = np.sign(rng.normal(size=300) + 0.3), rng.integers(0, 3, 300)
    for target in (y, k):
        problem = problem_of(X, target, alpha, intercept=intercept)
        direct, iterated = run(problem), run(problem, 1e-8, most=10)
        assert iterated.steps > 5
        assert iterated.status is Status.CERTIFIED
        assert iterated.certificate.primal == pytest.approx(direct.certificate.primal, rel=2e-8)
        assert iterated.certificate.bound <= direct.certificate.primal


def test_conjugate_gradients_without_a_penalty_claim_only_what_they_know(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = data(200, 20)
    check(run(problem_of(X, y, 0.0), most=10), least(X, y, 0.0, True))  # H is formed as long as it fits into memory
    monkeypatch.setattr(least_squares, "MOST_UNKNOWNS", 11)
    found = run(problem_of(X, y, 0.0))
    assert found.certificate.primal == pytest.approx(least(X, y, 0.0, True), rel=1e-9)
    assert found.status is Status.STALLED  # P ≥ 0 is all that is known
    through = run(problem_of(X[:15], y[:15], 0.0))
    assert through.status is Status.NUMERICAL_LIMIT  # and enough where the optimum is 0
    assert through.certificate.primal < 1e-24


def test_what_eigenvalues_hide_is_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    """For data too large for singular values: exact dependencies are seen as such, near ones leave no bound."""
    monkeypatch.setattr(systems, "_MOST_WORK", 0)
    X, y, _ = data(500)
    exact = run(problem_of(np.c_[X, X[:, :2] @ [1.0, 2.0], np.full(500, 3.0)], y, 0.0))
    check(exact, least(X, y, 0.0, True))
    assert exact.certificate.kind is Kind.LOCAL_CURVATURE
    near = np.c_[X, X[:, 0] + 1e-10 * X[:, 1] ** 2]
    hidden = run(problem_of(near, y, 0.0))
    assert hidden.certificate.bound <= least(near, y, 0.0, True)
    assert not hidden.status.certified
    # with a penalty the dual point is the proof, whatever the system was
    check(run(problem_of(near, y, 1e-4)), least(near, y, 1e-4, True))


def test_refusal() -> None:
    X, y, _ = data()
    other = MarginProblem(as_design(X, 1), y, None, L2(1.0), True, losses.get("log"))
    assert "'squared'" in str(LeastSquares().refusal(other))
    assert LeastSquares().refusal(problem_of(X, y, 0.0)) is None
