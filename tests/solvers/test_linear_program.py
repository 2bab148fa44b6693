"""The hinge loss without a penalty against the same program in its primal form, and its proof against forgery."""

from __future__ import annotations

import signal
from dataclasses import replace
from fractions import Fraction
from threading import Event
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from linsep import LinearClassifier, verify
from linsep.certify.independent.balance import Alternatives, Balanced, Basis, balance_bound, find_basis
from linsep.certify.independent.span import combines, independent
from linsep.data import as_design
from linsep.errors import NotCertified, Refused
from linsep.problem import losses
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import L2
from linsep.solvers import Status, fit_problem
from linsep.solvers.linear_program import dense_rows
from tests.certify.fits import failed, unsigned

Array = np.ndarray[Any, Any]


def optimum(X: Array, y: Array, s: Array, free: bool) -> float:
    """min 1/S Σ sᵢξᵢ, ξᵢ ≥ 1 − yᵢ(⟨w, xᵢ⟩ + b), ξ ≥ 0."""
    n = len(X)
    A = y[:, None] * (np.c_[X, np.ones(n)] if free else X)
    p = A.shape[1]
    found = linprog(
        np.r_[np.zeros(p), s / s.sum()], A_ub=-np.c_[A, np.eye(n)], b_ub=-np.ones(n),
        bounds=[(None, None)] * p + [(0, None)] * n,
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )  # fmt: skip
    return float(found.fun)


def case(kind: str, seed: int) -> tuple[Array, Array, Array]:
    """Rows, labels ±1 and weights."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(20, 80)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, d)) if kind in ("normal", "wide apart") else rng.integers(-2, 3, size=(n, d)) * 1.0
    y = np.where(X[:, 0] + 2.0 * rng.normal(size=n) > 0.0, 1.0, -1.0)
    y[:2] = [1.0, -1.0]
    s = np.ones(n)
    if kind == "weights":
        s = np.r_[1.0, 1.0, rng.integers(0, 4, size=n - 2) * 0.3]
    elif kind == "dependent":
        X = np.c_[X, 3.0 * np.ones(n), X[:, 0] - 2.0 * X[:, -1], X.sum(axis=1) / 2.0, np.zeros(n)]
    elif kind == "one of several":
        X = np.eye(4)[rng.integers(0, 4, size=n)]
    elif kind == "rare":
        rare = np.zeros(n)
        rare[np.flatnonzero(y > 0.0)[0]] = 1.0
        X = np.c_[X, rare]
    elif kind == "wide apart":
        X = X * 10.0 ** rng.integers(-6, 7, size=d) + 10.0 ** rng.integers(0, 3, size=d)
    elif kind == "few rows":
        X = rng.normal(size=(6, 15))
        X, y = np.vstack([X, X[:3]]), np.r_[1.0, -1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0, 1.0]
        s = np.arange(1.0, 10.0)
    return X, y, s


def bound_of(A: Array, s: Array, theta: Array) -> Balanced:
    return balance_bound(Alternatives.of_margins(A, s), theta[:, None])


def basis_of(A: Array, s: Array, theta: Array) -> Basis | None:
    return find_basis(Alternatives.of_margins(A, s), theta[:, None])


KINDS = ["normal", "ties", "weights", "dependent", "one of several", "rare", "wide apart", "few rows"]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("free", [True, False], ids=["free", "none"])
@pytest.mark.parametrize("kind", KINDS)
def test_optimum_bound_and_verdict(kind: str, free: bool, seed: int) -> None:
    X, y, s = case(kind, seed)
    model = LinearClassifier("hinge", alpha=0.0, fit_intercept=free).fit(X, y, s)
    certificate, best = model.certificate_, optimum(X, y, s, free)
    assert certificate.holds
    assert certificate.primal == pytest.approx(best, rel=1e-7, abs=1e-9)
    assert certificate.bound <= best + 1e-12
    assert certificate.gap <= 1e-8 * best + 2.0 * certificate.allowance + 1e-12
    assert verify(model, X, y, s), verify(model, X, y, s)


@pytest.mark.parametrize("free", [True, False])
def test_separable_data_attain_zero(free: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    y = np.sign(X @ [1.0, -2.0, 0.5, 1.0])
    model = LinearClassifier("hinge", alpha=0.0, fit_intercept=free).fit(X, y)
    assert model.certificate_.primal == model.certificate_.bound == 0.0
    assert (model.predict(X) == y).all()
    assert verify(model, X, y)


@pytest.mark.parametrize("read", [sparse.csr_array, np.asfortranarray, lambda X: X.astype(np.float32)])
def test_storage(read: Any) -> None:
    X, y, s = case("ties", 3)
    one = LinearClassifier("hinge", alpha=0.0).fit(X, y, s)
    other = LinearClassifier("hinge", alpha=0.0).fit(read(X), y, s)
    assert other.certificate_.primal == pytest.approx(one.certificate_.primal, rel=1e-12)
    assert verify(other, read(X), y, s)


@pytest.mark.parametrize("multiclass", ["ovr", "ovo"])
@pytest.mark.parametrize("read", [np.asarray, sparse.csr_array])
def test_reductions(multiclass: str, read: Any) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(90, 3)), rng.integers(0, 3, size=90)
    model = LinearClassifier("hinge", alpha=0.0, multiclass=multiclass).fit(read(X), y)
    assert model.certificate_.holds
    assert verify(model, read(X), y), verify(model, read(X), y)


def test_chosen_rows_are_read() -> None:
    X = np.random.default_rng(0).normal(size=(9, 300))
    chosen = np.array([7, 1, 4])
    for table in (X, sparse.csr_array(X)):
        assert np.array_equal(dense_rows(as_design(table, 1).rows(chosen)), X[chosen])


def test_rows_of_zeros() -> None:
    X, y = np.zeros((6, 2)), np.tile([-1.0, 1.0, 1.0], 2)
    for free, best in ((False, 1.0), (True, 2.0 / 3.0)):
        model = LinearClassifier("hinge", alpha=0.0, fit_intercept=free).fit(X, y)
        assert model.certificate_.primal == pytest.approx(best)
        assert verify(model, X, y)


def test_the_bound_by_hand() -> None:
    """x = 1 labelled +, +, −: the best are margins of 1 on the two, and P = 2/3. Balanced θ = (½, ½, 1)."""
    A, s = np.array([[1.0], [1.0], [-1.0]]), np.ones(3)
    found = bound_of(A, s, np.array([0.5, 0.5, 1.0]))
    assert found.value == pytest.approx(2.0 / 3.0, rel=1e-14)
    assert found.value <= 2.0 / 3.0


def exact_change(A: Array, s: Array, theta: Array, rows: Array) -> list[Fraction]:
    """δ on the rows with Σ sᵢθᵢaᵢ = Σ δᵢaᵢ, by Gauss and Jordan in fractions; the rows are a basis."""
    weights = [Fraction(float(a)) * Fraction(float(b)) for a, b in zip(s, theta, strict=True)]
    r = [sum((u * Fraction(float(a)) for u, a in zip(weights, c, strict=True)), Fraction(0)) for c in A.T]
    table = [[*(Fraction(float(A[i, j])) for i in rows), r[j]] for j in range(A.shape[1])]
    for k in range(len(rows)):
        pivot = next(i for i in range(k, len(table)) if table[i][k] != 0)
        table[k], table[pivot] = table[pivot], table[k]
        table[k] = [v / table[k][k] for v in table[k]]
        for i in range(len(table)):
            if i != k:
                table[i] = [v - table[i][k] * p for v, p in zip(table[i], table[k], strict=True)]
    assert all(row[-1] == 0 for row in table[len(rows) :])
    return [row[-1] for row in table[: len(rows)]]


@pytest.mark.parametrize("kind", ["normal", "weights", "dependent", "wide apart", "few rows"])
@pytest.mark.parametrize("seed", range(4))
def test_the_bound_is_below_that_of_exact_arithmetic(kind: str, seed: int) -> None:
    """θ off balance by e: with the exact δ, sθ − δ balances exactly, and its D is at least the bound."""
    X, y, s = case(kind, seed)
    model = LinearClassifier("hinge", alpha=0.0).fit(X, y, s).model_
    A, best = y[:, None] * np.c_[X, np.ones(len(X))], optimum(X, y, s, True)
    rng, proved = np.random.default_rng(seed), 0
    for e in (0.0, 1e-12, 1e-9, 1e-6, 1e-3):
        theta = np.clip(model.dual[0] + e * rng.normal(size=len(X)), 0.0, 1.0)
        found, basis = bound_of(A, s, theta), basis_of(A, s, theta)
        assert found.value <= best + 1e-12
        if basis is None or found.value == -np.inf or not theta.any():
            continue
        rows = basis.i
        delta = exact_change(A, s, theta, rows)
        moved = [Fraction(float(s[i])) * Fraction(float(theta[i])) - v for i, v in zip(rows, delta, strict=True)]
        assert all(0 <= u <= Fraction(float(s[i])) for i, u in zip(rows, moved, strict=True))
        D = sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(s, theta, strict=True)) - sum(delta)
        assert Fraction(found.value) <= D / sum(map(Fraction, s.tolist()))
        proved += 1
    assert proved or not model.dual[0].any()


def test_forged_multipliers_are_found_out() -> None:
    X, y, s = case("normal", 2)
    model = LinearClassifier("hinge", alpha=0.0).fit(X, y, s).model_
    model = unsigned(model)
    assert verify(model, X, y, s)
    for theta in (np.ones(len(X)), np.full(len(X), 0.9), model.dual[0] * 1.5, model.dual[0] * 0.9):
        assert not bound_of(y[:, None] * np.c_[X, np.ones(len(X))], s, theta).value >= model.certificate.bound
        verdict = verify(replace(model, run=replace(model.run, dual=(theta,))), X, y, s)
        assert failed(verdict) >= {"bound"}
    assert not verify(replace(model, w=model.w * 1.1), X, y, s)


def test_nearly_dependent_columns_are_not_certified() -> None:
    """A column that is another one but for rounding: weights of 1e16 could use the difference, so nothing is proved."""
    X, y, _ = case("normal", 0)
    X = np.c_[X, X[:, 0] * (1.0 + 1e-15 * np.random.default_rng(0).integers(-1, 2, size=len(X)))]
    with pytest.warns(NotCertified):
        model = LinearClassifier("hinge", alpha=0.0).fit(X, y)
    assert model.certificate_.bound == 0.0
    assert not model.certificate_.holds
    assert failed(verify(model, X, y)) == {"tolerance"}


def test_refusals() -> None:
    X, y, _ = case("ties", 0)
    hinge = losses.get("hinge")
    with pytest.raises(Refused, match=r"takes the losses .* at alpha = 0"):
        fit_problem(MarginProblem(as_design(X, 1), y, None, L2(0.1), True, hinge), "linear_program")
    with pytest.raises(Refused, match="use solver='linear_program'"):
        fit_problem(MarginProblem(as_design(X, 1), y, None, L2(0.0), True, hinge), "augmented_lagrangian")
    large = sparse.csr_array((3000, 10_000))
    with pytest.raises(Refused, match=r"3000 rows, 10000 columns.*rank 3,000.*small alpha"):
        fit_problem(MarginProblem(as_design(large, 1), np.tile([-1.0, 1.0], 1500), None, L2(0.0), True, hinge))


def test_cut_short() -> None:
    X, y, _ = case("normal", 0)
    problem = MarginProblem(as_design(X, 1), y, None, L2(0.0), True, losses.get("hinge"))
    cut = fit_problem(problem, max_iter=0)
    assert cut.status is Status.MAX_ITER
    assert cut.certificate.bound == 0.0


def test_the_program_knows_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []

    def cut_short(*given: Any, options: dict[str, float], **program: Any) -> Any:
        limits.append(options["time_limit"])
        return linprog(*given, options=options | {"time_limit": 0.0}, **program)

    monkeypatch.setattr("scipy.optimize.linprog", cut_short)
    X, y, _ = case("normal", 0)
    problem = MarginProblem(as_design(X, 1), y, None, L2(0.0), True, losses.get("hinge"))
    cut = fit_problem(problem, time_limit=1000.0)
    assert 0.0 < limits[0] <= 1000.0
    assert cut.certificate.bound == 0.0
    assert not cut.status.certified


def test_an_interruption_does_not_wait_for_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    returned, waited = Event(), []

    def endless(*_: Any, **__: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        waited.append(returned.wait(60.0))

    monkeypatch.setattr("scipy.optimize.linprog", endless)
    X, y, _ = case("normal", 0)
    problem = MarginProblem(as_design(X, 1), y, None, L2(0.0), True, losses.get("hinge"))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a test in the background ignores it
    try:
        cut = fit_problem(problem)
    finally:
        returned.set()
        signal.signal(signal.SIGINT, before)
    assert cut.status is Status.INTERRUPTED
    assert cut.certificate.primal == pytest.approx(1.0)
    assert False not in waited


def test_combinations_are_exact() -> None:
    x = np.random.default_rng(0).normal(size=(50, 2))
    J, halves = np.array([0, 1]), np.array([0.5, -2.0 / 3.0])
    whole = np.round(x * 1000.0) * 6.0
    exact = np.c_[whole, whole @ [3.0, -4.0] / 6.0]
    assert combines(exact, J, 2, halves + 1e-12)
    exact[7, 2] = np.nextafter(exact[7, 2], np.inf)
    assert not combines(exact, J, 2, halves)
    assert not combines(np.c_[x, x @ [1.0, 1.0]], J, 2, np.ones(2))  # rounded
    assert combines(np.c_[x, 2.0 * x[:, 0]], J, 2, np.array([2.0, 0.0]))
    assert not combines(1e-40 * np.c_[x, x[:, 0]], J, 2, np.array([1.0, 0.0]))  # too small to tell


def test_independent_rows() -> None:
    rows = np.array([[1.0, 0.0, 1.0], [2.0, 0.0, 2.0], [0.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
    assert len(independent(rows)) == np.linalg.matrix_rank(rows) == 2
