"""Dual coordinate descent: what the free intercept costs, in passes over the rows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from linsep.data import as_design
from linsep.problem import losses
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import L2
from linsep.solvers.base import Goal
from linsep.solvers.driver import solve
from linsep.solvers.dual_cd import DualCD

Array = np.ndarray[Any, Any]


def texts(rng: np.random.Generator) -> tuple[Any, Array]:
    """Unit rows of 60 words by Zipf's law."""
    n, d, words = 6_000, 8_000, 60
    often = 1.0 / np.arange(1, d + 1) ** 0.9
    columns = rng.choice(d, n * words, p=often / often.sum())
    X = sparse.csr_matrix((np.ones(n * words), columns, np.arange(0, n * words + 1, words)), shape=(n, d))
    X.sum_duplicates()
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
    """A DualCD that counts the rows it visits, and twice all rows for each of its looks at all of them."""

    def _sweep(self, problem: MarginProblem, state: Any) -> Any:
        found = super()._sweep(problem, state)
        counts.append(state.sweeps.state.visited)
        return found

    def _evaluate(self, problem: MarginProblem, state: Any) -> Any:
        looks.append((sum(counts), state.sweeps.state.gap))
        counts.append(2 * problem.design.n)
        return super()._evaluate(problem, state)


counts: list[int] = []
#: Work until then, and the gap that the last sweep saw.
looks: list[tuple[int, float]] = []


# the hinge loss to 1e-6 takes from 200 to 700 sweeps on few columns, as the order of the rows has it
CASES = [(loss, tol) for loss in ("hinge", "log", "squared_hinge") for tol in (1e-2, 1e-4, 1e-6)]
CASES.remove(("hinge", 1e-6))


@pytest.mark.parametrize(("loss", "tol"), CASES)
@pytest.mark.parametrize("data", [texts, categories, apart])
def test_a_free_intercept_takes_no_more_than_twice_the_work(data: Any, loss: str, tol: float) -> None:
    X, score = data(np.random.default_rng(0))
    design, y, work = as_design(X, 2), np.where(score > 0.0, 1.0, -1.0), []
    for free in (False, True):
        counts.clear()
        looks.clear()
        problem = MarginProblem(design, y, None, L2(1.0 / design.n), free, losses.get(loss))
        found = solve(problem, Counted(goal=Goal(tol, False)))
        assert found.certificate.relative_gap <= tol
        for (before, gap), (after, less) in pairwise(looks):  # a look in vain is not repeated at once
            assert 2 * (after - before - 2 * design.n) >= design.n or less <= 0.5 * gap
        work.append(sum(counts) / design.n)
    assert work[1] <= 2.0 * work[0], work
