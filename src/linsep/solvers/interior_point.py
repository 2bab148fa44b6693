"""Primal-dual interior point for the hinge loss, for moderate d and any n.

    min over w, b, ξ of  α/2 ‖w‖² + Σᵢ cᵢξᵢ,   tᵢ = yᵢ(⟨xᵢ, w⟩ + b) − 1 + ξᵢ ≥ 0,  ξᵢ ≥ 0,     cᵢ = sᵢ/S

With multipliers cᵢθᵢ of tᵢ ≥ 0 and cᵢφᵢ of ξᵢ ≥ 0, θ + φ = 1, the optimum has αw = Σᵢ cᵢθᵢyᵢxᵢ, Σᵢ cᵢθᵢyᵢ = 0
and θt = φξ = 0; on the central path θt = φξ = μ. Linearised, with right-hand sides r and q of these two,

    Δθ = h (g − ΔM),   g = r/θ − q/φ,   1/h = t/θ + ξ/φ,
    (αI + Xᵀ diag(ch) X) Δw = Xᵀ cy(θ + hg) − αw,

so all that has size n is eliminated: a step is one Gram pass and, for each of the two directions of Mehrotra
(SIAM J. Optimization 2, 1992: predictor, then corrector), a product with X and one with Xᵀ. One step length
serves w and θ: with two, a tiny α leaves ‖αw − Xᵀcyθ‖²/2α far above the rest of the gap.

As t − ξ = M − 1 = m always holds, P − D(θ) = Σᵢ cᵢ(max(0, −mᵢ) + θᵢmᵢ) + ‖αw − Xᵀcyθ‖²/2α. The sum costs no
pass: a step tries for a bound only when the sum alone is within tol, at multipliers first moved towards
αw = Xᵀcyθ by the step's own factor.

The start is the least-squares solution, with every row's t, ξ, θ, φ on the central path at μ = 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from linsep.certify.bounds import dual_bound
from linsep.problem.linear_algebra import Factor, factor
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Problem
from linsep.solvers.base import Solver, State, Status
from linsep.solvers.centring import Centred, centred
from linsep.solvers.hinge import balanced, best_intercept, hinge_refusal, least_squares_start
from linsep.types import FloatArray

_EPS = float(np.finfo(np.float64).eps)


@dataclass(eq=False)
class Iterate:
    """A point inside: w with the intercept last, and for every row slacks and multipliers, all above 0."""

    w: FloatArray
    t: FloatArray
    xi: FloatArray
    theta: FloatArray
    phi: FloatArray

    def margins(self, problem: MarginProblem) -> FloatArray:
        """m = M − 1 afresh; the larger of t and ξ follows it, so that t − ξ = m to the last bit."""
        m = problem.design.scores(self.w)
        m *= problem.target
        m -= 1.0
        ahead = m > 0.0
        np.add(self.xi, m, out=self.t, where=ahead)
        np.subtract(self.t, m, out=self.xi, where=~ahead)
        return m

    def longest(self, dt: FloatArray, dxi: FloatArray, dtheta: FloatArray) -> float:
        """The step in (0, 1] at which the first row reaches a bound."""
        falls = (
            -float(np.divide(dt, self.t).min()),
            -float(np.divide(dxi, self.xi).min()),
            -float(np.divide(dtheta, self.theta).min()),
            float(np.divide(dtheta, self.phi).max()),
        )
        return 1.0 / max(1.0, *falls)

    def advance(self, s: float, p: FloatArray, dt: FloatArray, dxi: FloatArray, dtheta: FloatArray) -> None:
        self.w = self.w + s * p
        for values, change, sign in (
            (self.t, dt, s), (self.xi, dxi, s), (self.theta, dtheta, s), (self.phi, dtheta, -s),
        ):  # fmt: skip
            values += sign * change


@dataclass(frozen=True, eq=False, kw_only=True)
class InteriorState(State):
    """The iterate, the problem it belongs to, and how many bounds in a row brought no progress."""

    inside: Centred[MarginProblem]
    iterate: Iterate
    steps: int = 0
    idle: int = 0


@dataclass(frozen=True)
class InteriorPoint(Solver):
    """short: what a step leaves of the way to the nearest bound; patience: idle steps before it gives up."""

    name: ClassVar[str] = "interior_point"
    needs: ClassVar[frozenset[str]] = frozenset({"margin", "penalty"})
    max_iter: ClassVar[int] = 200
    short: float = 0.005
    patience: int = 4

    def refusal(self, problem: Problem) -> str | None:
        return hinge_refusal(self.name, problem) or super().refusal(problem)

    def init(self, problem: MarginProblem, start: FloatArray | None) -> InteriorState:
        inside = centred(problem)
        w = least_squares_start(inside.problem) if start is None else inside.inside(start)
        m = inside.problem.design.scores(w)
        value = inside.problem.value(w, m)
        m *= problem.target
        m -= 1.0
        return InteriorState(inside.given(w), value, inside=inside, iterate=_on_path(w, m, 1.0))

    def step(self, problem: MarginProblem, state: InteriorState) -> InteriorState:
        now, inside = state.iterate, state.inside
        with np.errstate(all="ignore"):
            system = _move(inside.problem, now, self.short)
        if system is None:
            return replace(state, done=Status.STALLED)
        m = now.margins(inside.problem)
        loss = np.maximum(-m, 0.0)
        value = problem.mean(loss) + problem.penalty.value(now.w[:-1])
        loss += now.theta * m
        near = max(self.goal.tol, 1e-7 if self.goal.to_rounding else 0.0) * value
        state = replace(state, steps=state.steps + 1)
        if problem.mean(loss) <= near or state.steps % 5 == 0:
            theta = system.feasible(0.01 * self.goal.tol * value)
            return self._evaluate(problem, state, m, theta)
        return replace(state, w=inside.given(now.w), value=value) if value < state.value else state

    def _evaluate(
        self, problem: MarginProblem, state: InteriorState, m: FloatArray, theta: FloatArray
    ) -> InteriorState:
        """The value with the best intercept, and the bound at the multipliers θ."""
        now, inside = state.iterate, state.inside
        w = now.w.copy()
        if problem.intercept:
            w[-1] += best_intercept(problem, problem.target * (m + 1.0))
        w = inside.given(w)
        value = problem.value(w, problem.design.scores(w))
        bound = dual_bound(problem, problem.dual(balanced(problem, theta)), min(value, state.value))
        better, tighter = value < state.value, bound.value > state.bound.value
        new = replace(
            state,
            w=w if better else state.w,
            value=value if better else state.value,
            bound=bound if tighter else state.bound,
        )
        nearer = new.value - new.bound.value < 0.95 * (state.value - state.bound.value)
        idle = 0 if nearer else state.idle + 1
        return replace(new, idle=idle, done=Status.STALLED if idle >= self.patience else None)


def _on_path(w: FloatArray, m: FloatArray, mu: float) -> Iterate:
    """Slacks and multipliers on the central path at margins m + 1: t − ξ = m, θ = μ/t, φ = μ/ξ, θ + φ = 1."""
    large = 0.5 * (np.abs(m) + np.sqrt(m * m + 4.0 * mu * mu)) + mu
    small = large * mu / (large - mu)
    ahead = m > 0.0
    t, xi = np.where(ahead, large, small), np.where(ahead, small, large)
    return Iterate(w.copy(), t, xi, mu / t, mu / xi)


@dataclass(frozen=True, eq=False)
class _System:
    """The linearised equations at an iterate, with their one factor."""

    problem: MarginProblem
    now: Iterate
    share: FloatArray | float
    h: FloatArray
    factor: Factor

    def solve(self, r: FloatArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Δw and Δθ; r and q become Δt and Δξ."""
        now, problem = self.now, self.problem
        g = r / now.theta
        g -= q / now.phi
        pull = self.h * g
        pull += now.theta
        pull *= problem.target
        pull *= self.share
        rhs = problem.design.adjoint(pull)
        rhs[:-1] -= problem.alpha * now.w[:-1]
        if not problem.intercept:
            rhs[-1] = 0.0
        p = self.factor.solve(rhs)
        u = problem.design.scores(p)
        u *= problem.target
        g -= u
        g *= self.h  # Δθ
        r -= now.t * g
        r /= now.theta
        q += now.xi * g
        q /= now.phi
        return p, g

    def feasible(self, enough: float) -> FloatArray:
        """The iterate's θ, moved until ‖αw − Xᵀcyθ‖²/2α ≤ enough, by at most two Newton steps."""
        now, problem = self.now, self.problem
        theta = now.theta
        for _ in range(2):
            pull = theta * problem.target
            pull *= self.share
            miss = -problem.design.adjoint(pull)
            miss[:-1] += problem.alpha * now.w[:-1]
            if not problem.intercept:
                miss[-1] = 0.0
            if problem.penalty.conjugate(miss[:-1]) <= enough:
                break
            u = problem.design.scores(self.factor.solve(miss))
            u *= problem.target
            u *= self.h
            u += theta
            theta = np.clip(u, 0.0, 1.0, out=u)
        return theta


def _system(problem: MarginProblem, now: Iterate) -> _System | None:
    h = now.t / now.theta
    h += now.xi / now.phi
    np.divide(1.0, h, out=h)
    share: FloatArray | float = problem.scale
    if problem.weights is not None:
        share = problem.weights * problem.scale
        h[problem.weights == 0.0] = 0.0  # rows that do not count must not hold up the others
    H = problem.hessian(h * share)
    if not np.isfinite(np.triu(H)).all():
        return None
    # above the rounding of the Gram matrix: directions that the data do not see stay where they are
    H.ravel()[:: len(H) + 1] *= 1.0 + 4.0 * _EPS * len(H)
    return _System(problem, now, share, h, factor(H))


def _move(problem: MarginProblem, now: Iterate, short: float) -> _System | None:
    """One predictor-corrector step, in place; None where rounding leaves none."""
    system = _system(problem, now)
    if system is None:
        return None
    r, q = -now.theta * now.t, -now.phi * now.xi
    mu = -0.5 * (problem.mean(r) + problem.mean(q))
    _, dtheta = system.solve(r, q)
    s = now.longest(r, q, dtheta)
    # to first order the products fall by 1 − s; Δt − Δξ = ΔM
    reached = (1.0 - s) * mu + 0.5 * s * s * problem.mean(dtheta * (r - q))
    target = mu * min(max(reached / mu, 0.0), 1.0) ** 3
    r *= dtheta
    q *= dtheta
    np.subtract(target, r, out=r)
    r -= now.theta * now.t
    q += target
    q -= now.phi * now.xi
    p, dtheta = system.solve(r, q)
    s = now.longest(r, q, dtheta)
    if not (np.isfinite(p).all() and s > 1e-12):
        return None
    now.advance(min(1.0, s * max(1.0 - short, 1.0 - mu)), p, r, q, dtheta)
    return system
