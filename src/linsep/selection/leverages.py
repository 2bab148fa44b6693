"""What all left-out scores need: the rows with their shares, and A⁻¹ = R Rᵀ with its products (left_out.py)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linsep.data.design import Design
from linsep.kernels.threads import single_threaded_blas
from linsep.problem.linear_algebra import Factor, factor
from linsep.problem.problem import Problem
from linsep.solvers.systems import normal_system
from linsep.types import FloatArray, IntArray

#: Rows for each unknown that make a mean over a sample as good as one over all.
_ROWS_EACH = 25
#: Entries held at once.
_BLOCK = 1 << 20


@dataclass(frozen=True, eq=False)
class Fitted:
    """What is known of a problem: weights, scores of its rows, and multipliers where the loss has a kink."""

    w: FloatArray
    scores: FloatArray
    theta: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a problem to leave out, one at a time, and c for all rows of the problem."""

    chosen: IntArray
    amounts: FloatArray

    def shares(self, problem: Problem) -> FloatArray:
        """a = c/S for the chosen rows."""
        return self.amounts[self.chosen] * problem.scale

    def enough_of(self, problem: Problem) -> tuple[Problem, IntArray | slice]:
        """The problem of the chosen rows where they can stand for all, else the problem; and which rows it has."""
        unknowns = problem.zero().size if problem.loss.name == "softmax" else problem.design.d + 1
        if len(self.chosen) < _ROWS_EACH * unknowns:
            return problem, slice(None)
        return problem.rows(self.chosen), self.chosen

    def mean(self, problem: Problem) -> float:
        """The weighted mean of a over all rows."""
        return problem.mean(self.amounts) * problem.scale


def share(problem: Problem) -> FloatArray | float:
    return problem.scale if problem.weights is None else problem.weights * problem.scale


def penalised(w: FloatArray) -> FloatArray:
    """w without its intercepts."""
    out = w.copy()
    out[-1] = 0.0
    return out


def inverse_root(problem: Problem, curve: FloatArray | None, mean: float) -> FloatArray:
    """R with A⁻¹ = R Rᵀ, A = H − aαI at the mean of a; its last rows are 0 where there is no intercept.

    curve: as `Problem.hessian` takes it; the squared losses need none.
    """
    lighter = problem.with_alpha(problem.alpha * (1.0 - mean))
    found: Factor
    if problem.loss.name in ("squared", "one_of_k"):
        found = normal_system(lighter).factor
    else:
        assert curve is not None
        found = factor(lighter.hessian(curve))
    R = found.inverse_root()
    if not problem.intercept:
        k = len(R) // (problem.design.d + 1)
        R = R.copy()
        R[-k:] = 0.0
    return R


def products(design: Design, R: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
    """[x 1] R for all rows, block by block; of dense rows by BLAS, which is made for as many columns as rows of R."""
    size = max(_BLOCK // R.shape[1], 1)
    R = np.ascontiguousarray(R)
    for begin in range(0, design.n, size):
        part = slice(begin, min(begin + size, design.n))
        yield part, _product(design.rows(np.arange(part.start, part.stop)), R)


def _product(design: Design, R: FloatArray) -> FloatArray:
    if design.sparse:
        return design.scores(R)
    with single_threaded_blas():
        product: FloatArray = np.asarray(design.table, dtype=np.float64) @ R[:-1]
    product += R[-1]
    return product
