"""What solvers for the hinge loss share: start, best intercept for given weights, balanced multipliers."""

from __future__ import annotations

import numpy as np

from linsep.problem.linear_algebra import factor
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Problem
from linsep.types import FloatArray

#: Columns above which the d × d systems no longer pay.
_MOST_COLUMNS = 10_000


def hinge_refusal(solver: str, problem: Problem) -> str | None:
    """Why a solver with d × d systems for the hinge loss cannot take the problem, or None."""
    if problem.loss.kernel != "hinge":
        return f"solver {solver!r} takes the loss 'hinge'; loss {problem.loss.name!r} was given"
    if problem.alpha == 0.0:
        return (
            f"solver {solver!r} needs a penalty: alpha > 0; the hinge loss without one is a linear program: "
            "use solver='linear_program', or a small alpha, for example 1e-8"
        )
    if problem.design.d > _MOST_COLUMNS:
        return (
            f"solver {solver!r} factors a matrix with as many rows as X has columns; X has "
            f"{problem.design.d}, more than {_MOST_COLUMNS}: use solver='dual_cd'"
        )
    return None


def least_squares_start(problem: MarginProblem) -> FloatArray:
    """argmin of the mean of sᵢ(1 − Mᵢ)² with the same penalty: one Gram pass, and margins near 1."""
    curve = np.full(problem.design.n, 2.0 * problem.scale)
    if problem.weights is not None:
        curve *= problem.weights
    pull = problem.design.adjoint(curve * problem.target)
    if not problem.intercept:
        pull[-1] = 0.0
    return factor(problem.hessian(curve)).solve(pull)


def best_intercept(problem: MarginProblem, scores: FloatArray) -> float:
    """The minimiser over b of Σ sᵢ max(0, 1 − yᵢ(scoreᵢ + b)); the midpoint where it is an interval.

    Row i has its kink at b = yᵢ − scoreᵢ, where the slope rises by sᵢ from −Σ sᵢ over the positive rows at
    b = −∞. So the minimum is where the rows passed weigh as much as the positive class.
    """
    kinks = problem.target - scores
    if problem.weights is None:
        positive = int(np.count_nonzero(problem.target > 0.0))
        if positive in (0, len(kinks)):
            return 0.0
        low, high = np.partition(kinks, [positive - 1, positive])[positive - 1 : positive + 1]
        return 0.5 * float(low + high)
    counted = np.flatnonzero(problem.weights)
    order = counted[np.argsort(kinks[counted], kind="stable")]
    passed = np.cumsum(problem.weights[order])
    level = float(problem.weights[problem.target > 0.0].sum())
    if level in (0.0, passed[-1]):
        return 0.0
    slack = 1e-14 * len(order) * float(passed[-1])  # sums of weights that are not whole numbers are rounded
    first, last = np.searchsorted(passed, [level - slack, level + slack])
    last = min(last, len(order) - 1)
    return 0.5 * float(kinks[order[first]] + kinks[order[last]])


def balanced(problem: MarginProblem, theta: FloatArray) -> FloatArray:
    """θ in [0, 1] moved to Σ sᵢθᵢyᵢ = 0, each row in proportion to its distance from the nearer bound.

    Rows near the kink carry the change, where the dual function is flat; rows at a bound stay.
    """
    theta = np.clip(theta, 0.0, 1.0)
    if not problem.intercept:
        return theta
    room = np.empty_like(theta)
    for _ in range(3):
        np.subtract(1.0, theta, out=room)
        np.minimum(room, theta, out=room)
        if problem.weights is None:
            total, excess = float(room.sum()), float(theta @ problem.target)
        else:
            total = float(room @ problem.weights)
            excess = float(np.einsum("i,i,i->", theta, problem.target, problem.weights))
        if excess == 0.0 or abs(excess) > total:
            break
        room *= excess / total
        room *= problem.target
        theta -= room
    return theta
