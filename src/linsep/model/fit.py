"""From data and an objective to a model: the problems of the scheme, one solution each, one certificate.

Each binary problem of a reduction is the mean over its own rows with the same α; `tol` binds the worst.
Where time or patience ends early, the problems not yet begun keep w = 0, and the certificate says so.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np

from linsep.certify import Certificate, Kind, combine
from linsep.errors import Refused
from linsep.model.fingerprint import fingerprints, of_model
from linsep.model.model import LinearModel, Objective, Origin, Run
from linsep.model.training import Training
from linsep.model.watch import Watch
from linsep.problem.joint_problem import JointProblem
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.problem import Problem
from linsep.problem.reductions import Joint, Reduction, Task
from linsep.solvers import Solution, Status, fit_problem
from linsep.types import BoolArray, FloatArray

#: Of several problems the one furthest up decides the status of the model.
_WORST_FIRST = (
    Status.NO_OPTIMUM,
    Status.INTERRUPTED,
    Status.TIME_LIMIT,
    Status.MAX_ITER,
    Status.STALLED,
    Status.STATIONARY,
    Status.NUMERICAL_LIMIT,
    Status.CERTIFIED,
)


def worst_status(statuses: Sequence[Status]) -> Status:
    """Of several problems the one that decides the status of the model."""
    return min(statuses, key=_WORST_FIRST.index)


@dataclass(frozen=True)
class Effort:
    """How to solve, how well, and what it may cost; `time_limit` in seconds, for all problems together."""

    solver: str = "auto"
    tol: float = 1e-4
    max_iter: int | None = None
    time_limit: float = inf
    seed: int = 0


def fit_model(
    training: Training,
    objective: Objective,
    effort: Effort,
    start: FloatArray | None = None,
    watch: Watch | None = None,
) -> LinearModel:
    """The certified model. start: weights (d + 1, m) to begin from."""
    w, solutions = fit_weights(training, objective, effort, start, watch)
    return as_model(training, objective, solutions, w, effort.seed)


def fit_weights(
    training: Training,
    objective: Objective,
    effort: Effort,
    start: FloatArray | None = None,
    watch: Watch | None = None,
) -> tuple[FloatArray, list[Solution]]:
    """The weights (d + 1, m), and a solution for each problem of the scheme."""
    scheme = objective.scheme
    refusal = objective.loss.refusal or scheme.refusal(training.n_classes, training.design.d)
    if refusal:
        raise Refused(refusal)
    w = np.zeros((training.design.d + 1, scheme.count(training.n_classes)))
    solve = _Solve(effort, w.shape[1] if isinstance(scheme, Reduction) else 1, watch)
    if isinstance(scheme, Joint):
        solutions = [solve(_joint_problem(training, objective, scheme), start)]
        w[:] = solutions[0].w
        if scheme.shift_invariant:
            loose = _unpenalised_rows(objective, len(w))
            w[loose] -= w[loose].mean(axis=1, keepdims=True)
    else:
        assert isinstance(scheme, Reduction)
        solutions = []
        for j, task in enumerate(scheme.reduce(training.labels)):
            begin = None if start is None else np.ascontiguousarray(start[:, j])
            solution = solve(_margin_problem(training, objective, task, j), begin)
            w[:, j] = solution.w
            # kinks of loss or penalty need multipliers to be verified; else there may be many problems
            keep = w.shape[1] == 1 or not objective.loss.smooth or not objective.penalty.ridge
            solutions.append(solution if keep else replace(solution, dual=None))
    return w, solutions


def _unpenalised_rows(objective: Objective, count: int) -> BoolArray:
    """Rows of w that may be shifted by a common number: all under a ridge, whose optimum sums to 0; else free ones."""
    if objective.penalty.ridge:
        return np.ones(count, dtype=bool)
    return np.append(objective.penalty.free(count - 1), True)


@dataclass
class _Solve:
    """Solves problem after problem on one budget of time; what ends one ends all."""

    effort: Effort
    count: int
    watch: Watch | None
    began: float = field(default_factory=time.perf_counter)
    done: int = 0
    ended: Status | None = None

    def __call__(self, problem: Problem, start: FloatArray | None) -> Solution:
        left = self.effort.time_limit - (time.perf_counter() - self.began)
        if left <= 0.0 and self.done > 0:
            self.ended = self.ended or Status.TIME_LIMIT
        if self.ended is not None:
            return _unsolved(problem, self.ended, self.effort.tol)
        try:
            if self.watch is not None:
                self.watch.begin(self.done, self.count)
            solution = self._fit(problem, start, max(left, 0.0))
        except KeyboardInterrupt:
            if self.done == 0:
                raise
            solution = _unsolved(problem, Status.INTERRUPTED, self.effort.tol)
        self.done += 1
        if solution.status is Status.INTERRUPTED:
            self.ended = Status.INTERRUPTED
        return solution

    def _fit(self, problem: Problem, start: FloatArray | None, left: float) -> Solution:
        e = self.effort
        return fit_problem(problem, e.solver, e.tol, start, e.max_iter, left, e.seed, self.watch)


def _unsolved(problem: Problem, status: Status, tol: float) -> Solution:
    """w = 0, nothing proved."""
    assert isinstance(problem, MarginProblem)
    primal = float(problem.loss.value(np.zeros(1))[0])
    return Solution(problem.zero(), None, status, Certificate(primal, -inf, Kind.NONE, tol, problem.alpha))


def problems_of(training: Training, objective: Objective) -> Iterator[Problem]:
    """The problems of the scheme, made one by one."""
    scheme = objective.scheme
    if isinstance(scheme, Joint):
        yield _joint_problem(training, objective, scheme)
        return
    assert isinstance(scheme, Reduction)
    for j, task in enumerate(scheme.reduce(training.labels)):
        yield _margin_problem(training, objective, task, j)


def _joint_problem(training: Training, objective: Objective, scheme: Joint) -> JointProblem:
    return JointProblem(
        training.design,
        training.labels.codes,
        training.weights,
        objective.penalty,
        objective.intercept,
        offset=training.offset,
        loss=scheme.loss,
        n_classes=training.n_classes,
    )


def _margin_problem(training: Training, objective: Objective, task: Task, j: int) -> MarginProblem:
    design, weights, offset = training.design, training.weights, training.offset
    if offset is not None and offset.ndim == 2:
        offset = np.ascontiguousarray(offset[:, j])
    if task.rows is not None:
        design = design.rows(task.rows)
        weights = None if weights is None else weights[task.rows]
        offset = None if offset is None else offset[task.rows]
    return MarginProblem(
        design, task.signs, weights, objective.penalty, objective.intercept, loss=objective.loss, offset=offset
    )


def certificate_of(solutions: Sequence[Solution]) -> Certificate:
    """Of all problems together."""
    return solutions[0].certificate if len(solutions) == 1 else combine(tuple(s.certificate for s in solutions))


def as_model(
    training: Training, objective: Objective, solutions: list[Solution], w: FloatArray, seed: int | None = None
) -> LinearModel:
    """The model of solved problems, with one certificate and the fingerprints of what it speaks of."""
    certificate = certificate_of(solutions)
    prints = fingerprints(training.design, training.labels, training.weights, training.offset)
    total = float(training.design.n) if training.weights is None else float(training.weights.sum())
    model = LinearModel(
        w=w,
        classes=training.labels.classes,
        objective=objective,
        certificate=certificate,
        run=Run(
            status=worst_status([s.status for s in solutions]),
            solver=solutions[0].solver,
            traces=tuple(s.trace for s in solutions),
            statuses=tuple(s.status for s in solutions),
            dual=tuple(s.dual for s in solutions),
        ),
        origin=Origin(
            training.design.n,
            total,
            training.names,
            prints,
            training.owner,
            training.class_weight,
            seed,
            class_factors=training.class_factors,
        ),
    )
    prints.update(of_model(model))
    return replace(model, certificate=replace(certificate, fingerprint=prints))
