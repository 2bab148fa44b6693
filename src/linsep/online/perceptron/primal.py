"""The perceptron in the space of the rows: w and b, moved by the compiled epochs.

Centred rows are x − μ. Dense rows are centred in a copy, because ⟨w, x⟩ − ⟨w, μ⟩ would cancel where the mean is large;
sparse rows stay as they are, and the kernel carries what μ adds (kernels/perceptron.hpp).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linsep.data.design import Design
from linsep.data.source import as_design
from linsep.kernels import native
from linsep.online.perceptron.epochs import Pocket, Watch, run_epochs
from linsep.online.perceptron.plan import TIES, PerceptronStatus, Plan, Result
from linsep.online.recording import refuse_beyond
from linsep.types import FloatArray, IntArray

#: Scores that the pocket may hold at a time.
_POCKET_SCORES = 8_000_000
#: Numbers recorded at a time.
_RECORDED = 10_000_000


@dataclass(frozen=True, eq=False)
class PrimalResult:
    """Weights (units, d + 1), the intercept last, for the rows as given; the record of the run.

    path, rows   where recorded: the weights at the start and after every update, and the (first) row of each
    """

    weights: FloatArray
    record: Result
    path: FloatArray | None = None
    rows: IntArray | None = None


@dataclass(frozen=True, eq=False)
class Centring:
    """Weights of centred rows to and from those of rows as given; the identity without a mean."""

    mean: FloatArray | None
    shifted: bool = False

    def inwards(self, w: FloatArray) -> FloatArray:
        """(units, d + 1) → the kernel's weights."""
        if self.mean is None:
            return w.copy()
        at_mean = w[:, :-1] @ self.mean
        inner = np.column_stack([w[:, :-1], w[:, -1] + at_mean])
        return np.column_stack([inner, np.zeros(len(w)), at_mean]) if self.shifted else inner

    def centred(self, v: FloatArray) -> FloatArray:
        """The kernel's weights (…, width) → those of centred rows (…, d + 1)."""
        if self.mean is None or not self.shifted:
            return v.copy()
        d = len(self.mean)
        w = v[..., : d + 1].copy()
        w[..., :d] -= v[..., d + 1, None] * self.mean
        return w

    def outwards(self, v: FloatArray) -> FloatArray:
        """The kernel's weights (…, width) → (…, d + 1)."""
        w = self.centred(v)
        if self.mean is not None:
            w[..., -1] -= w[..., :-1] @ self.mean
        return w


class PrimalLearner:
    """Rows, classes and the kernel's state."""

    def __init__(self, design: Design, codes: IntArray, plan: Plan, start: FloatArray, center: bool) -> None:
        mean = column_means(design) if center else None
        self.centring = Centring(mean, shifted=center and design.sparse)
        self.design = design
        shift, mean2 = None, 0.0
        if mean is not None and design.sparse:
            shift, mean2 = design.scores(np.append(mean, 0.0)), float(mean @ mean)
        elif mean is not None:
            self.design = as_design(design.source - mean, design.threads)
        self.n, self.codes, self.plan = design.n, np.ascontiguousarray(codes), plan
        self.weights = np.ascontiguousarray(self.centring.inwards(start))
        settings = native.PerceptronSettings.of(
            plan.rule, plan.rate, TIES[plan.tie], min(plan.batch, self.n), plan.joint, plan.bias,
            plan.normalize, plan.average, plan.record, plan.pocket == "update",
        )  # fmt: skip
        self.state = native.PerceptronRun.over(
            self.design.matrix, self.codes, self.weights, len(start), shift, mean2, settings
        )

    def epoch(self, order: IntArray) -> IntArray:
        """In parts where every w is recorded, so that the record cannot outgrow its room unseen."""
        mistakes, here = np.zeros(len(self.weights), dtype=np.int64), np.empty(len(self.weights), dtype=np.int64)
        blocks = max(1, _RECORDED // self.weights.size) if self.plan.record else self.n
        part = blocks * min(self.plan.batch, self.n)
        for first in range(0, len(order), part):
            self.state.epoch(order[first : first + part], here)
            mistakes += here
            refuse_beyond(self.state.recorded * self.weights.size, "give fewer max_epochs or rows, or record=False")
        return mistakes

    def point(self) -> FloatArray:
        return self.centring.centred(self.weights)

    def mistakes(self) -> int:
        return int(self.state.mistakes())

    def errors(self, candidates: Sequence[FloatArray]) -> list[int]:
        """Wrong predictions of each of the candidates, in one pass."""
        stacked = np.concatenate(candidates)
        W = self.centring.outwards(stacked) if self.centring.shifted else stacked
        scores = self.design.scores(np.ascontiguousarray(W.T))
        units = len(self.weights)
        parts = [scores[:, k : k + units] for k in range(0, scores.shape[1], units)]
        return [int((predicted(part, self.plan.tie) != self.codes).sum()) for part in parts]

    def averaged(self) -> FloatArray:
        """The mean of the weights over all steps, corrected or not."""
        total = np.empty_like(self.weights)
        return total / max(self.state.total(total), 1)

    def path(self, start: FloatArray) -> tuple[FloatArray, IntArray]:
        rows = np.empty(self.state.recorded, dtype=np.int64)
        weights = np.empty((len(rows), *self.weights.shape))
        self.state.path(weights, rows)
        return np.concatenate([start[None], self.centring.outwards(weights)]), rows


def column_means(design: Design) -> FloatArray:
    """μ, accurate also where it is large."""
    if design.sparse:
        return design.adjoint(np.ones(design.n))[:-1] / design.n
    return np.asarray(design.source.mean(axis=0, dtype=np.float64))


def stable_rate(design: Design, plan: Plan, center: bool) -> float:
    """Below 2/(m·max‖x‖²) the delta rule with blocks of m rows cannot diverge: no step overshoots twice its aim."""
    squares = design.row_norms() + float(plan.bias)
    if center:
        mean = column_means(design)
        squares += float(mean @ mean) - 2.0 * design.scores(np.append(mean, 0.0))
    largest = float(squares.max())
    return 2.0 / (plan.batch * largest) if largest > 0.0 else 2.0


def predicted(scores: FloatArray, tie: str) -> IntArray:
    """Class numbers: by the sign of one score, by the largest of K; of equals the first, or (positive) the last."""
    later = tie == "positive"
    if scores.shape[1] == 1:
        z = scores[:, 0]
        return np.asarray(z >= 0.0 if later else z > 0.0, dtype=np.int64)
    if later:
        return np.asarray(scores.shape[1] - 1 - scores[:, ::-1].argmax(axis=1))
    return np.asarray(scores.argmax(axis=1))


def run_primal(
    design: Design, codes: IntArray, plan: Plan, start: FloatArray, *, center: bool, watch: Watch = lambda *_: None
) -> PrimalResult:
    """The perceptron from `start` (units, d + 1). A start other than 0 may end in the pocket."""
    if center and not plan.bias:  # the space of x − μ: every hyperplane of the run, the first too, passes through μ
        start = np.column_stack([start[:, :-1], -(start[:, :-1] @ column_means(design))])
    learner = PrimalLearner(design, codes, plan, start, center)
    room = max(1, min(8, _POCKET_SCORES // (design.n * len(start))))
    pocket = Pocket(learner.errors, room, shortlist=plan.pocket is None)
    by_update = plan.pocket == "update"
    if start.any():
        learner.state.judge() if by_update else pocket.offer(learner.weights)
    status, mistakes = run_epochs(learner, plan, None if by_update else pocket, watch)
    updates = np.empty(len(start), dtype=np.int64)
    learner.state.updates(updates)
    if by_update:
        pocket.best = np.empty_like(learner.weights)
        pocket.best_errors = int(learner.state.best(pocket.best))
    weights, errors, best = _chosen(learner, plan, pocket, status)
    path, rows = learner.path(start) if plan.record else (None, None)
    record = Result(status, mistakes, updates, (design.n - errors) / design.n, (design.n - best) / design.n)
    return PrimalResult(learner.centring.outwards(weights), record, path, rows)


def _chosen(
    learner: PrimalLearner, plan: Plan, pocket: Pocket, status: PerceptronStatus
) -> tuple[FloatArray, int, int]:
    """The weights to return, their wrong predictions, and those of the pocket."""
    perfect = status is PerceptronStatus.CONVERGED
    if perfect and not plan.average:
        return learner.weights, 0, 0
    if not perfect:
        pocket.settle()
    if plan.pocket and not perfect and pocket.best is not None and pocket.best_errors >= 0:
        return pocket.best, pocket.best_errors, pocket.best_errors
    weights = learner.averaged() if plan.average else learner.weights
    errors = learner.errors([weights])[0]
    return weights, errors, 0 if perfect else _least(pocket.best_errors, errors)


def _least(best: int, errors: int) -> int:
    """Of the pocket, or of these weights where they are better or nothing was judged."""
    return errors if best < 0 else min(best, errors)
