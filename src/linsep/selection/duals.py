"""Wide and sparse rows: every fold by dual coordinate descent, its multipliers carried from one α to the next.

A fit of a margin loss to n rows has a multiplier θᵢ a row, whatever the number of columns, and needs a few sweeps over
the rows where conjugate gradients at a small α need many passes. The multipliers change smoothly with α. Those of the
log loss are logits of margins, θ = σ(−M), so the line in ln α through the logits of the last two values leads to where
the next begins. The other losses begin at a multiple of the last ones (solvers/dual_cd.py): as long as most rows are at
their bounds θ stays, and where the classes are apart θ/α does.

The folds are independent, and as many run at once as there are threads; each is sequential, so that their number
changes nothing. What is proved of each fit is its duality gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from math import log

import numpy as np

from linsep.kernels.threads import single_threaded_blas
from linsep.model import Effort, Objective, Training, problems_of
from linsep.problem.margin_problem import MarginProblem
from linsep.problem.reductions import OneMargin, OneVsRest
from linsep.selection.scoring import Fold, FoldFit
from linsep.solvers.base import Goal
from linsep.solvers.driver import Budget, solve
from linsep.solvers.dual_cd import INSIDE, DualCD
from linsep.solvers.table import choose
from linsep.special import expit, logit
from linsep.types import FloatArray

#: Multipliers that may be kept in all.
_MOST_KEPT = 1 << 27


@dataclass(eq=False)
class Descent:
    """One binary problem of one fold, at one α after another."""

    problem: MarginProblem
    solver: DualCD
    budget: Budget
    w: FloatArray | None = None
    past: list[tuple[float, FloatArray]] = field(default_factory=list)

    def at(self, alpha: float) -> float:
        """Go to the optimum at this α: its certified relative excess."""
        solver = replace(self.solver, theta=self._ahead(alpha))
        solution = solve(self.problem.with_alpha(alpha), solver, self.w, self.budget)
        self.w = solution.w
        if solution.dual is not None:
            self.past = [*self.past[-1:], (log(alpha), solution.dual)]
        return solution.certificate.relative_gap

    def _ahead(self, alpha: float) -> FloatArray | None:
        """Multipliers near those of this α, from the last values."""
        if not self.past:
            return None
        (before, first), (here, theta) = self.past[0], self.past[-1]
        if here == before or self.problem.loss.name != "log":
            return theta
        t = (log(alpha) - here) / (here - before)
        at, start = (logit(np.clip(part, *INSIDE)) for part in (theta, first))
        ahead: FloatArray = expit(at + t * (at - start))
        return ahead


@dataclass(eq=False)
class DualFolds:
    """Every binary problem of the scheme in every fold."""

    training: Training
    folds: Sequence[Fold]
    descents: list[list[Descent]]  # of each fold

    @staticmethod
    def of(training: Training, objective: Objective, effort: Effort, folds: Sequence[Fold]) -> DualFolds | None:
        """None where the solvers' table would take another way, or the multipliers are too many."""
        if not isinstance(objective.scheme, OneMargin | OneVsRest):
            return None
        if training.design.n * objective.scheme.count(training.n_classes) * len(folds) > _MOST_KEPT:
            return None
        solver = DualCD(goal=Goal(effort.tol, False), seed=effort.seed, lanes=1)
        budget = Budget(DualCD.max_iter if effort.max_iter is None else effort.max_iter, effort.time_limit)
        single = replace(training, design=replace(training.design, threads=1))
        problems = [p.with_alpha(1.0) for p in problems_of(single, objective) if isinstance(p, MarginProblem)]
        counts = np.ones(training.design.n) if training.weights is None else training.weights
        rows = [fold.train[counts[fold.train] > 0.0] for fold in folds]
        parts = [[problem.rows(train) for problem in problems] for train in rows]
        ways = {choose(problem, effort.solver) for part in parts for problem in part}
        if ways != {DualCD} or any(solver.refusal(problem) for problem in problems):
            return None
        return DualFolds(training, folds, [[Descent(p, solver, budget) for p in part] for part in parts])

    def at(self, alpha: float) -> tuple[list[FoldFit], float]:
        count = len(self.folds)
        with single_threaded_blas(), ThreadPoolExecutor(max(1, min(self.training.design.threads, count))) as threads:
            found = list(threads.map(lambda f: self._fold(f, alpha), range(count)))
        return [fit for fit, _ in found], max(gap for _, gap in found)

    def _fold(self, f: int, alpha: float) -> tuple[FoldFit, float]:
        gap = max(descent.at(alpha) for descent in self.descents[f])
        w = np.stack([descent.w for descent in self.descents[f] if descent.w is not None], axis=1)
        return FoldFit(w, replace(self.training.design, threads=1).rows(self.folds[f].held).scores(w)), gap
