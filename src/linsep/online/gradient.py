"""Gradient descent: epochs of steps until a rule stops it, with a record of every epoch.

    |Δw| < tol_w       the change of (w, b) over an epoch
    |ΔL| < tol_loss    the change over an epoch of the objective (steps on all rows) or of the smoothed loss
    max_epochs         the budget

Whichever comes first ends the descent. A loss that is not finite, or that has risen for three epochs to ten times
where it began, is a divergence: the rate is too large for the curvature.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import pairwise
from math import isfinite, nan

import numpy as np

from linsep.errors import Diverged
from linsep.kernels import native
from linsep.online.gradient_rate import bounded, curvature, rate_from
from linsep.online.gradient_steps import Order, Pace, Steps, Walk, mean_loss, steps_of
from linsep.online.gradient_task import Task
from linsep.online.recording import refuse_beyond
from linsep.types import FloatArray

_RISING, _FACTOR = 3, 10.0


class GradientStatus(Enum):
    """How a descent ended; the value is the message."""

    SMALL_STEP = "|Δw| over an epoch fell below tol_w"
    SMALL_CHANGE = "|ΔL| over an epoch fell below tol_loss"
    MAX_EPOCHS = "max_epochs was reached before a stopping rule was met"
    ALL_EPOCHS = "max_epochs passes were made, as asked: no stopping rule was given"
    STREAM = "partial_fit: one pass over each chunk"
    INTERRUPTED = "interrupted; these are the weights so far"
    DIVERGED = "the loss grew without bound: the learning rate is too large"

    @property
    def converged(self) -> bool:
        """Whether a stopping rule was met, or none was asked for."""
        return self not in (GradientStatus.MAX_EPOCHS, GradientStatus.INTERRUPTED, GradientStatus.DIVERGED)


@dataclass(frozen=True)
class Epoch:
    """One line of the history.

    epoch     0 is the start
    updates   steps so far
    loss      the mean loss of all rows after the epoch; NaN where it was not computed
    penalty   α [(1 − ρ)/2 ‖w‖² + ρ ‖w‖₁] after the epoch
    smoothed  L after the epoch
    change    |Δw|, with the intercept, over the epoch
    rate      η of the last step
    seconds   since the descent began
    """

    epoch: int
    updates: int
    loss: float
    penalty: float
    smoothed: float
    change: float
    rate: float
    seconds: float

    @property
    def objective(self) -> float:
        """loss + penalty."""
        return self.loss + self.penalty


@dataclass(frozen=True)
class Rules:
    """When to stop, what to keep, and whether rows are reshuffled (by `seed`) before each epoch."""

    max_epochs: int
    tol_w: float | None = None
    tol_loss: float | None = None
    shuffle: bool = True
    seed: int = 0
    record: str | None = None  # "epochs": weights after each, "updates": after every update; both with the loss


@dataclass(frozen=True, eq=False)
class Descent:
    """What a descent returns; path: the weights recorded, from the start on, or None."""

    walk: Walk
    status: GradientStatus
    history: list[Epoch]
    path: FloatArray | None

    @property
    def rise(self) -> float:
        """How far the objective ended above its start: > 0 where the descent was none.

        A start that cannot be improved on does not count: the perceptron loss is 0 at w = 0.
        """
        first, last = self.history[0].objective, self.history[-1].objective
        return last - first if first > 0.0 else 0.0


def descend(task: Task, pace: Pace, rules: Rules, w: FloatArray, watch: Callable[[Epoch], None]) -> Descent:
    """From w, until a rule stops it. The smoothed loss begins at the full loss."""
    run = _Run(task, pace, rules, watch)
    with np.errstate(over="ignore", invalid="ignore"):
        return run(w)


@dataclass(eq=False)
class _Run:
    task: Task
    pace: Pace
    rules: Rules
    watch: Callable[[Epoch], None]
    history: list[Epoch] = field(default_factory=list)
    path: list[FloatArray] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)

    def __call__(self, w: FloatArray) -> Descent:
        start = mean_loss(self.task, w)
        walk = Walk(np.array(w), 0, start)
        self._note(walk, start, walk.w)
        self._keep(walk.w[None])
        before, status = walk.w, None
        order, random = np.arange(self.task.design.n, dtype=np.int32), 2 * self.rules.seed + 1
        steps = steps_of(self.task, self.pace)
        try:
            while status is None:
                before = walk.w.copy()
                if self.rules.shuffle and self.pace.batch is not None:
                    random = native.shuffle(order, random)
                self._epoch(steps, walk, order)
                self._note(walk, self._loss(steps, walk), before)
                status = self._stop()
        except KeyboardInterrupt:
            status = GradientStatus.INTERRUPTED
            if walk.t > self.history[-1].updates:
                self._note(walk, nan, before)
        self._complete(walk)
        return Descent(walk, status, self.history, np.concatenate(self.path) if self.path else None)

    def _epoch(self, steps: Steps, walk: Walk, order: Order) -> None:
        path = self._room(walk.w.shape) if self.rules.record == "updates" else None
        steps.epoch(walk, order, path)
        self._keep(walk.w[None] if path is None else path)

    def _room(self, shape: tuple[int, ...]) -> FloatArray:
        updates = 1 if self.pace.batch is None else -(-self.task.design.n // self.pace.batch)
        self._refuse_beyond(updates * int(np.prod(shape)))
        return np.empty((updates, *shape))

    def _keep(self, weights: FloatArray) -> None:
        if self.rules.record is not None:
            self._refuse_beyond(weights.size)
            self.path.append(weights.copy())

    def _refuse_beyond(self, more: int) -> None:
        kept = sum(part.size for part in self.path)
        refuse_beyond(kept + more, "give record='epochs', fewer max_epochs or fewer rows")

    def _loss(self, steps: Steps, walk: Walk) -> float:
        known = steps.loss(walk) if walk.t > 0 else None
        if known is None and self.rules.record is not None:
            return mean_loss(self.task, walk.w)
        return nan if known is None else known

    def _note(self, walk: Walk, loss: float, before: FloatArray) -> None:
        penalty, rate = self.task.penalty.value(walk.w[:-1]), self.pace.schedule.rate(walk.t)
        seconds, change = time.perf_counter() - self.began, float(np.linalg.norm(walk.w - before))
        line = Epoch(len(self.history), walk.t, loss, penalty, walk.smoothed, change, rate, seconds)
        self.history.append(line)
        self.watch(line)

    def _complete(self, walk: Walk) -> None:
        """The last line always has the full loss."""
        if np.isnan(self.history[-1].loss) and np.isfinite(walk.w).all():
            self.history[-1] = replace(self.history[-1], loss=mean_loss(self.task, walk.w))

    def _stop(self) -> GradientStatus | None:
        rules, last, now = self.rules, self.history[-2], self.history[-1]
        if diverged(self.history, self.pace.batch is None):
            return GradientStatus.DIVERGED
        if rules.tol_w is not None and now.change < rules.tol_w:
            return GradientStatus.SMALL_STEP
        fall = level(last, self.pace.batch is None) - level(now, self.pace.batch is None)
        if rules.tol_loss is not None and abs(fall) < rules.tol_loss:
            return GradientStatus.SMALL_CHANGE
        if now.epoch < rules.max_epochs:
            return None
        ruled = rules.tol_w is not None or rules.tol_loss is not None
        return GradientStatus.MAX_EPOCHS if ruled else GradientStatus.ALL_EPOCHS


def level(line: Epoch, full: bool) -> float:
    """What |ΔL| is about: the objective where every step knows it, else the smoothed loss."""
    return line.objective if full else line.smoothed


def diverged(history: list[Epoch], full: bool) -> bool:
    """Not finite, or risen for three epochs to ten times the start."""
    now = level(history[-1], full)
    if not (isfinite(now) and isfinite(history[-1].change)):
        return True
    levels = [level(line, full) for line in history[-_RISING - 1 :]]
    rising = len(levels) > _RISING and all(a < b for a, b in pairwise(levels))
    return rising and now > _FACTOR * max(level(history[0], full), 0.1)


def too_large(task: Task, pace: Pace, history: list[Epoch]) -> Diverged:
    """The divergence explained, with a rate that works."""
    now, eta0 = history[-1], pace.schedule.eta0
    return Diverged(
        f"gradient descent diverged: after {now.epoch} epoch{'s' if now.epoch > 1 else ''} the loss went from "
        f"{history[0].loss:.4g} to {level(now, pace.batch is None):.4g} with eta0={eta0:g}. {better_rate(task, pace)}"
    )


def better_rate(task: Task, pace: Pace) -> str:
    """What the curvature allows, in words, with a rate below the present one."""
    L = curvature(task, pace.batch)
    works, sure = rate_from(L), bounded(task.loss)
    if pace.schedule.eta0 <= 1.01 * works and sure:
        return (
            f"The rate is within 1/L = {works:.3g}, and at a constant rate single steps go on around the optimum: let "
            f"it fall (learning_rate='1/t' or 'inverse_scaling'), take larger batches, or eta0={0.1 * works:.3g}"
        ) + _scaling_hint(task)
    if pace.schedule.eta0 <= 1.01 * works:
        works = 0.1 * pace.schedule.eta0
        why = f"The loss {(task.margin or task.loss).name!r} has no bounded curvature, so a rate has to be tried out: "
        return why + f"use eta0={works:.3g} or less{_scaling_hint(task)}"
    why = f"The curvature of this problem is L = {L:.4g}: rates up to 1/L descend, above 2/L they need not. "
    if not sure:
        why = f"The curvature near w = 0 is about L = {L:.4g}, which asks for a rate of 1/L. "
    return why + f"Use eta0={works:.3g} or learning_rate='curvature'{_scaling_hint(task)}"


def _scaling_hint(task: Task) -> str:
    squares = task.design.column_squares
    used = squares[squares > 0.0]
    if not len(used) or float(used.max()) < 1e4 * float(used.min()):
        return ""
    ratio = float(np.sqrt(used.max() / used.min()))
    return f"; the features differ in size by a factor of {ratio:.3g}, so scale=True will need far fewer epochs"
