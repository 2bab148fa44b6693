"""A separating direction by dual coordinate descent, or two near points of the hulls.

Hinge loss with a penalty α → 0 turns towards the separating hyperplane where there is one: for α far below ‖x‖²/n a
few sweeps usually do. After each the scores of the two classes are compared; the midpoint of the gap is b. Where there
is none, the multipliers are weights of two points, one of either hull, whose distance δ bounds every margin.
K classes: Crammer–Singer's loss in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linsep.kernels.threads import single_threaded_blas
from linsep.problem.joint import CrammerSinger as CrammerSingerLoss
from linsep.problem.joint_problem import JointProblem
from linsep.problem.losses import Hinge
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import L2
from linsep.separability.cone import Cone
from linsep.solvers.base import NO_GOAL, Goal
from linsep.solvers.crammer_singer import CrammerSinger
from linsep.solvers.dual_cd import DualCD
from linsep.solvers.patience import seconds_left
from linsep.types import FloatArray

_ALPHA = 1e-8  # in units of the mean ‖x‖²


@dataclass(frozen=True, eq=False)
class Descent:
    """v: separates, in floating point, or None; weights: of every row, where there are multipliers."""

    v: FloatArray | None
    weights: FloatArray | None = None


def descend(cone: Cone, sweeps: int) -> Descent:
    """At most so many sweeps over the rows."""
    size = float(cone.design.scan.squares) / cone.design.n
    alpha = _ALPHA * size if size > 0.0 else 1.0
    with single_threaded_blas():
        return _binary(cone, alpha, sweeps) if cone.others == 1 else _joint(cone, alpha, sweeps)


def _binary(cone: Cone, alpha: float, sweeps: int) -> Descent:
    design, signs = cone.design, 2.0 * cone.codes - 1.0
    problem = MarginProblem(design, signs, None, L2(alpha), cone.intercept, Hinge())
    solver = DualCD(goal=NO_GOAL)
    state = solver.init(problem, None)
    positive = signs > 0.0
    for _ in range(sweeps):
        seconds_left()
        state = solver.step(problem, state)
        w = design.adjoint(state.a * signs)
        w[-1] = 0.0
        scores = design.scores(w)
        low, high = scores[positive].min(), scores[~positive].max()
        if cone.intercept:
            w[-1] = -0.5 * (low + high)
        separated = low > high if cone.intercept else low > 0.0 > high
        if separated:
            return Descent(w[: cone.width])
        if state.done is not None:
            break
    return Descent(None, state.a)


def _joint(cone: Cone, alpha: float, sweeps: int) -> Descent:
    problem = JointProblem(
        cone.design, cone.codes, None, L2(alpha), cone.intercept, loss=CrammerSingerLoss(), n_classes=cone.n_classes
    )
    solver = CrammerSinger(goal=Goal(1e-3, False))
    state = solver.init(problem, None)
    for _ in range(sweeps):
        seconds_left()
        state = solver.step(problem, state)
        for W in (np.vstack([state.weights, state.shift]), state.w):  # those of the sweeps, and the best so far
            v = (W[: cone.width, 1:] - W[: cone.width, :1]).T.ravel()
            if (cone.margins(v) > 0.0).all():
                return Descent(v)
        if state.done is not None or solver.goal.met(state.value, state.bound):
            break
    return Descent(None)
