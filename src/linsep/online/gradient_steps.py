"""The steps of gradient descent: on one row, on a mini-batch, on all rows.

    L ← a·(mean ℓ of the step's rows) + (1 − a)·L         with the w before the step
    w ← soft(w − η_t (mean ∇ℓ of the step's rows + α(1−ρ) w), η_t αρ)        b without the penalty

soft moves every weight towards 0 and leaves it there if it would pass: the prox of the L1 part; ρ = 0 is plain descent.

`CompiledSteps` and `NumpySteps` take an epoch of steps over the rows in the given order; `FullSteps` take one step
on all rows, which is an epoch too, and know the loss after it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from linsep.data.design import Design
from linsep.data.source import as_design
from linsep.kernels import native
from linsep.online.gradient_rate import Schedule
from linsep.online.gradient_task import Task
from linsep.problem.penalties import L2, Penalty, soft
from linsep.problem.problem import Point
from linsep.types import FloatArray

Order = np.ndarray[tuple[int], np.dtype[np.int32]]


@dataclass(eq=False)
class Walk:
    """Where the descent is: weights with the intercept last, updates so far, the smoothed loss L."""

    w: FloatArray
    t: int
    smoothed: float


@dataclass(frozen=True)
class Pace:
    """How steps are taken: η_t, the a of the smoothed loss, rows a step (None: all)."""

    schedule: Schedule
    smoothing: float
    batch: int | None


class Steps(Protocol):
    """An epoch of steps."""

    def epoch(self, walk: Walk, order: Order, path: FloatArray | None) -> None:
        """Move the walk; path: the weights after every update, (updates, *shape)."""

    def loss(self, walk: Walk) -> float | None:
        """The mean loss over all rows where it is known without a pass."""


def steps_of(task: Task, pace: Pace) -> Steps:
    """The fastest that can take these steps."""
    if pace.batch is None:
        return FullSteps(task, pace)
    if task.kernel is None or type(task.penalty) not in (Penalty, L2):  # compiled steps know ridge and lasso only
        return NumpySteps(replace(task, design=replace(task.design, threads=1)), pace, pace.batch)
    return CompiledSteps(replace(task, design=by_rows(task.design)), pace, pace.batch, task.kernel)


def by_rows(design: Design) -> Design:
    """Dense rows in Fortran order are copied: a step reads a row."""
    if design.sparse or design.source.strides[1] == design.source.itemsize or design.d == 1:
        return design
    return as_design(np.ascontiguousarray(design.source), design.threads)


def mean_loss(task: Task, w: FloatArray) -> float:
    """1/n Σ ℓ, by one pass; at w = 0 every row of a built-in loss has the same."""
    margin = task.margin
    if margin is not None and not w.any():
        at_zero = float(margin.value(np.zeros(1))[0])
        return at_zero if w.ndim == 1 else at_zero * w.shape[1]
    design = task.design
    scores = design.scores(w)
    if w.ndim == 1 and margin is not None and margin.kernel is not None:
        signs = np.where(task.target > 0.0, 1.0, -1.0)
        return native.loss_values(margin.kernel, scores, signs, None, 1.0 / design.n, None, None, design.threads)
    return task.slopes(scores, np.arange(design.n))[0]


@dataclass(frozen=True, eq=False)
class CompiledSteps:
    """By the kernel of the loss."""

    task: Task
    pace: Pace
    batch: int
    kernel: str

    def epoch(self, walk: Walk, order: Order, path: FloatArray | None) -> None:
        task, schedule = self.task, self.pace.schedule
        ridge, lasso = task.penalty.shares
        rate = (schedule.eta0, schedule.power)
        state = native.SgdState(*rate, ridge, self.pace.smoothing, task.intercept, lasso)
        state.t, state.loss = walk.t, walk.smoothed
        matrix, target = task.design.matrix, task.target
        if walk.w.ndim == 1:
            native.sgd_margin(self.kernel, matrix, target, order, self.batch, walk.w, state, path)
        else:
            k = task.n_classes
            native.sgd_joint(self.kernel, matrix, target, k, order, self.batch, walk.w, state, path)
        walk.t, walk.smoothed = state.t, state.loss

    def loss(self, walk: Walk) -> float | None:
        return None


@dataclass(frozen=True, eq=False)
class NumpySteps:
    """For a loss of the user's own: the same steps, with a pass of the design over each mini-batch."""

    task: Task
    pace: Pace
    batch: int

    def epoch(self, walk: Walk, order: Order, path: FloatArray | None) -> None:
        task, a = self.task, self.pace.smoothing
        for count, begin in enumerate(range(0, len(order), self.batch)):
            rows = order[begin : begin + self.batch].astype(np.int64)
            part = task.design.rows(rows)
            loss, slopes = task.slopes(part.scores(walk.w), rows)
            gradient = part.adjoint(slopes / len(rows))
            gradient[:-1] += task.penalty.gradient(walk.w[:-1])
            walk.t, walk.smoothed = walk.t + 1, a * loss + (1.0 - a) * walk.smoothed
            _descend(walk, gradient, task, self.pace.schedule)
            if path is not None:
                path[count] = walk.w

    def loss(self, walk: Walk) -> float | None:
        return None


@dataclass(eq=False)
class FullSteps:
    """One step on all rows: steepest descent. The pass after a step serves the next one."""

    task: Task
    pace: Pace

    def __post_init__(self) -> None:
        self.problem = self.task.problem()
        self.point: Point | None = None

    def epoch(self, walk: Walk, order: Order, path: FloatArray | None) -> None:
        point, a = self.point or self.problem.at(walk.w), self.pace.smoothing
        loss = point.value - self.task.penalty.value(walk.w[:-1])
        walk.t, walk.smoothed = walk.t + 1, a * loss + (1.0 - a) * walk.smoothed
        _descend(walk, point.grad, self.task, self.pace.schedule)
        self.point = self.problem.at(walk.w.copy())
        if path is not None:
            path[0] = walk.w

    def loss(self, walk: Walk) -> float | None:
        assert self.point is not None
        return self.point.value - self.task.penalty.value(walk.w[:-1])


def _descend(walk: Walk, gradient: FloatArray, task: Task, schedule: Schedule) -> None:
    """gradient: of the smooth part."""
    if not task.intercept:
        gradient[-1] = 0.0
    rate = schedule.rate(walk.t)
    walk.w -= rate * gradient
    lasso = task.penalty.shares[1]
    if lasso > 0.0:
        walk.w[:-1] = soft(walk.w[:-1], rate * lasso)
