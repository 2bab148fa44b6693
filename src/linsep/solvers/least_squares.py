"""Least squares with targets ±1, or 1 of K, in closed form.

    P(W, b) = 1/S · Σᵢ sᵢ ‖Wᵀxᵢ + b − tᵢ‖² + α/2 ‖W‖²,     ∇²P = 2/S · [X 1]ᵀ diag(s) [X 1] + αI

for each of the K columns of W, so one factor serves all. A step is W ← W − H⁻¹∇P(W) with the gradient from the
rows: the first is the solution of the normal equations, the next ones refine it. Where H is too near to
singular for that, the singular values of the rows take its place (systems.py); among several minimisers the one
with the least ‖W‖ is returned, so α = 0 and n < d are fine. With more columns than `most` the steps are
conjugate gradients, preconditioned by the diagonal; without a penalty only H proves anything, and it is formed as
long as it fits into memory (certify/curvature.py).

With a penalty θ = −ℓ′ at the solution is the dual solution. And P(W) − P* = ½ Σₖ ∇ₖᵀ H⁺ ∇ₖ, for a quadratic
exactly. Rounding of the residuals by δ = ε·‖ |X||W| + |b| + 1 ‖ changes P by up to 2δ√P + δ².
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log2, sqrt
from typing import ClassVar

import numpy as np

from linsep.certify.bounds import NO_BOUND, Bound, dual_bound, rounding
from linsep.certify.certificate import Kind
from linsep.certify.curvature import MOST_UNKNOWNS
from linsep.problem.problem import Point, Problem
from linsep.solvers.base import Solver, State
from linsep.solvers.centring import Centred, centred
from linsep.solvers.outcome import Status
from linsep.solvers.systems import System, normal_system
from linsep.types import FloatArray

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False, kw_only=True)
class LeastSquaresState(State):
    """The point of the problem inside; the system, or conjugate gradients; how often nothing was gained."""

    inside: Centred[Problem]
    point: Point
    system: System | None = None
    gradients: Gradients | None = None
    idle: int = 0


@dataclass(frozen=True, eq=False)
class Gradients:
    """Of conjugate gradients for each column: the direction q and ⟨r, M⁻¹r⟩, r = −∇P."""

    q: FloatArray
    rz: FloatArray


@dataclass(frozen=True)
class LeastSquares(Solver):
    """most: columns up to which H is formed; patience: steps without progress before it ends."""

    name: ClassVar[str] = "least_squares"
    needs: ClassVar[frozenset[str]] = frozenset({"ridge", "no offset"})
    max_iter: ClassVar[int] = 5000
    centres: ClassVar[bool] = True
    losses: ClassVar[frozenset[str]] = frozenset({"squared", "one_of_k"})
    most: int = 3000
    patience: int = 2

    def refusal(self, problem: Problem) -> str | None:
        if problem.loss.kernel not in self.losses:
            return f"solver {self.name!r} takes the losses {sorted(self.losses)}; loss {problem.loss.name!r} was given"
        return super().refusal(problem)

    def init(self, problem: Problem, start: FloatArray | None) -> LeastSquaresState:
        inside = centred(problem)
        point = inside.problem.at(problem.zero() if start is None else inside.inside(start))
        return LeastSquaresState(inside.given(point.w), point.value, inside=inside, point=point)

    def step(self, problem: Problem, state: LeastSquaresState) -> LeastSquaresState:
        most = self.most if problem.alpha > 0.0 else MOST_UNKNOWNS - 1
        return (self._direct if problem.design.d <= most else self._iterate)(problem, state)

    def _direct(self, problem: Problem, state: LeastSquaresState) -> LeastSquaresState:
        inside, point = state.inside, state.point
        system = state.system or normal_system(inside.problem)
        w = point.w + system.factor.solve(-point.grad)
        if state.system is None and system.solution is not None:
            w = system.solution
        point = inside.problem.at(system.shortest(w))
        return self._report(problem, replace(state, point=point, system=system))

    def _iterate(self, problem: Problem, state: LeastSquaresState) -> LeastSquaresState:
        """One iteration of conjugate gradients: one pass."""
        inside, point = state.inside, state.point
        scale = _diagonal(inside.problem)
        now = state.gradients
        if now is None:
            z = -point.grad / scale
            now = Gradients(z, -_dots(point.grad, z))
        Hq, u = inside.problem.hess_vec(point, now.q)
        curvature = _dots(now.q, Hq)
        t = np.divide(now.rz, curvature, out=np.zeros_like(curvature), where=curvature > 0.0)
        grad, scores, w = point.grad + t * Hq, point.scores + t * u, point.w + t * now.q
        value = inside.problem.value(w, scores)
        z = -grad / scale
        rz = -_dots(grad, z)
        q = z + np.divide(rz, now.rz, out=np.zeros_like(rz), where=now.rz > 0.0) * now.q
        state = replace(state, point=Point(w, scores, value, grad, point.curve), gradients=Gradients(q, rz))
        left = inside.problem.penalty.conjugate(grad[:-1]) + float(np.abs(grad[-1]).sum())
        if left <= (1e-13 if self.goal.to_rounding else self.goal.tol) * value or value >= state.value:
            # afresh: what the recurrences have lost shows, and the directions start again
            state = replace(state, point=inside.problem.at(w), gradients=None)
            return self._report(problem, state)
        return replace(state, w=inside.given(w), value=value)

    def _report(self, problem: Problem, state: LeastSquaresState) -> LeastSquaresState:
        """Value and bound of the given problem at the point."""
        inside, point = state.inside, state.point
        w = inside.given(point.w)
        value = point.value if inside.means is None else problem.value(w, problem.design.scores(w))
        better = value < state.value
        bound = _bound(problem, state, min(value, state.value))
        new = replace(
            state,
            w=w if better or state.bound is NO_BOUND else state.w,
            value=value if better or state.bound is NO_BOUND else state.value,
            bound=bound if bound.value > state.bound.value else state.bound,
            gradient=float(np.linalg.norm(point.grad)),
        )
        nearer = new.value - new.bound.value < 0.5 * (state.value - state.bound.value)
        idle = 0 if nearer else state.idle + 1
        return replace(new, idle=idle, done=Status.STALLED if idle >= self.patience else None)


def _bound(problem: Problem, state: LeastSquaresState, value: float) -> Bound:
    inside, point = state.inside, state.point
    theta = _balanced(inside.problem, inside.problem.dual_point(point.scores))
    extra = _residual_rounding(problem, inside.given(point.w), value)
    local = _quadratic_bound(problem, state, value, extra)
    if problem.alpha > 0.0:
        return max(dual_bound(problem, problem.dual(theta), value), local, key=lambda b: b.value)
    nothing = Bound(-extra, Kind.DUALITY_GAP, extra, np.zeros_like(theta))  # θ = 0 proves P ≥ 0
    return local if local.value > nothing.value else nothing


def _quadratic_bound(problem: Problem, state: LeastSquaresState, value: float, extra: float) -> Bound:
    """P − ½ Σₖ ∇ₖᵀ H⁻¹ ∇ₖ; a direction left out must change neither a score nor the penalty."""
    system = state.system
    if system is None or not system.complete:
        return NO_BOUND
    if problem.alpha > 0.0 and system.null is not None and system.null.shape[1] > 0:
        return NO_BOUND
    whitened = system.factor.whiten(state.point.grad)
    extra += rounding(problem, value)
    return Bound(value - 0.5 * float(np.vdot(whitened, whitened)) - extra, Kind.LOCAL_CURVATURE, extra)


def _balanced(problem: Problem, theta: FloatArray) -> FloatArray:
    """θ as it is with the best intercept for these weights: a constant off every residual makes them sum to 0."""
    if not problem.intercept:
        return theta
    share = np.full(len(theta), problem.scale) if problem.weights is None else problem.weights * problem.scale
    signs = 1.0 if theta.ndim == 2 else problem.target
    return theta - signs * (share @ (theta * signs))


def _residual_rounding(problem: Problem, w: FloatArray, value: float) -> float:
    """What rounding of the residuals can change P by."""
    sizes = np.append(np.sqrt(problem.design.column_squares / problem.design.n), 1.0)
    delta = _EPS * (2.0 + log2(len(w))) * float(np.linalg.norm(sizes @ np.abs(w) + 1.0))
    return 2.0 * delta * sqrt(max(value, 0.0)) + delta * delta


def _dots(a: FloatArray, b: FloatArray) -> FloatArray:
    """⟨a, b⟩ for each column."""
    return np.asarray((a * b).sum(axis=0))


def _diagonal(problem: Problem) -> FloatArray:
    """About the diagonal of H, as a column where there are several classes."""
    squares = np.append(2.0 * problem.design.column_squares / problem.design.n, 2.0)
    squares[:-1] += problem.alpha
    squares[squares == 0.0] = 1.0
    return squares if len(problem.shape) == 1 else squares[:, None]
