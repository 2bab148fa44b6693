"""The multi-class SVM of Crammer and Singer, by the sequential dual method.

    min over W, b of  1/S Σᵢ sᵢ max_k (z_ik + [k ≠ yᵢ] − z_iyᵢ) + α/2 ‖W‖²

kernels/crammer_singer.hpp solves one row's K multipliers exactly, row after row in random order; the intercepts
are proximal-point steps as in `dual_cd`. Where the weights are few, sweeps crawl once the multipliers off their
bounds are more than the weights; then augmented-Lagrangian Newton steps take over,

    min over W, b of  α/2 ‖W‖² + Σᵢ max over aᵢ of [−⟨aᵢ, gᵢ⟩ − ‖aᵢ − âᵢ‖² / 2σ],   g = z + [k ≠ y]

a smooth problem whose maximisers a become the next centre â, with σ growing (Rockafellar 1976).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from linsep.certify.bounds import NO_BOUND, dual_bound, rounding
from linsep.kernels import native
from linsep.problem.joint_problem import JointProblem
from linsep.problem.linear_algebra import factor
from linsep.problem.problem import Problem
from linsep.solvers.base import MOST_WAITS, Solver, State
from linsep.solvers.outcome import Status
from linsep.solvers.softmax_dual import balanced_classes
from linsep.types import FloatArray

#: Weights up to which Newton steps follow the sweeps.
_FEW = 1500
#: Beyond this σ, in units of the multipliers' bound, the smooth problem is no longer smooth in float64; and the least:
#: of rows that are apart the multipliers are far below their bound, where σ·1e-16 must not move them.
_STIFFEST, _SOFTEST = 1e8, 1e-8
#: A row rests that has this many times the violation to spare; all come back when the gap of the others has fallen to
#: such a share, or after visits of so many times the rows.
_RESTING, _FALLEN, _LONG = 3.0, 0.1, 20
_TINY = float(np.finfo(np.float64).tiny)
#: A gradient below this share of the weights is rounding; and a share of the smooth problem's value that is none.
_SETTLED, _LOST = 1e-11, 1e-3


@dataclass(frozen=True, eq=False, kw_only=True)
class CSState(State):
    """Multipliers a (n×K), what the sweeps keep between them (arrays that they change), σ of the Newton steps, where
    they are, and how many were for a tighter bound alone; rows visited, until now and until the last look at all of
    them, and the gap that the sweep before that saw."""

    a: FloatArray
    order: NDArray[np.int32]
    norms: FloatArray
    numbers: Any
    r: FloatArray
    weights: FloatArray
    shift: FloatArray
    sigma: float
    at: FloatArray | None = None
    sweeps: int = 0
    visits: int = 0
    looked: int = 0
    fruitless: int = 0
    waits: int = 0
    missed: float = np.inf


@dataclass(frozen=True)
class CrammerSinger(Solver):
    """sweeps: before Newton begins; growth: of σ from one centre to the next."""

    name: ClassVar[str] = "crammer_singer"
    needs: ClassVar[frozenset[str]] = frozenset({"joint", "penalty", "ridge", "no offset"})
    max_iter: ClassVar[int] = 3000
    first_sweeps: int = 5
    growth: float = 3.0

    def refusal(self, problem: Problem) -> str | None:
        if problem.loss.name != "crammer_singer":
            return f"solver 'crammer_singer' takes that loss only; loss {problem.loss.name!r} was given"
        return super().refusal(problem)

    def init(self, problem: JointProblem, start: FloatArray | None) -> CSState:
        design, k = problem.design, problem.n_classes
        order = np.flatnonzero(_cost(problem) > 0.0).astype(np.int32)
        numbers = native.DualState(2 * self.seed + 1, len(order), 1, 4)
        if problem.intercept:
            numbers.v2 = 0.03 * design.scan.squares / design.n
        zero = problem.zero()
        value = problem.value(zero, np.zeros((design.n, k)))
        return CSState(
            zero, value, NO_BOUND, a=np.zeros((design.n, k)), order=order, norms=np.full(design.n, -1.0),
            numbers=numbers, r=np.zeros(k), weights=np.zeros((design.d, k)), shift=np.zeros(k), sigma=_unit(problem),
        )  # fmt: skip

    def step(self, problem: JointProblem, state: CSState) -> CSState:
        few = int(np.prod(problem.shape)) <= _FEW
        if few and state.sweeps >= self.first_sweeps:
            return self._newton(problem, state)
        return self._sweep(problem, state)

    def _sweep(self, problem: JointProblem, state: CSState) -> CSState:
        """Sweeps until as many rows were visited as there are, or until a look at all of them is due."""
        begin = state.visits
        while state.visits - begin < state.numbers.rows:
            state = self._visit(problem, state)
            if self._due(problem, state):
                return self._look(problem, state)
        return state

    def _visit(self, problem: JointProblem, state: CSState) -> CSState:
        """One sweep over the active rows, and the intercepts' step."""
        numbers, design = state.numbers, problem.design
        native.crammer_singer_sweep(
            design.matrix, problem.n_classes, problem.target, _cost(problem), state.norms, state.a, state.shift,
            state.r, state.order, state.weights, np.zeros(0), numbers, design.threads,
        )  # fmt: skip
        if problem.intercept:
            np.add(state.shift, numbers.v2 * state.r, out=state.shift)
        numbers.rest_high = _RESTING * numbers.violation
        return replace(state, sweeps=state.sweeps + 1, visits=state.visits + max(numbers.visited, 1))

    def _due(self, problem: JointProblem, state: CSState) -> bool:
        """Whether the gap may be met; or the active rows have come so far, or taken so long, that others may move now.

        What the last sweep before a look saw must have halved, or there is nothing new to be seen.
        """
        numbers, gap = state.numbers, state.numbers.gap * problem.alpha
        near = gap <= min(2.0 * self.goal.tol * state.value, 0.5 * state.missed)
        far = isfinite(state.missed) and gap <= _FALLEN * state.missed
        long = state.visits - state.looked >= _LONG * numbers.rows
        return near or far or long or numbers.visited == 0 or state.sweeps == self.first_sweeps

    def _look(self, problem: JointProblem, state: CSState) -> CSState:
        """Both sides of the gap; then all rows are active again."""
        numbers = state.numbers
        numbers.active = numbers.rows
        seen = replace(state, missed=numbers.gap * problem.alpha, looked=state.visits)
        state = _evaluated(problem, seen, state.a, None)
        # sweeps that crawl need not go on to rounding
        crawls = state.fruitless > 2 and state.value - state.bound.value <= self.goal.tol * abs(state.value)
        return replace(state, done=Status.STALLED) if crawls else state

    def _newton(self, problem: JointProblem, state: CSState) -> CSState:
        """One outer step: Newton on the smooth problem at the centre â = a, then a new centre if it got there."""
        smooth = _Proximal(problem, state.a, state.sigma)
        w, unit = state.w if state.at is None else state.at, _unit(problem)
        current, arrived, factor = smooth.at(w), False, self.growth
        for _ in range(50):
            grad = smooth.gradient(w, current)
            moved = float(np.sum((current.a - state.a) ** 2)) / (2.0 * state.sigma)
            arrived = 0.5 * float(np.vdot(grad, grad)) <= 0.1 * moved * min(1.0, 10.0 * unit / state.sigma)
            if arrived:
                break
            new = smooth.search(w, smooth.newton(w, grad), current, grad)
            if new is None or new[1].value >= current.value:
                arrived = True  # as far as float64 goes
                if smooth.off(w, current) > 1.0:
                    current = min(current, smooth.settled(w, current), key=lambda value: smooth.off(w, value))
                if smooth.off(w, current) > 1.0:
                    factor = self.growth**-2  # with a smaller σ it goes further
                break
            w, current = new
        state = replace(_evaluated(problem, state, current.a, w), at=w)
        lags = state.waits < MOST_WAITS and self.goal.lags(state.value, state.bound)
        state = replace(state, loose=lags, waits=state.waits + lags)
        if not arrived:
            return state
        return replace(state, a=current.a, sigma=min(max(factor * state.sigma, _SOFTEST * unit), _STIFFEST * unit))


@dataclass(frozen=True, eq=False)
class _Value:
    """The smooth problem at W: its value, the maximisers a, and [X 1]ᵀa."""

    value: float
    a: FloatArray
    adjoint: FloatArray


@dataclass(frozen=True, eq=False)
class _Proximal:
    """½‖W‖² + Σᵢ max over aᵢ of [−⟨aᵢ, gᵢ⟩ − ‖aᵢ − âᵢ‖²/2σ]; everything is in units of α."""

    problem: JointProblem
    centre: FloatArray
    sigma: float

    @cached_property
    def _held(self) -> tuple[FloatArray, float]:
        """[X 1]ᵀâ, and what the own classes hold of â."""
        own = self.centre[np.arange(len(self.centre)), self.problem.target]
        return self.problem.design.adjoint(self.centre), float(own.sum())

    def trusted(self, w: FloatArray, value: float) -> bool:
        """Whether a value is no less than that for a = â: else it is rounding of the scores, squared and times σ."""
        pull, own = self._held
        square, linear = float(np.vdot(w[:-1], w[:-1])), float(np.vdot(pull, w))
        return value >= 0.5 * square - linear + own - _LOST * (square + abs(linear) + own)

    def at(self, w: FloatArray, hessian: FloatArray | None = None) -> _Value:
        problem, a, adjoint = self.problem, np.empty_like(self.centre), np.empty_like(w)
        envelope, _, _ = native.crammer_singer_proximal(
            problem.design.matrix, problem.n_classes, problem.target, _cost(problem), self.centre, self.sigma,
            w, a, adjoint, hessian, problem.design.threads,
        )  # fmt: skip
        return _Value(0.5 * float(np.vdot(w[:-1], w[:-1])) + envelope, a, adjoint)

    def newton(self, w: FloatArray, grad: FloatArray) -> FloatArray:
        size, k = w.shape
        H = np.empty((size * k, size * k))
        self.at(w, H)
        ridge = np.ones((k, size))
        if (
            self.problem.intercept
        ):  # where no row curves an intercept it moves by at most 10; vanishes with the gradient
            ridge[:, -1] = 0.1 * float(np.abs(grad[-1]).max())
        if not self.problem.intercept:
            last = np.arange(k) * size + size - 1
            H[last, :] = 0.0
            H[:, last] = 0.0
        H[np.diag_indices(size * k)] += ridge.ravel()
        p = np.ascontiguousarray(factor(H).solve(-grad.T.ravel()).reshape(k, size).T)
        if not self.problem.intercept:
            p[-1] = 0.0
        return self.problem.gauge(p)

    def gradient(self, w: FloatArray, current: _Value) -> FloatArray:
        grad = w - current.adjoint
        grad[-1] = -current.adjoint[-1] if self.problem.intercept else 0.0
        return self.problem.gauge(grad)

    def settled(self, w: FloatArray, current: _Value) -> _Value:
        """a moved towards W = Xᵀa by Newton steps of its own: the scores give a only to their rounding times σ.

        A row's multipliers move among the classes that have some, as a step of the weights would move them.
        """
        problem, cost = self.problem, _cost(self.problem)[:, None]
        own = cost * (problem.target[:, None] == np.arange(problem.n_classes))
        for _ in range(2):
            some = own - current.a > 0.0
            move = -self.sigma * problem.design.scores(self.newton(w, self.gradient(w, current)))
            mean = np.sum(move, axis=1, keepdims=True, where=some) / np.maximum(some.sum(axis=1, keepdims=True), 1)
            a = current.a + np.where(some, move - mean, 0.0)
            a = cost * problem.loss.project_dual(a / np.maximum(cost, _TINY), problem.target)
            current = _Value(current.value, a, problem.design.adjoint(a))
        return current

    def off(self, w: FloatArray, current: _Value) -> float:
        """The gradient beside what rounding of W and of [X 1]ᵀa makes of it."""
        sizes = np.sqrt(np.append(self.problem.design.column_squares, self.problem.design.n))
        sums = rounding(self.problem, float(np.linalg.norm(current.a))) * sizes
        limit = np.maximum(sums, _SETTLED * max(1.0, float(np.abs(w).max())))
        return float((np.abs(self.gradient(w, current)).max(axis=1) / limit).max())

    def search(
        self, w: FloatArray, p: FloatArray, current: _Value, grad: FloatArray
    ) -> tuple[FloatArray, _Value] | None:
        """The point along p where the slope has fallen to a tenth; None where p does not lead down.

        The slope rises with the step, by jumps of its rate where rows leave their corners: however short the step has
        to be, a bracket finds it. A slope that is small beyond such a jump is no sign of the minimum, if P has risen:
        until it has not, the bracket shrinks tenfold.
        """
        low, low_slope, high, high_slope = 0.0, float(np.vdot(grad, p)), 1.0, np.inf
        enough, t, best = 0.1 * abs(low_slope), 1.0, None
        for _ in range(60):
            if not low_slope < 0.0:
                break
            trial = self.at(w + t * p)
            if not self.trusted(w + t * p, trial.value):
                high, high_slope, t = t, np.inf, low + 0.1 * (t - low)
                continue
            slope = float(np.vdot(self.gradient(w + t * p, trial), p))
            if trial.value < (current if best is None else best[1]).value:
                best = w + t * p, trial
            if best is not None and (abs(slope) <= enough or (slope < 0.0 and t == 1.0)):
                break
            if slope < 0.0:
                low, low_slope = t, slope
            else:
                high, high_slope = t, slope
            t = low - low_slope * (high - low) / (high_slope - low_slope)
            t = min(max(t, low + 0.1 * (high - low)), high - (0.1 if best else 0.9) * (high - low))
        return best


def _cost(problem: JointProblem) -> FloatArray:
    share = np.ones(problem.design.n) if problem.weights is None else problem.weights
    return share * (problem.scale / problem.alpha)


def _unit(problem: JointProblem) -> float:
    """The mean of the multipliers' bounds: with such a σ a score that changes by 1 moves them from end to end."""
    return 1.0 / (problem.design.n * problem.alpha)


def _evaluated(problem: JointProblem, state: CSState, a: FloatArray, w: FloatArray | None) -> CSState:
    """The bound at the multipliers, and P at the weights they give (or at w, if that is lower)."""
    cost = np.maximum(_cost(problem), _TINY)
    theta = problem.loss.project_dual(a / cost[:, None], problem.target)
    dual = problem.dual(balanced_classes(problem, theta)[0] if problem.intercept else theta)
    own = dual.v / problem.alpha
    own[-1] = state.shift if w is None else w[-1]
    best = problem.gauge(own if w is None else w)
    value = problem.value(best, problem.design.scores(best))
    bound = max(state.bound, dual_bound(problem, dual, value), key=lambda b: b.value)
    # Within rounding the later point is the better one: its optimality conditions hold more exactly.
    better = value <= state.value + bound.allowance
    gap, before = (value if better else state.value) - bound.value, state.value - state.bound.value
    fruitless = 0 if gap < 0.95 * before else state.fruitless + 1
    return replace(
        state,
        w=best if better else state.w,
        value=value if better else state.value,
        bound=bound,
        fruitless=fruitless,
        done=Status.STALLED if fruitless > (6 if gap <= 1e-6 * abs(value) else 40) else None,
    )
