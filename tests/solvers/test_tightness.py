"""However loose the tolerance, the gap at the stop is at most five times the true excess."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linsep import LinearClassifier
from linsep.certify import Certificate, bounds
from linsep.problem.problem import Dual, Problem
from linsep.solvers import whitened
from linsep.solvers.fit import runs_to_rounding
from linsep.types import FloatArray, IntArray
from tests.solvers.test_dual_cd import documents, texts

LOOSE = (0.3, 0.1, 0.03, 1e-2, 3e-3, 1e-3, 1e-4)

#: default solver, classes, α, settings
CASES = {
    "newton": (2, 1e-5, {"loss": "log"}),
    "newton, squared hinge": (2, 1e-5, {"loss": "squared_hinge"}),
    "whitened": (4, 3e-6, {"loss": "log", "multiclass": "softmax"}),
    "augmented_lagrangian": (2, 1e-4, {"loss": "hinge"}),
    "crammer_singer": (4, 1e-4, {"loss": "hinge", "multiclass": "crammer_singer"}),
}


def _data(classes: int, seed: int) -> tuple[FloatArray, IntArray]:
    """Columns of many scales, some of them rare and on the side of one class only, as in kddcup99 and covtype."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3_000, 40)) @ (rng.normal(size=(40, 40)) * np.geomspace(1.0, 0.1, 40)[:, None])
    y = np.argmax(X @ rng.normal(size=(40, classes)) + 4.0 * rng.gumbel(size=(len(X), classes)), axis=1)
    rare = (rng.random((len(X), 10)) < np.geomspace(0.002, 0.05, 10)) & (y[:, None] == rng.integers(0, classes, 10))
    X[:, :10] = rare / np.maximum(rare.std(axis=0), 1e-3)
    assert not runs_to_rounding(*X.shape, 1)
    return X, y


def _certificate(case: str, intercept: bool, tol: float) -> Certificate:
    classes, alpha, settings = CASES[case]
    fitted = LinearClassifier(alpha=alpha, fit_intercept=intercept, tol=tol, **settings).fit(*_data(classes, seed=0))
    assert fitted.model_.run.solver == case.split(",")[0]
    certificate: Certificate = fitted.certificate_
    return certificate


@pytest.mark.filterwarnings("ignore::linsep.errors.DataWarning")
@pytest.mark.parametrize("intercept", [False, True], ids=["", "intercept"])
@pytest.mark.parametrize("case", CASES)
def test_the_gap_says_how_good_the_point_is(case: str, intercept: bool) -> None:
    best = _certificate(case, intercept, 1e-10)
    for tol in LOOSE:
        certificate = _certificate(case, intercept, tol)
        assert certificate.holds
        excess = certificate.primal - best.primal
        assert certificate.gap <= 5.0 * excess + 2.0 * best.gap + 4.0 * certificate.allowance, tol


@pytest.mark.filterwarnings("ignore::linsep.errors.DataWarning")
def test_a_bound_that_is_loose_at_the_first_try_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """With more conjugate residuals: else a fit would take a step of several passes for it."""
    tried: list[float] = []
    paid: list[bool] = []

    plain, linearised_bound = bounds.dual_bound, bounds.linearised_bound

    def dual(problem: Problem, multipliers: Dual, primal: float) -> bounds.Bound:
        found = plain(problem, multipliers, primal)
        tried.append(primal - found.value)
        return found

    def linearised(*given: Any) -> bounds.Linearised:
        tried.clear()
        found = linearised_bound(*given)
        first, last = tried[:1], tried[-1:]
        paid.append(len(tried) > 1 and first[0] > 5.0 * found.excess and last[0] <= bounds.TIGHT * found.excess)
        if paid[-1]:  # also where a bound is known that the first try does not better
            problem, point, *rest, known = given
            known = replace(known, value=point.value - 0.8 * first[0])
            again = linearised_bound(problem, point, *rest, known)
            assert point.value - again.bound.value < 0.7 * first[0]
        return found

    monkeypatch.setattr(bounds, "dual_bound", dual)
    monkeypatch.setattr(whitened, "linearised_bound", linearised)
    for tol in LOOSE:
        LinearClassifier("log", multiclass="softmax", alpha=3e-5, tol=tol).fit(*_data(4, seed=1))
    assert any(paid)


def _texts(seed: int) -> tuple[sparse.csr_array, IntArray]:
    """Rows of 30 of 3,000 columns, few of which say something of the class."""
    rng = np.random.default_rng(seed)
    rows, words = np.repeat(np.arange(2_000), 30), (3_000 * rng.random(60_000) ** 3).astype(np.int64)
    X = sparse.csr_array((np.ones(len(rows)), (rows, words)), shape=(2_000, 3_000))
    w = np.where(rng.random(3_000) < 0.05, rng.normal(size=3_000), 0.0)
    return X, (X @ w + rng.normal(size=2_000) > 0.0).astype(np.int64)


@pytest.mark.parametrize("intercept", [False, True], ids=["", "intercept"])
@pytest.mark.parametrize("data", [lambda: _data(2, seed=0), lambda: _texts(0)], ids=["dense", "texts"])
def test_so_it_does_with_l1(data: Callable[[], tuple[Any, IntArray]], intercept: bool) -> None:
    X, y = data()

    def certificate(tol: float) -> Certificate:
        fitted = LinearClassifier("log", alpha=3e-3, l1_ratio=1.0, fit_intercept=intercept, tol=tol).fit(X, y)
        assert fitted.model_.run.solver == "proximal_newton"
        found: Certificate = fitted.certificate_
        return found

    best = certificate(1e-10)
    for tol in (0.3, 0.1, 0.03, 1e-2, 3e-3, 1e-3):
        found = certificate(tol)
        assert found.holds
        excess = found.primal - best.primal
        # a copy's own bound is taken where it is within 1e-5
        small = max(2.0 * best.gap + 4.0 * found.allowance, 1e-5 * found.primal)
        assert found.gap <= 5.0 * excess + small, tol


@pytest.mark.parametrize("cost", [1.0, 0.1])
@pytest.mark.parametrize("rows", [texts, documents])
def test_so_it_does_in_the_dual(rows: Callable[[Any], tuple[Any, FloatArray]], cost: float) -> None:
    """The log loss: what sweeps leave undone is nearly all in the multipliers, and little of it in the weights."""
    X, scores = rows(np.random.default_rng(0))
    y = scores > np.median(scores)

    def certificate(tol: float) -> Certificate:
        fitted = LinearClassifier("log", alpha=1.0 / (cost * len(y)), tol=tol).fit(X, y)
        assert fitted.model_.run.solver == "dual_cd"
        found: Certificate = fitted.certificate_
        return found

    best = certificate(1e-11)
    for tol in (0.1, 1e-2, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5):
        found = certificate(tol)
        assert found.holds
        assert found.gap <= 5.0 * (found.primal - best.primal) + 2.0 * best.gap + 4.0 * found.allowance, tol
