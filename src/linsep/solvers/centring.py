"""Columns whose mean dwarfs their spread, taken off their means.

Next to a free intercept such a column is all but a multiple of the column of ones: with mean/spread = ρ the
Gram matrix has lost ρ² of its accuracy. Taking the means off changes only the intercept,

    ⟨x, w⟩ + b = ⟨x − x̄, w⟩ + (b + ⟨x̄, w⟩),

so the multipliers are those of the given problem. It costs a dense copy, and so is only for small data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np

from linsep.certify.bounds import value_rounding
from linsep.data import as_design
from linsep.data.design import Design
from linsep.problem.problem import Problem
from linsep.solvers.base import Solution
from linsep.types import FloatArray

P = TypeVar("P", bound=Problem)

#: mean² over variance above which a column is taken off its mean.
_RATIO = 1e6
#: Entries up to which a dense copy is affordable.
MOST_ENTRIES = 1 << 24


@dataclass(frozen=True, eq=False)
class Centred(Generic[P]):
    """The problem with its columns off their means; `means` are what was taken off, in two parts.

    The second part is what rounding of the first left: x − x̄ is exact, the mean of it not quite 0.
    """

    problem: P
    means: tuple[FloatArray, FloatArray] | None = None

    def given(self, w: FloatArray) -> FloatArray:
        """The weights of the given problem, from those of the centred one."""
        if self.means is None:
            return w
        first, second = self.means
        out = w.copy()
        out[-1] -= second @ w[:-1]
        out[-1] -= first @ w[:-1]
        return out

    def inside(self, w: FloatArray) -> FloatArray:
        """The weights of the centred problem, from those of the given one."""
        if self.means is None:
            return w
        out = w.copy()
        out[-1] += self.means[0] @ w[:-1] + self.means[1] @ w[:-1]
        return out


def centred(problem: P) -> Centred[P]:
    """The problem off its means where that is needed and affordable, else as it is."""
    means = far_means(problem.design) if problem.intercept else None
    if means is None:
        return Centred(problem)
    design, rest = off_means(problem.design, means)
    return Centred(problem.with_design(design), (means, rest))


def off_means(design: Design, means: FloatArray) -> tuple[Design, FloatArray]:
    """A copy of the rows less the means, and less what rounding of these left, which is the second result."""
    X = dense(design)
    X -= means
    rest = X.mean(axis=0)
    X -= rest
    return as_design(X, design.threads), rest


def far_means(design: Design) -> FloatArray | None:
    """The columns' means where some lie so far from 0 that it is centred beside a free intercept, else None."""
    if design.n * design.d > MOST_ENTRIES:
        return None
    means = design.adjoint(np.full(design.n, 1.0 / design.n))[:-1]
    squares = design.column_squares / design.n
    return means if (means * means > _RATIO * (squares - means * means)).any() else None


def taken_back(problem: P, inside: Centred[P], solution: Solution) -> Solution:
    """The solution of the given problem: the scores are the same but for rounding, and that is part of its gap."""
    if inside.means is None:
        return solution
    w = inside.given(solution.w)
    scores = problem.scores(w)
    noise = value_rounding(problem, w, problem.dual_point(scores))
    claim = solution.certificate
    claim = replace(
        claim, primal=problem.value(w, scores), bound=claim.bound - noise, allowance=claim.allowance + noise
    )
    return replace(solution, w=w, certificate=claim, status=solution.status.proved_by(claim))


def dense(design: Design) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The rows as a new dense array; of some rows of a matrix by products with unit vectors, which are exact."""
    if design.matrix.subset:
        return design.scores(np.eye(design.d + 1, design.d))
    rows = design.table.toarray() if design.sparse else design.table
    return np.array(rows, dtype=np.float64, order="C")
