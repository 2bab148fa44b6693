"""Exact Newton for smooth losses and moderate d, started from the optimum of a sample of the rows.

    ∇²P(w) p = −∇P(w),   w ← w + t p,   t = 1 where that decreases P enough, else a line search on the scores.

One full iteration costs a Gram pass and an evaluation. A sample of m rows has its optimum within about
(d + 1)/2m of the full one, so samples growing by a factor of 8 leave one to three iterations on all rows.

With a penalty the step's own scores u = [X 1]p linearise the dual point, θ = −ℓ′ − ℓ″u: a bound for one more
pass. Without one, strong convexity around the point gives the bound (certify/curvature.py), and a hyperplane
that separates the rows, or a step along which no margin falls, shows that there is no optimum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

import numpy as np

from linsep.certify.bounds import (
    NO_BOUND,
    TIGHT,
    Bound,
    Preconditioner,
    linearised_bound,
    newton_bound,
    nonnegative,
    rounding,
)
from linsep.certify.curvature import curvature_bound
from linsep.problem.linear_algebra import Factor, factor
from linsep.problem.problem import Point, Problem
from linsep.solvers.base import MOST_WAITS, Goal, Solver, State
from linsep.solvers.line_search import line_search
from linsep.solvers.outcome import Status
from linsep.solvers.patience import keeping, out_of_time
from linsep.solvers.sampling import nested_samples
from linsep.types import FloatArray

#: Relative rounding of the dual bound beyond which the curvature around the point may prove more, if more is asked for.
_COARSE = 1e-11
#: A gap this many times its rounding allowance is not rounding's, and the next step closes it for less.
_APART = 8.0


@dataclass(frozen=True, eq=False, kw_only=True)
class NewtonState(State):
    """The state's point, with its scores, gradient and curvature; steps taken for a tighter bound alone."""

    point: Point
    waits: int = 0


S = TypeVar("S", bound=NewtonState)


@dataclass(frozen=True)
class Newton(Solver):
    """growth: a sample is this much smaller than the next; fewest: rows a weight, below which none is drawn;
    extra: passes at most for a better bound."""

    name: ClassVar[str] = "newton"
    needs: ClassVar[frozenset[str]] = frozenset({"smooth", "convex", "curvature", "blocks", "ridge"})
    growth: int = 8
    fewest: int = 20
    extra: int = 5

    def init(self, problem: Problem, start: FloatArray | None) -> NewtonState:
        w = self._sample_optimum(problem) if start is None else start
        with keeping(lambda: w):
            point = problem.at(w)
        return NewtonState(point.w, point.value, NO_BOUND, float(np.linalg.norm(point.grad)), point=point)

    def step(self, problem: Problem, state: S) -> S:
        point = state.point
        local, p, decrement = newton_step(problem, point)
        new, u = advance(problem, point, p, decrement)
        stalled = Status.STALLED if new is point else None
        if problem.alpha == 0.0 and no_optimum(problem, new, u):
            return _moved(state, new, NO_BOUND, Status.NO_OPTIMUM)
        bound = state.bound
        # by the curvature of the point before, which is at hand; near the optimum it is the same
        excess = 0.5 * float(np.vdot(new.grad.ravel(), local.solve(new.grad.ravel())))
        if self._there(problem, new, excess):
            found = linearised_bound(problem, new, preconditioner(problem, local), self.extra, bound)
            bound, excess = found.bound, found.excess
        if not self.goal.met(new.value, bound) and (stalled or self._near(problem, point.value, decrement, excess)):
            other = (
                _bound(problem, point, new, p, u, self.goal)
                if problem.alpha > 0.0
                else _unpenalised(problem, new, local)
            )
            bound = max(bound, other, key=lambda b: b.value)
        loose = state.waits < MOST_WAITS and self.goal.loose(new.value, bound, excess)
        return replace(_moved(state, new, bound, stalled), loose=loose, waits=state.waits + loose)

    def _near(self, problem: Problem, value: float, decrement: float, excess: float) -> bool:
        """Whether a bound may meet the goal after a step with this decrement that leaves this excess."""
        target = self.goal.target * abs(value)
        return decrement * decrement <= 12.0 * target * abs(value) and excess <= max(target, rounding(problem, 1.0))

    def _there(self, problem: Problem, point: Point, excess: float) -> bool:
        """Whether the point seems to meet the goal, so that a bound linearised at it may prove it without a step."""
        provable = problem.alpha > 0.0 and problem.loss.offers("conjugate") and not self.goal.to_rounding
        return provable and TIGHT * excess <= self.goal.tol * abs(point.value)

    def _sample_optimum(self, problem: Problem) -> FloatArray:
        """The optimum of a random sample, itself started from the optimum of a sample of the sample."""
        sizes: list[int] = []
        least = max(self.fewest * int(np.prod(problem.shape)), 2000)
        size = max(problem.design.n // self.growth, least)
        while size >= least and 3 * size <= problem.design.n:
            sizes.insert(0, size)
            size //= self.growth
        w = problem.zero()
        for sample in nested_samples(problem, sizes, self.seed):
            w = _loosely(sample, w)
        return w


def newton_step(problem: Problem, point: Point) -> tuple[Factor, FloatArray, float]:
    """∇²P's factor, p and the square of the Newton decrement, −⟨∇P, p⟩."""
    local = factor(problem.hessian(point.curve))
    p = local.solve(-point.grad.ravel()).reshape(point.w.shape)
    if not problem.intercept:
        p[-1] = 0.0
    return local, p, -float(np.vdot(point.grad, p))


def preconditioner(problem: Problem, local: Factor) -> Preconditioner:
    """M⁻¹ by its factor."""
    return lambda r, _: problem.gauge(local.solve(r.ravel()).reshape(r.shape))


def advance(problem: Problem, point: Point, p: FloatArray, decrement: float) -> tuple[Point, FloatArray]:
    """The point after a step along p (the same point where none decreases P), and the scores [X 1]p."""
    full = problem.at(point.w + p)
    u = full.scores - point.scores
    if full.value <= point.value - 0.25 * decrement:
        return full, u
    t = line_search(problem.line(point, p, u)) if decrement > 0.0 else 0.0
    if t == 0.0:
        return (full, u) if full.value < point.value else (point, u)
    return problem.at(point.w + t * p), u


def no_optimum(problem: Problem, point: Point, u: FloatArray) -> bool:
    """Without a penalty: the rows are separated, or P falls for ever along a step that lowers no margin."""
    if problem.loss.attained:
        return False
    if problem.leads(point.scores)[0] > 0.0:
        return True
    least, greatest = problem.leads(u)
    return greatest > 0.1 and least >= -1e-7 * greatest


def _loosely(problem: Problem, w: FloatArray) -> FloatArray:
    """Newton until the excess is below what the sample itself is off by."""
    point = problem.at(w)
    noise = 0.1 * np.prod(problem.shape) / problem.design.n
    with keeping(lambda: point.w):
        for _ in range(20):
            _, p, decrement = newton_step(problem, point)
            new, _ = advance(problem, point, p, decrement)
            if new is point or decrement <= noise * point.value or out_of_time():
                return new.w
            point = new
    return point.w


def _bound(problem: Problem, point: Point, new: Point, p: FloatArray, u: FloatArray, goal: Goal) -> Bound:
    """After a step along p with scores u, a difference of two: where its rounding spoils the bound, u is taken anew."""
    bound = newton_bound(problem, point, u, new)
    if not goal.met(new.value, bound):
        exact = newton_bound(problem, point, problem.design.scores(p), new)
        bound = max(bound, exact, key=lambda b: b.value)
    gap = new.value - bound.value
    proved = not goal.to_rounding and gap <= goal.tol * abs(new.value)
    closing = new is not point and gap > _APART * bound.allowance
    if proved or closing or bound.allowance <= _COARSE * abs(new.value):
        return bound
    return max(bound, curvature_bound(problem, new), key=lambda b: b.value)


def _unpenalised(problem: Problem, point: Point, before: Factor) -> Bound:
    return max(nonnegative(problem), curvature_bound(problem, point, before), key=lambda b: b.value)


def _moved(state: S, point: Point, bound: Bound, done: Status | None) -> S:
    gradient = float(np.linalg.norm(point.grad))
    return replace(state, w=point.w, value=point.value, bound=bound, gradient=gradient, done=done, point=point)
