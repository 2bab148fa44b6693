"""Augmented Lagrangian and proximal Newton for the hinge loss with L1, penalty factors, bounds or offsets.

    min over w, b of  1/S Σ sᵢ max(0, 1 − Mᵢ) + Ω(w)

Neither term is smooth. A round rounds the kink of the loss off over a band of width γ around the multipliers θ̄ of the
last one (band.py has the formulas), and minimises that with Ω as it is by proximal Newton: a quadratic model, on a
working set of columns, with exact zeros (quadratic_model.py). Its θ is in [0, 1], its v in ∂Ω(w) at the minimum, where
|vⱼ| ≤ αρfⱼ: a point of the dual problem. Then θ̄ ← θ, a proximal-point step on the dual problem (Rockafellar,
Mathematics of Operations Research 1, 1976), and γ shrinks; for ρ = 1, a linear program, finitely many rounds do.

    P − D(θ) = what the width costs + what the round's minimum is off by :

a round lasts until the second is a tenth of the first. Most rows are outside of the band, where the loss is straight;
so that the model has a minimum all rows get a little curvature, more after a short step and less after a full one.

On many sparse columns under L1 an interior point (interior.py) comes first: it takes about as many steps whatever α is,
and each solves one system. It begins in the middle, so that weights given as a start are only the best known so far;
rounds from the weights of a neighbouring α are slower nevertheless. Where it cannot go on, the rounds do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import ClassVar

import numpy as np

from linsep.certify.bounds import NO_BOUND, dual_bound, nonnegative
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Problem
from linsep.solvers import interior
from linsep.solvers.band import Round
from linsep.solvers.base import Solver, State
from linsep.solvers.hinge import balanced, best_intercept
from linsep.solvers.interior import Interior
from linsep.solvers.outcome import Status
from linsep.types import FloatArray

#: The narrowest band: margins are right to rounding, and θ to that over the width.
_NARROWEST = 1e-3
_LEAST_DAMPING = 1e-12
#: Steps without progress on the way from tol to rounding, and of an interior point.
_LAST, _STUCK = 5, 15


@dataclass(frozen=True, eq=False, kw_only=True)
class RoundState(State):
    """The round, its damping, whether a step could move it, the smallest gap seen, and steps since it was."""

    round: Round
    damping: float
    moved: bool = True
    smallest: float = inf
    idle: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class InteriorState(State):
    """Before the rounds: the interior point, its smallest gap and its bound so far, and steps since either moved."""

    interior: Interior
    smallest: float = inf
    lower: float = 0.0
    idle: int = 0


@dataclass(frozen=True)
class ProximalLagrangian(Solver):
    """widest, narrower: γ of the first round, and of the first from given weights; shrink: its factor a round;
    damping: curvature of rows outside of the band over that inside, at the start of a round and at most;
    firmer, looser: its factors after a short and a long step; patience: steps without progress before it gives up."""

    name: ClassVar[str] = "proximal_lagrangian"
    needs: ClassVar[frozenset[str]] = frozenset({"margin"})
    max_iter: ClassVar[int] = 2000
    widest: float = 1.0
    narrower: float = 0.3
    shrink: float = 0.3
    damping: float = 1e-2
    firmer: float = 3.0
    looser: float = 0.3
    patience: int = 400

    def refusal(self, problem: Problem) -> str | None:
        if problem.loss.kernel != "hinge":
            return f"solver {self.name!r} takes the loss 'hinge'; loss {problem.loss.name!r} was given"
        if problem.alpha == 0.0 and not problem.penalty.bounded:
            return (
                f"solver {self.name!r} needs a penalty, alpha > 0, or bounds; the hinge loss without them is a linear "
                "program: use solver='linear_program', or a small alpha, for example 1e-8"
            )
        return super().refusal(problem)

    def init(self, problem: MarginProblem, start: FloatArray | None) -> RoundState | InteriorState:
        if not self.goal.to_rounding and interior.suits(problem):
            w, value = _at_best_intercept(problem, problem.zero() if start is None else start.copy())
            return InteriorState(w, value, interior=interior.begin(problem))
        w = problem.zero() if start is None else start.copy()
        w[:-1] = problem.penalty.clip(w[:-1])
        if start is None and problem.intercept:
            w[-1] = best_intercept(problem, problem.scores(w))
        width = self.widest if start is None else self.narrower
        place = Round.of(problem, np.full(problem.design.n, 0.5), width, w)
        # any multipliers give a bound, but where nothing holds a weight back they must balance first
        bound = nonnegative(problem) if np.logical_or(*problem.penalty.sides(problem.design.d)).any() else NO_BOUND
        return self._report(problem, RoundState(w, place.value, bound, round=place, damping=self.damping))

    def step(self, problem: MarginProblem, state: RoundState | InteriorState) -> RoundState | InteriorState:
        if isinstance(state, InteriorState):
            return self._inside(problem, state)
        place, damping = state.round, state.damping
        cost, left = place.gaps
        if left <= 0.1 * max(cost, self._enough(place.value)) or not state.moved:
            matters = cost > self._enough(place.value)
            width = max(self.shrink * place.width, _NARROWEST) if matters else place.width
            place, damping = Round.of(problem, place.theta, width, place.w), self.damping
        place, t = place.advance(damping)
        damping = max(self.looser * damping, _LEAST_DAMPING) if t > 0.7 else min(self.firmer * damping, self.damping)
        return self._report(problem, replace(state, round=place, damping=damping, moved=t > 0.0))

    def _inside(self, problem: MarginProblem, state: InteriorState) -> RoundState | InteriorState:
        """A step of the interior point; the first round where it is stuck."""
        at = state.interior
        if state.idle >= _STUCK or len(at.columns) > interior.MOST:
            place = Round.of(problem, at.rows.theta, self.narrower, state.w)
            return RoundState(state.w, state.value, state.bound, round=place, damping=self.damping)
        at = at.advance()
        w, value = _at_best_intercept(problem, at.w)
        lower, gap = at.lower, min(value, state.value) - at.lower
        if not isfinite(gap):
            return replace(state, idle=_STUCK)
        moves = gap < 0.9 * state.smallest or lower > 1.001 * state.lower
        idle, smallest = 0 if moves else state.idle + 1, min(gap, state.smallest)
        state = replace(state, interior=at, idle=idle, smallest=smallest, lower=max(lower, state.lower))
        if value < state.value:
            state = replace(state, w=w, value=value)
        if gap > 1.5 * self.goal.tol * abs(state.value):
            return state
        bound = dual_bound(problem, problem.dual(balanced(problem, at.rows.theta)), state.value)
        return replace(state, bound=max(state.bound, bound, key=lambda b: b.value))

    def _enough(self, value: float) -> float:
        """The part of the gap that no longer matters."""
        return (1e-14 if self.goal.to_rounding else 0.1 * self.goal.tol) * abs(value)

    def _report(self, problem: MarginProblem, state: RoundState) -> RoundState:
        """The best point, the bound where the goal is near, and whether anything still moves."""
        place = state.round
        gap = sum(place.gaps)
        if place.value < state.value:
            state = replace(state, w=place.w, value=place.value)
        met = state.value - state.bound.value <= self.goal.tol * abs(state.value)
        stalled = state.idle >= (_LAST if met else self.patience)
        near = 1.5 * max(self.goal.tol, 1e-6 if self.goal.to_rounding else 0.0) * abs(place.value)
        if gap <= near or stalled:
            state = _evaluate(problem, state)
        if gap < 0.9 * state.smallest:
            return replace(state, smallest=gap, idle=0)
        return replace(state, idle=state.idle + 1, done=Status.STALLED if stalled else None)


def _evaluate(problem: MarginProblem, state: RoundState) -> RoundState:
    """With the value at the best intercept, and the bound at θ."""
    place = state.round
    w, value = _at_best_intercept(problem, place.w)
    if value < state.value:
        state = replace(state, w=w, value=value)
    bound = dual_bound(problem, problem.dual(balanced(problem, place.theta)), state.value)
    return replace(state, bound=max(state.bound, bound, key=lambda b: b.value))


def _at_best_intercept(problem: MarginProblem, w: FloatArray) -> tuple[FloatArray, float]:
    """The weights with their best intercept, and P."""
    if problem.intercept:
        w = w.copy()
        w[-1] += best_intercept(problem, problem.scores(w))
    return w, problem.value(w, problem.scores(w))
