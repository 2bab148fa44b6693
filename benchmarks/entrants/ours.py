"""linsep at default settings, `tol` varied."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from benchmarks.entrants.base import Entrant, answer, tolerances
from benchmarks.types import Fit, Setting, Task

PARAMETERS = {
    "log": {"loss": "log"},
    "hinge": {"loss": "hinge"},
    "squared_hinge": {"loss": "squared_hinge"},
    "softmax": {"loss": "log", "multiclass": "softmax"},
    "crammer_singer": {"loss": "hinge", "multiclass": "crammer_singer"},
}


class Linsep(Entrant):
    name = "linsep"
    module = "linsep"
    penalties = frozenset({"l1", "l2"})

    def refuses(self, task: Task) -> str | None:
        return None

    def ladder(self, task: Task) -> tuple[Setting, ...]:
        return tolerances((1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-10))

    def fit(self, task: Task, prepared: Any, setting: Setting) -> Fit:
        classifier = (
            self.imported()
            .LinearClassifier(
                alpha=task.alpha,
                l1_ratio=float(task.l1),
                fit_intercept=task.intercept,
                n_jobs=task.threads,
                **PARAMETERS[task.loss],
                **setting,
            )
            .fit(*prepared)
        )
        certificate = classifier.certificate_
        says = {name: float(getattr(certificate, name)) for name in ("primal", "bound", "relative_gap")}
        return replace(answer(task, classifier.coef_, classifier.intercept_), says=says)
