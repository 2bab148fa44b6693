"""Sparse optima against independent libraries, closed forms and brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from linsep.certify.bounds import plain_bound
from linsep.certify.screening import certainly_zero
from linsep.data import as_design
from linsep.errors import Refused
from linsep.problem import joint, losses
from linsep.problem.joint_problem import JointProblem
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import L2, Penalty
from linsep.problem.problem import Problem
from linsep.solvers import descent, fit_problem, quadratic_model
from linsep.solvers.alpha_max import alpha_max
from linsep.solvers.quadratic_model import loss_gradient

N, D, K = 300, 15, 3


def data(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((N, D)) < 0.6, rng.normal(size=(N, D)), 0.0)
    scores = X[:, :4] @ rng.normal(size=(4, K)) + rng.normal(size=(N, K))
    return X, np.where(scores[:, 0] > 0, 1.0, -1.0), scores.argmax(axis=1).astype(np.int64)


def margin(X: object, y: np.ndarray, penalty: Penalty, loss: str = "log", **more: object) -> MarginProblem:
    return MarginProblem(as_design(X, 1), y, None, penalty, True, losses.get(loss), **more)  # type: ignore[arg-type]


def softmax(X: object, y: np.ndarray, penalty: Penalty) -> JointProblem:
    return JointProblem(as_design(X, 1), y, None, penalty, True, joint.get("softmax"), K)


@pytest.fixture
def swept(monkeypatch: pytest.MonkeyPatch) -> None:
    """No matrix is formed: columns are swept, as with many of them."""
    monkeypatch.setattr(quadratic_model, "FORMED", 0)
    monkeypatch.setattr(quadratic_model, "FORMED_DENSE", 0)


@pytest.mark.parametrize("ratio", [1.0, 0.4])
@pytest.mark.parametrize("alpha", [0.1, 0.01, 1e-4])
def test_agrees_with_saga(alpha: float, ratio: float) -> None:
    X, y, _ = data()
    ours = fit_problem(margin(X, y, Penalty(alpha, ratio)), tol=1e-10)
    theirs = LogisticRegression(C=1 / (N * alpha), l1_ratio=ratio, solver="saga", tol=1e-9, max_iter=20_000).fit(X, y)
    assert ours.status.certified
    assert ours.w[:-1] == pytest.approx(theirs.coef_[0], abs=1e-4)
    assert ((ours.w[:-1] == 0) == (np.abs(theirs.coef_[0]) < 1e-6)).all()


def test_softmax_agrees_with_saga() -> None:
    X, _, y = data()
    ours = fit_problem(softmax(X, y, Penalty(0.01, 1.0)), tol=1e-10)
    theirs = LogisticRegression(C=1 / (N * 0.01), l1_ratio=1.0, solver="saga", tol=1e-9, max_iter=20_000).fit(X, y)
    W = np.vstack([theirs.coef_.T, theirs.intercept_])
    problem = softmax(X, y, Penalty(0.01, 1.0))
    assert ours.certificate.primal <= problem.value(W, problem.scores(W)) * (1 + 1e-12)
    assert ours.certificate.bound <= problem.value(W, problem.scores(W))


def test_squared_hinge_agrees_with_liblinear() -> None:
    from sklearn.svm import LinearSVC

    X, y, _ = data()
    theirs = LinearSVC(penalty="l1", dual=False, C=1 / (N * 0.01), tol=1e-10, fit_intercept=False, max_iter=10**6)
    theirs.fit(X, y)
    problem = replace(margin(X, y, Penalty(0.01, 1.0), "squared_hinge"), intercept=False)
    ours = fit_problem(problem, tol=1e-10)
    assert ours.w[:-1] == pytest.approx(theirs.coef_[0], abs=1e-5)


def test_orthogonal_columns_have_a_closed_form() -> None:
    X, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(60, 5)))
    X *= np.sqrt(60.0)
    y = np.where(np.random.default_rng(1).random(60) < 0.5, 1.0, -1.0)
    problem = replace(margin(X, y, Penalty(0.2, 0.7), "squared"), intercept=False)
    # mean (1 − y⟨x, w⟩)² = const − 2⟨c, w⟩ + ‖w‖², c = Xᵀy/n
    c = X.T @ y / 60
    expected = np.sign(c) * np.maximum(np.abs(2 * c) - 0.2 * 0.7, 0) / (2 + 0.2 * 0.3)
    assert fit_problem(problem, tol=1e-12).w[:-1] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("loss", ["log", "squared_hinge"])
def test_bounds_agree_with_a_general_solver(loss: str) -> None:
    X, y, _ = data()
    lower, upper = np.full(D, -0.1), np.full(D, 0.3)
    problem = margin(X, y, Penalty(0.01, 0.0, None, lower, upper), loss)
    found = fit_problem(problem, tol=1e-10)

    def value(w: np.ndarray) -> tuple[float, np.ndarray]:
        point = problem.at(w)
        return point.value, point.grad

    box = [*zip(lower, upper, strict=True), (None, None)]
    theirs = minimize(value, np.zeros(D + 1), jac=True, bounds=box, method="L-BFGS-B", options={"ftol": 1e-15})
    assert found.certificate.primal <= theirs.fun * (1 + 1e-12)
    assert found.certificate.bound <= theirs.fun
    assert (found.w[:-1] >= lower).all()
    assert (found.w[:-1] <= upper).all()


@pytest.mark.parametrize("penalty", [Penalty(0.01, 1.0), Penalty(0.02, 0.5, np.r_[0.0, 0.0, np.ones(D - 2)])])
@pytest.mark.parametrize("storage", [np.ascontiguousarray, sparse.csr_array, lambda X: X.astype(np.float32)])
@pytest.mark.usefixtures("swept")
def test_columns_reach_what_the_matrix_does(storage: object, penalty: Penalty, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, codes = data()
    X = X.astype(np.float32).astype(np.float64)
    stored = storage(X)  # type: ignore[operator]
    swept = [
        fit_problem(problem, tol=1e-9) for problem in (margin(stored, y, penalty), softmax(stored, codes, penalty))
    ]
    monkeypatch.undo()
    formed = [fit_problem(margin(X, y, penalty), tol=1e-9), fit_problem(softmax(X, codes, penalty), tol=1e-9)]
    for one, other in zip(swept, formed, strict=True):
        assert one.status.certified
        assert one.certificate.primal == pytest.approx(other.certificate.primal, rel=1e-9)


def test_many_columns_few_rows() -> None:
    rng = np.random.default_rng(0)
    X = sparse.random(200, 5000, density=0.02, format="csr", random_state=0)
    y = np.where(X @ (rng.normal(size=5000) * (rng.random(5000) < 0.01)) + 0.1 * rng.normal(size=200) > 0, 1.0, -1.0)
    found = fit_problem(margin(X, y, Penalty(1e-3, 1.0)), tol=1e-6)
    assert found.status.certified
    assert 0 < np.count_nonzero(found.w[:-1]) < 200


def test_separable_columns_without_a_penalty_are_not_certified() -> None:
    X, y, _ = data()
    X[:, 0] = y
    found = fit_problem(margin(X, y, Penalty(0.1, 1.0, np.r_[0.0, np.ones(D - 1)])), tol=1e-6, max_iter=30)
    assert not found.status.certified


# -- screening ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("loss", ["log", "squared_hinge", "squared", "softmax"])
def test_screening_never_rules_out_a_weight(loss: str, seed: int) -> None:
    X, y, codes = data(seed)
    lower = np.where(np.arange(D) % 3 == 0, 0.0, -np.inf)
    ruled = 0
    for penalty in (Penalty(0.03, 1.0), Penalty(0.1, 0.6), Penalty(0.02, 1.0, None, lower)):
        problem: Problem = softmax(X, codes, penalty) if loss == "softmax" else margin(X, y, penalty, loss)
        best = fit_problem(problem, tol=1e-12).w[:-1].reshape(D, -1)
        for share in (0.0, 0.5, 0.9, 0.999):
            w = problem.zero()
            w[:-1] = share * best.reshape(w[:-1].shape)
            bound = plain_bound(problem, w)
            zero = certainly_zero(problem, problem.value(w, problem.scores(w)), bound)
            ruled += int(zero.sum())
            assert not best[zero].any()
        near = fit_problem(problem, tol=1e-12)
        bound = plain_bound(problem, near.w)
        zero = certainly_zero(problem, near.certificate.primal, bound)
        assert not best[zero].any()
        ruled += int(zero.sum())
    assert ruled > 0


# -- alpha_max ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["log", "squared_hinge", "squared", "exponential", "softmax"])
@pytest.mark.parametrize("free", [0, 2])
@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_alpha_max_is_where_the_first_weight_appears(loss: str, free: int, ratio: float) -> None:
    X, y, codes = data()
    factors = np.r_[np.zeros(free), np.linspace(0.5, 2.0, D - free)]
    shape = Penalty(1.0, ratio, factors)
    problem: Problem = softmax(X, codes, shape) if loss == "softmax" else margin(X, y, shape, loss)
    top = alpha_max(problem)
    above = fit_problem(problem.with_alpha(top * (1 + 1e-6)), tol=1e-10)
    below = fit_problem(problem.with_alpha(top * (1 - 1e-3)), tol=1e-10)
    assert above.status.certified
    assert not above.w[free:-1].any()
    assert below.w[free:-1].any()


def test_alpha_max_of_a_ridge_is_that_of_a_small_ratio() -> None:
    X, y, _ = data()
    assert alpha_max(margin(X, y, L2(1.0))) == pytest.approx(alpha_max(margin(X, y, Penalty(1.0, 1e-3))))


def test_alpha_max_knows_bounds() -> None:
    X, y, _ = data()
    both = alpha_max(margin(X, y, Penalty(1.0, 1.0)))
    sides = [alpha_max(margin(X, y, Penalty(1.0, 1.0, None, *box))) for box in _closed_sides()]
    assert max(sides) == pytest.approx(both)
    assert min(sides) < both
    with pytest.raises(Refused, match="exclude 0"):
        alpha_max(margin(X, y, Penalty(1.0, 1.0, None, np.full(D, 0.1))))


def _closed_sides() -> list[tuple[np.ndarray | None, np.ndarray | None]]:
    return [(np.zeros(D), None), (None, np.zeros(D))]


# -- starts, offsets, refusals ------------------------------------------------------------------------------


@pytest.mark.usefixtures("swept")
def test_a_start_next_to_the_optimum_saves_steps() -> None:
    X, y, _ = data()
    problem = margin(X, y, Penalty(1e-3, 1.0))
    cold = fit_problem(problem, tol=1e-9)
    warm = fit_problem(problem.with_alpha(0.95e-3), tol=1e-9, start=cold.w)
    again = fit_problem(problem.with_alpha(0.95e-3), tol=1e-9)
    assert warm.steps < again.steps
    assert warm.certificate.primal == pytest.approx(again.certificate.primal, rel=1e-9)


@pytest.mark.parametrize("solver", ["proximal_newton", "newton", "whitened", "newton_cg", "lbfgs"])
@pytest.mark.parametrize("loss", ["log", "exponential"])
def test_an_offset_is_a_column_with_a_known_weight(solver: str, loss: str) -> None:
    X, y, _ = data()
    known = 0.7 * X[:, 0]
    rest = X[:, 1:]
    # the column itself, its weight bounded to 0.7 and not penalised
    factors, bound = np.r_[0.0, np.ones(D - 1)], np.r_[0.7, np.full(D - 1, np.inf)]
    lower = np.where(np.isfinite(bound), bound, -np.inf)
    whole = fit_problem(margin(X, y, Penalty(0.01, 0.0, factors, lower, bound), loss), tol=1e-8)
    part = fit_problem(margin(rest, y, L2(0.01), loss, offset=known), solver, tol=1e-8)
    assert part.status.certified
    assert part.certificate.primal == pytest.approx(whole.certificate.primal, rel=1e-7)
    assert part.certificate.bound <= whole.certificate.primal
    assert whole.certificate.bound <= part.certificate.primal


@pytest.mark.parametrize("name", ["dual_cd", "augmented_lagrangian", "least_squares", "linear_program"])
def test_solvers_that_take_no_offset_say_so(name: str) -> None:
    X, y, _ = data()
    loss = {"least_squares": "squared", "dual_cd": "log"}.get(name, "hinge")
    alpha = 0.0 if name == "linear_program" else 0.1
    with pytest.raises(Refused, match="without offset"):
        fit_problem(margin(X, y, L2(alpha), loss, offset=np.zeros(N)), name)


@pytest.mark.parametrize("name", ["newton", "dual_cd", "lbfgs", "newton_cg"])
def test_solvers_of_the_ridge_refuse_other_penalties(name: str) -> None:
    X, y, _ = data()
    with pytest.raises(Refused, match="l1_ratio=0"):
        fit_problem(margin(X, y, Penalty(0.1, 0.5)), name)


def test_the_hinge_is_refused_with_a_sentence() -> None:
    X, y, _ = data()
    with pytest.raises(Refused, match="continuous derivative"):
        fit_problem(margin(X, y, Penalty(0.1, 1.0), "hinge"), "proximal_newton")


def test_the_optimality_conditions_hold() -> None:
    X, y, _ = data()
    problem = margin(X, y, Penalty(0.02, 1.0))
    w = fit_problem(problem, tol=1e-12).w
    g = loss_gradient(problem, problem.at(w))
    assert np.abs(g[:-1]).max() <= 0.02 * (1 + 1e-6)
    used = w[:-1] != 0
    assert g[:-1][used] == pytest.approx(-0.02 * np.sign(w[:-1][used]), rel=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_rows_without_curvature(seed: int) -> None:
    """Offsets put most rows where the smoothed hinge is straight: neither single columns nor combinations have ℓ″."""
    rng = np.random.default_rng(seed)
    n, d = 30, 20
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3) * 10.0 ** rng.uniform(-3, 3, size=d)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    problem = margin(X, y, Penalty(1e-3, 1.0), "smoothed_hinge", offset=3.0 * rng.normal(size=n))
    assert fit_problem(problem, tol=1e-6).status.certified


def test_many_weights_go_at_once() -> None:
    """More columns than rank: of 300 weights at most 40 stay, and a call for each of the others is not affordable."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(40, 300))
    H, w, ones = A.T @ A, rng.normal(size=300), np.ones(300)
    g = H @ (w - np.where(np.arange(300) < 10, 3.0, 0.0))
    terms = descent.Terms(g, w, 0.1 * ones, 0.0 * ones, -np.inf * ones, np.inf * ones, w.copy())
    assert descent.descend(H, terms, 1e-8, 20) <= 1e-8
    slope = g + H @ (terms.z - w)
    assert 10 <= np.count_nonzero(terms.z) <= 40
    assert slope[terms.z != 0.0] == pytest.approx(-0.1 * np.sign(terms.z[terms.z != 0.0]), abs=1e-6)
    assert np.abs(slope).max() <= 0.1 + 1e-6


def wide(seed: int, n: int, d: int) -> np.ndarray:
    """Columns of 1e-3 to 1e3."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-3, 3, size=d)


def test_steps_that_the_model_holds_for_are_made_in_full() -> None:
    """1 of K: the model is P itself, but ten sweeps of coordinate descent are nothing in scales like these."""
    codes = np.arange(25) % 3
    problem = JointProblem(
        as_design(wide(0, 25, 400), 1), codes, None, Penalty(0.01, 0.99), True, joint.get("one_of_k"), 3
    )
    found = fit_problem(problem, tol=1e-6)
    assert found.status.certified
    assert found.steps < 100


@pytest.mark.parametrize("seed", [1, 3])
def test_rows_beyond_the_hinge(seed: int) -> None:
    """No curvature, and large: the step that the model asks for takes them far back into the loss."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 120)) * (rng.random((20, 120)) < 0.1) * 10.0 ** rng.uniform(-3, 3, 120)
    X *= 10.0 ** rng.uniform(-1, 1, (20, 1))
    y = np.where(np.arange(20) % 2 == 1, 1.0, -1.0)
    given = margin(X, y, Penalty(2e-5, 0.99), "squared_hinge", offset=3.0 * rng.normal(size=20))
    assert fit_problem(replace(given, intercept=False), tol=1e-6).status.certified


def test_nobody_descends_below_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns that depend on each other, and an accuracy that float64 does not have: a few rounds find that out."""
    rng, asked = np.random.default_rng(0), []
    A = rng.normal(size=(25, 150))
    ones, w = np.ones(150), np.zeros(150)
    terms = descent.Terms(-A.T @ rng.normal(size=25), w, 0.0 * ones, 1e-4 * ones, -ones, ones, w.copy())
    inner = descent.native.primal_gram

    def counted(H: np.ndarray, handle: object, violation: float, sweeps: int) -> tuple[float, int, bool]:
        left, visited, finished = inner(H, handle, violation, sweeps)
        asked.append(visited)
        return left, visited, finished

    monkeypatch.setattr(descent.native, "primal_gram", counted)
    left = descent.descend(A.T @ A, terms, 1e-30, 2000)
    slope = terms.g + A.T @ (A @ terms.z) + 1e-4 * terms.z
    inside = np.abs(terms.z) < 1.0
    assert left <= 1e-11
    assert np.abs(slope[inside]).max() <= 1e-11
    assert (slope[~inside] * terms.z[~inside] <= 1e-11).all()
    assert sum(asked) <= 1000 * 150
