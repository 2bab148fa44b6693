"""Without a penalty: the bound is true wherever it is given, and never given where no optimum exists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linsep import LinearClassifier
from linsep.certify import Kind
from linsep.certify.curvature import curvature_bound
from linsep.errors import NoOptimum
from linsep.solvers import Status, fit_problem
from tests.certify.cases import (
    SLOPES,
    STORAGE,
    Case,
    JointCase,
    check_certificate,
    joint_case,
    objective,
    parallel,
    polish,
    problem_of,
)
from tests.certify.exact import Exact

Array = np.ndarray[Any, Any]


def overlapping(intercept: bool, weighted: bool, seed: int = 0) -> Case:
    """Two classes that no hyperplane separates."""
    rng = np.random.default_rng(seed)
    y = rng.choice([-1.0, 1.0], 80)
    X = rng.normal(size=(80, 3)) + 0.4 * y[:, None]
    s = rng.integers(1, 5, 80) * 0.5 if weighted else None
    return Case(X, y, s, 0.0, intercept, np.zeros(4), np.zeros(0))


def overlapping_classes(intercept: bool, weighted: bool) -> JointCase:
    case = joint_case(0.0, intercept, weighted, n=90)
    rng = np.random.default_rng(1)
    return case._replace(X=case.X + 2.0 * rng.normal(size=case.X.shape))


@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", sorted(SLOPES))
def test_fits_are_certified_and_true(loss: str, intercept: bool, weighted: bool, storage: str) -> None:
    case = overlapping(intercept, weighted)
    X = STORAGE[storage](case.X)
    solution = fit_problem(problem_of(loss, case, storage))
    best = polish(loss, X, case, solution.w)
    assert solution.certificate.kind is Kind.LOCAL_CURVATURE
    assert solution.certificate.relative_gap < 1e-10
    check_certificate(solution.certificate, *(objective(loss, X, case, w) for w in (solution.w, best)))


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", ["softmax", "one_of_k"])
def test_joint_fits_are_certified_and_true(loss: str, intercept: bool) -> None:
    case = overlapping_classes(intercept, True)
    solution = fit_problem(problem_of(loss, case))
    assert solution.certificate.relative_gap < 1e-10
    check_certificate(solution.certificate, *[objective(loss, case.X, case, solution.w)] * 2)


@pytest.mark.parametrize("alpha", [0.0, 1e-3])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", [*sorted(SLOPES), "softmax"])
def test_the_bound_is_true_away_from_the_optimum(loss: str, intercept: bool, alpha: float) -> None:
    """At any distance: below the optimum, or not given; near the optimum it is given."""
    case: Any = (overlapping_classes if loss == "softmax" else overlapping)(intercept, False)
    case = case._replace(alpha=alpha)
    problem = problem_of(loss, case)
    best = fit_problem(problem).w
    reference = objective(loss, case.X, case, best)
    rng = np.random.default_rng(2)
    given = 0
    for distance in 10.0 ** np.arange(-9, 1):
        for _ in range(3):
            step = rng.normal(size=problem.shape)
            step[-1] *= intercept
            bound = curvature_bound(problem, problem.at(best + distance * step / np.linalg.norm(step)))
            assert bound.value <= reference
            given += np.isfinite(bound.value)
    assert given >= 9


@pytest.mark.parametrize("apart", [1e-9, 1e-7, 1e-6, 1e-5, 1e-4])
def test_what_rounding_leaves_of_the_hessian(apart: float) -> None:
    """The sums of columns that are nearly the same are mostly rounding, and so would the bound be."""
    given = 0
    for seed in range(20):
        case = parallel(apart, seed)
        problem = problem_of("squared", case)
        optimum = Exact("squared", case.X, case.y, None, case.alpha, False).optimum(np.zeros(2), 0.0)
        for size in (0.0, 1e-9, 1e-7):
            bound = curvature_bound(problem, problem.at(np.array([size, -size, 0.0])))
            assert bound.value <= optimum
            given += np.isfinite(bound.value)
    assert given == 60 if apart >= 1e-6 else given < 60


@pytest.mark.parametrize("loss", ["log", "squared", "exponential"])
def test_columns_that_depend_on_each_other(loss: str) -> None:
    """A singular Hessian is no hindrance where no score can change along its null space."""
    case = overlapping(True, False)
    X = np.column_stack([case.X, case.X[:, 0] - 2.0 * case.X[:, 1], np.ones(len(case.X))])
    case = case._replace(X=X)
    solution = fit_problem(problem_of(loss, case))
    assert solution.certificate.holds
    check_certificate(solution.certificate, *[objective(loss, X, case, solution.w)] * 2)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", ["twice", "sums", "constant", "zero"])
def test_softmax_with_columns_that_depend_on_each_other(kind: str, intercept: bool) -> None:
    """Extra columns add nothing: the optimum is that of the columns without them, and is certified."""
    case = overlapping_classes(intercept, True)
    X, n = case.X, len(case.X)
    more = {"twice": X[:, :1], "sums": np.c_[X[:, 0] - 2 * X[:, 1], 1e3 * X[:, 2]], "zero": np.zeros((n, 1))}
    wide = np.column_stack([X, more.get(kind, np.full((n, 1), 1.0 if intercept else 0.0))])
    plain, solution = (fit_problem(problem_of("softmax", c)) for c in (case, case._replace(X=wide)))
    assert solution.certificate.relative_gap < 1e-10
    reached, best = (objective("softmax", c.X, c, s.w) for c, s in ((case._replace(X=wide), solution), (case, plain)))
    check_certificate(solution.certificate, reached, best)
    check_certificate(plain.certificate, best, reached)


def separable(kind: str) -> tuple[Array, Array, Array]:
    """Rows, labels ±1, and a direction along which no margin falls and some rise."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 3))
    if kind == "separable":
        y = np.where(X @ np.array([1.0, -2.0, 0.5]) + 0.3 > 0, 1.0, -1.0)
        return X, y, np.array([1.0, -2.0, 0.5, 0.3])
    y = rng.choice([-1.0, 1.0], 40)
    X[:, 2] = np.where((y > 0) & (np.arange(40) % 3 == 0), 1.0, 0.0)  # only ever in one class
    return X, y, np.array([0.0, 0.0, 1.0, 0.0])


@pytest.mark.parametrize("kind", ["separable", "quasi-separable"])
@pytest.mark.parametrize("loss", ["log", "exponential"])
def test_no_optimum_is_never_certified(loss: str, kind: str) -> None:
    X, y, away = separable(kind)
    case = Case(X, y, None, 0.0, True, np.zeros(4), np.zeros(0))
    problem = problem_of(loss, case)
    start = fit_problem(problem.with_alpha(1e-3)).w
    for length in (0.0, 1.0, 10.0, 20.0, 30.0, 36.0, 40.0, 100.0, 700.0):
        for w in (start + length * away, length * away):
            assert curvature_bound(problem, problem.at(w)).value == -np.inf
    solution = fit_problem(problem)
    assert solution.status is Status.NO_OPTIMUM
    assert not solution.certificate.holds
    with pytest.raises(NoOptimum, match="separable"):
        LinearClassifier(loss, alpha=0.0).fit(X, y)


def test_no_optimum_of_softmax_is_never_certified() -> None:
    case = joint_case(0.0, True, False)
    case = case._replace(X=case.X + 20.0 * np.eye(3)[case.y])
    problem = problem_of("softmax", case)
    start = fit_problem(problem.with_alpha(1e-3)).w
    for length in (1.0, 3.0, 10.0, 30.0, 100.0):
        assert curvature_bound(problem, problem.at(length * start)).value == -np.inf
    assert fit_problem(problem).status is Status.NO_OPTIMUM


@pytest.mark.parametrize("loss", ["squared_hinge", "smoothed_hinge"])
def test_separable_data_with_an_attained_infimum(loss: str) -> None:
    """P* = 0 is attained: no bound may be above it."""
    X, y, away = separable("separable")
    case = Case(X, y, None, 0.0, True, np.zeros(4), np.zeros(0))
    problem = problem_of(loss, case)
    for length in (0.0, 0.1, 1.0, 10.0, 1e3):
        assert curvature_bound(problem, problem.at(length * away)).value <= 0.0
