"""Columns that depend on each other, so large that the penalty is lost beside them: solved in coordinates of the rows.

Where α is below the rounding of a column's mean square, αI says nothing in ∇²P = XᵀCX + αI about the directions that
change no score, and those of n < d rows, of copies and of sums of columns are many. They are taken out, and with them
those along which the columns are nearly the same, which Newton's steps would have to find beside them. With X the rows
(off their means x̄, where the intercept is free) and an orthonormal Q,

    Xᵀ = QR,    ⟨x, w⟩ = ⟨r, v⟩  and  ‖w‖ = ‖v‖  for  w = Qv:

the same problem with rows r, at most n of whose columns are left, graded by size and as good as independent.
Householder's method with the columns of X in falling order and its rows pivoted is accurate column by column, however
their sizes differ (Higham, Accuracy and Stability of Numerical Algorithms, section 19.4). The multipliers are those of
the given problem, for which the certificate is made afresh.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from scipy import linalg

from linsep.certify.bound import Bound
from linsep.certify.bounds import dual_bound, value_rounding
from linsep.data import as_design
from linsep.problem.linear_algebra import factor
from linsep.problem.problem import Problem
from linsep.solvers.base import Solution
from linsep.solvers.centring import dense
from linsep.types import FloatArray

P = TypeVar("P", bound=Problem)

#: α beside the largest mean square of a column, below which a Gram matrix has lost it.
_LOST = 1e-13
#: Of a column, what must not depend on the others: a Gram matrix has the square of it.
_APART = 1e-4


@dataclass(frozen=True, eq=False)
class Turned(Generic[P]):
    """The problem in the coordinates v; Q, and the means that were taken off in two parts, as in centring.py."""

    problem: P
    Q: FloatArray
    means: tuple[FloatArray, FloatArray]

    def given(self, v: FloatArray) -> FloatArray:
        """The weights of the given problem."""
        w: FloatArray = np.concatenate([self.Q @ v[:-1], v[-1:]])
        for means in reversed(self.means):
            w[-1] -= means @ w[:-1]
        return w

    def inside(self, w: FloatArray) -> FloatArray:
        """The weights of the turned problem, from those of the given one."""
        level = w[-1:] + sum(means @ w[:-1] for means in self.means)
        v: FloatArray = np.concatenate([self.Q.T @ w[:-1], level])
        return v

    def bound(self, problem: P, w: FloatArray, solution: Solution) -> Bound:
        """On the optimum of the given problem: by the multipliers, or what was proved inside, less what was rounded."""
        scores, claim = problem.scores(w), solution.certificate
        if solution.dual is not None:
            return dual_bound(problem, problem.dual(solution.dual), problem.value(w, scores))
        noise = value_rounding(problem, w, problem.dual_point(scores))
        return Bound(claim.bound - noise, claim.kind, claim.allowance + noise)


def _independent(gram: FloatArray) -> bool:
    """Whether the columns are so, by their Gram matrix with the penalty (overwritten)."""
    sizes = np.sqrt(gram.diagonal())
    lower = factor(gram).lower
    return lower is not None and bool((lower.diagonal() > _APART * sizes).all())


def turned(problem: P) -> Turned[P] | None:
    """The problem in coordinates of its rows, where its columns need that."""
    design, alpha = problem.design, problem.alpha
    if not 0.0 < alpha <= _LOST * float(design.column_squares.max()) / design.n or not problem.penalty.ridge:
        return None
    gram = design.gram(np.full(design.n, 1.0 / design.n))
    gram.ravel()[:: len(gram) + 1] += alpha
    if problem.loss.kernel is None or _independent(gram):
        return None
    X, nothing = dense(design), np.zeros(design.d)
    means = X.mean(axis=0) if problem.intercept else nothing
    X -= means
    rest = X.mean(axis=0) if problem.intercept else nothing
    X -= rest
    falling = np.argsort(-np.abs(X).max(axis=0), kind="stable")
    Q, R, rows = linalg.qr(X.T[falling], mode="economic", pivoting=True, check_finite=False)
    turned_rows, back = np.empty(R.T.shape), np.empty_like(Q)
    turned_rows[rows], back[falling] = R.T, Q
    return Turned(problem.with_design(as_design(turned_rows, design.threads)), back, (means, rest))
