"""Snap ML: dual coordinate descent on several threads. Its intercept is a column, and penalised."""

from __future__ import annotations

from typing import Any

from benchmarks.entrants.base import NEVER, ONE_VS_REST, Entrant, answer, tolerances
from benchmarks.types import Fit, Setting, Task


class SnapMl(Entrant):
    name = "Snap ML"
    module = "snapml"

    def refuses(self, task: Task) -> str | None:
        return ONE_VS_REST if task.multiclass else None

    def ladder(self, task: Task) -> tuple[Setting, ...]:
        return tolerances((1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6))

    def fit(self, task: Task, prepared: Any, setting: Setting) -> Fit:
        common = {
            "regularizer": 1.0 / task.C,
            "fit_intercept": task.intercept,
            "n_jobs": task.threads,
            "max_iter": NEVER,
            "random_state": 0,
            **setting,
        }
        package = self.imported()
        if task.loss == "log":
            model = package.LogisticRegression(dual=True, **common)
        else:
            model = package.SupportVectorMachine(loss=task.loss, **common)
        model.fit(*prepared)
        return answer(task, model.coef_, model.intercept_ if task.intercept else 0.0)
