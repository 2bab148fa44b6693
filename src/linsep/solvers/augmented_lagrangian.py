"""Augmented Lagrangian and semismooth Newton for the hinge loss, for moderate d and any n.

Write m = M − 1, so that max(0, −m) = max over θ in [0, 1] of −θm, and cᵢ = sᵢ/S. A round keeps the multipliers θ̄
of the last one and minimises, for a width γ,

    α/2 ‖w‖² + Σᵢ cᵢ e(mᵢ),    e(m) = max over θ in [0, 1] of −θm − γ/2 (θ − θ̄)²,
    e′ = −θ,   θ = clip(θ̄ − m/γ, 0, 1),   e″ = 1/γ for rows in the band 0 < θ < 1, else 0.

The objective is piecewise quadratic: Newton with an exact line search ends after finitely many steps, and its
matrix αI + Xᵀ diag(c e″) X takes only the rows in the band. Then θ̄ ← θ, a proximal-point step on the dual
problem (Rockafellar, Mathematics of Operations Research 1, 1976), and γ shrinks. With g the gradient,

    P − D(θ) = Σᵢ cᵢ (max(0, −mᵢ) + θᵢmᵢ) + ‖g‖²/2α :

a round lasts until the second term, what Newton has left, is a tenth of the first, what the width costs.

Rows far from the band keep θ at 0 or 1 and add a constant pull Xᵀcyθ to the gradient. So Newton works on the
rows nearest to the band; then one product with X shows where all rows are, a line search on all of them makes
the step safe, and one product with Xᵀ gives the gradient. That is what a step costs. The first rounds, whose
bands are wide, run on samples of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from linsep.certify.bounds import dual_bound
from linsep.problem.linear_algebra import factor
from linsep.problem.problem import MarginProblem, Problem
from linsep.solvers.base import Solver, State, Status
from linsep.solvers.centring import Centred, centred
from linsep.solvers.hinge import balanced, best_intercept, hinge_refusal, least_squares_start
from linsep.solvers.sampling import nested_samples
from linsep.types import BoolArray, FloatArray, IntArray

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Round:
    """One round's objective on some of the rows: θ̄, γ, and the constant pull of the rows that are left out."""

    problem: MarginProblem
    share: FloatArray
    anchor: FloatArray
    width: float
    pull: FloatArray | None = None

    def theta(self, m: FloatArray) -> FloatArray:
        theta = m * (-1.0 / self.width)
        theta += self.anchor
        return np.clip(theta, 0.0, 1.0, out=theta)

    def adjoint(self, theta: FloatArray) -> FloatArray:
        """Xᵀcyθ, the intercept's entry last."""
        return self.problem.design.adjoint(self.share * self.problem.target * theta)

    def gradient(self, w: FloatArray, pull: FloatArray) -> FloatArray:
        g = -pull if self.pull is None else -pull - self.pull
        g[:-1] += self.problem.alpha * w[:-1]
        if not self.problem.intercept:
            g[-1] = 0.0
        return g

    def gaps(self, theta: FloatArray, m: FloatArray, g: FloatArray) -> tuple[float, float]:
        """The two terms of P − D(θ)."""
        loss = np.maximum(-m, 0.0)
        loss += theta * m
        return float(loss @ self.share), self.problem.penalty.conjugate(g[:-1])

    def newton(self, band: BoolArray, g: FloatArray) -> FloatArray:
        """−H⁻¹g, H from the rows in the band."""
        inside = np.flatnonzero(band & (self.share > 0.0))
        problem, d = self.problem, self.problem.design.d
        if 2 * len(inside) > len(band):
            H = problem.hessian(np.where(band, self.share / self.width, 0.0))
        elif len(inside):
            H = problem.rows(inside).hessian(self.share[inside] / self.width)
        else:
            H = np.diag(np.r_[np.full(d, problem.alpha), 1.0])
        diagonal = H.ravel()[:: d + 2]
        # above the rounding of the Gram matrix: directions that the data do not see stay where they are
        diagonal *= 1.0 + 4.0 * _EPS * len(H)
        return factor(H).solve(-g)

    def along(self, w: FloatArray, p: FloatArray, m: FloatArray, u: FloatArray) -> float:
        """The step in [0, 1] to the minimum along p, to a tenth of the slope; u = y·[X 1]p."""
        alpha, weighted = self.problem.alpha, self.share * u
        first = alpha * float(w[:-1] @ p[:-1]) - (0.0 if self.pull is None else float(self.pull @ p))
        second = alpha * float(p[:-1] @ p[:-1])

        def slope(t: float) -> float:
            return first + t * second - float(weighted @ self.theta(m + t * u))

        low, low_slope, high, high_slope = 0.0, slope(0.0), 1.0, slope(1.0)
        enough = 0.1 * abs(low_slope)
        if low_slope >= 0.0:
            return 0.0
        if high_slope <= enough:
            return 1.0
        for _ in range(50):
            t = low - low_slope * (high - low) / (high_slope - low_slope)
            t = min(max(t, low + 0.1 * (high - low)), high - 0.1 * (high - low))
            here = slope(t)
            if abs(here) <= enough:
                break
            low, low_slope, high, high_slope = (
                (t, here, high, high_slope) if here < 0.0 else (low, low_slope, t, here)
            )
        return t

    def minimise(self, w: FloatArray, m: FloatArray, enough: float, most: int) -> FloatArray:
        """Newton until what it has left is a twentieth of the width's cost, or below `enough`."""
        for _ in range(most):
            theta = self.theta(m)
            g = self.gradient(w, self.adjoint(theta))
            cost, left = self.gaps(theta, m, g)
            if left <= 0.05 * max(cost, enough):
                break
            p = self.newton((theta > 0.0) & (theta < 1.0), g)
            u = self.problem.design.scores(p)
            u *= self.problem.target
            t = self.along(w, p, m, u)
            if t == 0.0:
                break
            w = w + t * p
            m = m + t * u
        return w


@dataclass(frozen=True, eq=False)
class LagrangianState(State):
    """The round and where it is.

    inside   the problem, with its columns off their means where that is needed
    point    the weights of that problem; `w` is the best so far, of the given one
    m        M − 1 at the point
    pull     Xᵀcyθ at the point
    gaps     the two terms of P − D(θ) at the point
    reach    rows in the working set for each row in the band
    """

    inside: Centred[MarginProblem] | None = None
    round: Round | None = None
    point: FloatArray | None = None
    m: FloatArray | None = None
    pull: FloatArray | None = None
    gaps: tuple[float, float] = (np.inf, np.inf)
    reach: float = 4.0
    steps: int = 0
    idle: int = 0


@dataclass(frozen=True)
class AugmentedLagrangian(Solver):
    """first: γ of the first round, or of the first on all rows after samples; shrink: γ's factor from round to
    round; fewest: rows a weight, below which no sample is drawn; patience: idle steps before it gives up."""

    name: ClassVar[str] = "augmented_lagrangian"
    needs: ClassVar[frozenset[str]] = frozenset({"margin", "penalty"})
    max_iter: ClassVar[int] = 500
    first: tuple[float, float] = (1.0, 0.1)
    shrink: float = 0.3
    growth: int = 8
    fewest: int = 40
    patience: int = 12

    def refusal(self, problem: Problem) -> str | None:
        return hinge_refusal(self.name, problem) or super().refusal(problem)

    def init(self, problem: MarginProblem, start: FloatArray | None) -> LagrangianState:
        inside = centred(problem)
        if start is not None:
            return self._begin(problem, inside, inside.inside(start), self.first[1])
        sizes: list[int] = []
        size = problem.design.n // self.growth
        while size >= max(self.fewest * (problem.design.d + 1), 2000):
            sizes.insert(0, size)
            size //= self.growth
        w, width = None, self.first[0]
        for sample in nested_samples(inside.problem, sizes, self.seed):
            w = self._roughly(sample, w, width)
            width = self.first[1]
        return self._begin(problem, inside, least_squares_start(inside.problem) if w is None else w, width)

    def _begin(
        self, problem: MarginProblem, inside: Centred[MarginProblem], w: FloatArray, width: float
    ) -> LagrangianState:
        n = problem.design.n
        share = np.full(n, problem.scale) if problem.weights is None else problem.weights * problem.scale
        whole = Round(inside.problem, share, np.full(n, 0.5), width)
        m = inside.problem.design.scores(w)
        value = inside.problem.value(w, m)
        m *= problem.target
        m -= 1.0
        state = LagrangianState(inside.given(w), value, inside=inside, round=whole, point=w, m=m)
        return self._look(problem, state)

    def _roughly(self, sample: MarginProblem, w: FloatArray | None, width: float) -> FloatArray:
        """The sample's minimiser at the width with which the next larger set of rows begins."""
        start = least_squares_start(sample) if w is None else w
        state = self._begin(sample, Centred(sample), start, width)
        for _ in range(10):
            assert state.round is not None
            assert state.point is not None
            if state.gaps[1] <= 0.1 * state.gaps[0] and state.round.width <= self.first[1]:
                break
            state = self.step(sample, state)
        assert state.point is not None
        return state.point

    def step(self, problem: MarginProblem, state: LagrangianState) -> LagrangianState:
        whole, w, m, pull = state.round, state.point, state.m, state.pull
        assert whole is not None
        assert w is not None
        assert m is not None
        assert pull is not None
        cost, left = state.gaps
        if left <= 0.1 * max(cost, self._enough(state.value)):
            theta = whole.theta(m)
            whole = replace(whole, anchor=theta, width=max(self.shrink * whole.width, 1e-7))
            changed = whole.theta(m)
            changed -= theta
            pull = pull + whole.adjoint(changed)
        part, chosen = _near(whole, m, pull, state.reach)
        new = part.minimise(w, m if chosen is None else m[chosen], self._enough(state.value), 40)
        u = whole.problem.design.scores(new)
        u *= problem.target
        u -= 1.0
        u -= m
        t = whole.along(w, new - w, m, u)
        u *= t
        u += m
        state = replace(state, round=whole, point=w + t * (new - w), m=u, steps=state.steps + 1)
        return self._look(problem, replace(state, reach=2.0 * state.reach if t < 0.5 else state.reach))

    def _enough(self, value: float) -> float:
        """The part of the gap that no longer matters."""
        return (1e-14 if self.goal.to_rounding else 0.1 * self.goal.tol) * value

    def _look(self, problem: MarginProblem, state: LagrangianState) -> LagrangianState:
        """Gradient and gap at the point; the bound where the goal is near."""
        whole, w, m, inside = state.round, state.point, state.m, state.inside
        assert whole is not None
        assert w is not None
        assert m is not None
        assert inside is not None
        theta = whole.theta(m)
        pull = whole.adjoint(theta)
        g = whole.gradient(w, pull)
        gaps = whole.gaps(theta, m, g)
        value = float(whole.share @ np.maximum(-m, 0.0)) + problem.penalty.value(w[:-1])
        idle = 0 if sum(gaps) < 0.9 * sum(state.gaps) else state.idle + 1
        state = replace(state, pull=pull, gaps=gaps, idle=idle)
        near = max(1.5 * self.goal.tol, 1e-6 if self.goal.to_rounding else 0.0)
        if sum(gaps) <= near * value or state.steps % 5 == 4:
            state = self._evaluate(problem, state, theta, g)
        elif value < state.value:
            state = replace(state, w=inside.given(w), value=value)
        return replace(state, done=Status.STALLED if idle >= self.patience else None)

    def _evaluate(
        self, problem: MarginProblem, state: LagrangianState, theta: FloatArray, g: FloatArray
    ) -> LagrangianState:
        """The value with the best intercept, and the bound at θ after its last corrections."""
        whole, w, m, inside = state.round, state.point, state.m, state.inside
        assert whole is not None
        assert w is not None
        assert m is not None
        assert inside is not None
        theta = _feasible(whole, theta, g)
        w = w.copy()
        if problem.intercept:
            w[-1] += best_intercept(problem, problem.target * (m + 1.0))
        w = inside.given(w)
        value = problem.value(w, problem.design.scores(w))
        bound = dual_bound(problem, problem.dual(balanced(problem, theta)), min(value, state.value))
        better, tighter = value < state.value, bound.value > state.bound.value
        return replace(
            state,
            w=w if better else state.w,
            value=value if better else state.value,
            bound=bound if tighter else state.bound,
        )


def _near(whole: Round, m: FloatArray, pull: FloatArray, reach: float) -> tuple[Round, IntArray | None]:
    """The round on the rows nearest to the band, and which they are; all rows where most would be among them."""
    n, d = whole.problem.design.n, whole.problem.design.d
    outside = whole.anchor - m / whole.width
    np.maximum(-outside, outside - 1.0, out=outside)
    size = int(max(reach * np.count_nonzero(outside < 0.0), 50 * (d + 1), 2000))
    if 2 * size >= n:
        return whole, None
    chosen = np.flatnonzero(outside <= np.partition(outside, size)[size])
    part = Round(whole.problem.rows(chosen), whole.share[chosen], whole.anchor[chosen], whole.width)
    return replace(part, pull=pull - part.adjoint(part.theta(m[chosen]))), chosen


def _feasible(whole: Round, theta: FloatArray, g: FloatArray) -> FloatArray:
    """θ moved inside the band towards αw = Xᵀcyθ by two Newton steps, as m knows θ only to rounding over γ."""
    inside = np.flatnonzero((theta > 0.0) & (theta < 1.0) & (whole.share > 0.0))
    if len(inside) == 0:
        return theta
    part = replace(
        whole, problem=whole.problem.rows(inside), share=whole.share[inside], anchor=whole.anchor[inside]
    )
    moved = theta[inside]
    everywhere = np.ones(len(inside), dtype=np.bool_)
    for _ in range(2):
        change = part.problem.design.scores(part.newton(everywhere, g))
        change *= part.problem.target / -whole.width
        change = np.clip(moved + change, 0.0, 1.0) - moved
        moved += change
        shift = part.adjoint(change)
        g = g - shift
        if not whole.problem.intercept:
            g[-1] = 0.0
    theta = theta.copy()
    theta[inside] = moved
    return theta
