"""Augmented Lagrangian and semismooth Newton for the hinge loss, for moderate d and any n.

Write cᵢ = sᵢ/S and m = M − 1, so that the loss is max(0, −m) = max over θ in [0, 1] of −θm. A round keeps the
multipliers θ̄ of the last one and minimises, for a width γ,

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
from numpy.typing import NDArray

from linsep.certify.bounds import dual_bound
from linsep.problem.linear_algebra import factor
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Problem
from linsep.solvers.base import MOST_WAITS, Solver, State
from linsep.solvers.centring import Centred, centred
from linsep.solvers.hinge import balanced, best_intercept, hinge_refusal, least_squares_start
from linsep.solvers.line_search import slope_search
from linsep.solvers.outcome import Status
from linsep.solvers.patience import keeping, out_of_time
from linsep.solvers.sampling import leverages, nested_samples
from linsep.types import BoolArray, FloatArray, IntArray

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Round:
    """One round's objective on some of the rows: θ̄, γ, and the constant pull of the rows left out."""

    problem: MarginProblem
    share: FloatArray
    anchor: FloatArray
    width: float
    pull: FloatArray | None = None

    def theta(self, m: FloatArray) -> FloatArray:
        theta = m * (-1.0 / self.width)
        theta += self.anchor
        np.maximum(theta, 0.0, out=theta)
        return np.minimum(theta, 1.0, out=theta)

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
        """The two terms of P − D(θ); what is missing from Σ cyθ = 0 costs about as much, margins being near 1."""
        loss = np.maximum(-m, 0.0)
        loss += theta * m
        return float(loss @ self.share), self.problem.penalty.conjugate(g[:-1]) + abs(float(g[-1]))

    def newton(self, band: BoolArray, g: FloatArray) -> FloatArray:
        """−H⁻¹g, H from the rows in the band."""
        H, d = self.problem.hessian(np.where(band, self.share, 0.0) / self.width), self.problem.design.d
        diagonal = H.ravel()[:: d + 2]
        diagonal[-1] += 0.1 * abs(float(g[-1]))  # where no row curves the intercept it moves by 10 at most
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

        return slope_search(slope)

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
class Place:
    """Where a round is: the weights (of the problem inside), m, θ, Xᵀcyθ and the two terms of P − D(θ).

    mobility: how far, relative to each other, the rows' scores are apt to move; None where all rows are used.
    """

    inside: Centred[MarginProblem]
    mobility: NDArray[np.float32] | None
    round: Round
    w: FloatArray
    m: FloatArray
    theta: FloatArray
    pull: FloatArray
    gaps: tuple[float, float]

    @property
    def value(self) -> float:
        loss = np.maximum(-self.m, 0.0)
        return float(loss @ self.round.share) + self.round.problem.penalty.value(self.w[:-1])


@dataclass(frozen=True, eq=False, kw_only=True)
class LagrangianState(State):
    """The place, rows in the working set for each row in the band, steps in a row without progress, and for a tighter
    bound alone."""

    place: Place
    reach: float = 4.0
    steps: int = 0
    idle: int = 0
    waits: int = 0


@dataclass(frozen=True)
class AugmentedLagrangian(Solver):
    """widest, narrower: γ of the first round, and of the first on all rows after samples; shrink: its factor from
    round to round; growth, fewest: a sample is so much smaller than the next, and has so many rows a weight;
    patience: steps without progress before it gives up."""

    name: ClassVar[str] = "augmented_lagrangian"
    needs: ClassVar[frozenset[str]] = frozenset({"margin", "penalty", "ridge", "no offset"})
    max_iter: ClassVar[int] = 500
    centres: ClassVar[bool] = True
    widest: float = 1.0
    narrower: float = 0.1
    shrink: float = 0.2
    growth: int = 4
    fewest: int = 100
    patience: int = 8

    def refusal(self, problem: Problem) -> str | None:
        return hinge_refusal(self.name, problem) or super().refusal(problem)

    def init(self, problem: MarginProblem, start: FloatArray | None) -> LagrangianState:
        inside = centred(problem)
        w, width = (
            None if start is None else inside.inside(start),
            self.widest if start is None else self.narrower,
        )
        sizes: list[int] = []
        size = problem.design.n // self.growth
        while start is None and size >= max(self.fewest * (problem.design.d + 1), 2000):
            sizes.insert(0, size)
            size //= self.growth
        with keeping(lambda: inside.given(inside.problem.zero() if w is None else w)):
            for sample in nested_samples(inside.problem, sizes, self.seed):
                w, width = self._roughly(sample, w, width), self.narrower
            place = _begin(inside, w, width)
        return self._report(problem, LagrangianState(inside.given(place.w), place.value, place=place))

    def _roughly(self, sample: MarginProblem, w: FloatArray | None, width: float) -> FloatArray:
        """About the sample's minimiser: twice the width with which the next larger set of rows begins is near enough,
        for the sample is off by more."""
        place = _begin(Centred(sample), w, width)
        for _ in range(10):
            cost, left = place.gaps
            if left <= 0.1 * cost and place.round.width <= 2.0 * self.narrower:
                break
            place, _ = self._advance(place, 4.0, left <= 0.1 * cost)
            if out_of_time():
                break
        return place.w

    def step(self, problem: MarginProblem, state: LagrangianState) -> LagrangianState:
        cost, left = state.place.gaps
        over = left <= 0.1 * max(cost, self._enough(state.value)) or state.idle > 1
        place, t = self._advance(state.place, state.reach, over)
        idle = 0 if sum(place.gaps) < 0.9 * (cost + left) else state.idle + 1
        if idle:
            place = _feasible(place)
        reach = 2.0 * state.reach if t < 0.5 else state.reach
        return self._report(problem, replace(state, place=place, reach=reach, steps=state.steps + 1, idle=idle))

    def _enough(self, value: float) -> float:
        """The part of the gap that no longer matters."""
        return (1e-14 if self.goal.to_rounding else 0.1 * self.goal.tol) * value

    def _advance(self, place: Place, reach: float, over: bool) -> tuple[Place, float]:
        """Newton on the rows near the band, of the next round where this one is over; then all rows follow."""
        whole, w, m, pull = place.round, place.w, place.m, place.pull
        if over:
            whole = replace(whole, anchor=place.theta, width=max(self.shrink * whole.width, 1e-7))
            pull = pull + whole.adjoint(whole.theta(m) - place.theta)
        part, chosen = _near(whole, m, pull, place.mobility, reach)
        p = part.minimise(w, m if chosen is None else m[chosen], self._enough(place.value), 40) - w
        u = whole.problem.design.scores(w + p)
        u *= whole.problem.target
        u -= 1.0
        u -= m
        t = whole.along(w, p, m, u)
        u *= t
        u += m
        return _look(replace(place, round=whole, w=w + t * p, m=u)), t

    def _report(self, problem: MarginProblem, state: LagrangianState) -> LagrangianState:
        """The best point, and the bound where the goal is near or nothing moves any more."""
        place = state.place
        value, (cost, left) = place.value, place.gaps
        near = max(1.5 * self.goal.tol, 1e-6 if self.goal.to_rounding else 0.0) * value
        if (cost <= near and (left <= near or state.idle)) or state.steps % 5 == 4:
            state = _evaluate(problem, state, _feasible(place))
            lags = state.waits < MOST_WAITS and self.goal.lags(state.value, state.bound)
            state = replace(state, loose=lags, waits=state.waits + lags)
        elif value < state.value:
            state = replace(state, w=place.inside.given(place.w), value=value)
        return replace(state, done=Status.STALLED if state.idle >= self.patience else None)


def _begin(inside: Centred[MarginProblem], w: FloatArray | None, width: float) -> Place:
    problem = inside.problem
    n = problem.design.n
    share = np.broadcast_to(problem.scale, n) if problem.weights is None else problem.weights * problem.scale
    w = least_squares_start(problem) if w is None else w
    m = problem.design.scores(w)
    m *= problem.target
    m -= 1.0
    whole = Round(problem, share, np.full(n, 0.5), width)
    mobility = np.sqrt(leverages(problem)).astype(np.float32) if n > 2 * _fewest(problem) else None
    return _look(Place(inside, mobility, whole, w, m, m, w, (np.inf, np.inf)))


def _fewest(problem: MarginProblem) -> int:
    """Rows below which a smaller working set saves nothing."""
    return max(50 * (problem.design.d + 1), 2000)


def _look(place: Place) -> Place:
    """θ, the gradient and the gap at the place's w and m."""
    theta = place.round.theta(place.m)
    pull = place.round.adjoint(theta)
    gaps = place.round.gaps(theta, place.m, place.round.gradient(place.w, pull))
    return replace(place, theta=theta, pull=pull, gaps=gaps)


def _near(
    whole: Round, m: FloatArray, pull: FloatArray, mobility: NDArray[np.float32] | None, reach: float
) -> tuple[Round, IntArray | None]:
    """The round on the rows likeliest to enter the band, and which they are; on all rows if those are most."""
    outside = whole.anchor - m / whole.width
    np.maximum(-outside, outside - 1.0, out=outside)
    size = int(max(reach * np.count_nonzero(outside < 0.0), _fewest(whole.problem)))
    if mobility is None or 2 * size >= len(m):
        return whole, None
    outside /= mobility
    chosen = np.flatnonzero(outside <= np.partition(outside, size)[size])
    part = Round(whole.problem.rows(chosen), whole.share[chosen], whole.anchor[chosen], whole.width)
    return replace(part, pull=pull - part.adjoint(part.theta(m[chosen]))), chosen


def _feasible(place: Place) -> Place:
    """θ moved towards αw = Xᵀcyθ by Newton steps of its own: m gives θ only to the rounding of m over γ."""
    whole, theta = place.round, place.theta
    band = np.flatnonzero((theta > 0.0) & (theta < 1.0) & (whole.share > 0.0))
    if len(band) == 0:
        return place
    part = Round(whole.problem.rows(band), whole.share[band], whole.anchor[band], whole.width)
    moved, pull, everywhere = theta[band], place.pull, np.ones(len(band), dtype=np.bool_)
    for _ in range(2):
        change = part.problem.design.scores(part.newton(everywhere, whole.gradient(place.w, pull)))
        change *= part.problem.target
        change /= -whole.width
        change = np.clip(moved + change, 0.0, 1.0) - moved
        moved += change
        pull = pull + part.adjoint(change)
    theta = theta.copy()
    theta[band] = moved
    gaps = whole.gaps(theta, place.m, whole.gradient(place.w, pull))
    return replace(place, theta=theta, pull=pull, gaps=gaps) if sum(gaps) < sum(place.gaps) else place


def _evaluate(problem: MarginProblem, state: LagrangianState, place: Place) -> LagrangianState:
    """The value with the best intercept, and the bound at θ."""
    w = place.w.copy()
    if problem.intercept:
        w[-1] += best_intercept(problem, problem.target * (place.m + 1.0))
    w = place.inside.given(w)
    value = problem.value(w, problem.design.scores(w))
    bound = dual_bound(problem, problem.dual(balanced(problem, place.theta)), min(value, state.value))
    better, tighter = value < state.value, bound.value > state.bound.value
    return replace(
        state,
        w=w if better else state.w,
        value=value if better else state.value,
        bound=bound if tighter else state.bound,
    )
