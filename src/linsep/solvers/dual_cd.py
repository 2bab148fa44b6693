"""Dual coordinate descent, for hinge-like and log losses with an L2 penalty, sparse and wide data above all.

    max over θ of D(θ),  one θᵢ at a time in random order,  with w = Σᵢ Cᵢθᵢyᵢxᵢ kept up to date,  Cᵢ = sᵢ/Sα

kernels/dual.hpp has the updates, the resting of rows that need no visit, and the lanes that let two threads work
without changing a bit. The free intercept is exact: a proximal-point step b ← b + v²·Σ yᵢaᵢ after every sweep
(the augmented Lagrangian of Σ yᵢaᵢ = 0), never a penalised bias. It begins where the scores of the first w want it, of
a few rows of each class: from b = 0 the first sweep would undo the first multipliers wherever a class is rare. And as
it shifts all margins at once, part of what it has just moved by is added to the gradient beyond which rows rest.

Multipliers may be given to begin from: those of the same rows at another α, or where such lead. Weights cannot be used,
for the multipliers that belong to them, θ = −ℓ′, have w(θ) = w − ∇P/α; only their intercept is.

A sweep reports the sum of its rows' own gaps. When that says that the goal may be met, the multipliers are balanced
(those of the hinge loss by the free rows, where D is flat), w is computed from them afresh, and both sides of the gap
are evaluated over all rows. For multipliers that are not moved the w of the sweeps serves, as long as what rounding has
done to it is next to nothing: ‖αw‖ ≤ X = sup θ·Σ sᵢ‖xᵢ‖/S for all multipliers, so a copy of it in one of L lanes,
w + LΣΔa yx, is at most L times as long and counts for 1/L in the mean. The sum of a visit is rounded by εX/2, the mean
at a window's end by as much, change and product by ε times the row's own share of X: not more than 2εX a visit in all,
with the first w as a visit to every row.

Where sweeps gain little (classes that lie unevenly about a free intercept: most rows are near their kink and do not
move), two things save most of the visits. Between two sweeps a few more visit the free rows alone, those strictly
inside the box, until their gap is far below that of all. And as resting rows are judged by violations that have long
shrunk, all rows are looked at again after some passes' worth of visits in which the gap fell to a tenth: else sweeps
polish an answer on the wrong rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Any, ClassVar

import numpy as np

from linsep.certify.bounds import NO_BOUND, dual_bound
from linsep.certify.rounding import spread
from linsep.kernels import native
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Dual, Problem
from linsep.solvers.base import Solver, State
from linsep.solvers.hinge import balanced, best_intercept
from linsep.solvers.outcome import Status
from linsep.solvers.segment import least_between
from linsep.types import FloatArray

#: Entries and columns from which sweeps run in two lanes.
_LANES_ENTRIES, _LANES_COLUMNS = 2_000_000, 2_000
#: Of the goal: a gap foretold by the sweeps that is worth a look at all rows.
_PROMISING = 0.8
#: v² as a multiple of ‖x̄‖² + this share of the mean ‖x‖². Multipliers that are curved themselves give way less, and a
#: softer term leaves the intercept behind.
_STIFFNESS = {"hinge": 0.15, "squared_hinge": 0.5, "smoothed_hinge": 0.5, "log": 0.8}
_SHARE = 0.1
#: Rows of each class whose scores tell where the intercept begins.
_TOLD_BY = 1000
#: Of the intercept's last move, what is added to the gradient beyond which a row rests.
_DRIFT = 0.5
#: A gap this many times what the sweep saw of it is the intercept's: it goes at once this part of the way to where the
#: scores want it; those of balanced multipliers may want twice too much.
_MISLED, _PART = 4.0, 0.8
#: A sweep is slow if more than this share of the gap is left; then so many over the free rows follow it and the next
#: ones, while most of the rows that those visit do not move, or fewer, until this share of its gap is theirs.
_SLOW, _AMONG_FREE, _ENOUGH = 0.5, 16, 0.2
#: Visits, in passes over all rows, and what is left of the gap meanwhile, after which all rows are looked at again.
_DOUBT_AFTER, _DOUBT_BELOW = 12, 0.1
#: Of what a sweep leaves of a multiplier, the share in its own margin up to which −ℓ′ at the weights is the better one.
_OWN = 0.2
#: Rows a column, up to which they share few.
_SHARED = 40
#: Of the way from the sweeps' multipliers to those of the weights, how near to the best part of it; of the best start.
_NEAR, _NEAR_START = 0.1, 1e-3
#: The rounding of a visit in units of X; of the goal, what all of it may cost.
_ROUNDED, _LITTLE = 2.0 * float(np.finfo(np.float64).eps), 0.01
#: Multipliers of the log loss whose logits are finite, also when a class is shrunk to balance the other.
INSIDE = (1e-200, 1.0 - 1e-15)


@dataclass(frozen=True, eq=False, kw_only=True)
class DualCDState(State):
    """The sweeps' arrays and numbers, with w(a) as they keep it; the running dual value, the gap that the last sweep
    saw, and the one seen before the last evaluation; rows added to w in all, visits since then, and the gap that the
    first sweep saw; whether sweeps over the free rows followed the last one; evaluations in a row that improved
    nothing; the scores of w, and the terms of the bound."""

    sweeps: Any
    a: FloatArray
    kept: FloatArray
    dual: float = 0.0
    seen: float | None = None
    missed: float = inf
    total: int = 0
    visits: int = 0
    first: float = 0.0
    slow: bool = False
    fruitless: int = 0
    scores: FloatArray | None = None
    proof: Dual | None = None


@dataclass(frozen=True)
class DualCD(Solver):
    """resting: a row at its bound rests if its gradient exceeds this many times the sweep's violation;
    lanes: of a sweep, None: two for large problems;
    theta: multipliers to begin from, such as `Solution.dual`; None: the best that are constant on each class."""

    name: ClassVar[str] = "dual_cd"
    needs: ClassVar[frozenset[str]] = frozenset({"margin", "penalty", "ridge", "no offset"})
    max_iter: ClassVar[int] = 5000
    losses: ClassVar[frozenset[str]] = frozenset({"hinge", "squared_hinge", "smoothed_hinge", "log"})
    resting: float = 2.0
    lanes: int | None = None
    theta: FloatArray | None = None

    def refusal(self, problem: Problem) -> str | None:
        if problem.loss.name not in self.losses:
            return f"solver 'dual_cd' takes the losses {sorted(self.losses)}; loss {problem.loss.name!r} was given"
        return super().refusal(problem)

    def init(self, problem: MarginProblem, start: FloatArray | None) -> DualCDState:
        design, log = problem.design, problem.loss.name == "log"
        lanes = _lanes(problem) if self.lanes is None else self.lanes
        share = np.ones(design.n) if problem.weights is None else problem.weights
        cost = share * (problem.scale / problem.alpha)
        order = np.flatnonzero(cost > 0.0).astype(np.int32)
        numbers = native.DualState(2 * self.seed + 1, len(order), lanes, 2 if log else 4)
        theta, v, dual = best_on_ray(problem) if self.theta is None else _given(problem, self.theta)
        a, w = cost * theta, v / problem.alpha
        if problem.intercept:
            part = _few_rows(problem)
            numbers.v2 = _STIFFNESS[problem.loss.name] * _common_square(part)
            scores = part.design.scores(np.append(w, 0.0))
            numbers.b = part.centre(scores, 1e-4) if start is None else float(start[-1])
        logit = np.log(theta / (1.0 - theta)) if log else np.empty(0)
        numbers.r = float(a @ problem.target)
        sweeps = native.DualSweeps.over(
            problem.loss.name, design.matrix, problem.target, cost, np.full(design.n, -1.0), a, logit, w,
            np.zeros((lanes - 1) * design.d), order, numbers,
        )  # fmt: skip
        zero = problem.zero()
        value = problem.value(zero, np.zeros(design.n))
        return DualCDState(zero, value, NO_BOUND, sweeps=sweeps, a=a, kept=w, dual=dual / problem.alpha, total=design.n)

    def step(self, problem: MarginProblem, state: DualCDState) -> DualCDState:
        """Sweeps until as many rows were visited as there are, or until the gap is worth a look.

        A look costs passes over all rows: after one in vain the next waits for half as many visits, or half the gap.
        """
        rows, begin = state.sweeps.state.rows, state.visits
        while state.visits - begin < rows:
            state, promising = self._sweep(problem, state)
            assert state.seen is not None
            rested = state.seen <= 0.5 * state.missed or 2 * (state.visits - begin) >= rows
            doubtful = state.visits >= _DOUBT_AFTER * rows and state.seen <= _DOUBT_BELOW * state.first
            if (promising and rested) or doubtful:
                return self._evaluate(problem, state)
        return state

    def _sweep(self, problem: MarginProblem, state: DualCDState) -> tuple[DualCDState, bool]:
        """One sweep over the active rows, whether the gap may be met now, and more over the free rows if it was slow.

        What such sweeps gained says nothing of the next one over all active rows: its gap is not foretold by theirs.
        """
        numbers = state.sweeps.state
        bias = numbers.b + numbers.v2 * numbers.r
        dual = self._visit(problem, state, state.dual)
        gap, visits = max(numbers.gap, 0.0), numbers.visited  # below 0 by rounding alone
        ratio = min(1.0, max(gap / state.seen, 0.02)) if state.seen else 1.0
        beyond = self.resting * numbers.violation + _DRIFT * abs(numbers.b + numbers.v2 * numbers.r - bias)
        numbers.rest_high, numbers.rest_low = beyond, -beyond
        numbers.rest_below = 0.05 * self.goal.target * dual / problem.design.n
        foretold = gap if state.slow else gap * ratio
        promising = foretold <= _PROMISING * self.goal.target * dual or visits == 0
        slow = state.slow or (state.seen is not None and ratio > _SLOW)
        slow &= not promising and 2 * numbers.moved < visits and problem.loss.name != "log"
        if slow:
            active, numbers.active = numbers.active, state.sweeps.free()
            for _ in range(_AMONG_FREE if numbers.active else 0):
                dual = self._visit(problem, state, dual)
                visits += numbers.visited
                if numbers.gap <= _ENOUGH * gap:
                    break
            numbers.active = active
        first = gap if state.seen is None else state.first
        total, visits = state.total + visits, state.visits + visits
        return replace(state, dual=dual, seen=gap, total=total, visits=visits, first=first, slow=slow), promising

    def _visit(self, problem: MarginProblem, state: DualCDState, dual: float) -> float:
        """One sweep and the intercept's step; the dual value after it."""
        numbers = state.sweeps.state
        state.sweeps.sweep(problem.design.threads)
        if problem.intercept:
            numbers.b += numbers.v2 * numbers.r
        return float(max(dual + numbers.decrease, np.finfo(np.float64).tiny))

    def _intercept(self, problem: MarginProblem, state: DualCDState, scores: FloatArray) -> float:
        """The best b for the scores; the hinge loss may have an interval of them, of which this is the midpoint."""
        if problem.loss.smooth:
            numbers = state.sweeps.state
            return float(state.sweeps.intercept(scores, numbers.b + numbers.v2 * numbers.r, problem.design.threads))
        return best_intercept(problem, scores)

    def finish(self, problem: MarginProblem, state: DualCDState) -> DualCDState:
        """The log loss: with the best multipliers on the way to −ℓ′ at the weights, where those of a sweep are looser.

        What a sweep leaves of a multiplier moves its own margin by up to ‖x‖²/4nα of that: the less, the less of it is
        in the weights; so where few rows share a column. Balancing for a free intercept moves multipliers too.
        """
        if problem.loss.name != "log" or state.scores is None or state.proof is None or self.goal.to_rounding:
            return state
        own_share = 0.25 * problem.design.scan.squares * problem.scale / (problem.alpha * problem.design.n)
        shared = problem.design.entries > _SHARED * problem.design.d
        if own_share > _OWN and shared and not problem.intercept:
            return state
        own = problem.dual(problem.dual_point(state.scores))
        found = dual_bound(problem, _between(problem, state.proof, own), state.value)
        return replace(state, bound=max(state.bound, found, key=lambda b: b.value))

    def _multipliers(self, problem: MarginProblem, state: DualCDState) -> Dual:
        """Those of this moment, balanced for a free intercept, and v for them."""
        share = 1.0 if problem.weights is None else problem.weights
        cost = np.maximum(share * (problem.scale / problem.alpha), np.finfo(np.float64).tiny)
        theta = np.clip(state.a / cost, problem.loss.dual_lower, problem.loss.dual_upper)
        even = theta
        if problem.intercept and problem.loss.smooth:
            even = theta * np.where(problem.target > 0.0, *problem.balance(theta))
        elif problem.intercept:
            even = balanced(problem, theta)
        off = _off(problem, state.total)
        if not off * float(np.linalg.norm(state.kept)) <= _LITTLE * self.goal.target * state.dual * problem.alpha:
            return problem.dual(even)
        v = np.append(problem.alpha * state.kept, problem.pull(even).sum())
        changed = np.flatnonzero(even != theta)
        if len(changed):
            v[:-1] += problem.design.rows(changed).adjoint(problem.pull(even - theta)[changed])[:-1]
        return Dual(even, v, *problem.conjugate_mean(even), off)

    def _evaluate(self, problem: MarginProblem, state: DualCDState) -> DualCDState:
        """Both sides of the gap over all rows, at the multipliers of this moment."""
        numbers, design = state.sweeps.state, problem.design
        assert state.seen is not None
        dual = self._multipliers(problem, state)
        w = dual.v / problem.alpha
        w[-1] = 0.0
        scores = design.scores(w)
        if problem.intercept:
            w[-1] = self._intercept(problem, state, scores)
            scores += w[-1]
        value = problem.terms(scores)[0] + problem.penalty.value(w[:-1])
        bound = max(state.bound, dual_bound(problem, dual, value), key=lambda b: b.value)
        better, tighter = value < state.value, bound is not state.bound
        improved = better or tighter
        if problem.intercept and value - bound.value > _MISLED * state.seen * problem.alpha:
            numbers.b += _PART * (w[-1] - numbers.b - numbers.v2 * numbers.r)
        state.sweeps.select(scores - w[-1], numbers.b + numbers.v2 * numbers.r)
        fruitless = 0 if improved else state.fruitless + 1
        return replace(
            state,
            w=w if better else state.w,
            value=min(value, state.value),
            bound=bound,
            scores=scores if better else state.scores,
            proof=dual if tighter else state.proof,
            dual=max(bound.value, np.finfo(np.float64).tiny) / problem.alpha,
            seen=None,
            missed=state.seen,
            visits=0,
            fruitless=fruitless,
            done=Status.STALLED if fruitless > 20 else None,
        )


def _off(problem: MarginProblem, visits: int) -> float:
    """What rounding has done to αw after so many visits, at most; no bound where multipliers have none.

    X by Cauchy and Schwarz.
    """
    upper = np.full(problem.design.n, problem.loss.dual_upper)
    return _ROUNDED * visits * sqrt(problem.design.scan.squares) * float(spread(problem, upper))


def _between(problem: MarginProblem, first: Dual, second: Dual) -> Dual:
    """About the best multipliers between two, both balanced."""
    change, theta = second.v - first.v, second.theta - first.theta
    slope, square = float(first.v[:-1] @ change[:-1]), float(change[:-1] @ change[:-1])

    def negative_dual(t: float) -> float:
        products = (t * slope + 0.5 * t * t * square) / problem.alpha
        return problem.conjugate_mean(first.theta + t * theta)[0] + products

    t = least_between(negative_dual, 0.0, 1.0, _NEAR)
    best = first.theta + t * theta
    return Dual(best, first.v + t * change, *problem.conjugate_mean(best), max(first.off, second.off))


def _lanes(problem: MarginProblem) -> int:
    large = problem.design.entries >= _LANES_ENTRIES and problem.design.d >= _LANES_COLUMNS
    return 2 if large else 1


def _few_rows(problem: MarginProblem) -> MarginProblem:
    """As many rows of each class as tell well where the intercept begins; they count for their class."""
    weighted = problem.target if problem.weights is None else problem.target * problem.weights
    classes = [np.flatnonzero(weighted > 0.0), np.flatnonzero(weighted < 0.0)]
    every = [max(1, len(rows) // _TOLD_BY) for rows in classes]
    chosen = [rows[::step] for rows, step in zip(classes, every, strict=True)]
    part = problem.rows(np.concatenate(chosen))
    counts = np.repeat(np.asarray(every, dtype=np.float64), [len(rows) for rows in chosen])
    return replace(part, weights=counts if part.weights is None else counts * part.weights)


def _common_square(part: MarginProblem) -> float:
    """‖x̄‖² and a share of the mean ‖x‖².

    What all rows have in common shifts their scores as b does: where b is off, w makes up for it, and only a part
    v²/(v² + ‖x̄‖²) of the error shows in Σ yᵢaᵢ, which is what a step of b takes away.
    """
    assert part.weights is not None
    share = part.weights / part.weights.sum()
    mean = part.design.adjoint(share)[:-1]
    return float(mean @ mean) + _SHARE * float(share @ part.design.row_norms())


def _given(problem: MarginProblem, theta: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """The multipliers made feasible, v for them, and D.

    Those of the log loss lie strictly inside, as logits must. The others take the best multiple t of theirs, whose
    D(tθ) = t·mean θ − t²(q + ‖v‖²/2α) is a parabola: at a small α with classes apart θ goes down with α.
    """
    loss = problem.loss
    inside = INSIDE if loss.name == "log" else (loss.dual_lower, loss.dual_upper)
    dual = problem.dual(np.clip(theta, *inside))
    v, t = dual.v[:-1], 1.0
    squares = problem.penalty.conjugate(v)
    if loss.name == "log":
        return dual.theta, v, -dual.conjugate - squares
    mean = problem.mean(dual.theta)
    squares += dual.conjugate + mean
    if squares > 0.0:
        t = min(0.5 * mean / squares, loss.dual_upper / max(float(dual.theta.max()), INSIDE[0]))
    return t * dual.theta, t * v, t * mean - t * t * squares


def best_on_ray(problem: MarginProblem) -> tuple[FloatArray, FloatArray, float]:
    """The best multipliers that are constant on each class, v = 1/S Σ sᵢθᵢyᵢxᵢ for them, and D.

    For one pass they save about a sweep: each row starts where an average row belongs. With a free intercept the two
    classes' sums are equal.
    """
    share = np.full(problem.design.n, problem.scale) if problem.weights is None else problem.weights * problem.scale
    positive = problem.target > 0
    shares = np.array([share[~positive].sum(), share[positive].sum()])
    ray = shares.min() / shares if problem.intercept else np.ones(2)
    direction = ray[positive.astype(np.int64)]
    v = problem.design.adjoint(direction * share * problem.target)[:-1]
    square = float(v @ v) / problem.alpha

    def negative_dual(t: float) -> float:
        return float(shares @ problem.loss.conjugate(t * ray)) + 0.5 * square * t * t

    t = least_between(negative_dual, 1e-12, 1.0 - 1e-12, _NEAR_START)
    return t * direction, t * v, -negative_dual(t)
