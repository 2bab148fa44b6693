"""The perceptron in its dual form: w = η Σ αᵢ tᵢ xᵢ, with αᵢ the number of times row i was corrected.

Only inner products are needed, so any kernel serves: k(x, z) in place of ⟨x, z⟩, and k + 1 with a bias, the extra
input of 1. The scores of all rows are kept, z = C k with C the coefficients (n, units): a correction of row i adds a
multiple of row i of the kernel matrix, so that a visit costs nothing and a correction O(n). Rows of the kernel matrix
are needed only for rows that are corrected: all at once where they are few, else as they come, the last used kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from linsep.data.design import Design
from linsep.data.reading import Expected, read_rows
from linsep.data.source import locate_non_finite
from linsep.errors import InvalidData, Refused
from linsep.online.perceptron.epochs import Pocket, Watch, run_epochs
from linsep.online.perceptron.plan import TIES, PerceptronStatus, Plan, Result
from linsep.online.perceptron.primal import column_means, predicted
from linsep.types import BoolArray, FloatArray, IntArray

#: Up to so many rows the kernel matrix is computed at once (128 MB).
_WHOLE = 4_000
#: Bytes of kernel rows kept beyond that.
_CACHE = 256 << 20
#: Kernel values computed at a time in prediction.
_BLOCK = 4_000_000


@dataclass(frozen=True, eq=False)
class DualResult:
    """Coefficients (n, units), w = Σᵢ coefficientsᵢ xᵢ; counts αᵢ, (n,) or (n, units); the record of the run.

    rows   the (first) row of every update, in their order
    """

    coefficients: FloatArray
    counts: IntArray
    record: Result
    rows: IntArray


class KernelRows:
    """Rows of the kernel matrix, plus 1 where there is a bias."""

    def __init__(self, kernel: Callable[[Any, Any], FloatArray], X: Any, bias: bool) -> None:
        self.kernel, self.X, self.n, self.extra = kernel, X, int(X.shape[0]), float(bias)
        self.room = max(1, _CACHE // (8 * self.n))
        self.kept: OrderedDict[int, FloatArray] = OrderedDict()
        self.whole = kernel(X, X) + self.extra if self.n <= _WHOLE else None

    def __getitem__(self, i: int) -> FloatArray:
        if self.whole is not None:
            return np.asarray(self.whole[i])
        if i in self.kept:
            self.kept.move_to_end(i)
            return self.kept[i]
        row: FloatArray = self.kernel(self.X[i : i + 1], self.X)[0] + self.extra
        self.kept[i] = row
        if len(self.kept) > self.room:
            self.kept.popitem(last=False)
        return row


class DualLearner:
    """Coefficients, and the scores of all rows that they mean."""

    def __init__(self, rows: KernelRows, codes: IntArray, units: int, plan: Plan) -> None:
        self.rows, self.n, self.codes, self.units, self.plan = rows, rows.n, codes, units, plan
        self.tie = TIES[plan.tie]
        positive = codes[:, None] == (np.arange(units) if units > 1 else 1)
        self.targets: FloatArray = np.where(positive, 1.0, -1.0)
        self.weights: FloatArray = np.zeros((self.n, units))
        self.scores: FloatArray = np.zeros((self.n, units))
        self.sum: FloatArray = np.zeros((self.n, units))
        self.counts: IntArray = np.zeros((self.n, 1 if plan.joint else units), dtype=np.int64)
        self.updates: IntArray = np.zeros(units, dtype=np.int64)
        self.corrected: list[int] = []
        self.steps = 0
        self.pocket = Pocket(lambda _: [self.errors()])

    def wrong(self, rows: IntArray) -> BoolArray:
        """(rows, units), or (rows, 1) for the joint rule: mistakes at the present scores."""
        z = self.scores[rows]
        if not self.plan.joint:
            t = self.targets[rows]
            return np.asarray(np.where(z == 0.0, (self.tie == 0) | (t != self.tie), (z > 0.0) != (t > 0.0)))
        own, rival = self.codes[rows], self.rival(rows)
        at = np.arange(len(rows))
        lead = z[at, own] - z[at, rival]
        loses_tie = np.full(len(rows), True) if self.tie == 0 else (rival > own) == (self.tie > 0)
        return np.asarray((lead < 0.0) | ((lead == 0.0) & loses_tie))[:, None]

    def rival(self, rows: IntArray) -> IntArray:
        """The best class other than a row's own."""
        z = self.scores[rows]
        z[np.arange(len(rows)), self.codes[rows]] = -np.inf
        return predicted(z, self.plan.tie)

    def steps_of(self, rows: IntArray, wrong: BoolArray) -> FloatArray:
        """(rows, units): what each mistake adds to the coefficients of its row."""
        if not self.plan.joint:
            scale = 2.0 if self.plan.rule == "thresholded" else 1.0
            return np.asarray(scale * self.plan.rate * self.targets[rows] * wrong)
        steps, at = np.zeros((len(rows), self.units)), np.arange(len(rows))
        steps[at, self.codes[rows]] = self.plan.rate
        steps[at, self.rival(rows)] = -self.plan.rate
        return steps

    def epoch(self, order: IntArray) -> IntArray:
        mistakes = np.zeros(self.units, dtype=np.int64)
        walk = self._incremental if self.plan.batch == 1 else self._blocks
        for rows, wrong, before in walk(order):
            mistakes[: wrong.shape[1]] += wrong.sum(axis=0)
            self._correct(rows, wrong, before)
        self.steps += -(-len(order) // self.plan.batch)
        return mistakes

    def _incremental(self, order: IntArray) -> Iterator[tuple[IntArray, BoolArray, int]]:
        """The next mistake, again and again: looked for in a window that widens while there is none."""
        position, window = 0, 32
        while position < len(order):
            rows = order[position : position + window]
            wrong = self.wrong(rows)
            hits = np.asarray(wrong.any(axis=1))
            first = int(hits.argmax())
            if hits[first]:
                yield rows[first : first + 1], wrong[first : first + 1], self.steps + position + first
                position, window = position + first + 1, max(32, window // 2)
            else:
                position, window = position + len(rows), 2 * window

    def _blocks(self, order: IntArray) -> Iterator[tuple[IntArray, BoolArray, int]]:
        """The mistakes of each block, all judged before any is corrected."""
        for k in range(0, len(order), self.plan.batch):
            rows = order[k : k + self.plan.batch]
            wrong = self.wrong(rows)
            hits = wrong.any(axis=1)
            if hits.any():
                yield rows[hits], wrong[hits], self.steps + k // self.plan.batch

    def _correct(self, rows: IntArray, wrong: BoolArray, before: int) -> None:
        """One update, after `before` steps."""
        for i, step, times in zip(rows, self.steps_of(rows, wrong), wrong, strict=True):
            self.weights[i] += step
            self.sum[i] -= before * step
            self.counts[i] += times
            row = self.rows[int(i)]
            for k in np.flatnonzero(step):
                self.scores[:, k] += step[k] * row
        self.updates[: wrong.shape[1]] += wrong.any(axis=0)
        self.corrected.append(int(rows[0]))
        if self.plan.pocket == "update":
            self.pocket.offer(self.weights)

    def point(self) -> FloatArray:
        return self.weights.copy()

    def mistakes(self) -> int:
        return int(self.wrong(np.arange(self.n)).sum())

    def errors(self) -> int:
        return int((predicted(self.scores, self.plan.tie) != self.codes).sum())

    def scores_of(self, coefficients: FloatArray) -> FloatArray:
        """Of all rows; a kernel row for each row with a coefficient."""
        scores = np.zeros_like(self.scores)
        for i in np.flatnonzero(coefficients.any(axis=1)):
            scores += np.outer(self.rows[int(i)], coefficients[i])
        return scores

    def averaged(self) -> FloatArray:
        """The mean of the coefficients over all steps."""
        return self.weights + self.sum / max(self.steps, 1)


def run_dual(
    rows: KernelRows, codes: IntArray, units: int, plan: Plan, watch: Watch = lambda epoch, mistakes: None
) -> DualResult:
    """The perceptron from w = 0, by counts."""
    learner = DualLearner(rows, codes, units, plan)
    pocket = learner.pocket
    status, mistakes = run_epochs(learner, plan, None if plan.pocket == "update" else pocket, watch)
    perfect = status is PerceptronStatus.CONVERGED
    coefficients, errors = learner.weights, 0 if perfect else learner.errors()
    if plan.average:
        coefficients = learner.averaged()
        errors = int((predicted(learner.scores_of(coefficients), plan.tie) != codes).sum())
    elif plan.pocket and not perfect and pocket.best is not None:
        coefficients, errors = pocket.best, pocket.best_errors
    best = 0 if perfect else errors if pocket.best is None else min(errors, pocket.best_errors)
    record = Result(status, mistakes, learner.updates, (rows.n - errors) / rows.n, (rows.n - best) / rows.n)
    counts = learner.counts[:, 0] if learner.counts.shape[1] == 1 else learner.counts
    return DualResult(coefficients, counts, record, np.array(learner.corrected, dtype=np.int64))


def kernel_space(design: Design, center: bool, kernel: str | None = None) -> Any:
    """The training rows that the kernel sees, dense or CSR; kernel values themselves are dense and square."""
    if kernel == "precomputed" and design.n != design.d:
        raise InvalidData(
            f"X has shape ({design.n}, {design.d}); kernel='precomputed' needs the square matrix of k(xᵢ, xⱼ) in fit"
        )
    return _as_seen(design, center, kernel)


def _as_seen(design: Design, center: bool, kernel: str | None) -> Any:
    if not design.sparse:
        return design.source - column_means(design) if center else design.source
    if kernel == "precomputed":
        return sparse.csr_array(design.source, shape=(design.n, design.d)).toarray()
    if center:
        raise Refused("center=True would make sparse rows dense: in the dual form give X.toarray(), or center=False")
    return sparse.csr_array(design.source, shape=(design.n, design.d))


def linear_weights(design: Design, coefficients: FloatArray, bias: bool, center: bool) -> FloatArray:
    """(units, d + 1): w = Σᵢ coefficientsᵢ (xᵢ − μ), and b for the rows as given."""
    total = design.adjoint(np.ascontiguousarray(coefficients)).T.copy()
    sums = total[:, -1].copy()
    total[:, -1] *= float(bias)
    if center:
        mean = column_means(design)
        total[:, :-1] -= np.outer(sums, mean)
        total[:, -1] -= total[:, :-1] @ mean
    return total


def kernel_scores(
    kernel: Callable[[Any, Any], FloatArray] | None, rows: Any, support: Any, coefficients: FloatArray
) -> FloatArray:
    """Σᵢ coefficientsᵢ k(x, xᵢ), (rows, units), a block of rows at a time.

    Without a kernel the rows are kernel values already, and the support is a choice of their columns.
    """
    scores = np.empty((rows.shape[0], len(coefficients)))
    block = max(1, _BLOCK // max(1, coefficients.shape[1]))
    for first in range(0, len(scores), block):
        part = rows[first : first + block]
        values = part[:, support] if kernel is None else kernel(part, support)
        scores[first : first + block] = values @ coefficients.T
    return scores


def rows_to_score(X: Any, expected: Expected, mean: FloatArray | None, kernel: str | None) -> Any:
    """X read and checked, centred like the training rows, dense or CSR."""
    design = read_rows(X, expected)
    if not design.scan.finite:
        raise InvalidData(locate_non_finite(X) or "Input X contains NaN or infinity")
    rows = _as_seen(design, center=False, kernel=kernel)
    if mean is None:
        return rows
    return (rows.toarray() if design.sparse else rows) - mean
