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
from math import isfinite
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from linsep.certify.bounds import NO_BOUND, dual_bound
from linsep.kernels import native
from linsep.problem.joint_problem import JointProblem
from linsep.problem.problem import Problem
from linsep.solvers.base import MOST_WAITS, Solver, State
from linsep.solvers.class_proximal import FEW, Proximal, cost_of, unit_of
from linsep.solvers.outcome import Status
from linsep.solvers.patience import out_of_time
from linsep.types import FloatArray

#: Beyond this σ, in units of the multipliers' bound, the smooth problem is no longer smooth in float64; and the least:
#: of rows that are apart the multipliers are far below their bound, where σ·1e-16 must not move them.
_STIFFEST, _SOFTEST = 1e8, 1e-8
#: A row rests that has this many times the violation to spare; all come back when the gap of the others has fallen to
#: such a share, or after visits of so many times the rows.
_RESTING, _FALLEN, _LONG = 3.0, 0.1, 20
#: Classes from which rows have lists, of at most one in so many; and how many times the work of any class one on a list
#: takes.
_MANY, _CROWD, _GATHERED = 32, 8, 4
#: Newton steps of a round by the slope alone, where rounding hides whether the value still falls.
_LEVEL = 5
_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False, kw_only=True)
class CSState(State):
    """Multipliers a (n×K), what the sweeps keep between them (arrays that they change), σ of the Newton steps, where
    they are, and how many were for a tighter bound alone; rows visited, until now and until the last look at all of
    them, and the gap that the sweep before that saw."""

    a: FloatArray
    order: NDArray[np.int32]
    norms: FloatArray
    lists: NDArray[np.int32]
    counts: NDArray[np.int32]
    numbers: Any
    r: FloatArray
    weights: FloatArray
    shift: FloatArray
    sigma: float
    at: FloatArray | None = None
    sweeps: int = 0
    share: float = 1.0
    visits: float = 0.0
    looked: float = 0.0
    fruitless: int = 0
    waits: int = 0
    missed: float = np.inf
    proved: float = 0.0


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
        order = np.flatnonzero(cost_of(problem) > 0.0).astype(np.int32)
        numbers = native.DualState(2 * self.seed + 1, len(order), 1, 4)
        if problem.intercept:
            numbers.v2 = 0.03 * design.scan.squares / design.n
        room = k // _CROWD if k >= _MANY else 0
        zero = problem.zero()
        return CSState(
            zero, problem.mean(np.ones(design.n)), NO_BOUND, a=np.zeros((design.n, k)), order=order,
            norms=np.full(design.n, -1.0),
            lists=np.empty((design.n, room), dtype=np.int32), counts=np.full(design.n if room else 0, -1, np.int32),
            numbers=numbers, r=np.zeros(k), weights=np.zeros((design.d, k)), shift=np.zeros(k), sigma=unit_of(problem),
        )  # fmt: skip

    def step(self, problem: JointProblem, state: CSState) -> CSState:
        few = int(np.prod(problem.shape)) <= FEW
        if few and state.sweeps >= self.first_sweeps:
            return self._newton(problem, state)
        return self._sweep(problem, state)

    def _sweep(self, problem: JointProblem, state: CSState) -> CSState:
        """Sweeps until as much was done as a visit of all rows takes, or until a look at all of them is due."""
        begin = state.visits
        while state.visits - begin < state.numbers.rows:
            state = self._visit(problem, state, whole=state.sweeps < self.first_sweeps)
            if self._due(problem, state):
                return self._look(problem, state)
        return state

    def _visit(self, problem: JointProblem, state: CSState, whole: bool) -> CSState:
        """One sweep over the active rows, of all their classes or of those listed, and the intercepts' step."""
        numbers, design = state.numbers, problem.design
        native.crammer_singer_sweep(
            design.matrix, problem.n_classes, problem.target, cost_of(problem), state.norms, state.a, state.shift,
            state.r, state.order, state.weights, np.zeros(0), state.lists, state.counts, whole, numbers, design.threads,
        )  # fmt: skip
        if problem.intercept:
            np.add(state.shift, numbers.v2 * state.r, out=state.shift)
        numbers.rest_high = _RESTING * numbers.violation
        share = 1.0 if whole else state.share
        return replace(state, sweeps=state.sweeps + 1, visits=state.visits + share * max(numbers.visited, 1))

    def _due(self, problem: JointProblem, state: CSState) -> bool:
        """Whether the gap may be met; or the active rows have come so far, or taken so long, that others may move now.

        What the last sweep before a look saw must have halved, or there is nothing new to be seen.
        """
        numbers, gap = state.numbers, state.numbers.gap * problem.alpha
        near = gap <= min(2.0 * self.goal.target * state.value, 0.5 * state.missed)
        far = isfinite(state.missed) and gap <= _FALLEN * state.missed
        long = state.visits - state.looked >= _LONG * numbers.rows
        return near or far or long or numbers.visited == 0 or state.sweeps == self.first_sweeps

    def _look(self, problem: JointProblem, state: CSState) -> CSState:
        """A sweep over all rows and classes, and both sides of the gap where what it saw is worth that."""
        numbers = state.numbers
        numbers.active = numbers.rows
        state = self._visit(problem, state, whole=True)
        seen, before = numbers.gap * problem.alpha, state.missed
        state = replace(state, missed=seen, looked=state.visits, share=_share(problem, state.counts))
        met, slow = seen <= 2.0 * self.goal.target * state.value, seen > 0.5 * before
        long = not isfinite(before) or state.visits - state.proved >= _LONG * numbers.rows
        if not (met or slow or long):
            return state
        state = replace(_evaluated(problem, state, state.a, None), proved=state.visits)
        # sweeps that crawl need not go on to rounding
        crawls = state.fruitless > 2 and state.value - state.bound.value <= self.goal.tol * abs(state.value)
        return replace(state, done=Status.STALLED) if crawls else state

    def _newton(self, problem: JointProblem, state: CSState) -> CSState:
        """One outer step: Newton on the smooth problem at the centre â = a, then a new centre if it got there."""
        smooth = Proximal(problem, state.a, state.sigma)
        w, unit = state.w if state.at is None else state.at, unit_of(problem)
        current, arrived, factor, level = smooth.at(w), False, self.growth, 0
        for _ in range(50):
            grad = smooth.gradient(w, current)
            moved = float(np.sum((current.a - state.a) ** 2)) / (2.0 * state.sigma)
            arrived = 0.5 * float(np.vdot(grad, grad)) <= 0.1 * moved * min(1.0, 10.0 * unit / state.sigma)
            if arrived:
                break
            new = smooth.search(w, smooth.newton(w, grad), current, grad)
            level += new is not None and new[1].value >= current.value
            if new is None or level > _LEVEL:
                arrived = True  # as far as float64 goes
                if smooth.off(w, current) > 1.0:
                    current = min(current, smooth.settled(w, current), key=lambda value: smooth.off(w, value))
                if smooth.off(w, current) > 1.0:
                    factor = self.growth**-2  # with a smaller σ it goes further
                break
            w, current = new
            if out_of_time():
                break
        state = replace(_evaluated(problem, state, current.a, w), at=w)
        lags = state.waits < MOST_WAITS and self.goal.lags(state.value, state.bound)
        state = replace(state, loose=lags, waits=state.waits + lags)
        if not arrived:
            return state
        return replace(state, a=current.a, sigma=min(max(factor * state.sigma, _SOFTEST * unit), _STIFFEST * unit))


def _share(problem: JointProblem, listed: NDArray[np.int32]) -> float:
    """What a sweep over the lists takes, as a share of one over all classes."""
    if not listed.size:
        return 1.0
    share = np.minimum(_GATHERED * listed / problem.n_classes, 1.0)
    return float(np.where(listed < 0, 1.0, share).mean())


def _evaluated(problem: JointProblem, state: CSState, a: FloatArray, w: FloatArray | None) -> CSState:
    """The bound at the multipliers, and P at the weights they give (or at w, if that is lower)."""
    cost = np.maximum(cost_of(problem), _TINY)
    theta = problem.in_domain(a / cost[:, None])
    dual = problem.dual(problem.balanced(theta)[0] if problem.intercept else theta)
    own = dual.v / problem.alpha
    own[-1] = state.shift if w is None else w[-1]
    best = problem.gauge(own if w is None else w)
    value = problem.value_at(best)
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
