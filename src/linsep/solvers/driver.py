"""The only loop: budget, stopping by certificate, trace, progress, interruption."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf, isfinite

from linsep.certify.bounds import Bound, plain_bound
from linsep.certify.certificate import Certificate, Kind
from linsep.certify.rounding import kink_rounding, least_allowance
from linsep.kernels.threads import single_threaded_blas
from linsep.problem.problem import Problem
from linsep.solvers.base import Solution, Solver, State
from linsep.solvers.outcome import Record, Status
from linsep.solvers.patience import Interrupted, OutOfTime, at_most
from linsep.types import FloatArray

Callback = Callable[[Record], None]

#: Of a gap, what matters little.
_LITTLE = 1e-3


@dataclass(frozen=True)
class Budget:
    """Steps and seconds that a fit may take."""

    max_iter: int = 10_000
    seconds: float = inf


@dataclass
class _Run:
    """The loop's own memory: clock, trace, and the best state."""

    budget: Budget
    callback: Callback | None
    began: float = field(default_factory=time.perf_counter)
    trace: list[Record] = field(default_factory=list)
    state: State | None = None

    def note(self, state: State) -> None:
        self.state = state
        record = Record(len(self.trace), time.perf_counter() - self.began, state.value, state.bound.value)
        self.trace.append(record)
        if self.callback is not None:
            self.callback(record)

    def exhausted(self) -> Status | None:
        if len(self.trace) > self.budget.max_iter:
            return Status.MAX_ITER
        if time.perf_counter() - self.began >= self.budget.seconds:
            return Status.TIME_LIMIT
        return None


def solve(
    problem: Problem,
    solver: Solver,
    start: FloatArray | None = None,
    budget: Budget | None = None,
    callback: Callback | None = None,
) -> Solution:
    """Run the solver until its certificate meets the goal, or the budget ends, or Ctrl-C.

    An interruption does not lose anything: the best point so far comes back with its gap.
    """
    run = _Run(budget or Budget(), callback)
    with single_threaded_blas(), at_most(run.budget.seconds):
        try:
            state = solver.init(problem, start)
            run.note(state)
            status, state = _stepped(problem, solver, state, run)
            bound = _rounded(problem, state, solver.goal.tol) if status is Status.CERTIFIED else state.bound
            if status is Status.CERTIFIED and not _within(solver, state.value, bound):
                # what rounding adds at kinks is too much: on to where nothing but rounding is left
                further = replace(solver, goal=replace(solver.goal, to_rounding=True))
                status, state = _stepped(problem, further, state, run)
            if status is Status.CERTIFIED and start is None:
                # a fit that begins from another's weights, as along a path, is asked for tol and no more
                run.state = solver.finish(problem, state)
        except KeyboardInterrupt as interrupt:
            status = Status.INTERRUPTED
            start = interrupt.w if isinstance(interrupt, Interrupted) else start
        except OutOfTime:
            status = Status.TIME_LIMIT
        state = _at_start(problem, start) if run.state is None else run.state
        if not (isfinite(state.bound.value) or status is Status.NO_OPTIMUM):
            state = replace(state, bound=plain_bound(problem, state.w))
        return conclude(problem, solver, state, status, run.trace)


def _stepped(problem: Problem, solver: Solver, state: State, run: _Run) -> tuple[Status, State]:
    """Steps until the goal is met, or the fit has ended otherwise."""
    while (status := _ended(solver, state, run.exhausted())) is None:
        state = solver.step(problem, state)
        run.note(state)
    return status, state


def _at_start(problem: Problem, start: FloatArray | None) -> State:
    """What there is when the interruption comes before the first step."""
    w = problem.zero() if start is None else start
    return State(w, problem.value(w, problem.scores(w)))


def _ended(solver: Solver, state: State, exhausted: Status | None) -> Status | None:
    """How the fit has ended, or None. Where the way on to rounding is cut short, tol may be met all the same."""
    gap, within = state.value - state.bound.value, _within(solver, state.value, state.bound)
    if isfinite(gap) and solver.goal.met(state.value, state.bound) and not state.loose:
        return Status.CERTIFIED if within else Status.NUMERICAL_LIMIT
    cut = state.done or exhausted
    return Status.CERTIFIED if cut and within else cut


def _within(solver: Solver, value: float, bound: Bound) -> bool:
    return isfinite(value - bound.value) and value - bound.value <= solver.goal.tol * abs(value)


def _rounded(problem: Problem, state: State, tol: float = 0.0) -> Bound:
    """What rounding does at the kinks of a loss is part of the gap.

    An estimate that is too large does where it is little beside the gap, or leaves the gap within tol.
    """
    bound: Bound = state.bound
    if problem.loss.smooth or not isfinite(bound.value):
        return bound
    gap = state.value - bound.value
    noise = kink_rounding(problem, state.w, max(_LITTLE * gap, tol * abs(state.value) - gap))
    return replace(bound, value=bound.value - noise, allowance=bound.allowance + noise)


def conclude(problem: Problem, solver: Solver, state: State, status: Status, trace: list[Record]) -> Solution:
    """The solution with its certificate."""
    bound = _rounded(problem, state)
    kind = bound.kind if problem.loss.convex else Kind.STATIONARY
    certificate = Certificate(
        primal=state.value,
        bound=bound.value if problem.loss.convex else -inf,
        kind=kind,
        tol=solver.goal.tol,
        alpha=problem.alpha,
        gradient=state.gradient,
        allowance=max(bound.allowance, least_allowance(problem)),
        strength=None if problem.penalty.ridge else problem.penalty.strength,
    )
    return Solution(state.w, bound.theta, status.proved_by(certificate), certificate, trace, solver.name)
