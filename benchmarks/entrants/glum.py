"""glum: iteratively reweighted least squares, or L-BFGS where the Hessian would be too large."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.entrants.base import Entrant, answer, tolerances
from benchmarks.types import Fit, Setting, Task

LARGEST_HESSIAN = 5_000


class Glum(Entrant):
    name = "glum"
    module = "glum"
    penalties = frozenset({"l1", "l2"})

    def refuses(self, task: Task) -> str | None:
        if task.l1 and task.d > LARGEST_HESSIAN:
            return f"with L1 it would need a {task.d:,} x {task.d:,} Hessian"
        return None if task.loss == "log" else "two-class logistic loss only"

    def ladder(self, task: Task) -> tuple[Setting, ...]:
        return tolerances((1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8), name="gradient_tol")

    def fit(self, task: Task, prepared: Any, setting: Setting) -> Fit:
        X, y = prepared
        model = (
            self.imported()
            .GeneralizedLinearRegressor(
                family="binomial",
                alpha=task.alpha,
                l1_ratio=float(task.l1),
                solver="auto" if task.l1 else "irls-ls" if task.d <= LARGEST_HESSIAN else "lbfgs",
                fit_intercept=task.intercept,
                max_iter=10_000,
                **setting,
            )
            .fit(X, y.astype(np.float64))
        )
        return answer(task, model.coef_, model.intercept_ if task.intercept else 0.0)
