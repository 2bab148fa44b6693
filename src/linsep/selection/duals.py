"""Wide and sparse rows: every fold by dual coordinate descent, its multipliers carried from one α to the next.

A fit of a margin loss to n rows has a multiplier θᵢ a row, whatever the number of columns, and needs a few sweeps over
the rows where conjugate gradients at a small α need many passes. The multipliers change smoothly with α. Those of the
log loss are logits of margins, θ = σ(−M), so the line in ln α through the logits of the last two values leads to where
the next begins. The other losses begin at a multiple of the last ones (solvers/dual_cd.py): as long as most rows are at
their bounds θ stays, and where the classes are apart θ/α does. Softmax has the probabilities that its weights give, so
there the line goes through the weights.

The folds are independent, and as many run at once as there are threads; each is sequential, so that their number
changes nothing. Ctrl-C reaches all of them. What is proved of each fit is its duality gap.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from math import log
from threading import Event
from typing import Any

import numpy as np

from linsep.kernels.threads import single_threaded_blas
from linsep.model import Effort, Objective, Training, problems_of
from linsep.problem.problem import Problem
from linsep.problem.reductions import Joint, OneMargin, OneVsRest
from linsep.selection.scoring import Fold, FoldFit
from linsep.solvers.base import Goal, Solution, Solver
from linsep.solvers.driver import Budget, Callback, solve
from linsep.solvers.dual_cd import INSIDE
from linsep.solvers.outcome import Record
from linsep.solvers.patience import LOOK
from linsep.solvers.table import choose
from linsep.special import expit, logit
from linsep.types import FloatArray

#: Multipliers and weights that may be kept in all.
_MOST_KEPT = 1 << 27


@dataclass(eq=False)
class Descent(ABC):
    """One problem of one fold, at one α after another; past: ln α and what is carried from there, of the last two."""

    problem: Problem
    solver: Any
    budget: Budget
    w: FloatArray | None = None
    past: list[tuple[float, FloatArray]] = field(default_factory=list)

    def at(self, alpha: float, watch: Callback | None = None) -> float:
        """Go to the optimum at this α: its certified relative excess."""
        solver, start = self._begin(alpha)
        solution = solve(self.problem.with_alpha(alpha), solver, start, self.budget, watch)
        self.w = solution.w
        carried = self._carried(solution)
        if carried is not None:
            self.past = [*self.past[-1:], (log(alpha), carried)]
        return solution.certificate.relative_gap

    @abstractmethod
    def _begin(self, alpha: float) -> tuple[Solver, FloatArray | None]:
        """The solver, and the weights to begin from."""

    @abstractmethod
    def _carried(self, solution: Solution) -> FloatArray | None:
        """What leads to the next α."""

    def _ahead(self, alpha: float) -> FloatArray:
        """On the line in ln α through what is carried, or where there is one value that."""
        (before, first), (here, last) = self.past[0], self.past[-1]
        return last if here == before else last + (log(alpha) - here) / (here - before) * (last - first)


class MarginDescent(Descent):
    """One margin a row: logits of the multipliers are carried for the log loss, else the multipliers."""

    def _begin(self, alpha: float) -> tuple[Solver, FloatArray | None]:
        if not self.past:
            return self.solver, self.w
        theta = expit(self._ahead(alpha)) if self._curved else self.past[-1][1]
        return replace(self.solver, theta=theta), self.w

    def _carried(self, solution: Solution) -> FloatArray | None:
        theta = solution.dual
        return theta if theta is None or not self._curved else logit(np.clip(theta, *INSIDE))

    @property
    def _curved(self) -> bool:
        return self.problem.loss.name == "log"


class SoftmaxDescent(Descent):
    def _begin(self, alpha: float) -> tuple[Solver, FloatArray | None]:
        return self.solver, self._ahead(alpha) if self.past else None

    def _carried(self, solution: Solution) -> FloatArray | None:
        return solution.w


#: The solvers whose sweeps are sequential, by name, and how their problems go from one α to the next.
_DESCENTS: dict[str, type[Descent]] = {"dual_cd": MarginDescent, "softmax_dual": SoftmaxDescent}


@dataclass(eq=False)
class DualFolds:
    """Every problem of the scheme in every fold."""

    training: Training
    folds: Sequence[Fold]
    descents: list[list[Descent]]  # of each fold

    @staticmethod
    def of(training: Training, objective: Objective, effort: Effort, folds: Sequence[Fold]) -> DualFolds | None:
        """None where the solvers' table would take another way, or what is kept would be too much."""
        if not isinstance(objective.scheme, OneMargin | OneVsRest | Joint):
            return None
        numbers = (training.design.n + training.design.d) * objective.scheme.count(training.n_classes)
        if numbers * len(folds) > _MOST_KEPT:
            return None
        single = replace(training, design=replace(training.design, threads=1))
        problems = [problem.with_alpha(1.0) for problem in problems_of(single, objective)]
        counts = np.ones(training.design.n) if training.weights is None else training.weights
        rows = [fold.train[counts[fold.train] > 0.0] for fold in folds]
        parts = [[problem.rows(train) for problem in problems] for train in rows]
        way: Any
        way, *others = {choose(problem, effort.solver) for part in parts for problem in part}
        if others or way.name not in _DESCENTS:
            return None
        solver = way(goal=Goal(effort.tol, False), seed=effort.seed, lanes=1)
        if any(solver.refusal(problem) for problem in problems):
            return None
        budget = Budget(way.max_iter if effort.max_iter is None else effort.max_iter, effort.time_limit)
        return DualFolds(training, folds, [[_DESCENTS[way.name](p, solver, budget) for p in part] for part in parts])

    def at(self, alpha: float) -> tuple[list[FoldFit], float]:
        count, halted = len(self.folds), Event()

        def halt(_: Record) -> None:
            if halted.is_set():
                raise KeyboardInterrupt

        with single_threaded_blas(), ThreadPoolExecutor(max(1, min(self.training.design.threads, count))) as threads:
            try:
                fits = [threads.submit(self._fold, f, alpha, halt) for f in range(count)]
                while not all(fit.done() for fit in fits):
                    wait(fits, LOOK)
            except KeyboardInterrupt:
                halted.set()
                threads.shutdown(wait=False, cancel_futures=True)
                raise
        found = [fit.result() for fit in fits]
        return [fit for fit, _ in found], max(gap for _, gap in found)

    def _fold(self, f: int, alpha: float, watch: Callback) -> tuple[FoldFit, float]:
        gap = max(descent.at(alpha, watch) for descent in self.descents[f])
        w = np.column_stack([descent.w for descent in self.descents[f] if descent.w is not None])
        return FoldFit(w, replace(self.training.design, threads=1).rows(self.folds[f].held).scores(w)), gap
