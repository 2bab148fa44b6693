"""The interior point of the hinge loss with L1 on many sparse columns, against linear programs and the rounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from linsep import regularization_path
from linsep.data import as_design
from linsep.problem import losses
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import Penalty
from linsep.solvers import fit_problem, interior
from linsep.solvers.band import Round
from linsep.solvers.interior import begin, suits

N, D = 120, 1200


def words(seed: int = 0) -> tuple[sparse.csr_array, np.ndarray]:
    """Words that are there or not, many in one row only, some in the same rows as others."""
    rng = np.random.default_rng(seed)
    X = (rng.random((N, D)) < 0.3 / (1.0 + np.arange(D)) ** 0.4).astype(float)
    X[:, 5], X[:, 900] = X[:, 4], X[:, 3]
    score = X[:, :20] @ rng.normal(size=20) + 0.7 * rng.normal(size=N)
    return sparse.csr_array(X), np.where(score > np.median(score), 1.0, -1.0)


def hinge(penalty: Penalty, **more: Any) -> MarginProblem:
    X, y = words(more.pop("seed", 0))
    threads, weights, intercept = more.pop("threads", 1), more.pop("weights", None), more.pop("intercept", True)
    return MarginProblem(as_design(X, threads), y, weights, penalty, intercept, losses.get("hinge"), **more)


def by_linear_program(problem: MarginProblem) -> float:
    """min Σ cξ + Σ a(p + q) over p, q, ξ ≥ 0 and b with y(X(p − q) + b + o) + ξ ≥ 1, for l1_ratio = 1."""
    y, X = problem.target, problem.design.table
    c = np.full(N, 1.0 / N) if problem.weights is None else problem.weights / problem.weights.sum()
    known = np.zeros(N) if problem.offset is None else y * problem.offset
    signed, ones = X * y[:, None], (y * problem.intercept)[:, None]
    A = -sparse.hstack([signed, -signed, sparse.csr_array(ones), sparse.eye_array(N)], format="csr")
    a = problem.penalty.l1(D)
    box = [*[(0, None)] * (2 * D), (None, None), *[(0, None)] * N]
    found = linprog(np.concatenate([a, a, [0.0], c]), A_ub=A, b_ub=known - 1.0, bounds=box, method="highs")
    return float(found.fun)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("times", [10.0, 1.0, 0.1, 0.01])
def test_the_optimum_is_that_of_a_linear_program(
    times: float, intercept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = hinge(Penalty(times / N, 1.0), intercept=intercept)
    assert suits(problem)
    monkeypatch.setattr(Round, "of", None)  # no round is needed
    for tol in (1e-4, 1e-7):
        found, truth = fit_problem(problem, tol=tol), by_linear_program(problem)
        assert found.status.certified
        assert found.certificate.bound <= truth * (1.0 + 1e-7)
        assert truth * (1.0 - 1e-7) <= found.certificate.primal <= truth * (1.0 + tol + 1e-7)
        assert np.count_nonzero(found.w[:-1]) <= N + 1
        assert problem.value(found.w, problem.scores(found.w)) == pytest.approx(found.certificate.primal, rel=1e-12)


def test_weights_offsets_and_factors_are_those_of_the_program() -> None:
    rng = np.random.default_rng(1)
    penalty = Penalty(0.5 / N, 1.0, factors=rng.random(D) + 0.5)
    problem = hinge(penalty, weights=rng.random(N) + 0.1, offset=2.0 * rng.normal(size=N))
    found, truth = fit_problem(problem, tol=1e-6), by_linear_program(problem)
    assert found.status.certified
    assert found.certificate.primal == pytest.approx(truth, rel=2e-6)


@pytest.mark.parametrize("ratio", [0.9, 0.5, 0.1])
def test_the_elastic_net_is_that_of_the_rounds(ratio: float, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = hinge(Penalty(1.0 / N, ratio))
    found = fit_problem(problem, tol=1e-6)
    monkeypatch.setattr(interior, "suits", lambda problem: False)
    other = fit_problem(problem, tol=1e-6)
    assert found.status.certified
    assert other.status.certified
    assert found.certificate.primal == pytest.approx(other.certificate.primal, rel=2e-6)
    assert found.w == pytest.approx(other.w, abs=0.02)


def test_every_point_is_one_of_the_dual_problem() -> None:
    problem = hinge(Penalty(1.0 / N, 1.0))
    truth, at, a = by_linear_program(problem), begin(problem), problem.penalty.l1(D)
    for _ in range(20):
        theta = at.rows.theta
        v = problem.design.adjoint(problem.pull(theta))
        assert 0.0 < theta.min() < theta.max() < 1.0
        assert (np.abs(v[:-1]) <= a * (1.0 + 1e-9)).all()
        assert abs(v[-1]) < 1e-12
        np.testing.assert_allclose(at.v, v[:-1], atol=1e-12)
        assert at.lower <= truth * (1.0 + 1e-9)
        at = at.advance()
    assert at.lower == pytest.approx(truth, rel=0.1)


def test_the_rounds_go_on_where_it_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = hinge(Penalty(1.0 / N, 1.0))
    monkeypatch.setattr(interior, "MOST", 30)
    found = fit_problem(problem, tol=1e-4)
    assert found.status.certified
    assert found.certificate.primal == pytest.approx(by_linear_program(problem), rel=2e-4)


def test_a_path_needs_no_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = words()
    monkeypatch.setattr(Round, "of", None)
    path = regularization_path(X, y, "hinge", l1_ratio=1.0, size=6, ratio=1e-3)
    assert path.gaps.max() <= 1e-4
    for alpha, row in zip(path.alphas, path.coefs.reshape(6, D), strict=True):
        problem = hinge(Penalty(float(alpha), 1.0))
        w = np.append(row, path.intercepts[list(path.alphas).index(alpha), 0])
        assert problem.value(w, problem.scores(w)) <= by_linear_program(problem) * (1.0 + 1.01e-4)


def test_given_weights_are_the_best_until_better_ones_are_found() -> None:
    problem = hinge(Penalty(1.0 / N, 1.0))
    found = fit_problem(problem, tol=1e-9)
    given = found.w.copy()
    again = fit_problem(problem, tol=1e-4, start=found.w)
    assert again.certificate.primal <= found.certificate.primal * (1.0 + 1e-12)
    assert again.status.certified
    assert np.array_equal(given, found.w)


def test_the_same_bits_for_any_number_of_threads() -> None:
    one, two = (fit_problem(hinge(Penalty(1.0 / N, 1.0), threads=t)) for t in (1, 2))
    assert one.w.tobytes() == two.w.tobytes()
    assert one.certificate == two.certificate


def test_what_it_is_not_for() -> None:
    assert not suits(hinge(Penalty(0.1, 0.0)))
    assert not suits(hinge(Penalty(0.1, 1.0, lower=np.zeros(D))))
    assert not suits(hinge(Penalty(0.1, 1.0, factors=np.where(np.arange(D) == 0, 0.0, 1.0))))
    assert not suits(hinge(Penalty(0.1, 1.0), weights=np.where(np.arange(N) == 0, 0.0, 1.0)))
