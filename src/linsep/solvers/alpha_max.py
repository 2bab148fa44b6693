"""The smallest α at which every penalised weight is 0: where a regularisation path begins.

At such an α the intercept and the free columns alone are fitted; with ∇L the gradient there, w = 0 is optimal on the
others as long as −∇ⱼL lies in ∂Ωⱼ(0) = [−αρfⱼ, αρfⱼ] (a bound at 0 takes the side it closes off). So

    α_max = max over j of  |∇ⱼL| / (ρ fⱼ),

a number that is computed, not searched. For ρ = 0 no α has this property; as is usual, the α of ρ = 10⁻³ is given then,
at which the weights of a ridge are small.

The hinge loss has a kink there: hinge_face.py finds the best of all its subgradients. With offsets or free columns the
multipliers of the null model's fit stand in for that: an α at which all weights are 0, if not the smallest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linsep.errors import Refused
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.penalties import Penalty
from linsep.problem.problem import Point, Problem
from linsep.solvers.base import Goal
from linsep.solvers.driver import Budget, solve
from linsep.solvers.hinge_face import hinge_alpha_max
from linsep.solvers.proximal_lagrangian import ProximalLagrangian
from linsep.solvers.quadratic_model import loss_gradient, model_at
from linsep.solvers.working_set import violations
from linsep.types import FloatArray

#: The l1_ratio that takes the place of smaller ones.
LEAST_RATIO = 1e-3
_STEPS = 50


def alpha_max(problem: Problem) -> float:
    """The smallest α at which all penalised weights are 0; 0 where there is nothing to penalise.

    >>> import numpy as np
    >>> from linsep.data import as_design
    >>> from linsep.problem import losses
    >>> from linsep.problem.margin_problem import MarginProblem
    >>> from linsep.problem.penalties import Penalty
    >>> X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    >>> alpha_max(MarginProblem(as_design(X, 1), y, None, Penalty(1.0, 1.0), True, losses.get("log")))
    0.5
    """
    penalty, d = problem.penalty, problem.design.d
    lower, upper = penalty.box(d)
    if (lower > 0.0).any() or (upper < 0.0).any():
        raise Refused(
            "bounds that exclude 0 keep weights from being 0 at any alpha, so no grid begins there: give alphas"
        )
    ratio = max(penalty.l1_ratio, LEAST_RATIO)
    factors = np.ones(d) if penalty.factors is None else penalty.factors
    if problem.loss.kernel == "hinge":
        return _hinge(problem, ratio * factors)
    gradient = loss_gradient(problem, null_fit(problem))[:-1].reshape(d, -1)
    return _steepest(problem, gradient, ratio * factors)


def _steepest(problem: Problem, gradient: FloatArray, unit: FloatArray) -> float:
    """max |∇ⱼL| / unitⱼ over the columns that are penalised, on the sides that bounds leave open."""
    lower, upper = problem.penalty.box(problem.design.d)
    fall = np.where(upper > 0.0, -gradient.min(axis=1), 0.0)
    rise = np.where(lower < 0.0, gradient.max(axis=1), 0.0)
    steep, held = np.maximum(np.maximum(fall, rise), 0.0), unit > 0.0
    return float((steep[held] / unit[held]).max(initial=0.0))


def _hinge(problem: Problem, unit: FloatArray) -> float:
    """Exactly, or by the multipliers of the null model's fit."""
    assert isinstance(problem, MarginProblem)
    if problem.offset is None and (unit > 0.0).all():
        return hinge_alpha_max(problem, unit)
    shut = unit > 0.0
    lower, upper = problem.penalty.box(problem.design.d)
    penalty = replace(problem.penalty, lower=np.where(shut, 0.0, lower), upper=np.where(shut, 0.0, upper))
    null = replace(problem, penalty=penalty if penalty.alpha > 0.0 else replace(penalty, alpha=1.0))
    solver = ProximalLagrangian(goal=Goal(1e-9, True))
    found = solve(null, solver, budget=Budget(solver.max_iter))
    theta = np.ones(problem.design.n) if found.dual is None else found.dual
    return _steepest(problem, -problem.dual(theta).v[:-1, None], unit)


def null_fit(problem: Problem) -> Point:
    """The point where intercept and free columns alone are fitted, by Newton to rounding."""
    d = problem.design.d
    factors = np.ones(d) if problem.penalty.factors is None else problem.penalty.factors
    shut = factors > 0.0
    lower, upper = problem.penalty.box(d)
    # all penalised weights bounded to 0
    penalty = Penalty(0.0, 0.0, None, np.where(shut, 0.0, lower), np.where(shut, 0.0, upper))
    null = replace(problem, penalty=penalty)
    point = null.at(_start(null))
    for _ in range(_STEPS):
        off = violations(null, point.w, loss_gradient(null, point))
        off[-1] *= float(null.intercept)
        if not off.any():
            break
        model = model_at(null, point, np.flatnonzero(~shut))
        model.minimise(0.0, 50)
        new = _shorter(null, point, model.z)
        if new is None:
            break
        point = new
    return point


def _start(problem: Problem) -> FloatArray:
    w = problem.zero()
    w[:-1] = problem.penalty.clip(w[:-1])
    return w


def _shorter(problem: Problem, point: Point, z: FloatArray) -> Point | None:
    """The first point on the way to z, halved each time, with a smaller value or gradient; None where there is none."""
    t, off = 1.0, float(np.abs(loss_gradient(problem, point)[-1]).max())
    for _ in range(40):
        new = problem.at(point.w + t * (z - point.w))
        smaller = float(np.abs(loss_gradient(problem, new)[-1]).max()) < 0.5 * off
        if new.value < point.value or (smaller and new.value <= point.value * (1.0 + 1e-14)):
            return new
        t *= 0.5
    return None
