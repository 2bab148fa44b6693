"""Dual coordinate descent: what the free intercept costs, in passes over the rows."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from linsep import LinearClassifier
from linsep.certify.bounds import dual_bound
from linsep.data import as_design
from linsep.data.design import Design
from linsep.problem import losses
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import L2
from linsep.solvers import dual_cd
from linsep.solvers.base import Goal
from linsep.solvers.driver import solve
from linsep.solvers.dual_cd import DualCD
from linsep.types import FloatArray

Array = np.ndarray[Any, Any]
PAGES = Path(os.environ.get("LINSEP_DATA", Path(__file__).parents[3] / "shared" / "data")) / "w8a.svm.gz"


def texts(rng: np.random.Generator) -> tuple[Any, Array]:
    """Unit rows of 60 words by Zipf's law."""
    n, d, words = 6_000, 8_000, 60
    often = 1.0 / np.arange(1, d + 1) ** 0.9
    columns = rng.choice(d, n * words, p=often / often.sum())
    X = sparse.csr_matrix((np.ones(n * words), columns, np.arange(0, n * words + 1, words)), shape=(n, d))
    X.sum_duplicates()
    X = sparse.csr_matrix(X.multiply(1.0 / np.sqrt(X.multiply(X).sum(axis=1))))
    return X, 3.0 * (X @ rng.normal(size=d)) + 0.5 + rng.logistic(size=n)


def documents(rng: np.random.Generator) -> tuple[Any, Array]:
    """The same with rare words counting more, as in tf-idf: rows have less in common."""
    X, _ = texts(rng)
    n, d = X.shape
    X = sparse.csr_matrix(X @ sparse.diags_array(1.0 + np.log(n / (1.0 + np.bincount(X.indices, minlength=d)))))
    X = sparse.csr_matrix(X.multiply(1.0 / np.sqrt(X.multiply(X).sum(axis=1))))
    return X, 3.0 * (X @ rng.normal(size=d)) + 0.5 + rng.logistic(size=n)


def categories(rng: np.random.Generator) -> tuple[Any, Array]:
    """One of 8 values in each of 14 columns, as 0 and 1; the classes overlap."""
    X, w = _one_hot(rng, 6_000)
    return X, 2.0 * (X @ w) + rng.logistic(size=X.shape[0])


def apart(rng: np.random.Generator) -> tuple[Any, Array]:
    """The same without noise: a few rows decide, the others rest, and a look at all rows costs more than a sweep."""
    X, w = _one_hot(rng, 6_000)
    return X, X @ w


def _one_hot(rng: np.random.Generator, n: int) -> tuple[Any, Array]:
    columns = rng.integers(0, 8, size=(n, 14)) + 8 * np.arange(14)
    X = sparse.csr_matrix((np.ones(columns.size), columns.ravel(), np.arange(0, columns.size + 1, 14)), shape=(n, 112))
    return X, rng.normal(size=112)


class Counted(DualCD):
    """A DualCD that counts the rows its sweeps visit, and records its looks at all of them."""

    def _sweep(self, problem: MarginProblem, state: Any) -> Any:
        found = super()._sweep(problem, state)
        visits.append(found[0].visits - state.visits)
        return found

    def _evaluate(self, problem: MarginProblem, state: Any) -> Any:
        looks.append((sum(visits), state.seen))
        return super()._evaluate(problem, state)


class CountedRows(Design):
    """A design that counts the rows that its products read."""

    def scores(self, w: FloatArray, *, single: bool = False) -> FloatArray:
        products.append(self.n)
        return super().scores(w, single=single)

    def adjoint(self, r: FloatArray, *, single: bool = False) -> FloatArray:
        products.append(self.n)
        return super().adjoint(r, single=single)


visits: list[int] = []
products: list[int] = []
#: Visits until then, and the gap that the last sweep saw.
looks: list[tuple[int, float]] = []


def work(X: Any, y: Array, loss: str, tol: float, free: bool, seed: int = 0, strength: float = 1.0) -> float:
    """Rows read, in passes over all of them, until the certificate holds at α = strength/n."""
    for counts in (visits, products, looks):
        counts.clear()
    given = as_design(X, 2)
    design = CountedRows(given.matrix, given.source, given.single, given.sparse, given.threads)
    problem = MarginProblem(design, y, None, L2(strength / design.n), free, losses.get(loss))
    found = solve(problem, Counted(goal=Goal(tol, False), seed=seed))
    assert found.certificate.relative_gap <= tol
    for (before, gap), (after, less) in pairwise(looks):  # a look in vain is not repeated at once
        assert 2 * (after - before) >= design.n or less <= 0.5 * gap
    return (sum(visits) + sum(products)) / design.n


@pytest.mark.parametrize("loss", ["hinge", "log", "squared_hinge"])
@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("data", [texts, categories, apart])
def test_a_free_intercept_takes_no_more_than_twice_the_work(data: Any, loss: str, tol: float) -> None:
    X, score = data(np.random.default_rng(0))
    y = np.where(score > 0.0, 1.0, -1.0)
    assert work(X, y, loss, tol, True) <= 2.0 * work(X, y, loss, tol, False)


@pytest.mark.parametrize("strength", [10.0, 0.1], ids=["strong", "weak"])
@pytest.mark.parametrize("loss", ["hinge", "log", "squared_hinge"])
@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("data", [documents, categories])
def test_nor_under_other_penalties(data: Any, loss: str, tol: float, strength: float) -> None:
    """Under a strong one the sweeps are soon done, and the intercept must not come after them."""
    X, score = data(np.random.default_rng(0))
    y = np.where(score > 0.0, 1.0, -1.0)
    assert work(X, y, loss, tol, True, 0, strength) <= 2.0 * work(X, y, loss, tol, False, 0, strength)


@pytest.mark.parametrize("strength", [10.0, 1.0, 0.1], ids=["strong", "usual", "weak"])
@pytest.mark.parametrize("loss", ["hinge", "log", "squared_hinge"])
@pytest.mark.parametrize("share", [0.03, 0.01, 0.003])
def test_nor_where_a_class_is_rare(share: float, loss: str, strength: float) -> None:
    """Then the intercept alone puts nearly all rows beside their kink; the order of rows decides on a look more."""
    X, score = documents(np.random.default_rng(0))
    y = np.where(score > np.quantile(score, 1.0 - share), 1.0, -1.0)
    for tol in (1e-2, 1e-4, 1e-6):
        free, without = (sum(work(X, y, loss, tol, f, seed, strength) for seed in range(3)) for f in (True, False))
        assert free <= 2.0 * without


@pytest.mark.parametrize("loss", ["hinge", "log", "squared_hinge"])
@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-6])
def test_nor_where_classes_lie_unevenly_about_it(loss: str, tol: float) -> None:
    """3 % of the web pages are positive: with a free intercept most of the others are near their kink."""
    if not PAGES.exists():
        pytest.skip("w8a is not in the folder of shared data")
    X, y = load_svmlight_file(str(PAGES))
    y = np.where(y > 0.0, 1.0, -1.0)
    free, without = (np.median([work(X, y, loss, tol, f, seed) for seed in range(5)]) for f in (True, False))
    assert free <= 2.0 * without


def test_sweeps_over_free_rows_and_second_looks_save_visits_where_sweeps_are_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    X, w = _one_hot(rng, 6_000)
    score = X @ w + 0.3 * rng.logistic(size=X.shape[0])
    y = np.where(score > np.quantile(score, 0.97), 1.0, -1.0)
    with_them = sum(work(X, y, "hinge", 1e-6, True, seed) for seed in range(4))
    monkeypatch.setattr(dual_cd, "_AMONG_FREE", 0)
    monkeypatch.setattr(dual_cd, "_DOUBT_AFTER", 10**9)
    without = sum(work(X, y, "hinge", 1e-6, True, seed) for seed in range(4))
    assert with_them <= 0.75 * without


@pytest.mark.parametrize("seed", [1, 20])
def test_a_sweep_that_sees_no_gap(seed: int) -> None:
    """Under a strong penalty every multiplier may be at its bound: the sum of the rows' gaps is exactly 0."""
    rng = np.random.default_rng(seed)
    X, y, s = rng.poisson(0.5, (120, 80)).astype(float), rng.integers(0, 2, 120), rng.uniform(0.1, 2.0, 120)
    model = LinearClassifier("hinge", alpha=20.0, solver="dual_cd", tol=1e-12).fit(X, y, sample_weight=s)
    assert model.certificate_.holds


def test_on_the_way_to_rounding_tol_rests_no_row() -> None:
    """A small problem ends at the same bits whatever was asked."""
    rng = np.random.default_rng(0)
    X = sparse.random_array((400, 100), density=0.1, rng=rng, format="csr")
    y = np.where(X @ rng.normal(size=100) + 0.3 * rng.normal(size=400) > 0.0, 1.0, -1.0)
    problem = MarginProblem(as_design(X, 1), y, None, L2(1.0 / 400), True, loss=losses.get("log"))
    loose, close = (solve(problem, DualCD(goal=Goal(tol, True))) for tol in (1e-2, 1e-9))
    np.testing.assert_array_equal(loose.w, close.w)
    assert loose.certificate.gap <= 2.0 * loose.certificate.allowance


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("lanes", [1, 2])
@pytest.mark.parametrize("loss", ["hinge", "smoothed_hinge", "log"])
def test_the_w_of_the_sweeps_is_off_by_less_than_is_charged(loss: str, lanes: int, free: bool) -> None:
    X, score = documents(np.random.default_rng(0))
    y, design = np.where(score > 0.0, 1.0, -1.0), as_design(X, 2)
    weights = np.random.default_rng(1).integers(0, 4, len(y)).astype(np.float64)
    problem = MarginProblem(design, y, weights, L2(0.1 / design.n), free, losses.get(loss))
    solver = DualCD(goal=Goal(1e-3, False), lanes=lanes)
    state = solver.init(problem, None)
    for _ in range(30):
        state, _ = solver._sweep(problem, state)
        dual = solver._multipliers(problem, state)
        afresh = problem.dual(dual.theta)
        assert dual.off > 0.0
        assert np.linalg.norm((dual.v - afresh.v)[:-1]) <= dual.off
        quadratic = problem.penalty.conjugate
        cost = abs(quadratic(dual.v[:-1]) - quadratic(afresh.v[:-1]))
        allowed = dual_bound(problem, dual, state.value).allowance
        assert cost <= allowed <= 0.02 * solver.goal.target * state.value


@pytest.mark.parametrize("lanes", [1, 2, 3])
@pytest.mark.parametrize("loss", ["hinge", "smoothed_hinge", "log"])
def test_so_it_is_with_few_rows_of_any_size(loss: str, lanes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dual_cd, "_LITTLE", np.inf)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n = rng.integers(2, 9)
        X = rng.normal(size=(n, 3)) * 10.0 ** rng.uniform(-9.0, 9.0, (n, 1))
        y, weights = np.r_[1.0, -1.0, rng.choice([-1.0, 1.0], n - 2)], 10.0 ** rng.uniform(-3.0, 3.0, n)
        problem = MarginProblem(as_design(X, 1), y, weights, L2(1e-3), bool(seed % 2), losses.get(loss))
        solver = DualCD(goal=Goal(1e-3, False), lanes=lanes, seed=seed)
        state = solver.init(problem, None)
        for _ in range(10):
            state, _ = solver._sweep(problem, state)
            dual = solver._multipliers(problem, state)
            shares = weights.astype(np.longdouble) / weights.astype(np.longdouble).sum()
            exact = X.T.astype(np.longdouble) @ (shares * y * dual.theta)
            assert float(np.sqrt(np.square(dual.v[:-1] - exact).sum())) <= 0.5 * dual.off


@pytest.mark.parametrize(("loss", "tol"), [("log", 1e-13), ("squared_hinge", 1e-3)])
def test_where_rounding_could_cost_something_w_is_summed_afresh(loss: str, tol: float) -> None:
    """The multipliers of the squared hinge have no bound, so nor has w."""
    X, score = documents(np.random.default_rng(0))
    problem = MarginProblem(as_design(X, 1), np.sign(score), None, L2(1e-4), False, losses.get(loss))
    solver = DualCD(goal=Goal(tol, False))
    state, _ = solver._sweep(problem, solver.init(problem, None))
    assert solver._multipliers(problem, state).off == 0.0
