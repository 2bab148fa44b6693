"""Features without a penalty that a bound on one side alone holds back: fit, certificate and verification.

The optimum is computed a second time by SciPy: the hinge loss as a linear program, the others by L-BFGS-B with bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog, minimize

from linsep import LinearClassifier, verify
from linsep.certify.bounds import dual_bound
from linsep.certify.independent.losses import Joint, Margins
from linsep.certify.independent.penalty import Penalty as Checked
from linsep.certify.independent.problems import Problems
from linsep.certify.independent.rows import Rows
from linsep.data import as_design
from linsep.errors import NotCertified
from linsep.problem import joint, losses
from linsep.problem.joint_problem import JointProblem
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import Penalty
from linsep.problem.problem import Problem
from linsep.solvers import fit_problem

N, D, K, ALPHA = 120, 5, 3, 0.02
FACTORS = np.array([0.0, 0.0, 0.0, 1.0, 0.0])
#: Bounds on one side, of which some hold and some do not matter; a column with a penalty; a free one.
LOWER = np.array([0.0, -np.inf, 0.1, -np.inf, -np.inf])
UPPER = np.array([np.inf, 0.05, np.inf, np.inf, np.inf])
KINDS = {"hinge": ("hinge", "ovr"), "softmax": ("log", "softmax"), "one_of_k": ("squared", "one_of_k")}

every_kind = pytest.mark.parametrize("kind", list(KINDS))
every_intercept = pytest.mark.parametrize("intercept", [True, False])


def data(kind: str, seed: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows with some zeros, class numbers, and weights some of which are 0."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((N, D)) < 0.8, rng.normal(size=(N, D)) * np.array([1.0, 3.0, 0.3, 1.0, 10.0]), 0.0)
    scores = X / np.array([1.0, 3.0, 0.3, 1.0, 10.0]) @ rng.normal(size=(D, K)) + 1.5 * rng.normal(size=(N, K))
    y = (scores[:, 0] > 0).astype(np.int64) if kind == "hinge" else scores.argmax(axis=1)
    return X, y, rng.integers(0, 4, N) / 2.0


def hinge_optimum(X: np.ndarray, y: np.ndarray, s: np.ndarray, intercept: bool) -> float:
    """Variables w, u ≥ |w|, b and ξ ≥ 1 − y(xw + b): min ⟨s, ξ⟩/S + α⟨f, u⟩."""
    t, eye, none = np.where(y > 0, 1.0, -1.0)[:, None], np.eye(D), np.zeros((D, 1 + N))
    rows = np.vstack([
        np.hstack([eye, -eye, none]),
        np.hstack([-eye, -eye, none]),
        np.hstack([-t * X, np.zeros((N, D)), -t * float(intercept), -np.eye(N)]),
    ])  # fmt: skip
    found = linprog(
        np.concatenate([np.zeros(D), ALPHA * FACTORS, [0.0], s / s.sum()]),
        A_ub=rows, b_ub=np.concatenate([np.zeros(2 * D), -np.ones(N)]),
        bounds=[*zip(LOWER, UPPER, strict=True), *[(0.0, None)] * D, (None, None), *[(0.0, None)] * N],
    )  # fmt: skip
    assert found.status == 0
    return float(found.fun)


def smooth_optimum(kind: str, X: np.ndarray, y: np.ndarray, s: np.ndarray, intercept: bool) -> float:
    """Softmax or 1-of-K with a ridge, by L-BFGS-B from 0."""
    A, hot, share = np.hstack([X, np.full((N, 1), float(intercept))]), np.eye(K)[y], s / s.sum()
    ridge = ALPHA * np.append(FACTORS, 0.0)[:, None]

    def value(flat: np.ndarray) -> tuple[float, np.ndarray]:
        W = flat.reshape(D + 1, K)
        Z = A @ W
        if kind == "softmax":
            log_sum = np.logaddexp.reduce(Z, axis=1)
            loss, slope = log_sum - Z[np.arange(N), y], np.exp(Z - log_sum[:, None]) - hot
        else:
            loss, slope = ((Z - hot) ** 2).sum(axis=1), 2.0 * (Z - hot)
        return share @ loss + 0.5 * float((ridge * W * W).sum()), (A.T @ (share[:, None] * slope) + ridge * W).ravel()

    box = np.repeat(np.column_stack([np.append(LOWER, -np.inf), np.append(UPPER, np.inf)]), K, axis=0)
    start = np.clip(np.zeros(len(box)), *box.T)
    found = minimize(
        value, start, jac=True, bounds=box, method="L-BFGS-B",
        options={"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-10},
    )  # fmt: skip
    return float(found.fun)


@cache
def optimum(kind: str, weighted: bool, intercept: bool) -> float:
    """By SciPy; never below the true one."""
    X, y, weights = data(kind)
    s = weights if weighted else np.ones(N)
    return hinge_optimum(X, y, s, intercept) if kind == "hinge" else smooth_optimum(kind, X, y, s, intercept)


def penalty_of(kind: str) -> Penalty:
    return Penalty(ALPHA, 1.0 if kind == "hinge" else 0.0, FACTORS, LOWER, UPPER)


def problem_of(kind: str, weighted: bool, intercept: bool) -> Problem:
    X, y, weights = data(kind)
    s = weights if weighted else None
    if kind == "hinge":
        signs = np.where(y > 0, 1.0, -1.0)
        return MarginProblem(as_design(X, 1), signs, s, penalty_of(kind), intercept, losses.get("hinge"))
    return JointProblem(as_design(X, 1), y, s, penalty_of(kind), intercept, joint.get(kind), K)


def model_of(kind: str, intercept: bool) -> LinearClassifier:
    loss, multiclass = KINDS[kind]
    return LinearClassifier(
        loss=loss, multiclass=multiclass, alpha=ALPHA, l1_ratio=penalty_of(kind).l1_ratio, penalty_factors=FACTORS,
        bounds=(LOWER, UPPER), fit_intercept=intercept, tol=1e-6,
    )  # fmt: skip


@every_kind
@every_intercept
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_the_optimum_is_that_of_scipy_and_proved(
    kind: str, intercept: bool, weighted: bool, storage: Callable[[np.ndarray], object]
) -> None:
    X, y, weights = data(kind)
    s = weights if weighted else None
    model = model_of(kind, intercept).fit(storage(X), y, sample_weight=s)
    best, certificate = optimum(kind, weighted, intercept), model.certificate_
    assert certificate.holds
    assert certificate.bound <= best
    assert certificate.primal == pytest.approx(best, rel=2e-6)
    verdict = verify(model, storage(X), y, sample_weight=s)
    assert verdict.ok, str(verdict)
    assert verdict.bound <= best
    assert (model.coef_ >= LOWER).all()
    assert (model.coef_ <= UPPER).all()


@every_kind
def test_offsets_too(kind: str) -> None:
    X, y, weights = data(kind)
    offset = np.random.default_rng(5).normal(size=N if kind == "hinge" else (N, K))
    model = model_of(kind, intercept=True).fit(X, y, sample_weight=weights, offset=offset)
    assert model.certificate_.holds
    assert verify(model, X, y, sample_weight=weights, offset=offset).ok


def checked_bound(problem: Problem, theta: np.ndarray, value: float) -> float:
    """The bound that the verifier finds at these multipliers."""
    y, penalty, n = problem.target, problem.penalty, problem.design.n
    s = np.ones(n) if problem.weights is None else problem.weights
    single = isinstance(problem, MarginProblem)
    loss = Margins("hinge", y[:, None]) if single else Joint(problem.loss.name, y, K)
    parts = (penalty.l1(D), penalty.l2(D), *penalty.box(D))
    checked = Checked(*(part[:, None] for part in parts))
    X = data("hinge" if single else problem.loss.name)[0]
    problems = Problems(Rows(X), None, s / s.sum(), loss, penalty.alpha, problem.intercept, checked)
    R = y[:, None] * theta[:, None] if single else theta
    return float(problems.dual(R, np.array([value])).value[0])


@every_kind
@every_intercept
@pytest.mark.parametrize("seed", range(5))
def test_no_multipliers_prove_too_much(kind: str, intercept: bool, seed: int) -> None:
    """Those of the optimum, moved towards others of their domain by much and by next to nothing."""
    problem, best = problem_of(kind, True, intercept), optimum(kind, True, intercept)
    solution = fit_problem(problem, "auto", 1e-9)
    assert solution.dual is not None
    rng, theta = np.random.default_rng(seed), solution.dual
    other = rng.random(N) if theta.ndim == 1 else np.eye(K)[problem.target] - rng.dirichlet(np.ones(K), N)
    for share in (0.0, 1e-16, 1e-12, 1e-8, 1e-4, 1e-2, 1.0):
        moved = (1.0 - share) * theta + share * other
        for value in (best * (1.0 + 1e-9), 2.0 * best):
            assert dual_bound(problem, problem.dual(moved), value).value <= best
            assert checked_bound(problem, moved, value) <= best


@pytest.mark.parametrize("kind", ["hinge", "softmax"])
def test_multipliers_on_the_wrong_side_prove_nothing(kind: str) -> None:
    """θ that asks a weight to leave its bound without end, and has no room to be put right."""
    problem = problem_of(kind, False, True)
    theta = np.ones(N) if kind == "hinge" else np.eye(K)[problem.target] - np.eye(K)[(problem.target + 1) % K]
    assert checked_bound(problem, theta, 1.0) == -np.inf


@every_kind
def test_a_claim_that_is_too_high_is_not_verified(kind: str) -> None:
    X, y, _ = data(kind)
    model = model_of(kind, intercept=True).fit(X, y)
    shifted = X.copy()
    shifted[:, 0] += 1e-3
    assert not verify(model, shifted, y).ok


@every_kind
def test_the_place_and_size_of_a_feature_do_not_matter(kind: str) -> None:
    X, y, _ = data(kind)
    X[:, 0] += 1e6
    X[:, 4] *= 1e5
    model = model_of(kind, intercept=True).fit(X, y)
    assert model.certificate_.holds
    assert verify(model, X, y).ok


def test_a_feature_of_zeros_needs_no_multipliers() -> None:
    X, y, _ = data("hinge")
    X[:, 0] = X[:, 4] = 0.0
    model = model_of("hinge", intercept=True).fit(X, y)
    assert model.certificate_.holds
    assert verify(model, X, y).ok


@every_kind
def test_a_constant_feature_is_part_of_the_intercept(kind: str) -> None:
    X, y, _ = data(kind)
    without = model_of(kind, intercept=True).fit(np.where(np.arange(D) == 0, 0.0, X), y)
    X[:, 0] = 1.0
    model = model_of(kind, intercept=True).fit(X, y)
    assert model.certificate_.holds
    assert verify(model, X, y).ok
    assert model.certificate_.primal == pytest.approx(without.certificate_.primal, rel=2e-6)


def test_features_that_depend_on_each_other_are_left_uncertified() -> None:
    """Nothing bounds the weights of a pair of equals that both are inside of their bounds: the fit says so."""
    X, y, _ = data("hinge")
    X[:, 1] = X[:, 4] = X[:, 0]
    with pytest.warns(NotCertified):
        model = model_of("hinge", intercept=True).fit(X, y)
    assert not model.certificate_.holds
    assert not verify(model, X, y).ok
