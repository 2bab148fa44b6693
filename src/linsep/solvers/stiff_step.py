"""A step of proximal Newton with a floor under ℓ″, where rows that have none send the model's minimiser far too far.

Beyond a hinge a row has no curvature: the model does not see a step take it back into the loss. With a floor under
every row's ℓ″ it does. Too high a floor makes steps too short, too low a one leaves them too long. The best one changes
little from step to step, so it is looked for up or down from the last.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Point, Problem
from linsep.solvers.proximal_step import advance, promise_of
from linsep.solvers.quadratic_model import model_at
from linsep.types import FloatArray, IntArray

#: Of the largest ℓ″: the first floor, and the lowest; the ratio of neighbours.
FIRST = 0.1
_LOWEST, _RATIO = 1e-9, 10.0


@dataclass(frozen=True, eq=False)
class Taken:
    """A step: the new point, the scores u = [X 1](z − w), and the last floor that led anywhere."""

    point: Point
    u: FloatArray
    floor: float = FIRST


@dataclass(frozen=True, eq=False)
class Ladder:
    """The stiff steps from one point; violation and sweeps: how well, and how long, each model is minimised."""

    problem: Problem
    point: Point
    working: IntArray
    violation: float
    sweeps: int

    def better(self, short: Taken) -> Taken:
        """The best step from the last floor up or down; the short one where that falls more, or ℓ″ has no bound.

        Down, as long as P falls more, where a full step is right at the last floor, else up.
        """
        curvature = self.problem.loss.curvature if isinstance(self.problem, MarginProblem) else None
        if curvature is None:
            return short
        best, full = self._at(short.floor, curvature)
        ratio = 1.0 / _RATIO if full else _RATIO
        while _LOWEST <= ratio * best.floor <= 1.0:
            further, _ = self._at(ratio * best.floor, curvature)
            if further.point.value >= best.point.value:
                break
            best = further
        return best if best.point.value < short.point.value else short

    def _at(self, floor: float, curvature: float) -> tuple[Taken, bool]:
        """The step with this floor, and whether it is a full one."""
        problem, point = self.problem, self.point
        share = problem.scale if problem.weights is None else problem.weights * problem.scale
        curve = np.maximum(point.curve, floor * curvature * np.asarray(share))
        model = model_at(problem, replace(point, curve=curve), self.working)
        model.minimise(self.violation, self.sweeps)
        new, u = advance(problem, point, model.z, promise_of(problem, point, model.z))
        return Taken(new, u, floor), new.w is model.z
