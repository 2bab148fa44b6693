"""The problem on a few of many sparse columns: a copy of their entries by rows, and ∇²L of them as a matrix.

Steps of proximal Newton on the copy cost next to nothing but for ∇²L, so that is kept from step to step: with a matrix
that is old, each step leaves a share of the violation, and only where that share is large the matrix is formed anew.
Far from the optimum it is that of a sample of the rows, with the diagonal of all of them.

What a step means for the columns outside of the copy needs no look at them as long as they cannot violate (seen.py);
then the bound of the copy is one for the problem.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeGuard

import numpy as np

from linsep.certify.bound import Bound
from linsep.certify.penalised import penalised_bound
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Dual, Point, Problem
from linsep.solvers.proximal_step import advance, promise_of
from linsep.solvers.quadratic_model import FormedModel, is_formed, loss_gradient
from linsep.solvers.seen import Seen
from linsep.solvers.working_set import violations
from linsep.types import BoolArray, FloatArray, IntArray

#: Columns of a copy, at most.
MOST = 1000
#: Times the largest threshold: violations beyond it are far from the optimum.
FAR = 3.0
#: A step that leaves more of the violation asks for a new matrix, one that leaves much more for all rows.
_SLOW, _TOO_SLOW = 0.2, 0.75
#: Of the rows in a sample; rows a column that it must have.
_SHARE, _FEWEST = 0.25, 8
_STEPS, _SWEEPS, _FORESIGHT = 40, 50, 8
_KEY = "narrow"
_EPS = float(np.finfo(np.float64).eps)


def may_copy(problem: Problem, columns: int) -> TypeGuard[MarginProblem]:
    """Whether so many columns are worth a copy: one margin, more columns in all, entries that int32 counts."""
    design = problem.design
    margin = isinstance(problem, MarginProblem) and design.sparse and design.entries < 2**31
    return margin and columns <= MOST and not is_formed(problem)


@dataclass(frozen=True, eq=False)
class Kept:
    """Where a fit on a copy ended, for the next fit on the same rows: along a path only the penalty changes."""

    problem: MarginProblem  # on the copy
    w: FloatArray
    scores: FloatArray
    gradient: FloatArray
    narrow: Narrow

    def serves(self, problem: MarginProblem, start: FloatArray) -> bool:
        """Whether the other fit begins where this one ended, on the same targets."""
        mine = self.problem
        same = mine.loss is problem.loss and mine.intercept == problem.intercept
        pairs = ((mine.target, problem.target), (mine.weights, problem.weights), (mine.offset, problem.offset))
        return same and np.array_equal(self.w, start) and all(_equal(*pair) for pair in pairs)


def _equal(a: FloatArray | None, b: FloatArray | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def keep(problem: MarginProblem, point: Point, narrow: Narrow) -> None:
    gradient = loss_gradient(problem, point)
    problem.design.kept[_KEY] = Kept(narrow.problem, point.w, point.scores, gradient, narrow)


def recall(problem: Problem, start: FloatArray) -> tuple[Point, Narrow] | None:
    """The point and the copy that the last fit on these rows ended with, if this one begins there."""
    kept = problem.design.kept.get(_KEY)
    if kept is None or not isinstance(problem, MarginProblem) or not kept.serves(problem, start):
        return None
    return problem.at_scores(start, kept.scores, kept.gradient), kept.narrow


class Narrow:
    """The columns of a working set, their problem, the matrix in use, and where all columns were last seen.

    looked: whether that was at the last point
    """

    def __init__(self, problem: MarginProblem, columns: IntArray, seen: Seen) -> None:
        self.columns, self.seen, self.looked = columns, seen, True
        self.problem = replace(problem, design=problem.design.select(columns), penalty=problem.penalty.select(columns))
        self._hessian, self._whole = np.zeros((0, 0)), False

    def holds(self, needed: BoolArray) -> bool:
        """Whether all columns that are needed are in the copy."""
        return int(np.count_nonzero(needed[self.columns])) == int(np.count_nonzero(needed))

    def minimise(self, problem: MarginProblem, point: Point, violation: float) -> Point:
        """From the point, whose other weights are 0, until no slope of the copy is off by more than the violation."""
        self.problem = replace(self.problem, penalty=problem.penalty.select(self.columns))
        here = self._inside(point)
        before, left_over, fresh = self._off(here), 0.0 if len(self._hessian) else np.inf, False
        for _ in range(_STEPS):
            if before <= violation:
                break
            failed = fresh and left_over > _TOO_SLOW
            if fresh := left_over > _SLOW:
                self._renew(here, before, failed)
            model = FormedModel(self.problem, here, self._hessian)
            model.minimise(0.1 * max(violation, 0.1 * before), _SWEEPS)
            new, left = self._step(here, model.z, before)
            stuck = left > 0.9 * before
            left_over, before, here = (np.inf if new is here else left / before), left, new
            if stuck and fresh and self._whole:
                break
        return here

    def foresee(self, point: Point) -> FloatArray:
        """The scores [X 1](z − w) of the minimiser z of the quadratic model at the point.

        The matrix in use is old: it only sets the length of steps, whose slopes are those of ∇²L itself.
        """
        here, p, u = self._inside(point), self.problem, np.zeros(self.problem.design.n)
        if not self._whole:
            self._hessian, self._whole = p.loss_hessian(here.curve), True
        at, off = here, self._off(here)
        for _ in range(_FORESIGHT):
            model = FormedModel(p, at, self._hessian)
            model.minimise(0.01 * off, _SWEEPS)
            product, scores = p.hess_vec(here, model.z - here.w)
            there = replace(here, w=model.z, grad=here.grad + product)
            left = self._off(there)
            if not left < 0.7 * off:
                break
            at, off, u = there, left, scores
            if off * float(np.abs(at.w).sum()) <= 0.1 * promise_of(p, here, at.w):
                break
        return u

    def _step(self, here: Point, z: FloatArray, before: float) -> tuple[Point, float]:
        """The point after a step towards z and its violation, which counts where P no longer tells points apart."""
        new, _ = advance(self.problem, here, z, promise_of(self.problem, here, z))
        if new is here:
            there = self.problem.at(z)
            left = self._off(there)
            if left < 0.5 * before and there.value <= here.value + 8.0 * _EPS * abs(here.value):
                return there, left
        return new, before if new is here else self._off(new)

    def _inside(self, point: Point) -> Point:
        chosen = np.append(self.columns, len(point.w) - 1)
        return replace(point, w=point.w[chosen], grad=point.grad[chosen])

    def outside(self, problem: MarginProblem, here: Point) -> Point:
        """The point among all columns. Slopes outside of the copy are those last seen, where they cannot violate."""
        r = problem.slopes(here.scores)[1]
        self.looked = not self.seen.covers(problem, r, self.columns)
        if self.looked:
            self.seen = Seen.of(problem, r)
        w, grad, chosen = np.zeros(problem.design.d + 1), self.seen.g.copy(), np.append(self.columns, problem.design.d)
        w[chosen], grad[chosen] = here.w, here.grad
        return replace(here, w=w, grad=grad)

    def bound(self, problem: MarginProblem, here: Point) -> Bound | None:
        """The bound at θ = −ℓ′, from the columns of the copy alone; None where others may have a say."""
        dual = dual_at(self.problem, here)
        if not self.seen.covers(problem, problem.pull(-dual.theta), self.columns):
            return None
        return penalised_bound(self.problem, dual, here.value, problem)

    def off(self, here: Point, d: int) -> FloatArray:
        """What each of d slopes violates by, the intercept's last, where only those of the copy can."""
        off = np.zeros(d + 1)
        off[np.append(self.columns, d)] = self._violations(here)
        return off

    def _off(self, here: Point) -> float:
        return float(self._violations(here).max())

    def _violations(self, here: Point) -> FloatArray:
        off = violations(self.problem, here.w, loss_gradient(self.problem, here))
        if not self.problem.intercept:
            off[-1] = 0.0
        return off

    def _renew(self, here: Point, off: float, failed: bool) -> None:
        """∇²L at this point: of a sample far from the optimum, unless the last one, just as new, has failed."""
        p = self.problem
        far = off > FAR * float(p.penalty.l1(p.design.d).max(initial=0.0))
        self._whole = not far or failed or _SHARE * p.design.n < _FEWEST * p.design.d
        self._hessian = p.loss_hessian(here.curve) if self._whole else _sampled_hessian(p, here.curve)


def dual_at(problem: Problem, point: Point) -> Dual:
    """At θ = −ℓ′. Without an intercept to balance it for, v is −∇L, which is known."""
    if not problem.loss.offers("conjugate"):
        return problem.dual_at(point.scores)
    theta = problem.dual_point(point.scores)
    if problem.intercept:
        return problem.dual(theta)
    return Dual(theta, -loss_gradient(problem, point), *problem.conjugate_mean(theta))


def _sampled_hessian(problem: MarginProblem, curve: FloatArray) -> FloatArray:
    """D S D with S from a sample of the rows, D the diagonal that makes its diagonal that of all rows."""
    curve = np.maximum(curve, 0.0)
    chosen = np.flatnonzero(np.random.default_rng(0).random(problem.design.n) < _SHARE)
    S = np.triu(problem.design.rows(chosen).gram(np.ascontiguousarray(curve[chosen])))
    S += np.triu(S, 1).T
    diagonal = np.append(problem.design.weighted_squares(curve), curve.sum())
    sampled = S.diagonal()
    scale = np.sqrt(np.divide(diagonal, sampled, out=np.zeros_like(diagonal), where=sampled > 0.0))
    S *= np.outer(scale, scale)
    S.ravel()[:: len(S) + 1] = diagonal
    return S
