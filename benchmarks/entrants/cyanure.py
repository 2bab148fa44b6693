"""Cyanure: variance-reduced methods with quasi-Newton acceleration, stopped by a duality gap."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.entrants.base import NEVER, Entrant, answer, tolerances
from benchmarks.types import Fit, Setting, Task

LOSSES = {"log": "logistic", "squared_hinge": "sqhinge", "softmax": "multiclass-logistic"}


class Cyanure(Entrant):
    name = "cyanure"
    module = "cyanure.estimators"

    def refuses(self, task: Task) -> str | None:
        return None if task.loss in LOSSES else f"no {task.loss} loss"

    def ladder(self, task: Task) -> tuple[Setting, ...]:
        # a few passes without its gap, at which it looks only every fifth
        passes = tuple({"max_iter": count, "tol": 0.0} for count in (2, 5, 10))
        return passes + tolerances((1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7))

    def fit(self, task: Task, prepared: Any, setting: Setting) -> Fit:
        half = 0.5 if task.loss == "squared_hinge" else 1.0  # its squared hinge carries a factor 1/2
        model = (
            self.imported()
            .Classifier(
                loss=LOSSES[task.loss],
                penalty="l2",
                lambda_1=half * task.alpha,
                fit_intercept=task.intercept,
                n_threads=task.threads,
                verbose=False,
                **{"max_iter": NEVER, **setting},
            )
            .fit(*prepared)
        )
        coef = np.asarray(model.coef_)
        intercept = model.intercept_ if task.intercept else 0.0
        return answer(task, coef.T if task.multiclass else coef, intercept)
