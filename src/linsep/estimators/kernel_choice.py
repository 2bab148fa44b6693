"""α of a kernel machine by folds: SMO on the rows of K that a fold leaves, scores from those of the rows left out.

K stays as it is: γ = "scale" is that of all rows. The grid begins where no score can move by more than a tenth,

    α = 10·(mean k(x, x) − mean k(x, x′)),

the mean square of φ about its mean, which a free intercept takes (without one: mean k(x, x)), and spans seven decades.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linsep.cached import cached_property
from linsep.data import as_design
from linsep.kernelised.functions import Kernel
from linsep.kernelised.model import KernelModel, fit_kernel_model
from linsep.kernelised.smo import SmoEffort
from linsep.model import Training
from linsep.problem.reductions import Reduction
from linsep.selection import Task
from linsep.selection.grid import exponential
from linsep.selection.refits import part_of
from linsep.selection.scoring import Fold, FoldFit, objective_of
from linsep.solvers import Status
from linsep.types import FloatArray, IntArray

#: The relative excess of the fold fits: below what a left-out loss can show.
_TOL = 1e-3
#: Rows whose K tells the spread of φ; what the scores may move by at the first α; the smallest α over the largest.
_SAMPLE, _MOVE, _DEPTH = 500, 0.1, 1e-7


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelTask(Task):
    """A task whose model is in the space of φ."""

    kernel: Kernel
    smo: SmoEffort

    def grid(self, size: int) -> FloatArray:
        return exponential(self._spread() / _MOVE, _DEPTH, size)

    def fits(self, folds: Sequence[Fold]) -> KernelFolds:
        return KernelFolds(self, folds)

    def no_shortcut(self) -> str | None:
        return "with a kernel every row has a feature of its own"

    def _spread(self) -> float:
        n = self.training.design.n
        rows = np.arange(n) if self.training.weights is None else np.flatnonzero(self.training.weights)
        chosen = np.sort(np.random.default_rng(0).permutation(rows)[:_SAMPLE])
        block = _block(self.kernel, self.training, chosen, chosen)
        own, others = float(block.diagonal().mean()), float(block.mean())
        spread = own - others if self.objective.intercept else own
        return spread if np.isfinite(spread) and spread > 0.0 else 1.0


def _block(kernel: Kernel, training: Training, rows: IntArray, others: IntArray) -> FloatArray:
    """k of some rows with others."""
    table = training.design.table
    if kernel.precomputed:
        return np.asarray(table[np.ix_(rows, others)], dtype=np.float64)
    return np.asarray(kernel(table[rows], table[others]), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class KernelFit(FoldFit):
    """A fold's kernel machine; `columns` are the training rows that a precomputed kernel has columns for."""

    model: KernelModel
    columns: IntArray | None

    @property
    def n_features(self) -> int:
        return int(self.model.vectors.shape[1]) if self.columns is None else self.model.rows

    def scores_of(self, X: Any) -> FloatArray:
        return self.model.scores(as_design(X if self.columns is None else X[:, self.columns], 1))


@dataclass(eq=False)
class KernelFolds:
    """A fit a fold."""

    task: KernelTask
    folds: Sequence[Fold]

    @cached_property
    def parts(self) -> list[Training]:
        return [self._part(fold) for fold in self.folds]

    def at(self, alpha: float) -> tuple[list[FoldFit], float]:
        """The fits of all folds, and the worst of their certified relative excesses."""
        fits = [self._fit(fold, part, alpha) for fold, part in zip(self.folds, self.parts, strict=True)]
        return list(fits), max(fit.model.certificate.relative_gap for fit in fits)

    def _part(self, fold: Fold) -> Training:
        training, given = self.task.training, self.task.kernel.precomputed
        part = part_of(training, fold.train, fold.present)
        if not given:
            return part
        block = _block(self.task.kernel, training, fold.train, fold.train)
        return replace(part, design=as_design(np.ascontiguousarray(block), training.design.threads))

    def _fit(self, fold: Fold, part: Training, alpha: float) -> KernelFit:
        task, table = self.task, self.task.training.design.table
        objective = objective_of(task.objective, fold)
        assert isinstance(objective.scheme, Reduction)
        effort = replace(task.smo, tol=max(task.smo.tol, _TOL), to_rounding=False)
        model = fit_kernel_model(part, task.kernel, objective.scheme, (alpha, objective.intercept), effort, None)
        if model.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        columns = fold.train if task.kernel.precomputed else None
        fit = KernelFit(np.empty((0, 0)), np.empty((0, 0)), model, columns)
        held = as_design(table[fold.held], task.training.design.threads)
        if columns is not None:
            held = as_design(np.ascontiguousarray(table[np.ix_(fold.held, columns)]), held.threads)
        return replace(fit, scores=model.scores(held))
