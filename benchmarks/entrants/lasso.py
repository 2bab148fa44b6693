"""celer and skglm: coordinate descent on working sets, for L1. They compile at their first fit, before the clock."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.entrants.base import Entrant, answer, tolerances
from benchmarks.types import Fit, Matrix, Setting, Task


class WorkingSets(Entrant):
    """What both share: CSC or Fortran order, converted before the clock starts."""

    penalties = frozenset({"l1"})

    def refuses(self, task: Task) -> str | None:
        return None if task.loss == "log" else "two-class logistic loss only"

    def prepare(self, task: Task, X: Matrix, y: NDArray[np.int64]) -> Any:
        return (sparse.csc_matrix(X) if task.sparse else np.asfortranarray(X)), y


class Celer(WorkingSets):
    name = "celer"
    module = "celer"

    def refuses(self, task: Task) -> str | None:
        return "no intercept with the logistic loss" if task.intercept else super().refuses(task)

    def ladder(self, task: Task) -> tuple[Setting, ...]:
        return tolerances((1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6))

    def fit(self, task: Task, prepared: Any, setting: Setting) -> Fit:
        model = self.imported().LogisticRegression(C=task.C, fit_intercept=False, max_iter=500, **setting)
        return answer(task, model.fit(*prepared).coef_, 0.0)


class Skglm(WorkingSets):
    name = "skglm"
    module = "skglm"

    def ladder(self, task: Task) -> tuple[Setting, ...]:
        return tolerances((1e-3, 1e-4, 1e-5, 1e-6, 1e-7))

    def fit(self, task: Task, prepared: Any, setting: Setting) -> Fit:
        model = self.imported().SparseLogisticRegression(
            alpha=task.alpha, fit_intercept=task.intercept, max_iter=500, **setting
        )
        model.fit(*prepared)
        return answer(task, model.coef_, model.intercept_ if task.intercept else 0.0)
