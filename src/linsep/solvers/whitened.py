"""Newton by conjugate gradients in coordinates whitened by a sample's Hessian, for dense data of moderate d.

A sample of the rows (solvers/sampling.py: by leverage, so rare columns are in it) is solved first. The
Cholesky factor of its Hessian (one block a class where the whole is too large) preconditions CG on all rows: a few
passes reduce the residual tenfold, whatever the scale and correlation of the columns. Should CG need many, the sample
was too small for this problem, or the point too far from where it was taken: at the point reached it is enlarged, and
taken afresh where it is all rows and not blocks alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from linsep.certify.bounds import Preconditioner, linearised_bound
from linsep.problem.linear_algebra import factor
from linsep.problem.problem import Point, Problem
from linsep.solvers.base import MOST_WAITS, NO_GOAL
from linsep.solvers.newton import Newton, preconditioner
from linsep.solvers.newton_cg import CGState, NewtonCG, finishes, newton_cg_step, state_at
from linsep.solvers.patience import keeping, out_of_time
from linsep.solvers.sampling import nested_samples
from linsep.types import FloatArray

#: Weights up to which the whole Hessian is factored; beyond, one block a class.
_WHOLE = 2000


@dataclass(frozen=True)
class Whitened(NewtonCG):
    """smallest: rows a weight of one class in the first sample; patience: CG iterations before it is enlarged;
    extra: passes at most for a better bound."""

    name: ClassVar[str] = "whitened"
    smallest: int = 4
    patience: int = 20
    extra: int = 20

    def init(self, problem: Problem, start: FloatArray | None) -> CGState:
        size = max(problem.design.n // 16, self.smallest * (problem.design.d + 1), 2000)
        sizes = [s for s in (size, 4 * size) if 2 * s <= problem.design.n]
        w = problem.zero() if start is None else problem.gauge(start)
        precondition = None
        for sample in nested_samples(problem, sizes if start is None else sizes[:1], self.seed):
            if start is not None:
                precondition = whitening(sample, sample.at(w))
                break
            w, precondition = self._loosely(sample, w, precondition)
        with keeping(lambda: w):
            point = problem.at(w)
            if precondition is None:
                size, precondition = problem.design.n, whitening(problem, point)
        return replace(state_at(point, precondition), sample=size)

    def step(self, problem: Problem, state: CGState) -> CGState:
        if finishes(problem, state):
            return Newton(self.goal, self.seed).step(problem, state)
        state = self._tightened(problem, newton_cg_step(self, problem, state))
        largest = state.sample >= problem.design.n and np.prod(problem.shape) > _WHOLE
        if state.iterations <= self.patience or largest:
            return state
        size = min(4 * state.sample, problem.design.n)
        samples = nested_samples(problem, [size], self.seed) if 2 * size <= problem.design.n else [problem]
        precondition = whitening(samples[0], samples[0].at(state.w))
        return replace(state, precondition=precondition, sample=size)

    def _tightened(self, problem: Problem, state: CGState) -> CGState:
        """With a better bound where this one is near the goal, and far below what the excess seems to be.

        The step that it is linearised along is the next one, should there be one.
        """
        gap = state.value - state.bound.value
        if not gap <= 5.0 * self.goal.target * abs(state.value) or not problem.loss.offers("conjugate"):
            return state
        found = linearised_bound(problem, state.point, state.precondition, self.extra, state.bound)
        loose = state.waits < MOST_WAITS and self.goal.loose(state.value, found.bound, found.excess)
        return replace(state, bound=found.bound, loose=loose, waits=state.waits + loose, ahead=found.step)

    def _loosely(
        self, problem: Problem, w: FloatArray, precondition: Preconditioner | None
    ) -> tuple[FloatArray, Preconditioner]:
        """Steps on a sample, until the excess is well below what the sample itself is off by.

        Whitened at the sample's start where nothing better is known, again when CG is slow, and at its end.
        """
        noise = 0.02 * np.prod(problem.shape) / problem.design.n
        point, fresh = problem.at(w), precondition is None
        state = state_at(point, precondition or whitening(problem, point))
        rough = replace(self, goal=NO_GOAL)
        with keeping(lambda: state.w):
            for _ in range(15):
                state = newton_cg_step(rough, problem, state)
                if state.done or state.excess <= noise or out_of_time():
                    break
                if fresh and state.iterations > self.patience // 4:
                    state = replace(state, precondition=whitening(problem, state.point))
            return state.w, whitening(problem, state.point) if fresh else state.precondition


def whitening(problem: Problem, point: Point) -> Preconditioner:
    """M⁻¹ with M = ∇²P at the point, or its class blocks where the whole would be too large to factor."""
    if np.prod(problem.shape) <= _WHOLE:
        return preconditioner(problem, factor(problem.hessian(point.curve)))
    factors = [factor(H) for H in problem.class_blocks(point.curve)]
    if len(factors) == 1:  # one block for all classes
        return lambda r, _: np.ascontiguousarray(factors[0].solve(r))

    def precondition(r: FloatArray, _: FloatArray | None) -> FloatArray:
        columns = [f.solve(np.ascontiguousarray(c)) for f, c in zip(factors, r.T, strict=True)]
        return problem.gauge(np.stack(columns, axis=1))

    return precondition
