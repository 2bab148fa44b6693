"""Proximal Newton for smooth losses with L1, penalty factors or bounds on the weights.

    z = argmin of ⟨∇L(w), z − w⟩ + ½ (z − w)ᵀ ∇²L(w) (z − w) + Ω(z),     w ← w + t (z − w)

The model is minimised by coordinate descent on a working set of columns (quadratic_model.py, working_set.py), only as
accurately as the step deserves; t = 1 where P falls by a quarter of what the model promises, else it is halved on the
scores. Weights come out as exact zeros. With few weights ∇²L is formed in one pass, and samples of the rows give the
start.

The step's own scores u = [X 1](z − w) linearise the dual point, θ = −ℓ′ − ℓ″u: its v is minus the model's slope at z,
so what the model is off by decides the bound, not what P is (certify/penalised.py). Where the bound may be near, the
model is minimised to that accuracy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from linsep.certify.bounds import NO_BOUND, Bound, dual_bound
from linsep.certify.curvature import curvature_bound
from linsep.certify.screening import certainly_zero
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Point, Problem
from linsep.solvers.base import Solver, State
from linsep.solvers.narrow import FAR, MOST, Narrow, dual_at, keep, may_copy, recall
from linsep.solvers.outcome import Status
from linsep.solvers.patience import keeping, out_of_time
from linsep.solvers.proximal_step import advance, promise_of
from linsep.solvers.quadratic_model import is_formed, loss_gradient, model_at
from linsep.solvers.sampling import nested_samples
from linsep.solvers.seen import Seen
from linsep.solvers.stiff_step import FIRST, Ladder, Taken
from linsep.solvers.working_set import violations, working_set
from linsep.types import BoolArray, FloatArray

#: Relative rounding of the dual bound beyond which the curvature around the point may prove more.
_COARSE = 1e-11
#: Of the violation: what a step on a copy far from the optimum leaves.
_LOOSE = 0.002
#: Of P: what a step may still promise where a bound is worth its passes.
_NEAR = 0.02
#: Of what it promises: a step that falls less is too short to go on with.
_SHORT = 1e-4
#: Relative gap beyond which a bound at θ = −ℓ′ is too loose to return.
_PLAIN_LAG = 1e-5
#: Columns that a copy has because they may violate next: so many, and for each weight that is not 0.
_SOON, _TIMES = 20, 2
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False, kw_only=True)
class ProximalState(State):
    """The state's point; off: by how much every weight's slope violates optimality; settled: columns ruled out.

    strict: how much more accurate than planned the model must be, after bounds that were not enough. sweeps: of
    coordinate descent in the next step. floor: under ℓ″ in the last stiff step. narrow: the copy of a working set that
    the last step was made on.
    """

    point: Point
    off: FloatArray
    settled: BoolArray
    strict: float = 1.0
    sweeps: int = 0
    floor: float = FIRST
    narrow: Narrow | None = None


@dataclass(frozen=True)
class ProximalNewton(Solver):
    """growth: a sample is this much smaller than the next; fewest: rows a weight, below which none is drawn.

    loose: the model's violation after a step, of that before; first: sweeps of coordinate descent in a step far from
    the optimum, more: times as many after one that could have used them; sweeps: in one near it, at most.
    """

    name: ClassVar[str] = "proximal_newton"
    needs: ClassVar[frozenset[str]] = frozenset({"smooth", "convex", "curvature", "model"})
    max_iter: ClassVar[int] = 500
    growth: int = 8
    fewest: int = 20
    loose: float = 0.1
    first: int = 10
    more: int = 4
    sweeps: int = 200

    def init(self, problem: Problem, start: FloatArray | None) -> ProximalState:
        if start is None and is_formed(problem):
            start = self._sample_optimum(problem)
        w = problem.zero() if start is None else start.copy()
        w[:-1] = problem.penalty.clip(w[:-1])
        settled = np.zeros(problem.design.d, dtype=bool)
        point, narrow = recall(problem, w) or (_first_point(problem, w), None)
        return replace(_state(problem, point, NO_BOUND, settled), narrow=narrow)

    def step(self, problem: Problem, state: ProximalState) -> ProximalState:
        if isinstance(problem, MarginProblem) and self._serves(problem, state):
            return self._narrow_step(problem, state)
        state = _looked(problem, state)
        point, working = state.point, working_set(problem, state.w, state.off, state.settled)
        if may_copy(problem, len(working)):
            return self._narrow_step(problem, replace(state, narrow=_copy(problem, state)))
        model = model_at(problem, point, working)
        exact = 1e-3 if is_formed(problem) else 1.0  # accuracy costs next to nothing where ∇²L is at hand
        wanted, before = exact * state.strict * self._wanted(problem, point), float(state.off.max())
        loose = exact * self.loose * before
        sweeps = max(self.first, state.sweeps)
        left = model.minimise(max(loose, wanted), sweeps)
        promise = promise_of(problem, point, model.z)
        near = promise * promise <= min(12.0 * self.goal.target, _NEAR**2) * point.value**2
        if near and left > wanted:
            model.minimise(wanted, 10 * self.sweeps)
            promise = promise_of(problem, point, model.z)
        taken = Taken(*advance(problem, point, model.z, promise), state.floor)
        if left > max(loose, wanted) and taken.point.w is model.z:  # the model held as far as it was followed
            sweeps = min(self.more * sweeps, 10 * self.sweeps)
        if _EPS * abs(point.value) < _SHORT * promise and taken.point.value > point.value - _SHORT * promise:
            taken = Ladder(problem, point, working, max(loose, wanted), self.sweeps).better(taken)
        new = taken.point
        found = _state(problem, new, state.bound, state.settled)
        found = replace(found, strict=state.strict, sweeps=sweeps, floor=taken.floor)
        still = new.value >= point.value - _EPS * abs(point.value) and float(found.off.max()) > 0.5 * before
        stalled = Status.STALLED if new is point or still else None
        found = replace(found, done=stalled)
        if near or stalled:
            found = self._bounded(problem, found, (point, taken.u))
        return replace(found, loose=self.goal.lags(found.value, found.bound))

    def _serves(self, problem: MarginProblem, state: ProximalState) -> bool:
        """Whether the last copy has all columns that have a weight or violate."""
        wanted = state.strict * self._wanted(problem, state.point)
        return state.narrow is not None and state.narrow.holds((state.w[:-1] != 0.0) | (state.off[:-1] > wanted))

    def _narrow_step(self, problem: MarginProblem, state: ProximalState) -> ProximalState:
        """The problem on the copy of a working set, minimised; then a look at all columns, where one is needed."""
        point, before, narrow = state.point, float(state.off.max()), state.narrow
        assert narrow is not None
        wanted = state.strict * self._wanted(problem, point)
        threshold = float(problem.penalty.l1(problem.design.d).max())
        far = before > FAR * threshold
        here = narrow.minimise(problem, point, _LOOSE * before if far else min(wanted, self.loose * before))
        new = narrow.outside(problem, here)
        off = None if narrow.looked else narrow.off(here, problem.design.d)
        found = replace(_state(problem, new, state.bound, state.settled, off), strict=state.strict, narrow=narrow)
        after = float(found.off.max())
        still = new.value >= point.value - _EPS * abs(point.value) and after > 0.5 * before
        found = replace(found, done=Status.STALLED if still else None)
        keep(problem, new, narrow)
        wanted = state.strict * self._wanted(problem, new)
        if still or after <= max(10.0 * wanted, 2.0 * self.goal.target * threshold):
            bound = narrow.bound(problem, here)
            if bound is None:
                found = self._bounded(problem, found, (new, None))
            else:
                found = replace(found, bound=max(state.bound, bound, key=lambda b: b.value), strict=0.2 * state.strict)
        # a bound is loose as long as columns outside of the copy violate
        unseen = not narrow.holds(found.off[:-1] > _PLAIN_LAG * threshold)
        return replace(found, loose=unseen and self.goal.lags(found.value, found.bound))

    def finish(self, problem: Problem, state: ProximalState) -> ProximalState:
        """The bound linearised at the point itself: at θ = −ℓ′ it loses as much as slopes are off, P their square."""
        if self.goal.to_rounding:
            return self._polished(problem, state)
        loose = state.value - state.bound.value > _PLAIN_LAG * abs(state.value)
        if state.narrow is None or not loose or not problem.loss.offers("conjugate"):
            return state
        return self._bounded(problem, state, (state.point, state.narrow.foresee(state.point)))

    def _polished(self, problem: Problem, state: ProximalState) -> ProximalState:
        """After one more step, judged by its slopes: where P is known to rounding, w is known to the root of that."""
        state = _looked(problem, state)
        model = model_at(problem, state.point, working_set(problem, state.w, state.off, state.settled))
        before = float(state.off.max())
        model.minimise(1e-3 * before, 10 * self.sweeps)
        found = _state(problem, problem.at(model.z), state.bound, state.settled)
        better = float(found.off.max()) < 0.5 * before
        return found if better and found.value <= state.value + 8.0 * _EPS * abs(state.value) else state

    def _wanted(self, problem: Problem, point: Point) -> float:
        """The violation at which the bound is near enough: it loses about Σ |wⱼ| times that."""
        size = float(np.abs(point.w[:-1]).sum()) + float(np.abs(point.w[-1]).max())
        return 0.2 * self.goal.target * abs(point.value) / max(size, 1e-3)

    def _bounded(
        self, problem: Problem, state: ProximalState, before: tuple[Point, FloatArray | None]
    ) -> ProximalState:
        """With the bound of the step from the point before along its scores u, and the columns that it rules out."""
        point, u = before
        if u is None or not problem.loss.offers("conjugate"):
            dual = dual_at(problem, state.point)
        else:
            dual = problem.dual(problem.linearised_dual_point(point, u))
        bound = dual_bound(problem, dual, state.value)
        if len(problem.shape) == 1 and is_formed(problem) and self._coarse(state.value, bound):
            bound = max(bound, curvature_bound(problem, state.point), key=lambda b: b.value)
        settled = state.settled
        if state.value - bound.value > self.goal.target * abs(state.value):  # else there is no next step
            settled = settled | certainly_zero(problem, state.value, bound)
        bound = max(state.bound, bound, key=lambda b: b.value)
        return replace(state, bound=bound, settled=settled, strict=0.2 * state.strict)

    def _coarse(self, value: float, bound: Bound) -> bool:
        gap = value - bound.value
        return not gap <= self.goal.target * abs(value) and (
            not np.isfinite(gap) or bound.allowance > _COARSE * abs(value)
        )

    def _sample_optimum(self, problem: Problem) -> FloatArray:
        """The optimum of a random sample, itself started from the optimum of a sample of the sample."""
        sizes: list[int] = []
        size = problem.design.n // self.growth
        while size >= max(self.fewest * int(np.prod(problem.shape)), 2000):
            sizes.insert(0, size)
            size //= self.growth
        w = problem.zero()
        w[:-1] = problem.penalty.clip(w[:-1])
        for sample in nested_samples(problem, sizes, self.seed):
            w = self._loosely(sample, w)
        return w

    def _loosely(self, problem: Problem, w: FloatArray) -> FloatArray:
        """Steps until the excess is below what the sample itself is off by."""
        point = problem.at(w)
        noise = 0.1 * np.prod(problem.shape) / problem.design.n
        with keeping(lambda: point.w):
            for _ in range(20):
                model = model_at(problem, point, np.arange(problem.design.d))
                wrong = float(violations(problem, point.w, loss_gradient(problem, point)).max())
                model.minimise(1e-3 * wrong, self.sweeps)
                promise = promise_of(problem, point, model.z)
                new, _ = advance(problem, point, model.z, promise)
                if new is point or promise <= noise * point.value or out_of_time():
                    return new.w
                point = new
        return point.w


def _looked(problem: Problem, state: ProximalState) -> ProximalState:
    """The state with the slopes of all columns, where a copy did without them."""
    if state.narrow is None or state.narrow.looked or not isinstance(problem, MarginProblem):
        return state
    point = problem.at_scores(state.w, state.point.scores)
    return replace(_state(problem, point, state.bound, state.settled), strict=state.strict)


def _copy(problem: MarginProblem, state: ProximalState) -> Narrow:
    """Of the working set, and of columns that may violate soon."""
    point = state.point
    seen = Seen.of(problem, problem.slopes(point.scores)[1], loss_gradient(problem, point))
    working = working_set(problem, state.w, state.off, state.settled)
    soon = _SOON + _TIMES * int(np.count_nonzero(state.w[:-1]))
    near = seen.nearest(problem, min(soon, MOST - len(working)))
    return Narrow(problem, np.union1d(working, near), seen)


def _first_point(problem: Problem, w: FloatArray) -> Point:
    """At w; where w is 0 without a look at the rows' scores."""
    if not isinstance(problem, MarginProblem) or w.any():
        return problem.at(w)
    return problem.at_scores(w, np.zeros(problem.design.n) if problem.offset is None else problem.offset.copy())


def _state(
    problem: Problem, point: Point, bound: Bound, settled: BoolArray, off: FloatArray | None = None
) -> ProximalState:
    if off is None:
        off = violations(problem, point.w, loss_gradient(problem, point))
        if not problem.intercept:
            off[-1] = 0.0
    size = float(np.linalg.norm(off))
    return ProximalState(point.w, point.value, bound, size, point=point, off=off, settled=settled)
