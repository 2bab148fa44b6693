"""KernelModel: support vectors with their coefficients, frozen, and how a fit makes one.

The score of problem j at x is Σᵢ βᵢⱼ k(xᵢ, x) + bⱼ over the support vectors xᵢ, the rows with a βᵢⱼ ≠ 0. The problems
are those of the multiclass scheme, each a mean over its own rows with the same α; `tol` binds the worst.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
from scipy import sparse

from linsep.certify import Certificate, Kind, combine
from linsep.data.design import Design
from linsep.data.source import as_design
from linsep.kernelised.functions import Kernel
from linsep.kernelised.rows import COMPILED, TrainingRows, compiled
from linsep.kernelised.smo import SmoEffort, SmoRun, SmoSolution
from linsep.kernelised.soft_margin import SoftMargin
from linsep.kernels.threads import single_threaded_blas
from linsep.model import Training, Watch
from linsep.model.fingerprint import fingerprints
from linsep.model.fit import worst_status
from linsep.problem.losses import resolve as loss_named
from linsep.problem.reductions import OneMargin, Reduction, Task
from linsep.solvers import Record, Status
from linsep.types import FloatArray, IntArray

#: Kernel values of a prediction held at a time.
_BLOCK = 4_000_000


@dataclass(frozen=True, eq=False)
class KernelModel:
    """What a fit found.

    support       numbers of the training rows that are support vectors of any problem, rising
    vectors       those rows; of a precomputed kernel nothing but their number is known: (n_SV, 0)
    coefficients  β, (problems, n_SV), sparse for one-vs-one
    intercepts    b, (problems,)
    rows          training rows
    intercept     whether b is free
    """

    kernel: Kernel
    scheme: Reduction
    n_classes: int
    rows: int
    intercept: bool
    support: IntArray
    vectors: Any
    coefficients: Any
    intercepts: FloatArray
    certificate: Certificate
    status: Status
    statuses: tuple[Status, ...]
    traces: tuple[list[Record], ...]

    @property
    def steps(self) -> int:
        return max((trace[-1].step for trace in self.traces if trace), default=0)

    @property
    def seconds(self) -> float:
        return float(sum(trace[-1].seconds for trace in self.traces if trace))

    def class_scores(self, design: Design) -> FloatArray:
        """(n,) for two classes, positive for the second, else (n, K)."""
        scores = self.scores(design)
        if isinstance(self.scheme, OneMargin):
            return np.ascontiguousarray(scores[:, 0])
        return self.scheme.retrieve(scores, self.n_classes, loss_named("hinge"))

    def scores(self, design: Design) -> FloatArray:
        """(n, problems), block by block."""
        out = np.empty((design.n, len(self.intercepts)))
        size = max(1, _BLOCK // max(1, len(self.support)))
        values = self._values(design)
        with single_threaded_blas():
            for first in range(0, design.n, size):
                last = min(design.n, first + size)
                out[first:last] = (self.coefficients @ values(first, last).T).T + self.intercepts
        return out

    def _values(self, design: Design) -> Any:
        """k(rows first to last, support vectors) as a function of first and last."""
        if self.kernel.precomputed:
            data = design.table[:, self.support]
            dense = data.toarray() if sparse.issparse(data) else data
            return lambda first, last: dense[first:last].astype(np.float64, copy=False)
        if self.kernel.name not in COMPILED:
            data = design.table
            return lambda first, last: self.kernel(data[first:last], self.vectors)
        if len(self.support) == 0:
            return lambda first, last: np.zeros((last - first, 0))
        rows = compiled(self.kernel, as_design(self.vectors, 1), inf)

        def block(first: int, last: int) -> FloatArray:
            out = np.empty((last - first, len(self.support)))
            rows.block(design.matrix, first, out, design.threads)
            return out

        return block


def fit_kernel_model(
    training: Training,
    kernel: Kernel,
    scheme: Reduction,
    margin: tuple[float, bool],
    effort: SmoEffort,
    watch: Watch | None,
) -> KernelModel:
    """The certified model; margin is (α, whether b is free)."""
    rows = TrainingRows(kernel, training.design, effort.bytes)
    began, ended = time.perf_counter(), None
    solutions: list[SmoSolution] = []
    parts: list[tuple[IntArray, FloatArray]] = []
    count = scheme.count(training.n_classes)
    for j, task in enumerate(scheme.reduce(training.labels)):
        problem = _problem(training, task, *margin)
        left = effort.seconds - (time.perf_counter() - began)
        if left <= 0.0 and j > 0:
            ended = ended or Status.TIME_LIMIT
        if ended is None:
            if watch is not None:
                watch.begin(j, count)
            run = SmoRun(problem, rows, task.rows, replace(effort, seconds=left), watch)
            solution = run.solve()
            ended = Status.INTERRUPTED if solution.status is Status.INTERRUPTED else None
        else:
            solution = _unsolved(problem, ended, effort.tol)
        parts.append(_nonzero(task, solution.beta))
        solutions.append(solution)
    return replace(_model(training, rows, scheme, solutions, parts), intercept=margin[1])


def _problem(training: Training, task: Task, alpha: float, intercept: bool) -> SoftMargin:
    weights = np.ones(training.design.n) if training.weights is None else training.weights
    own = weights if task.rows is None else weights[task.rows]
    return SoftMargin(task.signs, own / (own.sum() * alpha), alpha, intercept)


def _unsolved(problem: SoftMargin, status: Status, tol: float) -> SmoSolution:
    certificate = Certificate(1.0, -inf, Kind.NONE, tol, problem.alpha)
    return SmoSolution(np.zeros_like(problem.y), 0.0, status, certificate, [])


def _nonzero(task: Task, beta: FloatArray) -> tuple[IntArray, FloatArray]:
    """Numbers of the rows with β ≠ 0 among all rows, and those β."""
    at = np.flatnonzero(beta)
    return (at if task.rows is None else task.rows[at]), beta[at]


def _model(
    training: Training,
    rows: TrainingRows,
    scheme: Reduction,
    solutions: list[SmoSolution],
    parts: list[tuple[IntArray, FloatArray]],
) -> KernelModel:
    support = np.unique(np.concatenate([at for at, _ in parts]))
    ends = np.cumsum([0, *(len(at) for at, _ in parts)])
    at = np.searchsorted(support, np.concatenate([at for at, _ in parts]))
    beta = np.concatenate([values for _, values in parts])
    coefficients = sparse.csr_array((beta, at, ends), shape=(len(parts), len(support)))
    certificate = solutions[0].certificate
    if len(solutions) > 1:
        certificate = combine(tuple(s.certificate for s in solutions))
    certificate = replace(certificate, fingerprint=fingerprints(training.design, training.labels, training.weights))
    data = training.design.table
    return KernelModel(
        kernel=rows.kernel,
        scheme=scheme,
        n_classes=training.n_classes,
        rows=training.design.n,
        intercept=True,
        support=support,
        vectors=np.empty((len(support), 0)) if rows.kernel.precomputed else data[support],
        coefficients=coefficients if scheme.name == "ovo" else coefficients.toarray(),
        intercepts=np.array([s.b for s in solutions]),
        certificate=certificate,
        status=worst_status([s.status for s in solutions]),
        statuses=tuple(s.status for s in solutions),
        traces=tuple(s.trace for s in solutions),
    )
