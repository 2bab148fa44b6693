"""Softmax with an L2 penalty by dual coordinate descent, for sparse and wide data.

    max over p of D,  a row's K probabilities pᵢ at a time in random order,
    with W = Σᵢ Cᵢ xᵢ(e_yᵢ − pᵢ)ᵀ kept up to date,  Cᵢ = sᵢ/Sα

kernels/softmax_dual.hpp has the step. The intercepts are proximal-point steps after every sweep, as in `dual_cd`. At
the optimum pᵢ are the probabilities that W gives, so those of weights to begin from are a start, if D is larger there
than at the best p between the row's own class and the shares of all classes.

A sweep reports the sum of its rows' own gaps. When that says that the goal may be met, both sides of the gap are
evaluated over all rows, with W computed from p afresh. Free intercepts demand that every class's probabilities sum to
its share: p is multiplied by a number for each class and divided by the rows' sums (balanced), as a change of the
intercepts would do; by that change the intercepts of the point are ahead of the sweeps', whose steps are short where α
is large.

Where Cᵢ‖xᵢ‖² is large, sweeps crawl: each row undoes what the others did. If the gap falls so slowly that more than
_PATIENCE sweeps would be left, `newton_cg` goes on from the better of the point reached and 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from linsep.certify.bounds import NO_BOUND, dual_bound
from linsep.kernels import native
from linsep.problem.joint_problem import JointProblem
from linsep.problem.problem import Problem
from linsep.solvers.base import Solver, State
from linsep.solvers.newton_cg import CGState, NewtonCG
from linsep.solvers.segment import least_between
from linsep.special import log_softmax
from linsep.types import FloatArray

#: Products of an entry and a class, for each number in a copy of W, from which sweeps run in two lanes.
_LANES = 6
#: Sweeps over which the fall of the gap is judged, how many of them at either end make a mean (what a sweep sees goes
#: up and down with the rows that rest), and how many sweeps may be left.
_JUDGED, _ENDS, _PATIENCE = 12, 4, 100
#: What a sweep leaves of the gap that it saw: at least this, however fast the sweeps before it were.
_LEFT = 0.2
#: Logarithms of probabilities to begin from are at least this.
_LEAST = -300.0


@dataclass(frozen=True, eq=False, kw_only=True)
class SoftmaxDualState(State):
    """What the sweeps change (ln p, their order of rows, norms, W and the lanes' copies, sums r, centres of the
    intercepts), the numbers between sweeps, D/α so far, the gaps that sweeps saw since the last evaluation and since
    the beginning, and Newton's state once that has taken over."""

    t: FloatArray
    order: NDArray[np.int32]
    norms: FloatArray
    weights: FloatArray
    lanes: FloatArray
    r: FloatArray
    shift: FloatArray
    numbers: Any
    dual: float
    seen: float | None = None
    gaps: tuple[float, ...] = ()
    newton: CGState | None = None


@dataclass(frozen=True)
class SoftmaxDual(Solver):
    """stiffness: v² as a share of the mean ‖x‖²; lanes: of a sweep, None: two for large problems."""

    name: ClassVar[str] = "softmax_dual"
    needs: ClassVar[frozenset[str]] = frozenset({"joint", "penalty", "ridge", "no offset"})
    max_iter: ClassVar[int] = 5000
    stiffness: float = 0.1
    lanes: int | None = None

    def refusal(self, problem: Problem) -> str | None:
        if problem.loss.name != "softmax":
            return f"solver 'softmax_dual' takes the softmax loss only; loss {problem.loss.name!r} was given"
        return super().refusal(problem)

    def init(self, problem: JointProblem, start: FloatArray | None) -> SoftmaxDualState:
        design, k = problem.design, problem.n_classes
        cost = _cost(problem)
        order = np.flatnonzero(cost > 0.0).astype(np.int32)
        lanes = _lanes(problem) if self.lanes is None else self.lanes
        numbers = native.DualState(2 * self.seed + 1, len(order), lanes, 2)
        if problem.intercept:
            numbers.v2 = self.stiffness * design.scan.squares / design.n
        t, v, dual = best_between(problem)
        if start is not None:
            t, v, dual = max((t, v, dual), _of_weights(problem, start), key=lambda each: each[2])
        weights = np.zeros((design.d, -8 * (-k // 8)))
        weights[:, :k] = v[:-1] / problem.alpha
        shift = np.zeros(k) if start is None or not problem.intercept else start[-1] - start[-1].mean()
        zero = problem.zero()
        return SoftmaxDualState(
            zero, problem.mean(np.full(design.n, np.log(k))), NO_BOUND, t=t, order=order,
            norms=np.full(design.n, -1.0), weights=weights, lanes=np.zeros((lanes - 1, weights.size)),
            r=v[-1] / problem.alpha, shift=shift, numbers=numbers, dual=dual / problem.alpha,
        )  # fmt: skip

    def step(self, problem: JointProblem, state: SoftmaxDualState) -> SoftmaxDualState:
        """A sweep, and the gap where it is worth a look; or a Newton step."""
        if state.newton is not None:
            return self._newton_step(problem, state, state.newton)
        numbers, tiny = state.numbers, np.finfo(np.float64).tiny
        native.softmax_sweep(
            problem.design.matrix, problem.n_classes, _cost(problem), state.norms, state.t, state.shift, state.r,
            state.order, state.weights, state.lanes[: numbers.lanes - 1], numbers, problem.design.threads,
        )  # fmt: skip
        if problem.intercept:
            np.add(state.shift, numbers.v2 * state.r, out=state.shift)
        dual = max(state.dual + numbers.decrease, tiny)
        left = 1.0 if state.seen is None else min(1.0, max(numbers.gap / state.seen, _LEFT))
        numbers.rest_below = 0.05 * self.goal.target * dual / problem.design.n
        state = replace(state, dual=dual, seen=numbers.gap, gaps=(*state.gaps, numbers.gap)[-_JUDGED:])
        if self._crawls(state):
            return self._handed_over(problem, state)
        promising = numbers.gap * left <= 1.2 * self.goal.target * dual or numbers.visited == 0
        return _evaluated(problem, state) if promising else state

    def _crawls(self, state: SoftmaxDualState) -> bool:
        """Whether, at the rate of the last sweeps, more than _PATIENCE are left."""
        target = self.goal.target * state.dual
        if len(state.gaps) < _JUDGED or state.gaps[-1] <= target:
            return False
        first, last = np.mean(state.gaps[:_ENDS]), np.mean(state.gaps[-_ENDS:])
        between = _JUDGED - _ENDS
        return bool(last >= first or np.log(last / target) * between > _PATIENCE * np.log(first / last))

    def _handed_over(self, problem: JointProblem, state: SoftmaxDualState) -> SoftmaxDualState:
        state = _evaluated(problem, state)
        start = state.w if state.value < problem.value_at(problem.zero()) else None
        newton = NewtonCG(goal=self.goal, seed=self.seed).init(problem, start)
        return replace(state, newton=newton, w=newton.w, value=newton.value)

    def _newton_step(self, problem: JointProblem, state: SoftmaxDualState, newton: CGState) -> SoftmaxDualState:
        newton = NewtonCG(goal=self.goal, seed=self.seed).step(problem, newton)
        bound = max(state.bound, newton.bound, key=lambda b: b.value)
        return replace(
            state,
            newton=newton,
            w=newton.w,
            value=newton.value,
            bound=bound,
            gradient=newton.gradient,
            done=newton.done,
        )


def _evaluated(problem: JointProblem, state: SoftmaxDualState) -> SoftmaxDualState:
    """Both sides of the gap over all rows, at the multipliers of this moment."""
    design = problem.design
    theta, shift = np.empty((design.n, problem.n_classes)), state.shift
    native.softmax_multipliers(state.t, problem.target, problem.n_classes, theta, design.threads)
    if problem.intercept:
        theta, change = problem.balanced(theta)
        shift = shift + change
    dual = problem.dual(theta)
    value, w = _at(problem, dual.v, shift)
    bound = max(state.bound, dual_bound(problem, dual, value), key=lambda b: b.value)
    better = value < state.value
    return replace(
        state,
        w=w if better else state.w,
        value=min(value, state.value),
        bound=bound,
        dual=max(bound.value, np.finfo(np.float64).tiny) / problem.alpha,
        seen=None,
    )


def _at(problem: JointProblem, v: FloatArray, shift: FloatArray) -> tuple[float, FloatArray]:
    """P and the weights that v and these intercepts give."""
    w = v / problem.alpha
    w[-1] = shift
    w = problem.gauge(w)
    return problem.value_at(w), w


def _cost(problem: JointProblem) -> FloatArray:
    share = np.ones(problem.design.n) if problem.weights is None else problem.weights
    return share * (problem.scale / problem.alpha)


def _lanes(problem: JointProblem) -> int:
    design = problem.design
    return 2 if design.entries >= _LANES * design.d and design.entries * problem.n_classes >= 2_000_000 else 1


def best_between(problem: JointProblem) -> tuple[FloatArray, FloatArray, float]:
    """ln p for the best p = (1 − s)e_y + s·u, v and D; u are the classes' shares, which a free intercept demands, or
    1/K."""
    design, k, v = problem.design, problem.n_classes, np.empty(problem.shape)
    native.class_sums(design.matrix, problem.target, problem.weights, problem.scale, k, v, design.threads)
    shares = v[-1].copy()
    usual = shares if problem.intercept else np.full(k, 1.0 / k)
    v -= np.outer(v.sum(axis=1), usual)
    square = float(np.vdot(v[:-1], v[:-1])) / problem.alpha

    def p_of(s: float) -> FloatArray:
        return s * usual + (1.0 - s) * np.eye(k)

    def negative_dual(s: float) -> float:
        p = p_of(s)
        return float(shares @ (p * np.log(np.maximum(p, np.finfo(np.float64).tiny))).sum(axis=1)) + 0.5 * square * s * s

    s = least_between(negative_dual, 1e-12, 1.0 - 1e-12)
    t = np.maximum(np.log(p_of(s)), _LEAST)
    return t[problem.target], s * v, -negative_dual(s)


def _of_weights(problem: JointProblem, w: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """ln p for the probabilities that the weights give, v and D."""
    t = np.maximum(log_softmax(problem.design.scores(w)), _LEAST)
    theta = np.empty_like(t)
    native.softmax_multipliers(t, problem.target, problem.n_classes, theta, problem.design.threads)
    dual = problem.dual(theta)
    return t, dual.v, -dual.conjugate - problem.penalty.conjugate(dual.v[:-1])
