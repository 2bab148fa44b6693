"""Newton by preconditioned conjugate gradients, for many weights.

    ∇²P(w) p ≈ −∇P(w) by CG in the norm of a preconditioner M,   w ← w + t p.

CG needs one pass an iteration and hands over the scores u = [X 1]p for nothing, so the line search never
touches the data again. Far from the optimum p is solved loosely. Near it, CG goes on until the residual r
leaves a gap ‖r‖²/2α within tol, because then the dual point θ = −ℓ′ − ℓ″u certifies the next point
(certify/bounds.py). Without a penalty the last steps are exact, as long as ∇²P fits into memory (certify/curvature.py).

Here M is the diagonal of ∇²P, with the columns' squares for the sum over rows; `whitened` has a better one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.linalg.blas import daxpy

from linsep.certify.bounds import NO_BOUND, Preconditioner, newton_bound
from linsep.certify.curvature import formable
from linsep.problem.problem import Point, Problem
from linsep.solvers.base import Goal, Solver
from linsep.solvers.line_search import line_search
from linsep.solvers.newton import Newton, NewtonState, no_optimum
from linsep.solvers.outcome import Status
from linsep.types import FloatArray

#: CG's products run in float32 where the squared residual need not fall below this share of the first.
_SINGLE = 1e-8
#: Relative excess from which exact Newton steps need no line search.
_FINISH = 1e-2


@dataclass(frozen=True, eq=False)
class Direction:
    """A Newton direction: p, its scores u, the decrement it promises, and the iterations of CG that it took."""

    p: FloatArray
    u: FloatArray
    decrement: float
    iterations: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class CGState(NewtonState):
    """The preconditioner, the relative excess that the last step saw, CG's iterations in it, and how many rows the
    preconditioner was made from; a step from the point that is known already."""

    precondition: Preconditioner
    excess: float = 1.0
    iterations: int = 0
    sample: int = 0
    ahead: FloatArray | None = None


@dataclass(frozen=True)
class NewtonCG(Solver):
    """loose: CG's relative residual far from the optimum; most: CG's iterations a step."""

    name: ClassVar[str] = "newton_cg"
    needs: ClassVar[frozenset[str]] = frozenset({"smooth", "convex", "curvature", "blocks", "ridge"})
    loose: float = 0.25
    most: int = 250

    def init(self, problem: Problem, start: FloatArray | None) -> CGState:
        point = problem.at(problem.zero() if start is None else problem.gauge(start))
        return state_at(point, diagonal(problem, point))

    def step(self, problem: Problem, state: CGState) -> CGState:
        if finishes(problem, state):
            return Newton(self.goal, self.seed).step(problem, state)
        return newton_cg_step(self, problem, replace(state, precondition=diagonal(problem, state.point)))


def finishes(problem: Problem, state: CGState) -> bool:
    """Whether exact steps take over: without a penalty the factor of ∇²P is the only proof, and makes steps exact."""
    return problem.alpha == 0.0 and state.excess <= _FINISH and formable(problem)


def newton_cg_step(solver: NewtonCG, problem: Problem, state: CGState) -> CGState:
    """One Newton step, and the bound where the step may have got there."""
    point, known = state.point, state.ahead is not None  # and with it the bound linearised along it
    direction = (
        conjugate_gradients(solver, problem, point, state.precondition)
        if state.ahead is None
        else direction_of(point, state.ahead, problem.design.scores(state.ahead))
    )
    new = advance(problem, point, direction)
    if known and new is point:
        return newton_cg_step(solver, problem, replace(state, ahead=None))
    excess = 0.5 * direction.decrement / max(abs(point.value), np.finfo(np.float64).tiny)
    bound = state.bound
    stalled: Status | None = Status.STALLED if new is point else None
    if problem.alpha == 0.0 and no_optimum(problem, new, direction.u):
        stalled = Status.NO_OPTIMUM
    elif not known and (_near(excess, solver.goal) or stalled):
        bound = max(bound, newton_bound(problem, point, direction.u, new), key=lambda b: b.value)
    gradient = float(np.linalg.norm(new.grad))
    return replace(
        state, w=new.w, value=new.value, bound=bound, gradient=gradient, done=stalled,
        point=new, excess=excess, iterations=direction.iterations, ahead=None,
    )  # fmt: skip


def conjugate_gradients(solver: NewtonCG, problem: Problem, point: Point, precondition: Preconditioner) -> Direction:
    """p with ∇²P p ≈ −∇P, from p = 0. The products may run in float32: the bound does not rest on them."""
    r = -point.grad
    z = precondition(r, None)
    first = rz = float(np.vdot(r, z))
    p, u, q, spare = np.zeros_like(r), np.zeros_like(point.scores), z, None
    excess, tol = 0.5 * first / abs(point.value), solver.goal.target
    near = _near(excess, solver.goal)
    # of rz: squares of norms
    enough = min(solver.loose**2, 0.1 * tol / excess) if near and excess > 0.0 else solver.loose**2
    target = 2.0 * problem.alpha * 0.2 * tol * abs(point.value)
    iterations = 0
    single, products = enough > _SINGLE, None
    while rz > 0.0 and iterations < solver.most:
        Hq, uq = products = problem.hess_vec(point, q, single=single, out=products)
        curvature = float(np.vdot(q, Hq))
        if not curvature > 0.0:
            break
        t = rz / curvature
        _add(p, t, q)
        _add(u, t, uq)
        _add(r, -t, Hq)
        iterations += 1
        z = precondition(r, spare)
        rz, previous = float(np.vdot(r, z)), rz
        if rz <= enough * first and (not near or float(np.vdot(r[:-1], r[:-1])) <= target):
            break
        if rz <= 1e-28 * first:
            break
        _add(z, rz / previous, q)
        q, spare = z, q
    return direction_of(point, p, u, iterations)


def direction_of(point: Point, p: FloatArray, u: FloatArray, iterations: int = 0) -> Direction:
    """The direction p at the point."""
    return Direction(p, u, -float(np.vdot(point.grad, p)), iterations)


def _add(y: FloatArray, a: float, x: FloatArray) -> None:
    """y += a x, in place and without a temporary."""
    daxpy(x.reshape(-1), y.reshape(-1), a=a)


def advance(problem: Problem, point: Point, direction: Direction) -> Point:
    """The point after the step, by a line search on the scores; the same point where P cannot be lowered."""
    t = line_search(problem.line(point, direction.p, direction.u), 4.0, natural=1.0)
    new = problem.at(problem.gauge(point.w + (t or 1.0) * direction.p))
    return new if new.value < point.value else point


def diagonal(problem: Problem, point: Point) -> Preconditioner:
    """Division by an estimate of the diagonal of ∇²P: Σᵢ cᵢ xᵢⱼ² ≈ (Σᵢ cᵢ)(mean of xᵢⱼ²).

    The same for all classes, with the mean of their curvatures, so that weights that sum to 0 over the classes stay so.
    """
    total = problem.total_curve(point.curve) / max(1, point.curve.size // problem.design.n)
    estimate = np.append(problem.design.column_squares * (total / problem.design.n) + problem.alpha, total)
    inverse = 1.0 / np.maximum(estimate, np.finfo(np.float64).tiny)
    if len(problem.shape) == 2:  # spread out: NumPy multiplies short rows by a number slowly
        inverse = np.repeat(inverse, problem.shape[1]).reshape(problem.shape)
    return lambda r, out: np.multiply(r, inverse, out=out)


def _near(excess: float, goal: Goal) -> bool:
    """A Newton step about squares the relative excess: whether the next point may be within tol."""
    return goal.tol > 0.0 and excess * excess <= 3.0 * max(goal.target, 1e-10)


def state_at(point: Point, precondition: Preconditioner) -> CGState:
    gradient = float(np.linalg.norm(point.grad))
    return CGState(point.w, point.value, NO_BOUND, gradient, None, point=point, precondition=precondition)
