"""The verifier's own bounds are true as well: at any point, for any multipliers, by any of its ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from linsep.certify.independent import problems as module
from linsep.certify.independent.curvature import curvature_bound
from linsep.certify.independent.losses import FORMULAS, Joint, Margins
from linsep.certify.independent.problems import Problems
from linsep.certify.independent.rows import Rows
from linsep.certify.intercept import intercept_reach, settle
from linsep.data import as_design
from linsep.problem import losses
from linsep.problem.joint import get
from linsep.problem.joint_problem import JointProblem
from linsep.problem.penalties import L2
from linsep.solvers import fit_problem
from tests.certify.cases import (
    JOINT,
    SLOPES,
    STORAGE,
    Case,
    constructed,
    joint_case,
    objective,
    parallel,
    poor_points,
    problem_of,
)
from tests.certify.exact import Exact

Array = np.ndarray[Any, Any]

NOTHING = np.array([-1e300])


def independent(loss: str, case: Any, storage: str = "dense") -> Problems:
    s = np.ones(len(case.y)) if case.s is None else case.s
    kind = Joint(loss, case.y, 3) if loss in JOINT else Margins(loss, case.y[:, None])
    return Problems(Rows(STORAGE[storage](case.X)), None, s / s.sum(), kind, case.alpha, case.intercept)


def column(w: Array) -> Array:
    return w.reshape(len(w), -1)


@settings(max_examples=150, deadline=None)
@given(poor_points())
def test_no_bound_exceeds_a_value(point: tuple[str, Any, int]) -> None:
    loss, case, seed = point
    rng = np.random.default_rng(seed)
    problems = independent(loss, case)
    best = objective(loss, case.X, case, fit_problem(problem_of(loss, case), max_iter=50).w)
    for _ in range(4):
        W = rng.normal(size=(case.X.shape[1] + 1, 3 if loss in JOINT else 1)) * rng.choice([0.1, 1.0])
        W[-1] *= case.intercept
        Z = problems.scores(W)
        P = problems.primal(W, Z)
        assert P[0] == pytest.approx(float(objective(loss, case.X, case, W if loss in JOINT else W[:, 0])))
        R = rng.normal(size=Z.shape) * rng.choice([0.01, 1.0, 10.0])
        for balance in (True, False):
            inside = problems.loss.repair(R, problems.shares, balance)
            assert problems.dual(inside, P).value[0] <= best
        if problems.loss.smooth:
            assert problems.own_bound(W, P, P + 1.0).value[0] <= best
            assert problems.dual(problems.loss.slope(Z), P).value[0] <= best


@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("loss", sorted(SLOPES))
def test_its_own_point_proves_a_constructed_optimum(loss: str, storage: str) -> None:
    case = constructed(loss, 1e-2, True, True)
    problems = independent(loss, case, storage)
    P = problems.primal(column(case.w), problems.scores(column(case.w)))
    bound = problems.own_bound(column(case.w), P, P).value
    assert 0.0 <= float((P - bound)[0]) <= 1e-11 * float(P[0])


@pytest.mark.parametrize("distance", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("loss", ["log", "squared_hinge", "smoothed_hinge"])
def test_its_own_point_proves_the_optimum_from_afar(loss: str, distance: float) -> None:
    """Where the curvature jumps whole Newton steps would go to and fro."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(30, 60)), np.where(rng.random(30) < 0.5, 1.0, -1.0)
        case = Case(X, y, None, 1e-4, True, np.zeros(61), np.zeros(0))
        problems, best = independent(loss, case), fit_problem(problem_of(loss, case))
        W = column(best.w * (1.0 + distance * rng.normal(size=61)))
        P = problems.primal(W, problems.scores(W))
        bound = problems.own_bound(W, P, np.array([best.certificate.bound])).value[0]
        assert bound >= best.certificate.bound * (1.0 - 1e-9)


@pytest.mark.parametrize("loss", ["log", "squared", "softmax", "one_of_k"])
def test_conjugate_gradients_find_the_same_point(loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    joint = loss in JOINT
    case: Any = joint_case(1e-2, True, True) if joint else constructed(loss, 1e-2, True, True)
    problems = independent(loss, case)
    W = np.zeros((4, 3)) if joint else np.zeros((6, 1))
    P = problems.primal(W, problems.scores(W))
    direct = problems.own_bound(W, P, P).value
    monkeypatch.setattr(module, "_UNKNOWNS", 0)
    assert problems.own_bound(W, P, P).value == pytest.approx(direct, rel=1e-6)


@pytest.mark.parametrize("apart", [1e-9, 1e-7, 1e-6, 1e-5, 1e-4])
def test_the_curvature_of_columns_that_are_nearly_the_same(apart: float) -> None:
    for seed in range(20):
        case = parallel(apart, seed)
        problems = independent("squared", case)
        optimum = Exact("squared", case.X, case.y, None, case.alpha, False).optimum(np.zeros(2), 0.0)
        for size in (0.0, 1e-9, 1e-7):
            W = column(np.array([size, -size, 0.0]))
            P = problems.primal(W, problems.scores(W))
            assert curvature_bound(problems, W, P, P).value[0] <= optimum


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", [*sorted(SLOPES), "softmax", "one_of_k"])
def test_the_bound_without_penalty_away_from_the_optimum(loss: str, intercept: bool) -> None:
    rng = np.random.default_rng(2)
    case: Any = joint_case(0.0, intercept, True, n=80)
    case = case._replace(X=case.X + 2.0 * rng.normal(size=case.X.shape))
    if loss not in JOINT:
        y = np.where(case.y == 0, 1.0, -1.0)
        case = Case(case.X, y, case.s, 0.0, intercept, np.zeros(4), np.zeros(0))
    problems = independent(loss, case)
    best = fit_problem(problem_of(loss, case)).w
    reference = objective(loss, case.X, case, best)
    given_at = 0
    for distance in 10.0 ** np.arange(-8.0, 1.0):
        step = rng.normal(size=best.shape)
        step[-1] *= intercept
        W = column(best + distance * step / np.linalg.norm(step))
        # a bound that is hard to please makes it take Newton steps: also true
        P = problems.primal(W, problems.scores(W))
        for enough in (NOTHING, P):
            bound = curvature_bound(problems, W, P, enough).value[0]
            assert bound <= reference
            given_at += np.isfinite(bound)
    assert given_at >= 6


@pytest.mark.parametrize("loss", sorted(FORMULAS))
def test_formulas_agree_with_the_losses(loss: str) -> None:
    """Two people wrote them; far out as well."""
    formula, other = FORMULAS[loss], losses.get(loss)
    M = np.r_[-1e3, -30.0, np.linspace(-3.0, 3.0, 61), 30.0, 700.0]
    with np.errstate(over="ignore"):
        for ours, theirs in ((formula.value, other.value), (formula.d1, other.d1)):
            np.testing.assert_allclose(ours(M), theirs(M), rtol=1e-13)
    if formula.conjugate is not None:
        theta = np.linspace(max(formula.lowest, -2.0), min(formula.highest, 2.0), 41)
        np.testing.assert_allclose(formula.conjugate(theta), other.conjugate(theta), rtol=1e-13, atol=1e-15)
        assert (formula.lowest, formula.highest) == (other.dual_lower, other.dual_upper)


@pytest.mark.parametrize("loss", ["softmax", "crammer_singer"])
def test_a_residual_of_many_classes_costs_no_more_than_the_reach(loss: str) -> None:
    """−⟨r, b⟩ ≥ −charge + ⟨Σ sᵢ changeᵢ xᵢᵀ, W⟩ wherever the mean loss is P, by `fit` as by `verify`; and its charge is
    not more than the intercepts' reach, so `verify` proves what a fit claims by that."""
    rng = np.random.default_rng(0)
    K, n, weights = 30, 120, rng.uniform(0.1, 3.0, 120)
    X, y = rng.normal(size=(n, 4)), np.arange(n) % K
    shares = weights / weights.sum()
    problem = JointProblem(as_design(X, 1), y, weights, L2(1e-2), True, loss=get(loss), n_classes=K)
    for size in (0.0, 1.0, 10.0):
        W, b, r = size * rng.normal(size=(4, K)), size * rng.normal(size=K), rng.normal(size=K)
        b, r = b - b.mean(), r - r.mean()
        P = float(shares @ get(loss).value(X @ W + b, y))
        found = Joint(loss, y, K).settle(r, np.array([P]), shares)
        for charge, change in (found, settle(problem, r, P)):
            np.testing.assert_allclose(shares @ change, r, atol=1e-13)
            assert -r @ b >= -float(np.sum(charge)) + float(np.sum((X.T @ (shares[:, None] * change)) * W)) - 1e-12
            assert float(np.sum(charge)) <= np.abs(r).sum() * intercept_reach(problem, P)
