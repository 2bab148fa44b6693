"""L-BFGS, for losses that only have a first derivative, and for those that are not convex.

    p = −B ∇P,   B ≈ ∇²P⁻¹ from the last steps s and changes of gradient y,   w ← w + t p  (Nocedal, algorithm 7.4)

B starts from the inverse of c·[X 1]ᵀ[X 1]/n + α, factored once: c bounds the loss's curvature, so the columns'
scale and correlation do not matter. The line search runs on the scores. A convex loss is certified at θ = −ℓ′
(its conjugate, if any, is not needed); for another the gradient's norm is all there is to say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from linsep.certify.bounds import NO_BOUND, Preconditioner, dual_bound
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Point, Problem
from linsep.solvers.base import Solver, State
from linsep.solvers.line_search import line_search
from linsep.solvers.newton_cg import diagonal
from linsep.solvers.outcome import Status
from linsep.solvers.whitened import whitening
from linsep.types import FloatArray

#: Weights up to which the starting metric is a factored matrix; beyond, a diagonal.
_MATRIX = 2000


@dataclass(frozen=True, eq=False, kw_only=True)
class LBFGSState(State):
    """The current point, the metric it started with, and the last pairs (s, y)."""

    point: Point
    metric: Preconditioner
    pairs: tuple[tuple[FloatArray, FloatArray], ...] = ()


@dataclass(frozen=True)
class LBFGS(Solver):
    """memory: pairs kept; flat: a gradient this small, relative to the first, is zero for a non-convex loss."""

    name: ClassVar[str] = "lbfgs"
    needs: ClassVar[frozenset[str]] = frozenset({"smooth", "ridge"})
    memory: int = 20
    flat: float = 1e-8

    def init(self, problem: Problem, start: FloatArray | None) -> LBFGSState:
        point = problem.at(problem.zero() if start is None else start)
        gradient = float(np.linalg.norm(point.grad))
        metric = _metric(problem, point)
        return LBFGSState(point.w, point.value, NO_BOUND, gradient, None, point=point, metric=metric)

    def step(self, problem: Problem, state: LBFGSState) -> LBFGSState:
        point = state.point
        p = _two_loops(state, point.grad)
        if float(np.vdot(p, point.grad)) >= 0.0:  # a poor model of a non-convex loss: begin again
            state = replace(state, pairs=())
            p = _two_loops(state, point.grad)
        t = line_search(problem.line(point, p, problem.design.scores(p)), 8.0)
        new = problem.at(point.w + t * p) if t > 0.0 else point
        if not new.value < point.value:
            return replace(state, done=self._ended(problem, state))
        pair = (new.w - point.w, new.grad - point.grad)
        pairs = (*state.pairs, pair)[-self.memory :] if float(np.vdot(*pair)) > 0.0 else state.pairs
        state = replace(state, w=new.w, value=new.value, point=new, pairs=pairs)
        return self._certified(problem, state)

    def _certified(self, problem: Problem, state: LBFGSState) -> LBFGSState:
        point = state.point
        gradient = float(np.linalg.norm(point.grad))
        if not problem.loss.convex:
            flat = gradient <= self.flat * problem.total_slope()
            return replace(state, gradient=gradient, done=Status.STATIONARY if flat else None)
        # At θ = −ℓ′ the gap is ‖∇P‖²/2α: only then is the bound worth a pass.
        promising = gradient**2 <= 20.0 * problem.alpha * max(self.goal.tol, 1e-14) * abs(point.value)
        bound = state.bound
        if promising:
            bound = max(bound, dual_bound(problem, problem.dual_at(point.scores), point.value), key=lambda b: b.value)
        return replace(state, gradient=gradient, bound=bound)

    def _ended(self, problem: Problem, state: LBFGSState) -> Status:
        if problem.loss.convex:
            return Status.STALLED
        return Status.STATIONARY if state.gradient <= 1e3 * self.flat * problem.total_slope() else Status.STALLED


def _two_loops(state: LBFGSState, gradient: FloatArray) -> FloatArray:
    """−B ∇P."""
    q, coefficients = gradient.copy(), []
    for s, y in reversed(state.pairs):
        a = float(np.vdot(s, q)) / float(np.vdot(s, y))
        q -= a * y
        coefficients.append(a)
    p = state.metric(q, None)
    for (s, y), a in zip(state.pairs, reversed(coefficients), strict=True):
        p += (a - float(np.vdot(y, p)) / float(np.vdot(s, y))) * s
    return -p


def _metric(problem: Problem, point: Point) -> Preconditioner:
    """B's start: the columns' Gram matrix times a bound on the curvature, or softmax's at w = 0."""
    if isinstance(problem, MarginProblem):
        share = np.full(problem.design.n, (problem.loss.curvature or 0.25) / problem.design.n)
    else:
        share = np.full((problem.design.n, problem.shape[1]), 1.0 / problem.shape[1])
    bounded = replace(point, curve=share)
    return whitening(problem, bounded) if np.prod(problem.shape) <= _MATRIX else diagonal(problem, bounded)
