"""The one loop of all perceptrons: epochs in their order, until one passes without a mistake.

Without mistakes there was no update, so the weights classify every row that was visited. Rows drawn with
replacement may leave some out: then all are judged before the run is called converged. The delta rule corrects rows
that are right as well; it has settled when an epoch moves the weights by at most tol·‖w‖.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

import numpy as np

from linsep.online.perceptron.plan import PerceptronStatus, Plan
from linsep.types import FloatArray, IntArray

#: Beyond this the delta rule has no limit; the other rules add at most η‖x‖ an update.
_HUGE = 1e100

#: Told after each epoch: its number, and the mistakes in it.
Watch = Callable[[int, int], None]


class Learner(Protocol):
    """What the loop needs."""

    n: int

    def epoch(self, order: IntArray) -> IntArray:
        """One pass; the mistakes of every unit."""

    def mistakes(self) -> int:
        """Rows that are mistakes at the present weights."""

    @property
    def weights(self) -> FloatArray:
        """The present weights, which epochs change in place."""

    def point(self) -> FloatArray:
        """Where the run is, in the space that the rows are seen in: a copy."""


@dataclass
class Pocket:
    """The best weights seen, by wrong predictions on the training rows; the first of equals; a copy.

    Candidates wait until `room` of them can be judged in one pass over the rows. A shortlist judges only at the end,
    those after the epochs with the fewest mistakes: it costs next to nothing, and serves where only the accuracy
    that a pocket could have is of interest.
    """

    errors: Callable[[Sequence[FloatArray]], Sequence[int]]
    room: int = 1
    shortlist: bool = False
    best: FloatArray | None = None
    best_errors: int = -1
    waiting: list[tuple[int, FloatArray]] = field(default_factory=list)

    def offer(self, weights: FloatArray, mistakes: int = 0) -> None:
        if self.shortlist and len(self.waiting) == self.room:
            worst = max(range(self.room), key=lambda k: self.waiting[k][0])
            if mistakes >= self.waiting[worst][0]:
                return
            del self.waiting[worst]
        self.waiting.append((mistakes, weights.copy()))
        if not self.shortlist and len(self.waiting) == self.room:
            self.settle()

    def settle(self) -> None:
        """Judge those who wait."""
        candidates = [weights for _, weights in self.waiting]
        self.waiting = []
        for weights, errors in zip(candidates, self.errors(candidates) if candidates else [], strict=True):
            if self.best is None or errors < self.best_errors:
                self.best, self.best_errors = weights, int(errors)


def orders(n: int, plan: Plan) -> Iterator[IntArray]:
    """An order of the rows for every epoch; NumPy's default generator with the plan's seed draws them."""
    rng = np.random.default_rng(plan.seed)
    given = np.arange(n, dtype=np.int64)
    while True:
        if plan.order == "given":
            yield given
        elif plan.order == "shuffled":
            yield rng.permutation(n)
        else:
            yield rng.integers(n, size=n)


def run_epochs(learner: Learner, plan: Plan, pocket: Pocket | None, watch: Watch) -> tuple[PerceptronStatus, IntArray]:
    """How it ended, and the mistakes of every epoch and unit."""
    history: list[IntArray] = []
    status = PerceptronStatus.UNSETTLED if plan.delta else PerceptronStatus.MAX_EPOCHS
    try:
        for order in islice(orders(learner.n, plan), plan.max_epochs):
            kept, before = (learner.weights.copy(), learner.point()) if plan.delta else (None, None)
            history.append(learner.epoch(order))
            watch(len(history), int(history[-1].sum()))
            ended = _ended(learner, plan, history[-1], before)
            if ended is PerceptronStatus.DIVERGED and kept is not None:
                learner.weights[...] = kept
            if pocket is not None and ended is not PerceptronStatus.CONVERGED:
                pocket.offer(learner.weights, int(history[-1].sum()))
            if ended is not None:
                status = ended
                break
    except KeyboardInterrupt:
        status = PerceptronStatus.INTERRUPTED
    return status, np.array(history, dtype=np.int64).reshape(len(history), -1)


def _ended(learner: Learner, plan: Plan, mistakes: IntArray, before: FloatArray | None) -> PerceptronStatus | None:
    if not np.abs(learner.weights).max() < (_HUGE if plan.delta else np.inf):
        return PerceptronStatus.DIVERGED
    if before is not None:
        w = learner.point()
        moved = float(np.linalg.norm(w - before))
        return PerceptronStatus.SETTLED if moved <= plan.tol * float(np.linalg.norm(w)) else None
    if mistakes.any() or (plan.order == "random" and learner.mistakes() > 0):
        return None
    return PerceptronStatus.CONVERGED
